"""The front of the reports: cover, summary, and how far people have checked what follows."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from fourcorners.reports.chapters.material import (
    GRAVE_SEVERITIES,
    TONES,
    ReportMaterial,
    count_noun,
    count_to_read,
    format_date,
    join_words,
    key_block,
    recommendation,
    review_run,
)
from fourcorners.reports.chapters.red_flags import contract_places, group_flags
from fourcorners.reports.chapters.term_words import term_runs
from fourcorners.reports.grid import SEVERITY_WORDS, STATE_WORDS, Cell
from fourcorners.reports.tree import (
    Block,
    BulletList,
    Paragraph,
    Run,
    Section,
    Table,
    Tone,
    body,
    label,
    row,
)
from fourcorners.review.finding import CellState, ReviewedDocument, ReviewState
from fourcorners.review.overview.counts import CHECKED_STATES
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.values.quantities import find_quantities

NOTICE = (
    "Made by a program from the contracts named in it, and from nothing else. It is not legal "
    "advice, and no finding in it is a lawyer’s opinion unless it is marked as confirmed or "
    "corrected by a named person."
)


def status(material: ReportMaterial) -> str:
    total, checked = material.counts.cells, material.counts.checked
    if not checked:
        return "Draft: no lawyer has checked these findings yet."
    again = material.counts.second_look
    late = f" {count_noun(again, 'needs', 'need')} a second look." if again else ""
    if checked == total:
        return f"A person has checked all {total:,} cells.{late}"
    return f"A person has checked {checked:,} of {total:,} cells.{late}"


_STEPS: Final = 6  # that a person should do first
_HEADS: Final = ("Contract", "Parties", "Sums", "Term", "Law")
_WIDTHS: Final = (0.27, 0.25, 0.18, 0.18, 0.12)


def summary(material: ReportMaterial) -> Section:
    """Return the first page: each contract in a row, and what to do first."""
    rows = [
        row(
            (Paragraph((material.document_link(index), *material.family_runs(index))),),
            "; ".join(single_line(party.value.name) for party in document.card.parties) or "–",
            (Paragraph(sum_runs(material.grid.rows[index], document) or (Run("–"),)),),
            (Paragraph(term_runs(document, material.review.as_of) or (Run("–"),)),),
            single_line(law.value) if (law := document.card.governing_law) else "–",
        )
        for index, document in enumerate(material.review.documents)
    ]
    blocks: list[Block] = [body(Run(status(material), Tone.STRONG))]
    if rows:
        blocks.append(Table("The contracts in short", _HEADS, tuple(rows), _WIDTHS))
    if steps := tuple(_steps(material)):
        blocks += [label(Run("What to do first", Tone.STRONG)), BulletList(steps)]
    return Section("summary", "Summary", tuple(blocks), numbered=False)


def _steps(material: ReportMaterial) -> Iterator[tuple[Run, ...]]:
    flags = group_flags(material.by_severities(*GRAVE_SEVERITIES))
    for flag in flags[:_STEPS]:
        step = recommendation(flag.entries[0].finding) or flag.reason
        where = contract_places(material, flag.entries, most=3)
        yield (
            Run(SEVERITY_WORDS[flag.severity], TONES[flag.severity]),
            Run(f"  {flag.name}. ", Tone.STRONG),
            Run(f"{step} "),
            *where,
            Run("."),
        )
    if more := sum(len(flag.entries) for flag in flags[_STEPS:]):
        yield (Run(f"{count_noun(more, 'more flag')}: see "), Run("Red flags", link="flags"))
    if material.to_read:
        yield (
            Run("Read ", Tone.STRONG),
            Run(f"{count_to_read(material.counts)}: "),
            Run("To be read", link="to_read"),
            Run("."),
        )


def cover(material: ReportMaterial, prepared_by: str) -> tuple[tuple[str, str], ...]:
    review = material.review
    unread = len(review.unread)
    gaps = f"; {count_noun(unread, 'file')} not covered" if unread else ""
    nobody = material.grid.read_for_nobody
    read_for = "; ".join(single_line(each) for each in review.read_for)
    return (
        *((("Prepared by", prepared_by),) if prepared_by else ()),
        *((("Read for", read_for),) if read_for else ()),
        *((("Read for nobody", nobody),) if nobody else ()),
        ("Date of review", format_date(review.created)),
        ("Terms judged as of", format_date(review.as_of)),
        ("Playbook", review.playbook),
        ("Contracts", f"{len(review.documents):,}{gaps}"),
    )


def left_to_a_person(material: ReportMaterial) -> str:
    """Return in a few sentences what the red-flag report leaves to a person."""
    review = material.review
    images = sum(bool(document.needs_ocr) for document in review.documents)
    suspicious = sum(bool(document.suspicions) for document in review.documents)
    failed = len(material.grid.failures())
    counts = (
        (len(review.unread), "file is", "files are", "not covered"),
        (images, "contract has", "contracts have", "pages without text"),
        (failed, "finding", "findings", "could not be made"),
        (suspicious, "contract holds", "contracts hold", "words that may mislead a review"),
    )
    gaps = [f"{count_noun(n, one, many)} {what}" for n, one, many, what in counts if n]
    missing = f" {join_words(gaps)}." if gaps else ""
    has_open = bool(material.to_read)
    open_ones = " The questions that the contracts’ words leave open follow." if has_open else ""
    return (
        f"{status(material)}{missing} What the law makes of these words, and which of them are in "
        f"force where a later document amends them, is for a lawyer to say.{open_ones}"
    )


SIZE: Final = 40  # cells: with none wrong, fewer than one in ten are, 95 times in 100
_Z: Final = 1.96  # of a 95% interval


def sample_cells(material: ReportMaterial) -> list[Cell]:
    """Return the cells of the sample, half of them found, as far as there are so many.

    They are drawn by a hash of contract and provision: the same review has the same sample, and a
    cell stays in it when contracts are added, or is pushed out by another.
    """
    drawn: list[Cell] = []
    for state in (CellState.FOUND, CellState.NOT_FOUND):
        cells = [c for c in material.grid.cells() if c.finding.proposal.state is state]
        drawn += sorted(cells, key=_lot)[: SIZE // 2]
    return sorted(drawn, key=lambda cell: (cell.row, cell.column))


def _lot(cell: Cell) -> bytes:
    return hashlib.sha256(f"{cell.document.id} {cell.head.id}".encode()).digest()


def sample_section(material: ReportMaterial) -> Section:
    cells = sample_cells(material)
    rows = [
        row(
            material.name(cell.row),
            (body(Run(cell.head.name)),),
            f"{STATE_WORDS[cell.finding.state]}. {cell.headline}".strip(),
            key_block(cell.finding),
            review_run(cell.finding),
        )
        for cell in cells
    ]
    heads = ("Contract", "Provision", "What the review says", "The contract’s words", "Checked")
    table = Table("Quality sample", heads, tuple(rows), (0.2, 0.14, 0.2, 0.34, 0.12))
    intro = body(
        f"{count_noun(len(cells), 'cell')} drawn at random, half of them found if there are enough."
        " A second reader compares each with the contract and confirms, corrects or rejects it in "
        f"the review; the due-diligence report then gives the error rate. {sample_result(material)}"
    )
    return Section("sample", "Quality sample", (intro, table) if rows else (intro,), numbered=False)


def sample_result(material: ReportMaterial) -> str:
    """Say how many cells of the sample were wrong, with the interval; empty if none was checked."""
    states = [cell.finding.review for cell in sample_cells(material)]
    checked = sum(each in CHECKED_STATES for each in states)
    if not checked:
        return ""
    wrong = sum(each in (ReviewState.CORRECTED, ReviewState.REJECTED) for each in states)
    low, high = wilson_interval(wrong, checked)
    return (
        f"Quality sample: {checked} of {count_noun(len(states), 'random cell')} were checked, and "
        f"{wrong} of them {'was' if wrong == 1 else 'were'} wrong: {100 * wrong / checked:.0f} in "
        f"100, or with 95 in 100 certainty {100 * low:.0f} to {100 * high:.0f}."
    )


def wilson_interval(wrong: int, checked: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson, 1927), which holds for few cases as well."""
    share, spread = wrong / checked, _Z**2 / checked
    middle = share + spread / 2
    half = (share * (1 - share) * spread + spread**2 / 4) ** 0.5
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


