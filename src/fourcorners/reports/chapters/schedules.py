"""The schedules: all findings with their words, what is open, and the documents."""

from __future__ import annotations

import os.path
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Final

from fourcorners.reports.chapters import front
from fourcorners.reports.chapters.contracts import entries_cut
from fourcorners.reports.chapters.finding import quoted_words, summary_blocks
from fourcorners.reports.chapters.material import (
    OPEN_TITLE,
    Entry,
    ReportMaterial,
    clause_heading,
    count_noun,
    format_date,
    format_time,
    key_block,
    last_decision,
)
from fourcorners.reports.grid import Cell
from fourcorners.reports.tree import (
    Block,
    BulletList,
    Row,
    Section,
    Table,
    body,
    note,
    row,
    words,
)
from fourcorners.research.columns.store import PREFIX
from fourcorners.review.finding import Author, CellState, ReviewedDocument
from fourcorners.review.severity import comes_close
from fourcorners.text.invisible_characters import shorten, single_line

_AUTHORS: Final = {
    Author.RULE: "by the program’s own rules and models",
    Author.MODEL: "with a language model",
    Author.PERSON: "by a person",
}
_CONFIDENCE: Final = re.compile(r", with a mean confidence of \d+%")  # a figure of the program's
_WINDOWS: Final = "Its clauses could not be separated with confidence: references are to passages."


def findings_schedule(material: ReportMaterial) -> list[Section]:
    """Return the schedule of words in full: those that a contract's page cuts, or all."""
    whole = material.whole_quotes
    sections = tuple(
        Section(
            f"schedule_document_{index}",
            material.grid.name(document),
            (_findings(material, document, entries),),
        )
        for index, document in enumerate(material.review.documents)
        if (entries := material.of_row(index) if whole else entries_cut(material, index))
    )
    if not sections:
        return []
    intro = body(
        "Each finding with the contract’s own words, their place, and what follows from them."
        if whole
        else "The words of findings that their contract’s page has no room for, in full."
    )
    title = "Findings and their words" if whole else "Words in full"
    return [Section("schedule_findings", title, (intro,), sections, True, whole)]


def _findings(
    material: ReportMaterial, document: ReviewedDocument, entries: Sequence[Entry]
) -> Table:
    rows = [
        row(
            (body(entry.cell.head.name),),
            *(
                (quoted_words(entry), summary_blocks(entry, material))
                if material.whole_quotes
                else (key_block(entry.finding),)
            ),
        )
        for entry in entries
    ]
    heads: tuple[str, ...] = ("Provision", "The contract’s words, and their place")
    widths: tuple[float, ...] = (0.18, 0.82)
    if material.whole_quotes:
        heads, widths = (*heads, "What follows"), (0.14, 0.5, 0.36)
    caption = f"Findings and their words: {material.grid.name(document)}"
    return Table(caption, heads, tuple(rows), widths)


def open_schedule(material: ReportMaterial) -> Section:
    """Return the schedule that is the one place that says what is left to a person."""
    parts = [
        *_unread(material),
        *_images(material),
        *_suspicious(material),
        *_warnings(material),
        *_failed_section(material),
        *_rejected_findings(material),
        *_close(material),
    ]
    limits = BulletList(tuple(words(each) for each in _LIMITS))
    blocks = (body(front.status(material)), body("Points for a lawyer to consider:"), limits)
    return Section("schedule_open", OPEN_TITLE, blocks, tuple(parts), True)


_LIMITS: Final = (
    (
        "This report states what the contracts say, not what the law makes of it, whether a term "
        "can be enforced, or what the parties have done since."
    ),
    (
        "“Not found” does not mean that the contract has no such term: read the contract where "
        "that matters."
    ),
    (
        "Documents that a contract refers to and that were not supplied were not read; nor were "
        "drawings, handwriting, or pages that are images without text."
    ),
    (
        "Where a later document amends a contract, each is quoted unchanged; confirm which "
        "words are in force."
    ),
)


def _part(
    anchor: str,
    title: str,
    heads: tuple[str, ...],
    widths: tuple[float, ...],
    rows: Iterable[Row],
    intro: str = "",
) -> list[Section]:
    """Return a part of the schedule that is one table, if it has any rows."""
    table = Table(title, heads, tuple(rows), widths)
    blocks = (body(intro), table) if intro else (table,)
    return [Section(anchor, title, blocks)] if table.rows else []


def _unread(material: ReportMaterial) -> list[Section]:
    base = _common([file.path for file in material.review.unread])
    rows = [
        row(*map(single_line, (_relative_path(base, file.path), file.reason, file.remedy)))
        for file in material.review.unread
    ]
    heads = ("File", "Why", "What to do")
    return _part("open_unread", "Files that are not covered", heads, (0.38, 0.31, 0.31), rows)


def _images(material: ReportMaterial) -> list[Section]:
    rows = [
        row(material.document_link(index), ", ".join(map(str, document.needs_ocr)))
        for index, document in enumerate(material.review.documents)
        if document.needs_ocr
    ]
    intro = "These pages are images: read them with OCR and add the file again."
    heads = ("Contract", "Pages")
    return _part("open_images", "Pages without text", heads, (0.6, 0.4), rows, intro)


def _suspicious(material: ReportMaterial) -> list[Section]:
    """Return what is meant for a machine, or kept from a reader's eyes."""
    rows = [
        row(material.document_link(index), single_line(each))
        for index, document in enumerate(material.review.documents)
        for each in document.suspicions
    ]
    intro = (
        "Someone may have meant to mislead a review of these contracts: they hold words addressed "
        "to a machine, words that no reader sees, or letters that look like others. No finding "
        "follows from an order in a contract, but a person should read these contracts."
    )
    heads = ("Contract", "What it holds")
    return _part("open_suspicious", "Suspicious words", heads, (0.35, 0.65), rows, intro)


