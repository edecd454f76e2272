"""Text under construction: words with marks that move along when it is inserted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.text.span import Span

_MERGEABLE_KINDS = frozenset({MarkKind.INSERTED, MarkKind.DELETED, MarkKind.HIDDEN, MarkKind.BOLD})
# Writing direction, as the control characters of plain text (UAX 9).
RIGHT_TO_LEFT, END_OF_DIRECTION = "\u202e", "\u202c"
_MERGE_WINDOW = 4  # earlier marks that are examined, so that merging stays linear


@dataclass(slots=True)
class Fragment:
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[Mark] = field(default_factory=list)

    def __len__(self) -> int:
        return self.length

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, words: str, kind: MarkKind | None = None, detail: str = "") -> None:
        if not words:
            return
        start = self.length
        self.pieces.append(words)
        self.length += len(words)
        if kind is not None:
            self.mark(kind, start, detail)

    def mark(self, kind: MarkKind, start: int, detail: str = "") -> None:
        """Mark everything from `start` to the end; extend an adjacent mark of the same kind."""
        if start >= self.length:
            return
        if kind in _MERGEABLE_KINDS:
            for at in range(len(self.marks) - 1, max(-1, len(self.marks) - 1 - _MERGE_WINDOW), -1):
                last = self.marks[at]
                if (last.kind, last.detail, last.span.end) == (kind, detail, start):
                    self.marks[at] = Mark(kind, Span(last.span.start, self.length), detail)
                    return
        self.marks.append(Mark(kind, Span(start, self.length), detail))

    def mark_point(self, kind: MarkKind, detail: str) -> None:
        self.marks.append(Mark(kind, Span(self.length, self.length), detail))

    def points(self) -> list[Mark]:
        """Return the marks without their words, for the text that receives them."""
        return [Mark(mark.kind, Span(0, 0), mark.detail) for mark in self.marks]

    def extend(self, other: Fragment) -> None:
        start = self.length
        self.pieces += other.pieces
        self.length += other.length
        moved = (Mark(m.kind, m.span.shift(start), m.detail) for m in other.marks)
        self.marks += moved if start else other.marks


def join_fragments(fragments: list[Fragment], separator: str) -> Fragment:
    whole = Fragment()
    for number, fragment in enumerate(fragments):
        if number:
            whole.add(separator)
        whole.extend(fragment)
    return whole


def footnote(number: int, words: Fragment, kind: str = "footnotes") -> Fragment:
    """Return a note for the end of the text, after its number in brackets."""
    note = Fragment()
    note.add(f"[{number}] ")
    note.extend(words)
    note.mark(MarkKind.FOOTNOTE, 0, kind)
    return note


# The first cell of a table that only indents a clause.
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
            self.start_row()
        self.rows[-1].append(cell)

    def text(self) -> Fragment:
        rows = [row for row in self.rows if any(cell.text.strip() for cell in row)]
        if all(_is_layout(row) for row in rows):
            return join_fragments([join_fragments(_filled_cells(row), " ") for row in rows], "\n\n")
        table = Fragment()
        for at, row in enumerate(rows, 1):
            for column, cell in enumerate(row, 1):
                table.add(" | " if column > 1 else "\n" if at > 1 else "")
                table.extend(_format_cell(cell, at, column))
        table.mark(MarkKind.TABLE, 0)
        return table


def _filled_cells(row: list[Fragment]) -> list[Fragment]:
    return [cell for cell in row if cell.text.strip()]


def _is_layout(row: list[Fragment]) -> bool:
    """Return whether a row holds a single thing, or a clause with a separate label."""
    cells = _filled_cells(row)
    return len(cells) == 1 or (len(cells) == 2 and bool(_LABEL.fullmatch(cells[0].text.strip())))


def _format_cell(cell: Fragment, row: int, column: int) -> Fragment:
    """Return a marked cell, with one paragraph per line and no blank lines."""
    text = cell.text.replace("\n\n", " \n")
    made = Fragment([text], len(text), list(cell.marks))
    made.mark(MarkKind.CELL, 0, f"{row},{column}")
    return made


def drop_empty_blocks(blocks: list[Fragment]) -> list[Fragment]:
    """Return the blocks with words; they take over the marks of empty ones."""
    fragments: list[Fragment] = []
    waiting: list[Mark] = []
    for block in blocks:
        if block.text.strip():
            block.marks[:0] = waiting
            fragments.append(block)
            waiting = []
        else:
            waiting += block.points()
    for mark in waiting if fragments else ():
        fragments[-1].mark_point(mark.kind, mark.detail)
    return fragments


def is_all_hidden(paragraph: Fragment) -> bool:
    hidden = sum(len(mark.span) for mark in paragraph.marks if mark.kind is MarkKind.HIDDEN)
    return hidden >= len(paragraph.text.strip())
