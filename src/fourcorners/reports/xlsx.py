"""The review as an Excel workbook: the grid, the evidence row by row, and what it rests on."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Final

from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITIES,
    SEVERITY_WORDS,
    STATE_WORDS,
    Cell,
    Grid,
)
from fourcorners.reports.workbook import LINK_LIMIT, Sheets, cell_text, cell_tint, open_workbook
from fourcorners.reports.workbook_findings import write_findings, write_key
from fourcorners.review.finding import CellState, ReviewedDocument, ReviewState
from fourcorners.review.parties import display_name
from fourcorners.text.invisible_characters import shorten, show_invisible
from fourcorners.version import __version__

_GRID_QUOTE: Final = 110  # characters of a quote in a cell
_DOCUMENT_HEADS: Final = (
    ("Document", 34), ("Title", 34), ("Type", 20), ("Parties", 44), ("Agreement date", 15),
    ("Effective date", 15), ("Expiry date", 15), ("Governing law", 24), ("Amends", 30),
    ("Belongs to", 34),
    ("Pages", 8), ("Pages that need OCR", 18), ("Outline confidence", 12), ("Warnings", 50),
    ("Path", 50),
)  # fmt: skip


def export(grid: Grid, path: Path) -> None:
    """Write the review as a workbook of five sheets, and one hidden that an import needs.

    Every word of a contract or playbook is a string cell.
    """
    # The time of the review, so that the same review gives the same file.
    properties = {
        "title": show_invisible(grid.review.title)[:255],
        "created": grid.review.created.replace(tzinfo=None),
    }
    with open_workbook(path, properties) as sheets:
        _write_grid(sheets, grid, _finding_rows(grid))
        write_findings(sheets, grid)
        _write_documents(sheets, grid)
        _write_unread(sheets, grid)
        sheets.add_facts(_facts(grid))
        write_key(sheets, grid)


def _finding_rows(grid: Grid) -> list[int]:
    """Return, cell by cell, the row of the sheet Findings on which its evidence starts."""
    rows, row = [], 1
    for cell in grid.cells():
        rows.append(row)
        row += max(1, len(cell.finding.evidence))
    return rows


def _summarise_cell(cell: Cell) -> str:
    finding = cell.finding
    label = cell.label
    if finding.review is not ReviewState.PROPOSED:
        label += f" · {REVIEW_WORDS[finding.review]}"
    if finding.value:
        return f"{label}\n“{shorten(finding.value, _GRID_QUOTE)}”"
    if finding.headline:
        label = f"{finding.headline}\n{label}"
    if finding.state is CellState.FAILED:
        return shorten(f"Failed: {finding.error}", _GRID_QUOTE)
    best = finding.best
    if best is None:
        return label
    quote = best.quote
    words = f"“{shorten(quote.words, _GRID_QUOTE)}”"
    return f"{label}\n{words if quote.verified else f'not verified: {words}'}"


def _write_grid(sheets: Sheets, grid: Grid, rows: list[int]) -> None:
    names = tuple((head.name, 26) for head in grid.columns)
    heads = (("Document", 34), ("Type", 18), *names)
    sheet = sheets.add("Grid", heads, frozen=1)
    sheet.outline_settings(symbols_below=False)
    links = 0
    for i, cells in enumerate(grid.rows):
        document, row = grid.documents[i], i + 1
        card = document.card
        family = grid.family(document)
        if family:  # it can be folded below the contract that it belongs to
            sheet.set_row(row, None, None, {"level": 1})
        named = "\n".join(filter(None, (document.name, family)))
        sheets.put(sheet, row, 0, named, tint="bold")
        sheets.put(sheet, row, 1, card.type.value if card.type else "")
        for cell in cells:
            column, tint = cell.column + 2, cell_tint(cell)
            shown = cell_text(_summarise_cell(cell), "the sheet Findings")
            if links < LINK_LIMIT:
                target = f"internal:'Findings'!A{rows[i * len(grid.columns) + cell.column] + 1}"
                sheet.write_url(row, column, target, sheets.style(tint), string=shown)
                links += 1
            else:
                sheets.put(sheet, row, column, shown, tint=tint)
    for i, file in enumerate(grid.review.unread):
        row = len(grid.rows) + 1 + i
        sheets.put(sheet, row, 0, file.path, tint="failed")
        sheets.put(sheet, row, 1, "Not read", tint="failed")
        if grid.columns:
            sheets.put(sheet, row, 2, f"{file.reason} {file.remedy}".strip(), tint="failed")
    last = len(grid.rows) + len(grid.review.unread)
    sheet.autofilter(0, 0, max(1, last), len(heads) - 1)
    sheet.set_zoom(90)


def _write_documents(sheets: Sheets, grid: Grid) -> None:
    sheet = sheets.add("Documents", _DOCUMENT_HEADS, frozen=1)
    for row, document in enumerate(grid.documents, start=1):
        for column, text in enumerate(_card_texts(grid, document)):
            sheets.put(sheet, row, column, text, tint="bold" if column == 0 else "plain")
    sheet.autofilter(0, 0, max(1, len(grid.documents)), len(_DOCUMENT_HEADS) - 1)


def _card_texts(grid: Grid, document: ReviewedDocument) -> tuple[str | date, ...]:
    card = document.card
    parties = [
        display_name(fact.value)
        if fact.value.is_blank
        else " ".join(part for part in (fact.value.name, _bracket(fact.value.role)) if part)
        for fact in card.parties
    ]
    dates = (card.agreement_date, card.effective_date, card.expiry_date)
    return (
        document.name,
        card.title.value if card.title else "",
        card.type.value if card.type else "",
        "\n".join(parties),
        *(fact.value if fact else "" for fact in dates),
        card.governing_law.value if card.governing_law else "",
        card.amends.value if card.amends else "",
        grid.family(document),
        str(document.page_count or ""),
        ", ".join(map(str, document.needs_ocr)),
        "windows" if document.windows else f"{document.outline_confidence:.2f}",
        "\n".join(document.cautions),
        document.path,
    )


def _bracket(role: str) -> str:
    return f"({role})" if role else ""


def _write_unread(sheets: Sheets, grid: Grid) -> None:
    heads = (("File", 60), ("Why", 60), ("What to do", 60))
    sheet = sheets.add("Unread", heads, frozen=1)
    for row, file in enumerate(grid.review.unread, start=1):
        for column, text in enumerate((file.path, file.reason, file.remedy)):
            sheets.put(sheet, row, column, text, tint="failed" if column == 0 else "plain")
    row = len(grid.review.unread) + 1
    for document in grid.documents:
        if document.needs_ocr:
            numbers = ", ".join(map(str, document.needs_ocr))
            sheets.put(sheet, row, 0, document.path, tint="failed")
            sheets.put(sheet, row, 1, f"No text on page {numbers}: only an image.")
            sheets.put(sheet, row, 2, "Run OCR over the file and add it again.")
            row += 1
    sheet.autofilter(0, 0, max(1, row - 1), len(heads) - 1)


def _facts(grid: Grid) -> list[tuple[str, str]]:
    review, quotes = grid.review, grid.quotes()
    states, flags = grid.states(), grid.severities()
    nobody = grid.read_for_nobody
    facts = [
        ("Title", review.title),
        ("Reviewed", review.created.isoformat(sep=" ", timespec="minutes")),
        ("As of", review.as_of.isoformat()),
        ("Playbook", f"{review.playbook} {review.playbook_version}".strip()),
        ("Playbook hash", review.playbook_hash),
        *((("Read for nobody", nobody),) if nobody else ()),
        ("Documents reviewed", f"{len(review.documents):,}"),
        ("Files not read", f"{len(review.unread):,}"),
        ("Provisions", f"{len(review.columns):,}"),
        *((f"Cells: {STATE_WORDS[state].lower()}", f"{states[state]:,}") for state in CellState),
        *((f"Red flags: {SEVERITY_WORDS[s].lower()}", f"{flags[s]:,}") for s in SEVERITIES),
        ("Quotes verified", f"{quotes[True]:,}"),
        ("Quotes not verified", f"{quotes[False]:,}"),
        ("Fourcorners", __version__),
        *review.provenance,
    ]
    if len(grid.rows) * len(grid.columns) > LINK_LIMIT:
        facts.append(
            ("Links", f"Excel allows {LINK_LIMIT:,} links a sheet: later cells have none.")
        )
    return [*facts, *((f"Provision: {head.name}", head.definition) for head in grid.columns)]
