"""The schedules: all findings with their words, what is open, and the documents."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from fourcorners.reports.chapters.finding import (
    missing_blocks,
    omitted_characters,
    quoted_words,
    summary_blocks,
)
from fourcorners.reports.chapters.material import (
    MAX_IN_SCHEDULE,
    Entry,
    ReportMaterial,
    clause_heading,
    count_noun,
    format_date,
    last_decision,
)
from fourcorners.reports.grid import Cell
from fourcorners.reports.tree import (
    Block,
    Paragraph,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    note,
    row,
)
from fourcorners.review.finding import CellState, ReviewedDocument, SearchRecord
from fourcorners.text.invisible_characters import shorten, single_line

# A candidate of at least this share of the probability that counts is shown with its words.
_CLOSE = 0.5


def findings_schedule(material: ReportMaterial) -> Section:
    """Return Schedule A: every finding with its words, by document."""
    sections = tuple(
        Section(
            f"schedule_document_{index}",
            material.display_name(document),
            (_findings(material, document, entries),),
        )
        for index, document in enumerate(material.review.documents)
        if (entries := sorted(material.of_row(index), key=lambda each: each.number))
    )
    intro = body(
        "Each finding with the contract’s own words, where they stand, and what the report says "
        "of them. Contracts stand in the order of Schedule C."
        if sections
        else "Nothing was found."
    )
    blocks = (intro, *_cut(material))
    return Section("schedule_findings", "Findings and their words", blocks, sections, True, True)


def _cut(material: ReportMaterial) -> Iterator[Block]:
    left = sum(omitted_characters(entry, material) for entry in material.entries)
    if not left:
        return
    words = sum(len(e.quote.words) for each in material.entries for e in each.finding.evidence)
    yield body(
        Run("Quotes are cut: ", Tone.WARNING),
        f"of a finding of high severity, or of which a person said something, about "
        f"{MAX_IN_SCHEDULE[True]:,} characters are shown, of others about "
        f"{MAX_IN_SCHEDULE[False]:,}. {left:,} of {words:,} characters are not shown; "
        "each quote says how many. They stand at their places in the contracts, "
        "in the Excel report of the review, and in this "
        "report where it is written with whole quotes.",
    )


def _findings(
    material: ReportMaterial, document: ReviewedDocument, entries: Sequence[Entry]
) -> Table:
    rows = [
        row(
            entry.name,
            material.provision_link(entry.cell.column),
            quoted_words(entry, material),
            summary_blocks(entry, material),
            anchor=entry.anchor,
        )
        for entry in entries
    ]
    return Table(
        f"Findings and their words: {material.display_name(document)}",
        ("No.", "Provision", "The contract’s words, and where they stand", "What is said of them"),
        tuple(rows),
        (0.05, 0.11, 0.48, 0.36),
    )


def open_schedule(material: ReportMaterial) -> Section:
    """Return Schedule B: what could not be read or decided."""
    parts = [
        *_unread(material),
        *_images(material),
        *_suspicious(material),
        *_failed_section(material),
        *_questions(material),
        *_rejected(material),
        *_absent(material),
    ]
    intro = (
        "What this review could not read, could not decide, or leaves to a person."
        if parts
        else "Nothing: every file was read, and every question answered."
    )
    return Section(
        "schedule_open",
        "What could not be read or decided",
        (body(intro),),
        tuple(parts),
        True,
        new_page=True,
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
    return _part("open_unread", "Files that could not be read", heads, (0.38, 0.31, 0.31), rows)


def _images(material: ReportMaterial) -> list[Section]:
    rows = [
        row(material.document_link(index), ", ".join(map(str, document.needs_ocr)))
        for index, document in enumerate(material.review.documents)
        if document.needs_ocr
    ]
    intro = "These pages are images: recognise their text and add the file again."
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
    return _part("open_suspicious", "Words to mistrust", heads, (0.35, 0.65), rows, intro)


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
    return _part("open_failed", "Answers that failed", heads, (0.26, 0.16, 0.3, 0.28), rows)


def _questions(material: ReportMaterial) -> list[Section]:
    grouped: dict[tuple[int, str], list[Run]] = {}
    for entry in material.entries:
        for answer in entry.finding.answers:
            if not answer.answer:
                runs = grouped.setdefault((entry.cell.column, answer.question), [])
                runs += [*([Run(", ")] if runs else []), entry.link()]
    rows = [
        row(material.review.columns[column].name, question, (Paragraph(tuple(runs)),))
        for (column, question), runs in sorted(grouped.items(), key=lambda each: each[0][0])
    ]
    heads = ("Provision", "Question", "Findings")
    return _part("open_questions", "Questions left to a person", heads, (0.2, 0.42, 0.38), rows)


def _rejected(material: ReportMaterial) -> list[Section]:
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
    best = cell.finding.proposal.best
    if best is None:
        return "Not found"
    return f"{clause_heading(best)}: “{shorten(best.quote.words, 300)}”"


def _by_whom(cell: Cell) -> str:
    last = last_decision(cell.finding)
    if last is None:
        return ""
    cells = f"{single_line(last.by)}, {last.at[:10]}", single_line(last.comment)
    return ". ".join(filter(None, cells))


def _absent(material: ReportMaterial) -> list[Section]:
    rows: list[Row] = []
    close: list[Row] = []
    for index, cells in enumerate(material.grid.rows):
        absent = [cell for cell in cells if cell.finding.state is CellState.NOT_FOUND]
        if not absent:
            continue
        name = material.document_link(index)
        rows.append(row(name, _searched(absent), _provisions(absent)))
        close += [
            row(name, cell.head.name, tuple(missing_blocks(cell.finding)))
            for cell in absent
            if _is_close(cell.finding.searched) and not cell.flagged
        ]
    return [
        *_part(
            "open_absent",
            "Provisions not found",
            ("Contract", "Searched", "Provisions not found"),
            (0.28, 0.14, 0.58),
            rows,
            "Nothing in these contracts was taken for these provisions.",
        ),
        *_part(
            "open_close",
            "Passages that come near",
            ("Contract", "Provision", "The nearest passage"),
            (0.24, 0.16, 0.6),
            close,
            "These do not count as found, and a person may think otherwise.",
        ),
    ]


def _is_close(searched: SearchRecord | None) -> bool:
    if searched is None or searched.best is None:
        return False
    return searched.best.score >= _CLOSE * searched.threshold


def _searched(cells: Sequence[Cell]) -> str:
    counts = {cell.finding.searched.passages for cell in cells if cell.finding.searched}
    if not counts:
        return "Not known"
    return " or ".join(count_noun(count, "passage") for count in sorted(counts))


def _provisions(cells: Sequence[Cell]) -> tuple[Paragraph, ...]:
    runs: list[Run] = []
    for at, cell in enumerate(cells):
        runs.append(Run(("; " if at else "") + cell.head.name))
    return (Paragraph(tuple(runs)),)


def documents_schedule(material: ReportMaterial) -> Section:
    """Return Schedule C: the documents that were reviewed."""
    base = _common([document.path for document in material.review.documents])
    rows = [
        row(
            f"{index + 1}",
            Run(
                single_line(_relative_path(base, document.path) or document.name),
                link=f"document_{index}",
            ),
            single_line(document.card.type.value) if document.card.type else "–",
            format_date(date.value) if (date := document.card.agreement_date) else "–",
            f"{document.page_count:,}" if document.page_count else "–",
            _state(document),
        )
        for index, document in enumerate(material.review.documents)
    ]
    table = Table(
        "Contracts reviewed",
        ("", "File", "Type", "Dated", "Pages", "Remarks"),
        tuple(rows),
        (0.06, 0.36, 0.16, 0.15, 0.08, 0.19),
    )
    blocks: tuple[Block, ...] = (table,) if rows else (note("None."),)
    return Section("schedule_documents", "Contracts reviewed", blocks, schedule=True, new_page=True)


def _state(document: ReviewedDocument) -> str:
    pages = document.needs_ocr
    where = f"page {pages[0]}" if len(pages) == 1 else f"{len(pages)} pages"
    lines = [
        f"no text on {where}" if pages else "",
        "no outline" if document.windows else "",
        count_noun(len(document.cautions), "warning") if document.cautions else "",
    ]
    return "; ".join(filter(None, lines))


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
