"""Contracts deleted with all that came of them, and a report that proves it."""

from __future__ import annotations

import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fourcorners.errors import FourcornersError, InputError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.library.originals.files import Originals, delete_upload
from fourcorners.library.removal.traces import (
    ContractWords,
    collect_words,
    delete_matching,
    search_files,
    search_tables,
    searched_tables,
    without_stored_words,
)
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound, Refusal
from fourcorners.operations.principal import Role
from fourcorners.operations.retention import due_contracts
from fourcorners.server.store import collections
from fourcorners.server.store.backup import read_manifest, unpack_library
from fourcorners.server.store.deletion_report import (
    DeletedContract,
    DeletedOriginal,
    DeletionReport,
    DeletionRequest,
    DeletionScope,
    KnownBackup,
    LibrarySearch,
    Remainder,
    report_digest,
)
from fourcorners.server.store.uploads import PAGES_FOLDER

_QUOTING = {
    "research_answers": ("id",),
    "llm_answers": ("key",),
    "server_papers": ("fold",),
    "server_markups": ("row",),
    "server_exports": ("task",),
    "server_steps": ("task", "number"),
    "server_once": ("key",),
    "server_deliveries": ("row",),
}
"""Tables that may quote a contract without naming it, with their keys."""

_HOMES = {
    "research_answers": "SELECT answer, collection FROM server_answers",
    "server_papers": "SELECT fold, fold FROM server_papers",
    "server_markups": "SELECT m.row, c.name FROM server_markups m JOIN documents d "
    "ON d.id = m.document JOIN collections c ON c.row = d.collection",
    "server_exports": "SELECT id, collection FROM server_tasks",
    "server_steps": "SELECT id, collection FROM server_tasks",
    "server_deliveries": "SELECT row, collection FROM server_deliveries",
}
"""The collections to which their rows belong, by the first column of the key."""

_REASONS = {
    "audit": "The audit trail is append-only: each entry has the hash of the one before.",
    "remarks": "What people noted about findings is append-only; the audit trail proves it.",
    "bank_clauses": "People put these clauses into a clause bank of the firm: remove them there.",
    "server_playbooks": "A playbook of the firm has these words: change it there.",
    "server_columns": "People asked these questions; columns are append-only.",
}
_ELSEWHERE = "Some belong to other collections, and have six words in a row that the contracts had."
_TRAIL = "audit trail"
_MOST_LISTED = 100  # files
_OTHER = "They are not removed with a contract."


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


def select_contracts(access: Access, asked: DeletionRequest) -> list[str]:
    """Return the ids of the contracts that are to be deleted.

    Raises:
        NotFound: If they may not know of the collection, or a contract is not in it.
        NotAllowed: If they may not delete that: contracts are for editors, what is due for admins
            of the collection, and all of it, with a report, for admins of the library.
        Conflict: If it is under a legal hold, or there are more contracts, or fewer, by now.
        Refusal: If there is nothing to delete.
    """
    chosen = asked.scope is DeletionScope.CONTRACTS
    access.require(Role.EDITOR if chosen else Role.ADMIN, asked.collection)
    if asked.scope is DeletionScope.COLLECTION:
        access.full_library(Role.ADMIN)
    access.require_no_hold(asked.collection)
    inside = dict.fromkeys(each.id for each in access.documents(asked.collection))
    if chosen:
        found = list(dict.fromkeys(asked.documents))
        for each in found:
            if access.visible(each).entry.id not in inside:
                raise NotFound(f"there is no document {each!r} in this collection.")
    elif asked.scope is DeletionScope.DUE:
        found = [each.id for each in due_contracts(access, asked.collection)]
    else:
        found = list(inside)
    if len(found) != asked.count:
        raise Conflict(
            f"the number of contracts to delete is now {len(found):,}, not {asked.count:,}.",
            remedy="Look at the list again.",
        )
    if not found and asked.scope is not DeletionScope.COLLECTION:
        raise Refusal("there are no contracts to delete.")
    return found


