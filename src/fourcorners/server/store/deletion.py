"""Contracts deleted with all that came of them, and a report that proves it."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from fourcorners.errors import FourcornersError, InputError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.originals.files import Originals
from fourcorners.library.removal.traces import (
    ContractWords,
    collect_words,
    delete_matching,
    search_files,
    search_tables,
    searched_tables,
)
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role
from fourcorners.server.store import collections
from fourcorners.server.store.backup import read_manifest, unpack_library
from fourcorners.server.store.uploads import PAGES_FOLDER, UploadFolder
from fourcorners.value import Value

_QUOTING = {
    "research_answers": ["id"],
    "llm_answers": ["key"],
    "server_papers": ["fold"],
    "server_markups": ["row"],
    "server_exports": ["task"],
    "server_steps": ["task", "number"],
    "server_once": ["key"],
    "server_deliveries": ["row"],
}
"""Tables that may quote a contract without naming it, with their keys."""

_REASONS = {
    "audit": "The audit trail is append-only: each entry has the hash of the one before.",
    "remarks": "What people noted about findings is append-only; the audit trail proves it.",
    "bank_clauses": "People put these clauses into a clause bank of the firm: remove them there.",
    "server_playbooks": "A playbook of the firm has these words: change it there.",
    "server_columns": "People asked these questions; columns are append-only.",
}
_OTHER = "It is not removed with a contract."


class DeletedContract(Value):
    """A contract that was deleted: nothing of its text, only what identifies it."""

    id: str
    name: str
    collection: str
    sha256: str = Field(description="Of the original file.")
    added: str


class DeletedOriginal(Value):
    """An object that was deleted from a bucket."""

    address: str
    versions: int = Field(description="How many versions and delete markers were deleted.")
    proved: bool = Field(description="Whether the bucket then listed no version of it.")


class Remainder(Value):
    """What still has words of a deleted contract, or names it."""

    place: str
    count: int
    reason: str


class KnownBackup(Value):
    """A backup that has a deleted contract."""

    file: str
    made: str
    contracts: int


class DeletionReport(Value):
    """What was deleted, what still has it, and what was searched."""

    at: str
    by: str
    library: str
    contracts: list[DeletedContract]
    removed: dict[str, int] = Field(description="Rows with its words before, by table.")
    originals: list[DeletedOriginal]
    originals_left: dict[str, str] = Field(
        description="Objects that could not be deleted, and why; it is tried again."
    )
    files: int = Field(description="Uploaded and prepared files that were deleted.")
    remaining: list[Remainder]
    backups: list[KnownBackup]
    notes: list[str]
    runs: int = Field(description="Runs of six words that were looked for in tables.")
    lines: int = Field(description="Lines and rare words that were looked for in files.")
    contracts_searched: int = Field(description="Contracts that have any of these alone.")
    tables: list[str] = Field(description="The tables that were searched.")
    searched_files: list[str] = Field(description="The files whose every byte was searched.")
    bytes: int = Field(description="How many bytes these have.")
    is_clean: bool = Field(
        description="Whether neither a table, a file nor a bucket has any of it; backups and the "
        "audit trail are named apart."
    )


@dataclass(frozen=True, slots=True)
class Deletion:
    """What is to be deleted: contracts, or a collection with all it has.

    Attributes:
        backups: A folder of archives of `fourcorners backup`, to be searched for them.
        records: Other files that may have their words, such as a recording of a model's answers.
    """

    documents: Sequence[str] = ()
    collection: str = ""
    backups: Path | None = None
    records: Sequence[Path] = ()


def delete_contracts(access: Access, originals: Originals, asked: Deletion) -> DeletionReport:
    """Delete contracts, or a collection, and look everywhere for what may be left of them.

    The file of a SQLite library is written again, which takes as much free space as it has.

    Raises:
        NotFound: If they may not know of a contract or the collection.
        NotAllowed: If they may not edit its collection; a collection is for its admins to delete.
        Conflict: If work on the collection goes on.
    """
    library = _library(access, asked)
    documents = list(asked.documents) or library.document_ids(asked.collection)
    contracts = [_contract(access, library, each) for each in documents]
    words = collect_words(library, documents)
    before = {"documents": len(documents), **search_tables(library, words)}
    paths = _delete(access, library, asked, documents)
    with library.transaction():
        delete_matching(library, _QUOTING, words)
    uploads = UploadFolder(library.files, is_shared=library.files_are_shared)
    files = _delete_files(uploads, documents, paths)
    deleted, left = originals.delete_loose(library, documents)
    note = library.erase_deleted()
    after = search_tables(library, words)
    searched = [*_own_files(library), *_uploads(uploads.root), *asked.records]
    in_files = search_files(searched, words)
    remaining = [
        *(Remainder(place=name, count=rows, reason=_REASONS.get(name, _OTHER))
          for name, rows in after.items()),
        *(Remainder(place=name, count=found, reason="The file has these words.")
          for name, found in in_files.items()),
    ]  # fmt: skip
    report = DeletionReport(
        at=utc_now(),
        by=access.principal.name,
        library=library.place,
        contracts=contracts,
        removed=before,
        originals=[
            DeletedOriginal(address=each.address, versions=each.versions, proved=each.is_proved)
            for each in deleted
        ],
        originals_left=left,
        files=files,
        remaining=[*remaining, *_named_in_audit(library, contracts)],
        backups=list(_backups(asked.backups, contracts)),
        notes=list(_notes(asked, words, len(documents), note)),
        runs=len(words.runs),
        lines=len(words.lines) + len(words.rare),
        contracts_searched=words.contracts,
        tables=searched_tables(library),
        searched_files=[str(each) for each in searched if each.is_file()],
        bytes=sum(each.stat().st_size for each in searched if each.is_file()),
        is_clean=not (remaining or left) and all(each.is_proved for each in deleted),
    )
    digest = hashlib.sha256(report.model_dump_json().encode()).hexdigest()
    detail: dict[str, str | int] = {"contracts": len(contracts), "report": digest}
    access.record("deletion proved", detail, always=True)
    return report


def _library(access: Access, asked: Deletion) -> Library:
    if bool(asked.documents) == bool(asked.collection):
        raise Refusal("name contracts or a collection, and not both.")
    if asked.collection:
        return access.library_for(asked.collection, Role.ADMIN)
    libraries = [access.library_of(each, Role.EDITOR) for each in asked.documents]
    return libraries[0]


def _contract(access: Access, library: Library, document: str) -> DeletedContract:
    entry = access.visible(document).entry
    rows = library.execute("SELECT sha256 FROM documents WHERE id = ?", (document,))
    return DeletedContract(
        id=entry.id,
        name=entry.name,
        collection=entry.collection,
        sha256=as_string(rows[0][0]),
        added=entry.added.isoformat(),
    )


def _delete(
    access: Access, library: Library, asked: Deletion, documents: Sequence[str]
) -> list[str]:
    """Delete them; return the paths that no contract is from now."""
    by = access.principal.name
    with library.transaction():
        if asked.collection:
            paths = collections.delete_collection(library, asked.collection, by=by)
        else:
            paths = [path for each in documents for path in access.remove(each)]
        for each in documents:
            library.execute("DELETE FROM document_parties WHERE document = ?", (each,))
    return paths


def _delete_files(uploads: UploadFolder, documents: Iterable[str], paths: Iterable[str]) -> int:
    """Delete uploaded files, and what was fetched or drawn of them; return how many."""
    before = len(list(_uploads(uploads.root)))
    for path in paths:
        uploads.delete_file(path)
    for each in documents:
        for drawn in (uploads.root / PAGES_FOLDER).glob(f"{each}.*"):
            drawn.unlink(missing_ok=True)
    return before - len(list(_uploads(uploads.root)))


def _own_files(library: Library) -> list[Path]:
    """Return the files of a library in one file: itself, and its log."""
    path = library.path.absolute()
    ends = ("", "-wal", "-shm", "-journal")
    return [path.with_name(f"{path.name}{end}") for end in ends if not library.shared]


def _uploads(root: Path) -> Iterator[Path]:
    yield from (each for each in sorted(root.rglob("*")) if each.is_file())


def _named_in_audit(library: Library, contracts: Sequence[DeletedContract]) -> Iterator[Remainder]:
    sql = "SELECT count(*) FROM audit WHERE instr(detail, ?) > 0"
    count = sum(as_integer(library.execute(sql, (each.id,))[0][0]) for each in contracts)
    if count:
        yield Remainder(
            place="audit trail",
            count=count,
            reason="Entries have its id, the path and hash of its file, and who did what when, and "
            f"none of its text. {_REASONS['audit']}",
        )


def _backups(folder: Path | None, contracts: Sequence[DeletedContract]) -> Iterator[KnownBackup]:
    """Yield the archives of a folder that have any of the contracts."""
    for archive in sorted(folder.glob("*.zip")) if folder is not None else ():
        try:
            made = read_manifest(archive).made
            with tempfile.TemporaryDirectory() as place:
                copy = Path(place) / "library.db"
                unpack_library(archive, copy)
                with Library.open(copy, create=False) as store:
                    hashes = {
                        as_string(row[0]) for row in store.execute("SELECT sha256 FROM documents")
                    }
        except (FourcornersError, zipfile.BadZipFile):
            continue  # another archive
        if count := sum(each.sha256 in hashes for each in contracts):
            yield KnownBackup(file=str(archive), made=made, contracts=count)


def _notes(asked: Deletion, words: ContractWords, count: int, note: str) -> Iterator[str]:
    if note:
        yield note
    if words.contracts < count:
        yield (
            f"{count - words.contracts:,} of {count:,} contracts have no words of their own: other "
            "contracts of the library have all of them, so nothing was looked for."
        )
    yield "Quotes of fewer than six words were not looked for in tables."
    if asked.backups is None:
        yield "No backups were searched: those made since a contract was added have it."
    yield ("Blocks that a disk used before, and snapshots of a file system, are not searched.")


def report_text(report: DeletionReport) -> str:
    """Return a report for people."""
    clean = "Nothing of them was found." if report.is_clean else "Something of them remains."
    lines = [
        f"Deletion of {len(report.contracts):,} contracts by {report.by}, {report.at}",
        f"Library: {report.library}",
        "",
        clean,
        "",
        "Contracts",
        *(f"  {each.name} ({each.id}), {each.collection}, SHA-256 {each.sha256}"
          for each in report.contracts),
        "",
        "Removed",
        *(f"  {rows:,} rows with their words in {name}" for name, rows in report.removed.items()),
        f"  {report.files:,} uploaded and prepared files",
        *(f"  {each.address}: {each.versions:,} versions, "
          + ("none is left" if each.proved else "the bucket does not list versions")
          for each in report.originals),
        "",
        "Still there",
        *(f"  {each.place}: {each.count:,}. {each.reason}" for each in report.remaining),
        *(f"  {address}: {reason}" for address, reason in report.originals_left.items()),
        *(f"  backup {each.file} of {each.made}: {each.contracts:,} contracts"
          for each in report.backups),
        "",
        "Searched",
        f"  {report.runs:,} runs of six words in tables, {report.lines:,} lines and words in files",
        f"  of {report.contracts_searched:,} contracts; no other contract has them",
        f"  {len(report.tables):,} tables: {', '.join(report.tables)}",
        f"  every byte of {len(report.searched_files):,} files, {report.bytes:,} bytes",
        "",
        "Note",
        *(f"  {each}" for each in report.notes),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def require_known(archives: Path | None) -> None:
    """Refuse a folder of backups that is not there.

    Raises:
        InputError: If it is not.
    """
    if archives is not None and not archives.is_dir():
        raise InputError(f"there is no folder {archives}.", remedy="Name the folder of backups.")
