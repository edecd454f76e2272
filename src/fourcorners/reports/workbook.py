"""What the sheets of the Excel report share: cells that are always text, formats, set-up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.errors import ConfigError
from fourcorners.reports.grid import Cell
from fourcorners.review.finding import CellState
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.word_differences import Edit, EditKind

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

# Excel specifications and limits: characters in a cell, hyperlinks in a sheet.
CELL_LIMIT: Final = 32_767
LINK_LIMIT: Final = 65_530  # Excel's own limit of a sheet
# What a spreadsheet, or a CSV saved from it, may take for a formula (OWASP, CSV injection).
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_INK, _HEAD = "#1C2430", "#1F3A5F"
_TINTS: Final = {
    "high": ("#FBE3E1", "#8E1F26"),
    "medium": ("#FBEFD2", "#6E4700"),
    "to_read": ("#DDF0F2", "#084E55"),
    "low": ("#E3EDF7", "#234C75"),
    "found": ("#E8F1EA", "#2C5A3F"),
    "not_found": ("#FFFFFF", "#6B7280"),
    "failed": ("#EFE4F3", "#5B2471"),
    "not_applicable": ("#FFFFFF", "#A0A6B0"),
}


_FONT: Final = {"font_name": "Calibri", "font_size": 10}
_BODY: Final[Mapping[str, object]] = {
    **_FONT, "font_color": _INK,
    "valign": "top", "text_wrap": True, "bottom": 1, "bottom_color": "#E3E0D8",
}  # fmt: skip
_LOOKS: Final[Mapping[str, Mapping[str, object]]] = {
    **{tint: {"bg_color": paper, "font_color": ink} for tint, (paper, ink) in _TINTS.items()},
    "number": {"num_format": "#,##0"},
    "date": {"num_format": "yyyy-mm-dd"},
    "score": {"num_format": "0.00"},
    # A person writes here: what looks like a date stays as written.
    "input": {"num_format": "@", "bg_color": "#FFFDF2"},
    "bold": {"bold": True},
    "insert": {"font_color": "#1B5E36", "underline": 1},
    "delete": {"font_color": "#8E1F26", "font_strikeout": True},
    "heading": {
        **_FONT, "bold": True, "text_wrap": True, "font_color": "#FFFFFF", "bg_color": _HEAD,
        "valign": "vcenter",
    },
}  # fmt: skip


def cell_text(text: str, pointer: str) -> str:
    """Return the text as a cell can hold it: hidden characters visible, the overlong cut.

    A cut ends with a mark that says how much is missing and where to read it (`pointer`).
    """
    shown = show_invisible(text)
    # Excel counts UTF-16 units.
    if len(shown.encode("utf-16-le")) // 2 <= CELL_LIMIT:
        return shown
    mark = f" […cut: {len(text):,} characters in all; read them at {pointer}]"
    cut = shown.encode("utf-16-le")[: (CELL_LIMIT - len(mark) - 1) * 2]
    return cut.decode("utf-16-le", errors="ignore") + mark


def csv_text(text: str) -> str:
    """Return the text as a cell of CSV that no spreadsheet takes for a formula."""
    shown = show_invisible(text)
    return f"'{shown}" if shown.lstrip(" ").startswith(_FORMULA_STARTS) else shown


@dataclass(slots=True)
class Sheets:
    """The open workbook with its formats, made once each."""

    book: Workbook
    formats: dict[tuple[str, bool], Format] = field(default_factory=dict)

    def style(self, tint: str = "plain", *, guarded: bool = False) -> Format:
        """Return the format of a body cell; `guarded` makes Excel keep the content as text."""
        if (tint, guarded) not in self.formats:
            look = _LOOKS.get(tint, {}) if tint == "heading" else {**_BODY, **_LOOKS.get(tint, {})}
            made = self.book.add_format(look)
            if guarded:
                made.set_quote_prefix()
            self.formats[tint, guarded] = made
        return self.formats[tint, guarded]

    def add(self, name: str, heads: tuple[tuple[str, int], ...], *, frozen: int) -> Worksheet:
        sheet = self.book.add_worksheet(name)
        for column, (title, width) in enumerate(heads):
            sheet.set_column(column, column, width)
            self.put(sheet, 0, column, title, tint="heading")
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
        text: str | date,
        *,
        tint: str = "plain",
        pointer: str = "the document",
    ) -> None:
        """Write a day as a day, and a string as a string, whatever it starts with."""
        if isinstance(text, date):
            sheet.write_datetime(row, column, text, self.style("date"))
            return
        shown = cell_text(text, pointer)
        guarded = shown.startswith(_FORMULA_STARTS) and tint != "heading"
        sheet.write_string(row, column, shown, self.style(tint, guarded=guarded))

    def put_edits(self, sheet: Worksheet, row: int, column: int, edits: Iterable[Edit]) -> None:
        """Write words of which some are added or left out.

        What a cell cannot hold so is written as it reads with what was added.
        """
        shown = [(each.kind, show_invisible(each.text)) for each in edits if each.text]
        whole = "".join(text for _, text in shown)
        if len(shown) < 2 or len(whole.encode("utf-16-le")) // 2 > CELL_LIMIT:
            words = "".join(
                text for kind, text in shown if len(shown) < 2 or kind != EditKind.DELETE
            )
            self.put(sheet, row, column, words, tint=shown[0][0] if len(shown) == 1 else "plain")
            return
        fragments: list[Format | str] = []
        for kind, text in shown:
            fragments += [text] if kind == EditKind.EQUAL else [self.style(kind), text]
        cell = self.style(guarded=whole.startswith(_FORMULA_STARTS))
        sheet.write_rich_string(row, column, *fragments, cell)

    def add_facts(self, facts: Iterable[tuple[str, str]]) -> None:
        """Add the sheet that says what the workbook rests on."""
        sheet = self.add("About", (("What", 34), ("Value", 100)), frozen=0)
        for row, (name, value) in enumerate(facts, start=1):
            self.put(sheet, row, 0, name, tint="bold")
            self.put(sheet, row, 1, value)


@contextmanager
def open_workbook(path: Path, properties: Mapping[str, object]) -> Iterator[Sheets]:
    """Write a workbook in which no text is read as a formula, a number or a link.

    Raises:
        ConfigError: If the file cannot be written.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import XlsxWriterException

    settings = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    try:
        with xlsxwriter.Workbook(str(path), settings) as book:
            book.set_properties(dict(properties))
            yield Sheets(book)
    except XlsxWriterException as error:
        raise ConfigError(f"the workbook cannot be written: {error}") from error


def write_rows(
    path: Path,
    title: str,
    heads: tuple[tuple[str, int], ...],
    rows: Iterable[Sequence[str | date]],
    facts: Iterable[tuple[str, str]],
) -> None:
    """Write a workbook of one list, with the facts that it rests on.

    Raises:
        ConfigError: If the file cannot be written.
    """
    with open_workbook(path, {"title": title}) as sheets:
        sheet, last = sheets.add(title, heads, frozen=1), 1
        for last, row in enumerate(rows, start=1):
            for column, value in enumerate(row):
                sheets.put(sheet, last, column, value, tint="plain" if column else "bold")
        sheet.autofilter(0, 0, last, len(heads) - 1)
        sheet.set_zoom(90)
        sheets.add_facts(facts)


def cell_tint(cell: Cell) -> str:
    """Return the tint of a cell: of its severity, or else of its state."""
    finding = cell.finding
    if finding.state is CellState.FAILED:
        return "failed"
    if cell.flagged:
        return finding.severity.value
    return finding.state.value
