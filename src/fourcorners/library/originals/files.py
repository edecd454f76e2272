"""Originals as the library has them: where each one is, how it is moved, fetched and deleted.

The object of a document has a name that nothing else has had, and is on record before it is sent:
what was sent when a process ended is found and deleted.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from fourcorners.documents.archive.container import load_unchanged
from fourcorners.documents.document import Document
from fourcorners.errors import CallError, ConfigError, FourcornersError, InputError, name_remedy
from fourcorners.library.add_report import AddReport
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.jobs import is_worker_lost, worker_name
from fourcorners.library.originals.bucket import Bucket, DeletedObject, open_bucket
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.source_settings import OriginalsSettings

_WAITING = """
    SELECT d.id, d.name, d.path, d.sha256, coalesce(b.section, '')
    FROM documents d JOIN collections c ON c.row = d.collection
    LEFT JOIN collection_buckets b ON b.collection = c.row
    LEFT JOIN original_files o ON o.document = d.id
    WHERE (coalesce(o.stored, '') = '' OR o.section != coalesce(b.section, '')) {}
    ORDER BY d.row
"""
_NEEDED = """
    SELECT count(*) FROM sources s JOIN documents d ON d.row = s.document
    LEFT JOIN original_files o ON o.document = d.id
    WHERE coalesce(o.stored, '') = '' AND (s.path = ?1 OR substr(s.path, 1, length(?1) + 1) = ?2)
"""
_UNREAD = """
    SELECT count(*) FROM failures
    WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?2
