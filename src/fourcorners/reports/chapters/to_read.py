"""What the red flags may lack: findings to be read, and clauses that were set apart."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.reports.chapters.material import ReportMaterial
from fourcorners.reports.chapters.red_flags import contract_places, group_flags
from fourcorners.reports.tree import Block, QuoteBlock, Run, Section, Tone, body
from fourcorners.review.finding import Severity


def to_read_sections(material: ReportMaterial) -> tuple[Section, ...]:
    """Return the findings to be read, those that could be high first, and the clauses set apart.

    All of them are listed: any may be a red flag.
    """
    return tuple(each for each in (_findings(material), _set_apart(material)) if each.blocks)


def _findings(material: ReportMaterial) -> Section:
    flags = group_flags(material.by_severities(Severity.TO_READ))
    flags.sort(key=lambda each: -each.entries[0].finding.possible_severity.rank)
    blocks: list[Block] = []
    if flags:
        blocks.append(body("Any of these may be a red flag: a person should read the contract."))
    for flag in flags:
        blocks += [
            body(Run(f"{flag.name}. ", Tone.STRONG), Run(flag.reason)),
            body(
                Run("In ", Tone.STRONG),
                *contract_places(material, flag.entries, len(flag.entries)),
                ".",
            ),
        ]
    return Section("to_read", "To be read", tuple(blocks), numbered=False)


def _set_apart(material: ReportMaterial) -> Section:
    quotes = list(_clauses(material))
    intro = body(
        "These clauses give orders to whoever reviews or summarises the contract. No finding "
        "follows from them and no language model was given them, but they may hold a term."
    )
    blocks: tuple[Block, ...] = (intro, *quotes) if quotes else ()
    return Section("set_apart", "Clauses set apart", blocks, numbered=False)


def _clauses(material: ReportMaterial) -> Iterator[QuoteBlock]:
    for row, document in enumerate(material.review.documents):
        for clause in document.set_apart:
            source = Run(f"{material.name(row)}, {clause.place}", Tone.QUIET)
            yield QuoteBlock(clause.words, (source,))
