"""The clauses of a provision side by side as an Excel workbook: a column for each contract."""

from __future__ import annotations

from pathlib import Path

from fourcorners.reports.lists.clauses import NOTHING, ClauseSheet
from fourcorners.reports.workbook import open_workbook


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
