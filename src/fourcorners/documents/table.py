"""Tables as text: a row a line, its cells parted by ` | `; and tables that only lay out a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fourcorners.documents.document import MarkKind
from fourcorners.documents.fragment import Fragment, join_fragments

# What stands in the first cell of a table that is only there to indent a clause.
_LABEL = re.compile(
    r"\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z]{1,2}|[ivxlIVXL]{1,7})[.)]{0,2}|[\u2022\u00b7\u25cf\u2013*-]"
    r"|(?:Section|Article|Clause)\s+[\dIVXL.]{1,8}",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Table:
    rows: list[list[Fragment]] = field(default_factory=list)

    def start_row(self) -> None:
        self.rows.append([])

    def add_cell(self, cell: Fragment) -> None:
        if not self.rows:
            self.rows.append([])
        self.rows[-1].append(cell)

    def text(self) -> Fragment:
        rows = [row for row in self.rows if any(cell.text.strip() for cell in row)]
        if all(_is_layout(row) for row in rows):
            return join_fragments([join_fragments(_filled_cells(row), " ") for row in rows], "\n\n")
        table = join_fragments(
            [
                join_fragments(
                    [_format_cell(cell, at, column) for column, cell in enumerate(row, 1)], " | "
                )
                for at, row in enumerate(rows, 1)
            ],
            "\n",
        )
        table.mark(MarkKind.TABLE, 0)
        return table


def _filled_cells(row: list[Fragment]) -> list[Fragment]:
    return [cell for cell in row if cell.text.strip()]


def _is_layout(row: list[Fragment]) -> bool:
    """Tell a row that holds one thing, or a clause with its label apart."""
    cells = _filled_cells(row)
    return len(cells) == 1 or (len(cells) == 2 and bool(_LABEL.fullmatch(cells[0].text.strip())))


def _format_cell(cell: Fragment, row: int, column: int) -> Fragment:
    """Return a cell, marked, with its paragraphs one below the other, without blank lines."""
    text = cell.text.replace("\n\n", " \n")
    made = Fragment([text], len(text), list(cell.marks))
    made.mark(MarkKind.CELL, 0, f"{row},{column}")
    return made