def delete_contracts(access: Access, originals: Originals, asked: Deletion) -> DeletionReport:
    """Delete contracts, or a collection, and look everywhere for what may be left of them.

    Only for an admin of the whole library it is searched, and the file of a SQLite library written
    again, which takes as much free space as it has.

    Raises:
        NotFound: If they may not know of a contract or the collection.
        NotAllowed: If they may not edit its collection; a collection is for its admins to delete.
        Conflict: If work on the collection goes on, or one is under a legal hold.
    """
    library = _library(access, asked)
    documents = list(asked.documents) or library.document_ids(asked.collection)
    contracts = [_contract(access, library, each) for each in documents]
    homes = {each.collection for each in contracts} | ({asked.collection} - {""})
    for home in sorted(homes):
        access.require_no_hold(home)
    searching = _Search(library, contracts) if access.principal.may_everywhere(Role.ADMIN) else None
    paths = [each for document in documents for each in library.paths_of(document)]
    left_over = _delete(access, library, asked, documents)
    if searching is not None:
        searching.delete_quotes({fold_name(home) for home in homes})
    files = _delete_files(library, documents, left_over)
    deleted, left = originals.delete_loose(library, documents)
    search = None if searching is None else searching.look(asked, paths)
    is_proved = not left and all(each.is_proved for each in deleted)
    report = DeletionReport(
        at=utc_now(),
        by=access.principal.name,
        contracts=contracts,
        originals=[
            DeletedOriginal(address=each.address, versions=each.versions, proved=each.is_proved)
            for each in deleted
        ],
        originals_left=left,
        files=files,
        is_clean=None if search is None else is_proved and _is_clean(search),
        search=search,
    )
    detail: dict[str, str | int] = {"contracts": len(contracts), "report": report_digest(report)}
    access.record(
        "deletion proved" if report.is_clean else "contracts deleted", detail, always=True
    )
    return report


class _Search:
    """The words of contracts, and where they are before and after the deletion."""

    def __init__(self, library: Library, contracts: Sequence[DeletedContract]) -> None:
        self._library = library
        self._contracts = contracts
        self._words = collect_words(library, [each.id for each in contracts])
        before = search_tables(library, self._words)
        self._before = {"documents": len(contracts), **before}

    def delete_quotes(self, folds: set[str]) -> None:
        """Delete what quotes the contracts, but nothing that belongs to other collections alone."""
        library = self._library
        with library.transaction():
            outside: dict[str, set[SQLiteValue]] = {}
            for table, sql in _HOMES.items():
                rows = [(key, fold_name(as_string(name))) for key, name in library.execute(sql)]
                inside = {key for key, fold in rows if fold in folds or not fold}
                outside[table] = {key for key, _ in rows} - inside

            def may_delete(table: str, row: Mapping[str, SQLiteValue]) -> bool:
                return row[_QUOTING[table][0]] not in outside.get(table, ())

            delete_matching(library, _QUOTING, self._words, may_delete)

    def look(self, asked: Deletion, paths: Sequence[str]) -> LibrarySearch:
        """Search the library, and its files; `paths` are those that contracts were from."""
        library, words = self._library, self._words
        note = library.erase_deleted()
        searched = [*_own_files(library), *_uploads(library.files), *asked.records]
        files = [each for each in searched if each.is_file()]
        hashes = {each.sha256 for each in self._contracts}
        words = without_stored_words(library, words, is_file=not library.shared)
        return LibrarySearch(
            library=library.place,
            removed=self._before,
            remaining=[
                *_in_tables(search_tables(library, words)),
                *(
                    Remainder(place=name, count=found, reason="The file has these words.")
                    for name, found in search_files(files, words, hashes).items()
                ),
                *_in_archives(library, paths),
                *_named_in_audit(library, self._contracts),
            ],
            backups=list(_backups(asked.backups, self._contracts)),
            runs=len(words.runs),
            lines=len(words.lines) + len(words.rare),
            contracts=words.contracts,
            tables=searched_tables(library),
            files=[str(each) for each in files],
            bytes=sum(each.stat().st_size for each in files),
            notes=[*([note] if note else ()), *_notes(library, asked, paths, words, len(hashes))],
        )


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