def _warnings(material: ReportMaterial) -> list[Section]:
    rows = [
        row(material.document_link(index), _CONFIDENCE.sub("", single_line(each)))
        for index, document in enumerate(material.review.documents)
        for each in (*document.warnings, *([_WINDOWS] if document.windows else []))
    ]
    heads = ("Contract", "What to know")
    return _part("open_warnings", "Contracts to read with care", heads, (0.35, 0.65), rows)


def _failed_section(material: ReportMaterial) -> list[Section]:
    rows = [
        row(
            material.document_link(cell.row),
            cell.head.name,
            single_line(cell.finding.error),
            single_line(cell.finding.remedy),
        )
        for cell in material.grid.failures()
    ]
    heads = ("Contract", "Provision", "Why", "What to do")
    title = "Findings that could not be made"
    return _part("open_failed", title, heads, (0.26, 0.16, 0.3, 0.28), rows)


def _rejected_findings(material: ReportMaterial) -> list[Section]:
    rows = [
        row(material.document_link(cell.row), cell.head.name, _words(cell), _by_whom(cell))
        for cell in material.rejected
    ]
    heads, widths = (
        ("Contract", "Provision", "What the program proposed", "Rejected"),
        (0.24, 0.16, 0.4, 0.2),
    )
    return _part("open_rejected", "Proposals that a person rejected", heads, widths, rows)


def _words(cell: Cell) -> str:
    best = max(cell.finding.proposal.evidence, key=lambda each: each.score, default=None)
    if best is None:
        return "Not found"
    return f"{clause_heading(best)}: “{shorten(best.quote.words, 300)}”"


def _by_whom(cell: Cell) -> str:
    last = last_decision(cell.finding)
    if last is None:
        return ""
    cells = f"{single_line(last.by)}, {format_time(last.at)}", single_line(last.comment)
    return ". ".join(filter(None, cells))


def _close(material: ReportMaterial) -> list[Section]:
    rows = [
        row(material.document_link(cell.row), cell.head.name, key_block(cell.finding))
        for cell in material.grid.cells()
        if comes_close(cell.finding) and not cell.flagged
    ]
    heads = ("Contract", "Provision", "The nearest passage")
    intro = "Nothing was found for these provisions; a lawyer may read these passages otherwise."
    return _part("open_close", "Passages to check", heads, (0.24, 0.16, 0.6), rows, intro)


def documents_schedule(material: ReportMaterial) -> Section:
    """Return the schedule of the documents that were reviewed."""
    base = _common([document.path for document in material.review.documents])
    rows = [
        row(
            f"{index + 1}",
            (body(material.document_link(index), *material.family_runs(index)),),
            single_line(_relative_path(base, document.path) or document.name),
            single_line(document.card.type.value) if document.card.type else "–",
            format_date(date.value) if (date := document.card.agreement_date) else "–",
            f"{document.page_count:,}" if document.page_count else "–",
        )
        for index, document in enumerate(material.review.documents)
    ]
    table = Table(
        "Contracts reviewed",
        ("", "Contract", "File", "Type", "Dated", "Pages"),
        tuple(rows),
        (0.05, 0.27, 0.22, 0.2, 0.15, 0.11),
    )
    blocks: tuple[Block, ...] = (table,) if rows else (note("None."),)
    return Section(
        "schedule_documents",
        "Contracts reviewed, and how",
        (*blocks, *_method(material)),
        schedule=True,
    )


def _method(material: ReportMaterial) -> Iterator[Block]:
    review = material.review
    provisions = [head.name for head in review.columns if not head.id.startswith(PREFIX)]
    asked = [head.name for head in review.columns if head.id.startswith(PREFIX)]
    yield body(
        f"Each contract was read against {count_noun(len(provisions), 'provision')} of the "
        f"playbook “{review.playbook}”: {', '.join(provisions)}. "
        "What answers a provision is quoted in the contract’s own words; severity and advice "
        "follow from the rules of the playbook."
    )
    if asked:
        quoted = "; ".join(f"“{each}”" for each in asked)
        yield body(f"Asked besides: {quoted}.")
    by = Counter(
        cell.finding.author
        for cell in material.grid.cells()
        if cell.finding.state is CellState.FOUND
    )
    made = [f"{by[author]:,} {how}" for author, how in _AUTHORS.items() if by[author]]
    if made:
        yield body(f"How the findings were made: {'; '.join(made)}.")
    if measured := front.sample_result(material):
        yield body(measured)
    unverified = material.grid.quotes()[False]
    failed = "is not in it and supports" if unverified == 1 else "are not in it and support"
    checked = f"{unverified:,} {failed} nothing" if unverified else "all of them verified"
    yield body(
        f"Every quote was compared with the text of its contract: {checked}. Lines are joined as "
        "they were before the page wrapped them, and hidden characters appear by name, such as "
        "⟦U+200B⟧."
    )


def _common(paths: Sequence[str]) -> str:
    """Return the folder that all paths share: it is a place on somebody's machine."""
    folders = {str(PurePath(path).parent) for path in paths}
    if not folders or len({PurePath(folder).is_absolute() for folder in folders}) != 1:
        return ""
    try:
        return os.path.commonpath(list(folders))
    except ValueError:  # two drives
        return ""


def _relative_path(folder: str, path: str) -> str:
    return str(PurePath(path).relative_to(folder)) if folder else path
