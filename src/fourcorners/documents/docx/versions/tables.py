"""A table of two versions as one: rows that come or go, and columns, cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.alignment import (
    Item,
    align_items,
    in_order,
    put_after,
    words_of,
)
from fourcorners.documents.docx.versions.properties import Contents, VersionMarks
from fourcorners.documents.docx.versions.transfer import Transfer

if TYPE_CHECKING:
    from lxml.etree import _Element

_AROUND: Final = frozenset(
    f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo")
)


@dataclass(slots=True)
class Tables:
    """What merges, writes and removes tables."""

    marks: VersionMarks
    transfer: Transfer
    cells: Contents

    def merge(self, table: _Element, other: _Element) -> None:
        """Track what leads from one version of a table to the other."""
        old, new = list(_rows_of(table)), list(_rows_of(other))
        columns = _align_columns(old, new)
        _widen(table, other)
        last: _Element | None = None
        for left, right in in_order(_align(old, new), len(old), len(new)):
            if left is not None and right is not None:
                self._merge_row(old[left], new[right], columns)
                last = old[left]
            elif left is not None:
                self._delete_row(old[left])
                last = old[left]
            elif right is not None:
                row = self._insert_row(new[right])
                put_after(table, last, row, old)
                last = row

    def insert(self, other: _Element) -> _Element:
        """Return a copy of a table of the second version, all of whose rows come."""
        own = deepcopy(other)
        own.tail = None
        self.transfer.adapt(own)
        for row, wanted in zip(list(_rows_of(own)), list(_rows_of(other)), strict=True):
            self._fill_row(row, wanted)
        return own

    def delete(self, table: _Element) -> None:
        for row in list(_rows_of(table)):
            self._delete_row(row)

    def _delete_row(self, row: _Element) -> None:
        self.marks.mark_row(row, "del")
        for cell in list(cells_of(row)):
            self.cells.delete(cell)
            if _is_nested(row):
                self.marks.mark_cell(cell, "del")

    def _insert_row(self, other: _Element) -> _Element:
        own = deepcopy(other)
        own.tail = None
        self.transfer.adapt(own)
        self._fill_row(own, other)
        return own

    def _fill_row(self, row: _Element, other: _Element) -> None:
        self.marks.mark_row(row, "ins")
        for cell, wanted in zip(list(cells_of(row)), list(cells_of(other)), strict=True):
            self.cells.insert(cell, wanted)
            if _is_nested(other):
                self.marks.mark_cell(cell, "ins")

    def _merge_row(self, row: _Element, other: _Element, columns: _Columns | None) -> None:
        old, new = list(cells_of(row)), list(cells_of(other))
        if len(old) == len(new):
            pairs = [(at, at) for at in range(len(old))]
        elif columns is not None and columns.fit(old, new):
            pairs = columns.pairs
        else:
            pairs = _align(old, new)
        last: _Element | None = None
        for left, right in in_order(pairs, len(old), len(new)):
            if left is not None and right is not None:
                self.cells.merge(old[left], new[right])
                self.marks.change_cell(old[left], new[right].find(f"{W}tcPr"))
                last = old[left]
            elif left is not None:
                self.cells.delete(old[left])
                self.marks.mark_cell(old[left], "del")
                last = old[left]
            elif right is not None:
                cell = deepcopy(new[right])
                cell.tail = None
                self.transfer.adapt(cell)
                self.cells.insert(cell, new[right])
                self.marks.mark_cell(cell, "ins")
                put_after(row, last, cell, old)
                last = cell


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which columns of two tables belong together, and how many each has."""

    before: int
    after: int
    pairs: list[tuple[int, int]]

    def fit(self, old: Sequence[_Element], new: Sequence[_Element]) -> bool:
        return (len(old), len(new)) == (self.before, self.after)


def _rows_of(table: _Element) -> Iterator[_Element]:
    yield from _inner(table, f"{W}tr")


def cells_of(row: _Element) -> Iterator[_Element]:
    yield from _inner(row, f"{W}tc")


def _is_nested(row: _Element) -> bool:
    """Tell whether a row is of a table in a cell, whose cells say what becomes of them, too."""
    return next(row.iterancestors(f"{W}tc"), None) is not None


def _inner(parent: _Element, tag: str) -> Iterator[_Element]:
    for node in parent:
        if node.tag == tag:
            yield node
        elif node.tag in _AROUND:
            yield from _inner(node, tag)


def _align(old: Sequence[_Element], new: Sequence[_Element]) -> list[tuple[int, int]]:
    before, after = ([Item("part", words_of(each)) for each in nodes] for nodes in (old, new))
    return align_items(before, after)


def _align_columns(old: Sequence[_Element], new: Sequence[_Element]) -> _Columns | None:
    """Align the columns of two tables if they have another number of them."""
    grids = [[list(cells_of(row)) for row in rows] for rows in (old, new)]
    if not all(grids):
        return None
    sizes = [Counter(map(len, grid)).most_common(1)[0][0] for grid in grids]
    if sizes[0] == sizes[1]:
        return None
    columns = [
        [
            Item(
                "part",
                tuple(word for row in grid if len(row) == size for word in words_of(row[at])),
            )
            for at in range(size)
        ]
        for grid, size in zip(grids, sizes, strict=True)
    ]
    return _Columns(sizes[0], sizes[1], align_items(*columns))


def _widen(table: _Element, other: _Element) -> None:
    """Give a table as many columns in its grid as the wider of two versions has."""
    own, wanted = table.find(f"{W}tblGrid"), other.find(f"{W}tblGrid")
    if own is not None and wanted is not None:
        own.extend(deepcopy(each) for each in list(wanted)[len(own) :])
