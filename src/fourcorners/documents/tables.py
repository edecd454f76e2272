"""The tables of a Word file or an Excel workbook, as rows of words, read without trust."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from fourcorners.documents.document import MarkKind
from fourcorners.documents.office_package import OfficePackage
from fourcorners.documents.read import read_document
from fourcorners.documents.workbook import Workbook
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError
from fourcorners.text.span import Span

MAX_BYTES: Final = 20 << 20
MAX_ROWS: Final = 2_000  # of all tables of a file
MAX_COLUMNS: Final = 30  # of a table; a playbook needs a dozen
MAX_WORDS: Final = 20_000  # characters of a cell
_MEMORY: Final = 1 << 30  # bytes
_SECONDS: Final = 60.0  # after which a file is given up
_REMEDY: Final = "Give a Word file (.docx) or an Excel workbook (.xlsx) with a table."


Column = TypeVar("Column")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what it is called (a sheet's name), and its rows, which are equally long.

    `unread` are its formulas that no program has worked out, with their places.
    """

    name: str
    rows: tuple[tuple[str, ...], ...]
    unread: tuple[str, ...] = ()


def match_headings(headings: Sequence[str], names: Mapping[Column, str]) -> list[Column | None]:
    """Return what each heading is called, each name once; None where nothing fits.

    `names` are divided by `|`. A heading that has a name in it counts where none is exactly so.
    """
    found: list[Column | None] = [None] * len(headings)
    plain = [" ".join(each.casefold().split()).strip(" :.") for each in headings]
    exact = [(name, column) for column, listed in names.items() for name in listed.split("|")]
    for is_exact in (True, False):
        for name, column in exact:
            if column in found:
                continue
            for at, heading in enumerate(plain):
                fits = re.search(rf"\b{re.escape(name)}\b", heading) is not None
                if found[at] is None and (heading == name if is_exact else fits):
                    found[at] = column
                    break
    return found


def read_tables(path: Path) -> list[Table]:
    """Return the tables of a file, read in a separate process with limits on memory and time.

    Raises:
        InputError: If it is damaged, locked, of another format, or larger than any such table.
    """
    with ProcessPool(find_tables, jobs=1, memory=_MEMORY, seconds=_SECONDS, name=_name) as workers:
        for _, outcome in workers.run([path]):
            if isinstance(outcome, FourcornersError):
                raise outcome
            return outcome
    raise InputError(f"{path.name}: it was not read.", remedy=_REMEDY)


def find_tables(path: Path) -> list[Table]:
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path.name} is larger than {MAX_BYTES >> 20} MB.", remedy=_REMEDY)
    with path.open("rb") as file:
        is_package = file.read(2) == b"PK"
    if not is_package:
        raise InputError(f"{path.name} is damaged, locked or of another format.", remedy=_REMEDY)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path.name} is neither a Word file nor an Excel workbook.", remedy=_REMEDY
        )
    try:
        found = reader(path)
    except InputError as error:  # of a path that is nobody's concern
        message = error.message.replace(str(path), path.name)
        raise InputError(message, remedy=error.remedy) from error
    return [
        replace(_table(path, name, cells), unread=tuple(unread))
        for name, cells, unread in found
        if cells
    ]


def _name(path: Path) -> str:
    return path.name


Cells = dict[tuple[int, int], str]


def _sheets(path: Path) -> list[tuple[str, Cells, list[str]]]:
    book = Workbook(OfficePackage(path.read_bytes(), path))
    found = []
    for sheet in book.sheets:
        cells: Cells = {}
        for row, words in book.cells(sheet):
            cells |= {(row, column): each for column, each in words.items() if each.strip()}
            if row > MAX_ROWS:
                break
        found.append((sheet, cells, [f"the formula in {at}" for at in book.unread_formulas(sheet)]))
    return found


def _tables(path: Path) -> list[tuple[str, Cells, list[str]]]:
    document = read_document(path)
    tables = [mark.span for mark in document.marks if mark.kind is MarkKind.TABLE]
    found: dict[Span, Cells] = {span: {} for span in tables}
    for mark in document.marks:
        if mark.kind is not MarkKind.CELL:
            continue
        around = [
            each for each in tables if each.start <= mark.span.start < max(each.end, each.start + 1)
        ]
        row, _, column = mark.detail.partition(",")
        words = mark.span.text_in(document.text).strip()
        if around and words:
            inner = min(around, key=len)
            found[inner][int(row), int(column)] = words
    return [("", cells, []) for cells in found.values()]


_READERS = {".xlsx": _sheets, ".docx": _tables}


def _table(path: Path, name: str, cells: Cells) -> Table:
    """Return a table without its empty rows and columns."""
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    if len(rows) > MAX_ROWS or len(columns) > MAX_COLUMNS:
        raise InputError(
            f"{path.name}: a table may have {MAX_ROWS:,} rows and {MAX_COLUMNS} columns; "
            "this one has more.",
            remedy="Delete what is no part of the table, or divide it.",
        )
    long = next((place for place, words in cells.items() if len(words) > MAX_WORDS), None)
    if long is not None:
        raise InputError(
            f"{path.name}: a cell in row {long[0]} has more than {MAX_WORDS:,} characters.",
            remedy="Shorten it.",
        )
    return Table(name, tuple(tuple(cells.get((row, at), "") for at in columns) for row in rows))
