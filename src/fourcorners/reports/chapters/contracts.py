"""The chapter by contract: what was found in each, answers first, on a page at most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from fourcorners.reports.chapters.finding import (
    amendment_blocks,
    claim_blocks,
    correction_blocks,
    finding_notes,
)
from fourcorners.reports.chapters.material import (
    OPEN_TITLE,
    Entry,
    ReportMaterial,
    format_date,
    key_block,
    key_place,
    lines_of,
    own_sentences,
    recommendation,
    sentences_without_dates,
    severity_reason,
    severity_run,
    status_runs,
)
from fourcorners.reports.chapters.red_flags import quoted_entries
from fourcorners.reports.chapters.term_words import term_phrases
from fourcorners.reports.tree import (
    Block,
    Paragraph,
    QuoteBlock,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    note,
    row,
)
from fourcorners.review.finding import Author, CellState, Finding, ReviewedDocument, Severity
from fourcorners.review.parties import display_name
from fourcorners.text.invisible_characters import single_line

_LINES: Final = 42.0  # of a contract's table, which with its heading and card is a page at most
# Characters of the words that a row shows, the most that its page has room for, the gravest first:
# 0 for all, None for none. Words that are not whole there, nor among the red flags, are in
# Schedule A.
_SIZES: Final = (0, 400, 250, 80)
_WIDTHS: Final = (0.16, 0.37, 0.47)
_HEADS: Final = ("Provision", "In short", "The contract’s words, and their clause")


def contract_chapter(material: ReportMaterial) -> Section:
    sections = tuple(
        _contract(material, index, document)
        for index, document in enumerate(material.review.documents)
    )
    return Section("contracts", "Contract by contract", sections=sections)


def _contract(material: ReportMaterial, index: int, document: ReviewedDocument) -> Section:
    entries = material.of_row(index)
    family = [note(*runs)] if (runs := material.family_runs(index)) else []
    blocks: list[Block] = [*family, note(_card_line(document, material.review.as_of))]
    if document.needs_ocr or document.windows or document.cautions:
        blocks.append(
            note(
                Run("To be read with care: ", Tone.WARNING),
                Run(OPEN_TITLE, link="schedule_open"),
                " says why.",
            )
        )
    rows, _ = _rows(material, index)
    if rows:
        caption = f"Findings in {material.name(index)}"
        blocks.append(Table(caption, _HEADS, tuple(rows), _WIDTHS))
    if plain := [each for each in entries if not _needs_row(each)]:
        blocks.append(body(Run("Also found: ", Tone.STRONG), *_in_a_line(plain)))
    absent = [
        cell.head.name
        for cell in material.grid.rows[index]
        if cell.finding.state is CellState.NOT_FOUND and not cell.flagged
    ]
    if absent:
        blocks.append(note(f"Not found: {', '.join(absent)}."))
    return Section(f"document_{index}", material.name(index), tuple(blocks))


def _needs_row(entry: Entry) -> bool:
    finding = entry.finding
    answer_words = finding.amendments or finding.remarks or finding.claims or finding.value
    asked = any(answer.author is Author.MODEL for answer in finding.answers)
    return entry.severity.rank > Severity.LOW.rank or bool(answer_words) or asked


def _in_a_line(entries: Sequence[Entry]) -> Iterator[Run]:
    """Yield what was found and needs no row: its answer and its clause."""
    for at, entry in enumerate(entries):
        low = f" ({entry.severity.words.lower()})" if entry.severity is Severity.LOW else ""
        yield Run(("; " if at else "") + entry.cell.head.name + low, Tone.STRONG)
        answer_words = _value(entry.finding, entry.cell.headline).rstrip(".")
        place = key_place(entry.finding)
        yield Run(
            ": " + ", ".join(filter(None, (answer_words, place))) if answer_words or place else ""
        )
    yield Run(".")


def entries_cut(material: ReportMaterial, index: int) -> list[Entry]:
    """Return the findings of a contract whose words are whole neither there nor as red flags."""
    shown = quoted_entries(material)
    return [each for each in _rows(material, index)[1] if each.number not in shown]


def _rows(material: ReportMaterial, index: int) -> tuple[list[Row], list[Entry]]:
    """Return the rows of a contract's page, and the findings whose words are not whole there."""
    entries = [each for each in material.of_row(index) if _needs_row(each)]
    quoted = quoted_entries(material)
    advice = sum(lines_of(_row(material, each, None), _WIDTHS) for each in entries) < _LINES
    rows: list[Row] = []
    cut: list[Entry] = []
    room = _LINES
    for entry in entries:
        room -= lines_of(_row(material, entry, None, advice=advice), _WIDTHS)
    for entry in entries:
        least = _row(material, entry, None, advice=advice)
        sizes = (None,) if entry.number in quoted else (*_SIZES, None)
        for size in sizes:
            made = _row(material, entry, size, advice=advice)
            more = lines_of(made, _WIDTHS) - lines_of(least, _WIDTHS)
            if size is None or more <= max(0.0, room):
                break
        room -= more
        if _is_whole(entry, size):
            rows.append(made)
            continue
        cut.append(entry)
        title, link = ("Schedule A", "schedule_findings")
        if entry.number in quoted:
            title, link = ("Red flags", "flags")
        whole = body(Run("In full: ", Tone.QUIET), Run(title, link=link))
        rows.append(replace(made, cells=(*made.cells[:-1], (*made.cells[-1], whole))))
    return rows, cut


