"""Read the sheets of an Excel workbook without trust.

Only the words of cells are read: of a formula its stored result, of a rich text its characters.
Sizes are limited before anything is unpacked, no entity is resolved, nothing is fetched or run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from fourcorners.documents.office_package import OfficePackage

if TYPE_CHECKING:
    from lxml.etree import _Element

Row = Mapping[str, str]
MOST_ROWS: Final = 1_048_576  # Excel's own limit
_FIRST_DAY: Final = datetime(1899, 12, 30)
_LATER: Final = 1_462  # days from it to the first of workbooks that an old Macintosh made
_DATES: Final = frozenset(map(str, (*range(14, 23), *range(27, 37), *range(45, 48))))
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|general', re.I)
_NAMED: Final = re.compile(r"⟦U\+([0-9A-F]{4,6})⟧")
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")


class Workbook:
    """The sheets of a workbook by name, as rows of words."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        main = package.related_parts("").get("officeDocument", "xl/workbook.xml")
        self._parts = _parts(package, main)
        strings = package.related_parts(main).get("sharedStrings", "")
        root = package.xml_root(strings) if strings else None
        styles = package.related_parts(main).get("styles", "")
        self._dates = _date_styles(package.xml_root(styles) if styles else None)
        self._from = _FIRST_DAY + timedelta(_LATER if _is_1904(package.xml_root(main)) else 0)
        self._strings = [_text(item) for item in root] if root is not None else []

    @property
    def sheets(self) -> list[str]:
        return list(self._parts)

    def rows(self, sheet: str) -> Iterator[list[str]]:
        """Yield the rows of a sheet as far as they go; empty cells are empty words."""
        for _, cells in self.cells(sheet):
            yield [cells.get(at, "") for at in range(1 + max(cells, default=-1))]

    def table(self, sheet: str) -> Iterator[tuple[int, Row]]:
        """Yield each row below the heads with its number: words by the head of their column.

        Of two columns with one head the first counts.
        """
        heads: dict[int, str] | None = None
        for number, cells in self.cells(sheet):
            if heads is None:
                heads = {}
                for at, head in sorted(cells.items()):
                    if head.strip() and head.strip() not in heads.values():
                        heads[at] = head.strip()
                continue
            yield number, {head: cells.get(at, "") for at, head in heads.items()}

    def cells(self, sheet: str) -> Iterator[tuple[int, dict[int, str]]]:
        """Yield each row with its number from 1: words by their column from 0, empty ones not."""
        part = self._parts.get(sheet)
        root = self._package.xml_root(part) if part else None
        if root is None:
            return
        data = next((each for each in root if _name(each) == "sheetData"), None)
        number = 0
        for row in data if data is not None else ():
            if _name(row) != "row":
                continue
            given = row.get("r", "")
            number = int(given) if given.isdecimal() and len(given) < 9 else number + 1
            if number > MOST_ROWS:
                return
            cells: dict[int, str] = {}
            at = -1
            for cell in row:
                at = _column(cell.get("r", ""), at + 1)
                words = self._words(cell)
                if words:
                    cells[at] = words
            yield number, cells

    def unread_formulas(self, sheet: str) -> list[str]:
        """Return the places of formulas that have no stored value: nothing works them out here."""
        part = self._parts.get(sheet)
        root = self._package.xml_root(part) if part else None
        cells = (each for each in root.iter() if _name(each) == "c") if root is not None else ()
        named = ((each.get("r", ""), {_name(part): part.text for part in each}) for each in cells)
        return [place for place, parts in named if "f" in parts and not parts.get("v")]

    def _words(self, cell: _Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inner = next((each for each in cell if _name(each) == "is"), None)
            return "" if inner is None else _text(inner)
        stored = next((str(each.text or "") for each in cell if _name(each) == "v"), "")
        if kind == "s":
            at = int(stored) if stored.strip().isdecimal() and len(stored) < 10 else -1
            return self._strings[at] if 0 <= at < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if stored.strip() == "1" else "FALSE"
        if kind == "n" and cell.get("s", "") in self._dates:
            return self._moment(stored)
        if kind == "n" and stored[-2:] == ".0":
            return stored[:-2]
        return _plain(stored)

    def _moment(self, stored: str) -> str:
        """Return the day that a number of days is, and the time unless that is midnight."""
        try:
            found = self._from + timedelta(seconds=round(float(stored) * 86_400))
        except (ValueError, OverflowError):
            return _plain(stored)
        if found.date() == self._from.date():
            return f"{found:%H:%M}"
        return f"{found:%Y-%m-%d}" if found.time() == time() else f"{found:%Y-%m-%d %H:%M}"


def _date_styles(styles: _Element | None) -> frozenset[str]:
    """Return the styles of cells, by their numbers, in which a number is shown as a date."""
    nodes = list(styles.iter()) if styles is not None else []
    codes = {
        each.get("numFmtId"): _QUOTED.sub("", str(each.get("formatCode", ""))).casefold()
        for each in nodes
        if _name(each) == "numFmt"
    }
    dates = {key for key, code in codes.items() if set(code) & set("ydhs")} | _DATES - codes.keys()
    formats = next((list(each) for each in nodes if _name(each) == "cellXfs"), [])
    return frozenset(str(at) for at, xf in enumerate(formats) if xf.get("numFmtId") in dates)


def _is_1904(book: _Element | None) -> bool:
    nodes = book.iter() if book is not None else ()
    return any(each.get("date1904") in ("1", "true") for each in nodes)


def _parts(package: OfficePackage, main: str) -> dict[str, str]:
    """Return the part of each sheet by its name."""
    book = package.xml_root(main)
    folder = posixpath.dirname(main)
    base = posixpath.basename(main)
    links = package.xml_root(posixpath.join(folder, "_rels", f"{base}.rels"))
    if book is None or links is None:
        return {}
    targets = {
        each.get("Id", ""): posixpath.normpath(
            posixpath.join("/", folder, each.get("Target", ""))
        ).lstrip("/")
        for each in links
        if each.get("TargetMode") != "External"
    }
    found: dict[str, str] = {}
    for each in book.iter():
        if _name(each) == "sheet":
            link = next(
                (value for key, value in each.attrib.items() if str(key).endswith("}id")), ""
            )
            if link in targets:
                found.setdefault(str(each.get("name", "")), targets[str(link)])
    return found


def _text(node: _Element) -> str:
    """Return the characters of a string item, without phonetic readings of Japanese words."""
    parts = [
        str(each.text or "")
        for each in node.iter()
        if _name(each) == "t" and not any(_name(up) == "rPh" for up in each.iterancestors())
    ]
    return _plain("".join(parts))


def _plain(words: str) -> str:
    """Return words as they were before a workbook made them fit to be stored and seen."""
    unescaped = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), words)
    shown = _NAMED.sub(lambda found: _character(int(found[1], 16)) or found[0], unescaped)
    lines = shown.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(each for each in lines if not "\ud800" <= each <= "\udfff")


def _character(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""


def _name(node: _Element) -> str:
    return str(node.tag).rpartition("}")[2]


def _column(place: str, otherwise: int) -> int:
    """Return the column, from 0, of a place such as `AB12`."""
    letters = re.match(r"[A-Z]{1,3}", place)
    if letters is None:
        return otherwise
    at = 0
    for letter in letters.group():
        at = at * 26 + ord(letter) - 64
    return at - 1