_MOST: Final = 3  # sums that a row of the summary names
_NEAR: Final = 80  # characters before a sum that say what it is paid for
_PAID: Final = re.compile(
    r"(?:\b(?:[A-Z][\w’'-]*|annual|exercise|initial|monthly|purchase|unit|weekly|yearly)\s+){0,2}"
    r"\b(?i:charge|commission|deposit|fee|instal?lment|payment|price|rent"
    r"|retainer|royalty|royalties)s?\b(?!.*\b(?i:fees?|charges?|price|payments?)\b)"
)
# These say that a sum is another's: a limit, a condition, a unit; so does a pause before it.
_OF_OTHER: Final = re.compile(
    r"\b(?:above|and|cover|damages?|exceed\w*|insur\w*|less|liab\w+|more|or|over|per|than|up\s+to)\b|[,;:]",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"(?:an?|of|the|that|this|such)\s+", re.IGNORECASE)


def sum_runs(cells: tuple[Cell, ...], document: ReviewedDocument) -> tuple[Run, ...]:
    """Return the sums that answers state, each with its provision, and what else is to be paid.

    The latter are the words of the contract, to be read there: a price may have conditions.
    """
    stated = [
        f"{cell.head.name}: {answer.answer}"
        for cell in cells
        for answer in cell.finding.answers
        if answer.id == "amount" and answer.answer and cell.finding.state is CellState.FOUND
    ]
    paid = _paid_sums(document.text)
    more = f"; and {len(paid) - _MOST} more" if len(paid) > _MOST else ""
    runs = [Run("; ".join(stated))] if stated else []
    if paid:
        runs += [Run("; ")] if stated else []
        runs += [Run("; ".join(paid[:_MOST]) + more), Run(" (to be read)", Tone.TO_READ)]
    return tuple(runs)


def _paid_sums(text: str) -> list[str]:
    """Return the sums that a contract's words call a fee, a price and the like, in their order."""
    found: dict[str, None] = {}
    for sentence in split_sentences(text):
        for quantity in find_quantities(text, sentence):
            if not quantity.mark:
                continue
            start = max(sentence.start, quantity.span.start - _NEAR)
            before = single_line(Span(start, quantity.span.start).text_in(text))
            paid = _PAID.search(before)
            if paid is None or _OF_OTHER.search(before, paid.end()):
                continue
            name = _ARTICLE.sub("", single_line(paid[0]))
            words = single_line(quantity.span.text_in(text))
            found[f"{name[:1].upper()}{name[1:]}: {words}"] = None
    return [*found]