def _is_whole(entry: Entry, size: int | None) -> bool:
    if not entry.finding.evidence:
        return True
    return size is not None and key_block(entry.finding, size) == key_block(entry.finding)


def _row(material: ReportMaterial, entry: Entry, most: int | None, *, advice: bool = True) -> Row:
    finding = entry.finding
    name = [Run(entry.cell.head.name)]
    if entry.severity is not Severity.NONE:
        name += [Run("  "), severity_run(entry)]
    blocks = [Paragraph(tuple(_short(entry)), notes=finding_notes(finding))]
    if advice and (step := recommendation(finding)):
        blocks.append(body(Run(step, Tone.QUIET)))
    words: tuple[Paragraph | QuoteBlock, ...] = (body(Run(key_place(finding), Tone.QUIET)),)
    has_change = most is not None and any(each.replaces and each.old for each in finding.amendments)
    if most is not None:
        words = key_block(finding, most)
    return row(
        (Paragraph(tuple(name)),),
        tuple(blocks),
        (
            *correction_blocks(finding),
            *words,
            *claim_blocks(finding),
            *(() if has_change else amendment_blocks(material, finding)),
        ),
        anchor=entry.anchor,
    )


def _short(entry: Entry) -> Iterator[Run]:
    """Yield the value of a finding, else why it is flagged, and what a person said of it."""
    finding = entry.finding
    value, standing = _value(finding, entry.cell.headline), status_runs(finding)
    if value or not standing:
        yield Run(value or "–")
    yield from standing


def _value(finding: Finding, headline: str) -> str:
    if own := own_sentences(
        severity_reason(finding), sentences_without_dates(severity_reason(finding))
    ):
        return own
    if headline and finding.severity.rank > Severity.LOW.rank and finding.reason:
        return f"{headline}. {severity_reason(finding)}"
    return headline or (severity_reason(finding) if finding.reason else "")


def _card_line(document: ReviewedDocument, as_of: date) -> str:
    """Return what a contract says of itself, in one line."""
    known = document.card
    parties = [
        single_line(
            display_name(party.value)
            if party.value.is_blank
            else f"{party.value.name} ({party.value.role})"
            if party.value.role
            else party.value.name
        )
        for party in known.parties
    ]
    dated = known.agreement_date.value if known.agreement_date else None
    parts = [
        single_line(known.type.value) if known.type else "",
        _party_line(parties),
        f"dated {format_date(dated)}" if dated else "",
        f"in effect from {format_date(known.effective_date.value)}"
        if known.effective_date and known.effective_date.value != dated
        else "",
        *term_phrases(document, as_of),
        f"governed by the law of {single_line(known.governing_law.value)}"
        if known.governing_law
        else "",
        f"amends {single_line(known.amends.value)}" if known.amends else "",
    ]
    return " · ".join(filter(None, parts)) or "Neither its parties nor its date were identified."


_PARTIES: Final = 6  # that a line names; of more, the rest are counted


def _party_line(parties: Sequence[str]) -> str:
    named = list(parties[:_PARTIES])
    if len(parties) > _PARTIES:
        named.append(f"{len(parties) - _PARTIES} more")
    return ", ".join(named)