def _delete_files(library: Library, documents: Iterable[str], paths: Iterable[str]) -> int:
    """Delete uploaded files, and what was fetched or drawn of them; return how many."""
    before = len(list(_uploads(library.files)))
    for path in paths:
        delete_upload(library, Path(path))
    for each in documents:
        for drawn in (library.files / PAGES_FOLDER).glob(f"{each}.*"):
            drawn.unlink(missing_ok=True)
    return before - len(list(_uploads(library.files)))


def _own_files(library: Library) -> list[Path]:
    """Return the files of a library in one file: itself, and its log."""
    path = library.path.absolute()
    ends = ("", "-wal", "-shm", "-journal")
    return [path.with_name(f"{path.name}{end}") for end in ends if not library.shared]


def _uploads(root: Path) -> Iterator[Path]:
    yield from (each for each in sorted(root.rglob("*")) if each.is_file())


def _in_tables(found: Mapping[str, int]) -> Iterator[Remainder]:
    for table, rows in found.items():
        reason = _ELSEWHERE if table in _HOMES else _REASONS.get(table, _OTHER)
        yield Remainder(place=table, count=rows, reason=reason)


def _in_archives(library: Library, paths: Iterable[str]) -> Iterator[Remainder]:
    """Yield the uploaded archives that still have the contracts, compressed."""
    inside = Counter(
        str(parent)
        for path in map(Path, paths)
        for parent in path.parents
        if parent.is_relative_to(library.files) and parent.is_file()
    )
    for archive, count in inside.items():
        yield Remainder(
            place=archive,
            count=count,
            reason="The archive stays for other contracts that were added from it: delete them "
            "too, or upload them in another one.",
        )


def _named_in_audit(library: Library, contracts: Sequence[DeletedContract]) -> Iterator[Remainder]:
    sql = "SELECT count(*) FROM audit WHERE instr(detail, ?) > 0"
    count = sum(as_integer(library.execute(sql, (each.id,))[0][0]) for each in contracts)
    if count:
        yield Remainder(
            place=_TRAIL,
            count=count,
            reason="Entries have its id, the path and hash of its file, and who did what when, and "
            f"none of its text. {_REASONS['audit']}",
        )


def _is_clean(search: LibrarySearch) -> bool:
    """Return whether nothing of the contracts is left but their ids in the audit trail."""
    return all(each.place == _TRAIL for each in search.remaining)


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


def _notes(
    library: Library, asked: Deletion, paths: Iterable[str], words: ContractWords, count: int
) -> Iterator[str]:
    if words.contracts < count:
        yield (
            f"{count - words.contracts:,} of {count:,} contracts have no words of their own: other "
            "contracts of the library have all of them, so nothing was looked for."
        )
    outside = [each for each in map(Path, paths) if not each.is_relative_to(library.files)]
    for file in [each for each in outside if each.is_file()][:_MOST_LISTED]:
        yield f"The file that a contract was added from is not the library's, and stays: {file}"
    yield "Quotes of fewer than six words were not looked for in tables."
    yield "Files were compared by their hash too; what is compressed in others was not looked into."
    if library.shared:
        yield "Only the files of this server were searched: other servers have their own uploads."
    if asked.backups is None:
        yield "No backups were searched: those made since a contract was added have it."
    yield "Blocks that a disk used before, and snapshots of a file system, are not searched."


def require_known(archives: Path | None) -> None:
    """Refuse a folder of backups that is not there.

    Raises:
        InputError: If it is not.
    """
    if archives is not None and not archives.is_dir():
        raise InputError(f"there is no folder {archives}.", remedy="Name the folder of backups.")
