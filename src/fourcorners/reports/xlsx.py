"""The review as an Excel workbook: the grid, the evidence row by row, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.errors import ConfigError
from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITIES,
    SEVERITY_WORDS,
    STATE_WORDS,
    Cell,
    Grid,
    pages,
    recognised,
)
from fourcorners.reports.visible import shortened, visible
from fourcorners.review.finding import CellState, Evidence, ReviewedDocument, Severity
from fourcorners.version import __version__

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

# Excel specifications and limits: characters in a cell, hyperlinks in a sheet.
CELL_LIMIT: Final = 32_767
LINK_LIMIT: Final = 65_530
# What a spreadsheet, or a CSV saved from it, may take for a formula (OWASP, CSV injection).
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_GRID_QUOTE: Final = 110
_INK, _HEAD = "#1C2430", "#1F3A5F"
_TINTS: Final = {
    "high": ("#FBE3E1", "#8E1F26"),
    "medium": ("#FBEFD2", "#6E4700"),
    "low": ("#E3EDF7", "#234C75"),
    "found": ("#E8F1EA", "#2C5A3F"),
    "not_found": ("#FFFFFF", "#6B7280"),
    "failed": ("#EFE4F3", "#5B2471"),
}
_FINDING_HEADS: Final = (
    ("Document", 34), ("Type", 18), ("Provision", 22), ("State", 11), ("Severity", 10),
    ("Quote", 70), ("Heading path", 34), ("Page", 9), ("Start", 9), ("End", 9), ("Score", 8),
    ("Verification", 14), ("Reason", 44), ("Review state", 14), ("Reviewer’s note", 36),
    ("Path of the document", 40),
)  # fmt: skip
_DOCUMENT_HEADS: Final = (
    ("Document", 34), ("Title", 34), ("Type", 20), ("Parties", 44), ("Agreement date", 15),
    ("Effective date", 15), ("Expiry date", 15), ("Governing law", 24), ("Amends", 30),
    ("Pages", 8), ("Pages that need OCR", 18), ("Outline confidence", 12), ("Warnings", 50),
    ("Path", 50),
)  # fmt: skip


def cell_text(text: str, pointer: str) -> str:
    """Return the text as a cell can hold it: hidden characters visible, the overlong cut.

    A cut ends with a mark that says how much is missing and where to read it (`pointer`).
    """
    shown = visible(text)
    # Excel counts UTF-16 units.
    if len(shown.encode("utf-16-le")) // 2 <= CELL_LIMIT:
        return shown
    mark = f" […cut: {len(text):,} characters in all; read them at {pointer}]"
    kept = shown.encode("utf-16-le")[: (CELL_LIMIT - len(mark) - 1) * 2]
    return kept.decode("utf-16-le", errors="ignore") + mark


@dataclass(slots=True)
class _Sheets:
    """The open workbook with its formats, made once each."""

    book: Workbook
    formats: dict[tuple[str, bool], Format] = field(default_factory=dict)

    def style(self, tint: str = "plain", *, guarded: bool = False) -> Format:
        """Return the format of a body cell; `guarded` makes Excel keep the content as text."""
        if (tint, guarded) not in self.formats:
            look: dict[str, object] = {
                "font_name": "Calibri", "font_size": 10, "font_color": _INK,
                "valign": "top", "text_wrap": True, "bottom": 1, "bottom_color": "#E3E0D8",
            }  # fmt: skip
            if tint in _TINTS:
                look["bg_color"], look["font_color"] = _TINTS[tint]
            if tint == "number":
                look["num_format"] = "#,##0"
            if tint == "score":
                look["num_format"] = "0.00"
            if tint == "bold":
                look["bold"] = True
            made = self.book.add_format(look)
            if guarded:
                made.set_quote_prefix()
            self.formats[tint, guarded] = made
        return self.formats[tint, guarded]

    def heading(self) -> Format:
        """Return the format of a header row."""
        if ("heading", False) not in self.formats:
            self.formats["heading", False] = self.book.add_format(
                {
                    "font_name": "Calibri",
                    "font_size": 10,
                    "bold": True,
                    "text_wrap": True,
                    "font_color": "#FFFFFF",
                    "bg_color": _HEAD,
                    "valign": "vcenter",
                }
            )
        return self.formats["heading", False]

    def add(self, name: str, heads: tuple[tuple[str, int], ...], *, frozen: int) -> Worksheet:
        """Add a sheet with a frozen header row, column widths and the print set-up."""
        sheet = self.book.add_worksheet(name)
        for column, (title, width) in enumerate(heads):
            sheet.set_column(column, column, width)
            self.put(sheet, 0, column, title, heading=True)
        sheet.set_row(0, 34)
        sheet.freeze_panes(1, frozen)
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.fit_to_pages(1, 0)
        sheet.repeat_rows(0)
        sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
        sheet.set_footer("&L&8&A&R&8Page &P of &N")
        sheet.hide_gridlines(2)
        return sheet

    def put(
        self,
        sheet: Worksheet,
        row: int,
        column: int,
        text: str,
        *,
        tint: str = "plain",
        pointer: str = "the document",
        heading: bool = False,
    ) -> None:
        """Write a string, always as a string, whatever it starts with."""
        shown = cell_text(text, pointer)
        guarded = shown.startswith(_FORMULA_STARTS)
        style = self.heading() if heading else self.style(tint, guarded=guarded)
        sheet.write_string(row, column, shown, style)


class XlsxExporter:
    """Writes the review as a workbook of five sheets."""

    suffix = ".xlsx"

    def export(self, grid: Grid, path: Path) -> None:
        """Write the workbook; every word of a contract or playbook is a string cell."""
        import xlsxwriter
        from xlsxwriter.exceptions import XlsxWriterException

        try:
            with xlsxwriter.Workbook(
                str(path),
                {
                    "in_memory": True,
                    "strings_to_formulas": False,
                    "strings_to_urls": False,
                    "strings_to_numbers": False,
                },
            ) as book:
                # The time of the review, so that the same review gives the same file.
                book.set_properties(
                    {
                        "title": visible(grid.review.title)[:255],
                        "created": grid.review.created.replace(tzinfo=None),
                    }
                )
                sheets = _Sheets(book)
                rows = _finding_rows(grid)
                _write_grid(sheets, grid, rows)
                _write_findings(sheets, grid)
                _write_documents(sheets, grid)
                _write_unread(sheets, grid)
                _write_about(sheets, grid)
        except XlsxWriterException as error:
            raise ConfigError(f"the workbook cannot be written: {error}") from error


EXPORTER = XlsxExporter()


def _finding_rows(grid: Grid) -> list[int]:
    """Return, cell by cell, the row of the sheet Findings on which its evidence starts."""
    rows, row = [], 1
    for cell in grid.cells():
        rows.append(row)
        row += max(1, len(cell.finding.evidence))
    return rows


def _tint(cell: Cell) -> str:
    finding = cell.finding
    if finding.state is CellState.FAILED:
        return "failed"
    if cell.flagged:
        return finding.severity.value
    return finding.state.value


def _at_a_glance(cell: Cell) -> str:
    finding = cell.finding
    if finding.state is CellState.FAILED:
        return shortened(f"Failed: {finding.error}", _GRID_QUOTE)
    best = finding.best
    if best is None:
        return cell.label
    quote = best.quote
    words = f"“{shortened(quote.words, _GRID_QUOTE)}”"
    return f"{cell.label}\n{words if quote.verified else f'not verified: {words}'}"


def _write_grid(sheets: _Sheets, grid: Grid, rows: list[int]) -> None:
    names = tuple((head.name, 26) for head in grid.columns)
    heads = (("Document", 34), ("Type", 18), ("Governing law", 18), *names)
    sheet = sheets.add("Grid", heads, frozen=1)
    links = 0
    for i, cells in enumerate(grid.rows):
        document, row = grid.documents[i], i + 1
        card = document.card
        sheets.put(sheet, row, 0, document.name, tint="bold")
        sheets.put(sheet, row, 1, card.type.value if card.type else "")
        sheets.put(sheet, row, 2, card.governing_law.value if card.governing_law else "")
        for cell in cells:
            column, tint = cell.column + 3, _tint(cell)
            shown = cell_text(_at_a_glance(cell), "the sheet Findings")
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
        sheets.put(sheet, row, 2, "", tint="failed")
        if grid.columns:
            sheets.put(sheet, row, 3, f"{file.reason} {file.remedy}".strip(), tint="failed")
    last = len(grid.rows) + len(grid.review.unread)
    sheet.autofilter(0, 0, max(1, last), len(heads) - 1)
    sheet.set_zoom(90)


def _write_findings(sheets: _Sheets, grid: Grid) -> None:
    sheet = sheets.add("Findings", _FINDING_HEADS, frozen=3)
    row = 1
    for cell in grid.cells():
        for evidence in cell.finding.evidence or (None,):
            _write_finding(sheets, sheet, row, cell, evidence)
            row += 1
    if row > 1:
        state_column = 13
        sheet.data_validation(
            1, state_column, row - 1, state_column,
            {"validate": "list", "source": list(REVIEW_WORDS.values()), "ignore_blank": False,
             "error_title": "Review state", "error_message": "Choose one of the list."},
        )  # fmt: skip
    sheet.autofilter(0, 0, max(1, row - 1), len(_FINDING_HEADS) - 1)


def _write_finding(
    sheets: _Sheets, sheet: Worksheet, row: int, cell: Cell, evidence: Evidence | None
) -> None:
    finding, document = cell.finding, cell.document
    quote = evidence.quote if evidence else None
    pointer = document.path
    if quote and quote.span:
        pointer = f"characters {quote.span.start:,}–{quote.span.end:,} of {document.name}"
    tint = _tint(cell)
    texts = {
        0: document.name,
        1: document.card.type.value if document.card.type else "",
        2: cell.head.name,
        5: quote.words if quote else "",
        6: " › ".join(evidence.path) if evidence else "",
        7: pages(evidence.pages).removeprefix("pages ").removeprefix("page ") if evidence else "",
        11: quote.match.value if quote else "",
        12: _why(cell, evidence),
        13: REVIEW_WORDS[finding.review],
        14: "",
        15: document.path,
    }
    for column, text in texts.items():
        sheets.put(sheet, row, column, text, pointer=shortened(pointer, 400))
    sheets.put(sheet, row, 3, STATE_WORDS[finding.state], tint=tint)
    severity = "" if finding.severity is Severity.NONE else SEVERITY_WORDS[finding.severity]
    sheets.put(sheet, row, 4, severity, tint=tint if severity else "plain")
    if quote and quote.span:
        sheet.write_number(row, 8, quote.span.start, sheets.style("number"))
        sheet.write_number(row, 9, quote.span.end, sheets.style("number"))
    else:
        sheets.put(sheet, row, 8, "")
        sheets.put(sheet, row, 9, "")
    if evidence and abs(evidence.score) <= 1:  # not so for a NaN
        sheet.write_number(row, 10, evidence.score, sheets.style("score"))
    else:
        sheets.put(sheet, row, 10, "")


def _why(cell: Cell, evidence: Evidence | None) -> str:
    """Say why the cell is what it is: the reason, the error, the best that did not count."""
    finding = cell.finding
    read = f"{recognised(evidence.ocr)}." if evidence and evidence.ocr is not None else ""
    said = [finding.reason, read, finding.error, finding.remedy]
    if finding.state is CellState.NOT_FOUND and finding.searched:
        searched = finding.searched
        said.append(
            f"{searched.passages:,} passages searched; {searched.threshold:.2f} needed to count."
        )
        if searched.best:
            said.append(
                f"Best candidate, not counted ({searched.best.score:.2f}): "
                f"“{shortened(searched.best.quote.words, 600)}”"
            )
    said += [f"{each.question} {each.answer or 'Left to a person.'}" for each in finding.answers]
    return "\n".join(part for part in said if part)


def _write_documents(sheets: _Sheets, grid: Grid) -> None:
    sheet = sheets.add("Documents", _DOCUMENT_HEADS, frozen=1)
    for row, document in enumerate(grid.documents, start=1):
        for column, text in enumerate(_card_texts(document)):
            sheets.put(sheet, row, column, text, tint="bold" if column == 0 else "plain")
    sheet.autofilter(0, 0, max(1, len(grid.documents)), len(_DOCUMENT_HEADS) - 1)


def _card_texts(document: ReviewedDocument) -> tuple[str, ...]:
    card = document.card
    parties = [
        " ".join(part for part in (fact.value.name, _bracketed(fact.value.role)) if part)
        for fact in card.parties
    ]
    dates = (card.agreement_date, card.effective_date, card.expiry_date)
    return (
        document.name,
        card.title.value if card.title else "",
        card.type.value if card.type else "",
        "\n".join(parties),
        *(fact.value.isoformat() if fact else "" for fact in dates),
        card.governing_law.value if card.governing_law else "",
        card.amends.value if card.amends else "",
        str(document.page_count or ""),
        ", ".join(map(str, document.needs_ocr)),
        "windows" if document.windows else f"{document.outline_confidence:.2f}",
        "\n".join(document.warnings),
        document.path,
    )


def _bracketed(role: str) -> str:
    return f"({role})" if role else ""


def _write_unread(sheets: _Sheets, grid: Grid) -> None:
    heads = (("File", 60), ("Why it was not read", 60), ("What to do", 60))
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


def _write_about(sheets: _Sheets, grid: Grid) -> None:
    review, states, flags, quotes = (
        grid.review,
        grid.states(),
        grid.severities(),
        grid.quotes(),
    )
    sheet = sheets.add("About", (("What", 34), ("Value", 100)), frozen=0)
    facts = [
        ("Title", review.title),
        ("Reviewed", review.created.isoformat(sep=" ", timespec="minutes")),
        ("As of", review.as_of.isoformat()),
        ("Playbook", f"{review.playbook} {review.playbook_version}".strip()),
        ("Playbook hash", review.playbook_hash),
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
    facts += [(f"Provision: {head.name}", head.definition) for head in grid.columns]
    for row, (name, value) in enumerate(facts, start=1):
        sheets.put(sheet, row, 0, name, tint="bold")
        sheets.put(sheet, row, 1, value)