"""


@dataclass(slots=True)
class MoveReport:
    """What became of the originals that were to be in a bucket and were not.

    Attributes:
        moved: How many were stored and read back.
        elsewhere: How many files are not on this machine, or have changed.
        failed: By the name of the document, why it was not stored.
    """

    moved: int = 0
    elsewhere: int = 0
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OriginalsCount:
    """How many originals of a library, or of a collection, are where.

    Attributes:
        stored: In a bucket.
        waiting: Not yet in the bucket of their collection.
        local: Next to the library, or where they were added from, and to be in no bucket.
        reasons: Why those that were tried could not be stored, each once.
    """

    stored: int
    waiting: int
    local: int
    reasons: tuple[str, ...]


class Originals:
    """The originals of a library, in the buckets of the settings or where they were read."""

    def __init__(self, settings: OriginalsSettings) -> None:
        self.settings = settings

    @property
    def sections(self) -> list[str]:
        """The sections of the settings that are buckets; `""` is the first."""
        names = ("", *self.settings.buckets)
        return [each for each in names if self.settings.find(each) is not None]

    def load(self, document: Document) -> bytes:
        """Return the bytes of the file that a document was read from.

        Raises:
            InputError: If it is not there, or is another than was read.
            CallError: If it is in a bucket that cannot be reached.
            ConfigError: If it is in a bucket that is not in the settings any more.
        """
        try:
            return load_unchanged(Path(document.path), document.sha256)
        except InputError:
            if document.stored is None:
                raise
        data = self._bucket(document.stored.section).load(document.stored.address)
        if data is None:
            raise InputError(
                f"the original of {document.name} is not in its bucket any more.",
                remedy="Restore the object, or add the file again.",
            )
        if hashlib.sha256(data).hexdigest() != document.sha256:
            raise InputError(
                f"the original of {document.name} has changed in its bucket since it was stored.",
                remedy=f"Restore the version whose SHA-256 is {document.sha256}.",
            )
        return data

    def move(
        self,
        library: Library,
        collection: str | None = None,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> MoveReport:
        """Store the originals that are to be in a bucket and are not; it can be stopped anywhere.

        Each is read back before it counts, and the library's own copy of an uploaded file is
        removed once nothing needs it. A bucket that does not answer is not asked again.

        Raises:
            ConfigError: If there is no such collection.
        """
        report, silent = MoveReport(), set[str]()
        waiting = self._waiting(library, collection)
        for number, row in enumerate(waiting, 1):
            identifier, name, _, _, wanted = row
            reason = "" if wanted not in silent else "its bucket does not answer."
            if not reason:
                try:
                    is_moved = self._move_one(library, row)
                    report.moved += is_moved
                    report.elsewhere += not is_moved
                except FourcornersError as error:
                    reason = error.message
                    if isinstance(error, CallError | ConfigError):
                        silent.add(wanted)
            if reason:
                report.failed[name] = reason
                self._note_failure(library, identifier, wanted, reason)
            on_progress(number, len(waiting))
        return report

    def move_added(
        self,
        library: Library,
        collection: str,
        report: AddReport,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> MoveReport:
        """Store the originals of a collection to which files were added, if it has any of them."""
        if not (report.added or report.already):
            return MoveReport()  # there may be no such collection
        return self.move(library, collection, on_progress)

    def count(self, library: Library, collection: str | None = None) -> OriginalsCount:
        """Count originals by where they are.

        Raises:
            ConfigError: If there is no such collection.
        """
        waiting = self._waiting(library, collection)
        documents = library.document_ids(collection)
        rows = library.execute("SELECT document, stored, reason FROM original_files")
        known = {as_string(row[0]): (as_string(row[1]), as_string(row[2])) for row in rows}
        stored = sum(bool(known.get(each, ("", ""))[0]) for each in documents)
        left = {row[0] for row in waiting}
        reasons = sorted({known[each][1] for each in left if each in known} - {""})
        unstored = sum(not known.get(each, ("", ""))[0] for each in left)
        return OriginalsCount(stored, len(left), len(documents) - stored - unstored, tuple(reasons))

    def delete_loose(
        self, library: Library, documents: Iterable[str] | None = None
    ) -> tuple[list[DeletedObject], dict[str, str]]:
        """Delete the objects of documents that have left the library, or of these alone.

        Returns those that are deleted, and by their addresses why others are not: they are tried
        again the next time.
        """
        wanted = None if documents is None else set(documents)
        deleted, failed = list[DeletedObject](), dict[str, str]()
        for row in library.execute("SELECT address, section, document, worker FROM loose_files"):
            address, section, document, worker = map(as_string, row)
            if wanted is not None and document not in wanted:
                continue
            if worker and not is_worker_lost(worker):
                continue
            try:
                deleted.append(self._bucket(section).delete(address))
            except FourcornersError as error:
                failed[address] = error.message
                sql = "UPDATE loose_files SET worker = '', reason = ? WHERE address = ?"
                library.execute(sql, (error.message, address))
            else:
                library.execute("DELETE FROM loose_files WHERE address = ?", (address,))
        return deleted, failed

    def _bucket(self, section: str) -> Bucket:
        found = self.settings.find(section)
        if found is None:
            raise ConfigError(
                f"the bucket {section!r} is not in the settings."
                if section
                else "there is no bucket in the settings.",
                remedy="Put it back under [originals].",
            )
        return open_bucket(found)

    def _waiting(self, library: Library, collection: str | None) -> list[tuple[str, ...]]:
        """Return the documents whose originals are not in the bucket that they are to be in."""
        if collection is None:
            rows = library.execute(_WAITING.format(""))
        else:
            library.document_ids(collection)  # which refuses one that is not there
            rows = library.execute(_WAITING.format("AND c.fold = ?"), (fold_name(collection),))
        found = [tuple(map(as_string, row)) for row in rows]
        return [row for row in found if row[4] or self.settings.find("") is not None]

    def _move_one(self, library: Library, row: tuple[str, ...]) -> bool:
        """Store an original and read it back; returns False where no file of it is here."""
        identifier, name, path, sha256, wanted = row
        document = library.document(identifier)
        if document.stored is not None and document.stored.section == wanted:
            return True  # another process was faster
        try:
            data = load_unchanged(Path(path), sha256)
        except InputError:
            if document.stored is None:
                return False
            data = self.load(document)
        bucket = self._bucket(wanted)
        address = bucket.address(f"{identifier}/{secrets.token_hex(8)}")
        values = (address, wanted, identifier, worker_name(), "")
        library.execute("INSERT INTO loose_files VALUES (?, ?, ?, ?, ?)", values)
        try:
            bucket.store(address, data)
            back = bucket.load(address)
            if back is None or hashlib.sha256(back).hexdigest() != sha256:
                raise CallError(f"{name}: the bucket returned other bytes than were stored.")
        except BaseException:
            library.execute("UPDATE loose_files SET worker = '' WHERE address = ?", (address,))
            raise
        with library.transaction():
            if not library.has_document(identifier):
                library.execute("UPDATE loose_files SET worker = '' WHERE address = ?", (address,))
                return True
            library.execute("DELETE FROM original_files WHERE document = ?", (identifier,))
            stored = (identifier, wanted, address, utc_now(), "")
            library.execute("INSERT INTO original_files VALUES (?, ?, ?, ?, ?)", stored)
            library.execute("DELETE FROM loose_files WHERE address = ?", (address,))
        delete_upload(library, Path(path))
        return True

    def _note_failure(self, library: Library, document: str, section: str, reason: str) -> None:
        with library.transaction():
            if library.has_document(document):
                library.execute(
                    "INSERT INTO original_files VALUES (?, ?, '', '', ?) "
                    "ON CONFLICT(document) DO UPDATE SET reason = excluded.reason",
                    (document, section, reason),
                )


def delete_upload(library: Library, path: Path) -> None:
    """Delete an uploaded file, or the archive that has it, unless something else is read from it.

    What else is read from it may be in a bucket by now.
    """
    root, path = library.files, Path(os.path.normpath(path))
    file = next((each for each in (path, *path.parents) if each.is_file()), None)
    if file is None or file.is_symlink() or not file.is_relative_to(root):
        return
    inside = (str(file), f"{file}/")
    needed = (as_integer(library.execute(sql, inside)[0][0]) for sql in (_NEEDED, _UNREAD))
    if any(needed):
        return
    with suppress(OSError):
        file.unlink()
        for parent in file.parents:
            if parent == root or any(parent.iterdir()):
                return
            parent.rmdir()


def set_bucket(
    library: Library, originals: Originals, collection: str, section: str, by: str
) -> None:
    """Give a collection a bucket of the settings; `""` is the one of all.

    Raises:
        ConfigError: If there is no such collection or bucket.
    """
    if section and section not in originals.sections:
        named = [each for each in originals.sections if each]
        raise ConfigError(
            f"there is no bucket {section!r} in the settings.", remedy=name_remedy(section, named)
        )
    with library.transaction():
        library.document_ids(collection)
        (row,) = library.execute(
            "SELECT row FROM collections WHERE fold = ?", (fold_name(collection),)
        )
        library.execute("DELETE FROM collection_buckets WHERE collection = ?", row)
        if section:
            values = (as_integer(row[0]), section)
            library.execute("INSERT INTO collection_buckets VALUES (?, ?)", values)
        library.record("bucket", {"collection": collection, "bucket": section, "by": by})


def bucket_of(library: Library, collection: str) -> str:
    """Return the section of a collection's bucket; `""` for the one of all."""
    rows = library.execute(
        "SELECT b.section FROM collection_buckets b JOIN collections c ON c.row = b.collection "
        "WHERE c.fold = ?",
        (fold_name(collection),),
    )
    return as_string(rows[0][0]) if rows else ""


def stored_documents(library: Library) -> set[str]:
    """Return the documents whose originals are in buckets."""
    rows = library.execute("SELECT document FROM original_files WHERE stored != ''")
    return {as_string(row[0]) for row in rows}
