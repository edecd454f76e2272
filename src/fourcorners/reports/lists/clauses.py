"""The clauses of a provision side by side: a report, part by part, and a workbook, by contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fourcorners.reports.tree import (
    Block,
    Paragraph,
    Report,
    ReportKind,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    group,
    note,
    row,
)
from fourcorners.reports.workbook import open_workbook
from fourcorners.text.word_differences import Edit, EditKind

_WIDTHS: Final = (0.28, 0.72)
_TONES: Final = {
    EditKind.EQUAL: Tone.PLAIN,
    EditKind.DELETE: Tone.REMOVED,
    EditKind.INSERT: Tone.ADDED,
}
ONLY_THERE: Final = "Only in the other"
NOTHING: Final = "Nothing on this"


@dataclass(frozen=True, slots=True)
class ClauseColumn:
    """The clause of a contract: what it has for each part of the base, and then besides."""

    title: str
    headline: str
    cells: tuple[tuple[Edit, ...], ...]


@dataclass(frozen=True, slots=True)
class ClauseSheet:
    """The parts of one clause, and those of others compared with them.

    Attributes:
        base: The parts that all are compared with; `base_title` is whose they are.
    """

    provision: str
    base_title: str
    base: tuple[str, ...]
    columns: tuple[ClauseColumn, ...]
    facts: tuple[tuple[str, str], ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """Return what heads each row: the parts, and what only others have if one does."""
        more = any(any(each.cells[len(self.base) :]) for each in self.columns)
        return (*self.base, *([ONLY_THERE] if more else []))


def clauses_report(sheet: ClauseSheet) -> Report:
    table = Table(
        sheet.provision, ("Contract", f"Compared with: {sheet.base_title}"),
        tuple(_rows(sheet)), _WIDTHS,
    )  # fmt: skip
    legend = (Run("Added", Tone.ADDED), " and ", Run("left out", Tone.REMOVED), " words.")
    blocks: tuple[Block, ...] = (body("No contract of this review has the clause."),)
    if sheet.base:
        blocks = (note(*legend), table)
    return Report(
        kind=ReportKind.LIST,
        title=f"{sheet.provision}, side by side",
        project=sheet.base_title,
        status="",
        facts=sheet.facts,
        notice="",
        sections=(Section("clauses", sheet.provision, blocks, numbered=False),),
        created=datetime.now(UTC),
        contents=False,
    )


def _rows(sheet: ClauseSheet) -> Iterator[Row]:
    for at, part in enumerate(sheet.parts):
        yield group(Run(part, Tone.STRONG))
        for each in sheet.columns:
            if at < len(sheet.base) or each.cells[at]:
                title = [body(each.title), *([note(each.headline)] if each.headline else [])]
                yield row(tuple(title), (_words(each.cells[at]),))


def _words(edits: tuple[Edit, ...]) -> Paragraph:
    runs = [Run(each.text, _TONES[each.kind]) for each in edits if each.text]
    return body(*runs) if runs else body(Run(NOTHING, Tone.QUIET))


def write_clauses_workbook(sheet: ClauseSheet, path: Path) -> None:
    """Write the clauses; every word of a contract is a string cell.

    Raises:
        ConfigError: If the file cannot be written.
    """
    heads = ((sheet.base_title, 60), *((each.title, 60) for each in sheet.columns))
    with open_workbook(path, {"title": sheet.provision}) as sheets:
        page = sheets.add("Side by side", heads, frozen=1)
        sheets.put(page, 1, 0, "In short")
        for column, each in enumerate(sheet.columns, start=1):
            sheets.put(page, 1, column, each.headline, tint="bold")
        for number, part in enumerate(sheet.parts):
            sheets.put(page, number + 2, 0, part)
            for column, each in enumerate(sheet.columns, start=1):
                edits = each.cells[number]
                if edits:
                    sheets.put_edits(page, number + 2, column, edits)
                elif number < len(sheet.base):
                    sheets.put(page, number + 2, column, NOTHING, tint="not_found")
        page.set_zoom(90)
        sheets.add_facts(sheet.facts)
