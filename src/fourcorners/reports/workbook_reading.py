"""What people wrote into the Excel report, read back without trust.

Only the words of cells are read: of a formula its stored result, of a rich text its characters.
Sizes are limited before anything is unpacked, no entity is resolved, nothing is fetched or run. The
file may have passed through any spreadsheet program; rows may be sorted, filtered or taken out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.office_package import OfficePackage
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import ConfigError, FourcornersError, InputError
from fourcorners.reports.grid import REVIEW_WORDS
from fourcorners.reports.workbook_findings import FORM, KEY_SHEET, SHEET, Column, Key
from fourcorners.review.people.report_import import ImportProblem, ReportEdit

if TYPE_CHECKING:
    from lxml.etree import _Element

MOST_BYTES: Final = 256 << 20  # of the file
MOST_ROWS: Final = 1_048_576  # Excel's own limit
MEMORY: Final = 2 << 30  # bytes that a workbook may take while it is read
SECONDS: Final = 300.0  # after which it is given up
_NAMED: Final = re.compile(r"⟦U\+([0-9A-F]{4,6})⟧")
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_STATES: Final = {words.casefold(): state for state, words in REVIEW_WORDS.items()}
_WRITTEN: Final = (Column.STATE, Column.REVIEWER, Column.VALUE, Column.COMMENT)
_OTHER: Final = "Give the .xlsx that `fourcorners review --out` wrote, with its hidden columns."

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Edited:
    """A report that people edited.

    Attributes:
        playbook: The id of the playbook it is of.
        problems: Rows that cannot be understood.
        sha256: Of the file.
    """

    playbook: str
    playbook_hash: str
    edits: tuple[ReportEdit, ...]
    problems: tuple[ImportProblem, ...]
    sha256: str


def read(path: Path) -> Edited:
    """Read an Excel report back, in a separate process with limits on memory and time.

    Raises:
        InputError: If the file is damaged, locked, or unpacks to more than any report holds.
        ConfigError: If it is not there, or not a report of this program.
    """
    with ProcessPool(parse, jobs=1, memory=MEMORY, seconds=SECONDS, name=str) as workers:
        for _, outcome in workers.run([path]):
            if isinstance(outcome, FourcornersError):
                raise outcome
            return outcome
    raise InputError(f"{path}: it was not read.")


def parse(path: Path) -> Edited:
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MOST_BYTES else b""
    except OSError as error:
        raise ConfigError(
            f"{path}: {(error.strerror or str(error)).lower()}.", remedy=_OTHER
        ) from error
    if size > MOST_BYTES:
        raise InputError(f"{path}: {size:,} bytes are more than any report has.", remedy=_OTHER)
    try:
        book = _Book(OfficePackage(data, path))
        key = {row[0]: row[1] for row in book.rows(KEY_SHEET) if len(row) > 1}
        table = list(book.table(SHEET))
    except InputError as error:
        raise InputError(
            error.message.replace("the document", "the workbook").replace("contract", "report"),
            remedy=_OTHER,
        ) from error
    if not key or not table:
        raise ConfigError(f"{path}: this is no report that can be read back.", remedy=_OTHER)
    if key.get(Key.FORM) != FORM:
        raise ConfigError(
            f"{path}: this report is of another version ({key.get(Key.PROGRAM, 'unknown')}).",
            remedy="Write a new report, and carry over what was edited.",
        )
    head = table[0][1]
    missing = [name.value for name in Column if name not in head]
    if missing:
        raise ConfigError(
            f"{path}: the sheet {SHEET!r} has no column {missing[0]!r} any more.", remedy=_OTHER
        )
    found = [_understood(number, row) for number, row in table]
    return Edited(
        playbook=key.get(Key.PLAYBOOK, ""),
        playbook_hash=key.get(Key.HASH, ""),
        edits=tuple(each for each in found if isinstance(each, ReportEdit)),
        problems=tuple(each for each in found if isinstance(each, ImportProblem)),
        sha256=sha256(data).hexdigest(),
    )


def _understood(number: int, row: Row) -> ReportEdit | ImportProblem | None:
    """Return what a row says; None where it says nothing."""
    document, provision = row.get(Column.DOCUMENT, ""), row.get(Column.PROVISION, "")
    seen, written = row.get(Column.REMARKS, ""), row.get(Column.STATE, "").strip()
    if not document and not provision:
        if any(row.get(column, "").strip() for column in _WRITTEN):
            what = row.get("Document", "")[:200], row.get("Provision", "")[:200]
            why = "The row has lost its hidden columns, or was added."
            return ImportProblem(number, *what, why)
        return None
    if not seen.isdecimal():
        return ImportProblem(number, document, provision, "Its hidden columns were changed.")
    state = _STATES.get(" ".join(written.casefold().split()))
    if written and state is None:
        why = f"{written[:80]!r} is no state of the list."
        return ImportProblem(number, document, provision, why)
    return ReportEdit(
        row=number,
        document=document,
        provision=provision,
        fingerprint=row.get(Column.FINGERPRINT, ""),
        annotation_count=int(seen),
        state=state,
        reviewer=" ".join(row.get(Column.REVIEWER, "").split()),
        value=row.get(Column.VALUE, "").strip(),
        comment=row.get(Column.COMMENT, "").strip(),
    )


class _Book:
    """The sheets of a workbook by name, as rows of words."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        main = package.related_parts("").get("officeDocument", "xl/workbook.xml")
        self._parts = _parts(package, main)
        strings = package.related_parts(main).get("sharedStrings", "")
        root = package.xml_root(strings) if strings else None
        self._strings = [_text(item) for item in root] if root is not None else []

    def rows(self, sheet: str) -> Iterator[list[str]]:
        """Yield the rows of a sheet as far as they go; empty cells are empty words."""
        for _, cells in self._cells(sheet):
            yield [cells.get(at, "") for at in range(1 + max(cells, default=-1))]

    def table(self, sheet: str) -> Iterator[tuple[int, Row]]:
        """Yield each row below the heads with its number: words by the head of their column.

        Of two columns with one head the first counts.
        """
        heads: dict[int, str] | None = None
        for number, cells in self._cells(sheet):
            if heads is None:
                heads = {}
                for at, head in sorted(cells.items()):
                    if head.strip() and head.strip() not in heads.values():
                        heads[at] = head.strip()
                continue
            yield number, {head: cells.get(at, "") for at, head in heads.items()}

    def _cells(self, sheet: str) -> Iterator[tuple[int, dict[int, str]]]:
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

    def _words(self, cell: _Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inner = next((each for each in cell if _name(each) == "is"), None)
            return "" if inner is None else _text(inner)
        stored = next((str(each.text or "") for each in cell if _name(each) == "v"), "")
        if kind == "s":
            at = int(stored) if stored.strip().isdecimal() and len(stored) < 10 else -1
            return self._strings[at] if 0 <= at < len(self._strings) else ""
        if kind == "n" and stored[-2:] == ".0":
            return stored[:-2]
        return _plain(stored)


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
