"""What people wrote into the Excel report, read back without trust.

The file may have passed through any spreadsheet program; rows may be sorted, filtered or taken out.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from fourcorners.documents.office_package import OfficePackage
from fourcorners.documents.workbook import Row, Workbook
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import ConfigError, FourcornersError, InputError
from fourcorners.reports.grid import REVIEW_WORDS
from fourcorners.reports.workbook_findings import FORM, KEY_SHEET, SHEET, Column, Key
from fourcorners.review.people.report_import import ImportProblem, ReportEdit

MOST_BYTES: Final = 256 << 20  # of the file
MEMORY: Final = 2 << 30  # bytes that a workbook may take while it is read
SECONDS: Final = 300.0  # after which it is given up
_STATES: Final = {words.casefold(): state for state, words in REVIEW_WORDS.items()}
_WRITTEN: Final = (Column.STATE, Column.REVIEWER, Column.VALUE, Column.COMMENT)
_OTHER: Final = "Give the .xlsx that `fourcorners review --out` wrote, with its hidden columns."


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
        book = Workbook(OfficePackage(data, path))
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
