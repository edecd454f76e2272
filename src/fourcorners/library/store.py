"""`Library`: documents, passages, vectors and what is known of them, in one SQLite file.

A document is identified by collection and content. The same file added twice to a collection, or
found at two paths, is one document with two paths. A changed file is another document: both are
kept, and the path then means the new one. The same file in two collections is two unrelated
documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError, DamagedDocument, LibraryError
from fourcorners.library import audit
from fourcorners.library.columns import DocumentColumns, document_columns
from fourcorners.library.damage import values_in
from fourcorners.library.database import as_integer, in_transaction
from fourcorners.library.entries import AuditEntry
from fourcorners.library.listing import storable_path
from fourcorners.library.memory import Memory
from fourcorners.library.removal.retention import hold_of
from fourcorners.library.tables.sqlite import SqliteDatabase
from fourcorners.library.writer import Writer
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STORES = "fourcorners.stores"  # the entry points that open libraries at URLs of other schemes
_ALIASES = {"postgres": "postgresql"}  # libpq takes both, and hosting services write the first
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")  # at least two letters: `C:` is a drive


def scheme_of(url: str) -> str:
    """Return the scheme of a library's URL, in lower case; empty for a plain path."""
    found = _SCHEME.match(url)
    scheme = found.group(1).casefold() if found else ""
    return _ALIASES.get(scheme, scheme)


def sqlite_path(url: str) -> Path:
    """Return the file of `sqlite:relative.db`, `sqlite:/absolute.db` or `sqlite:///absolute.db`."""
    rest = url.split(":", 1)[1]
    rest = rest.removeprefix("//")
    if not rest:
        raise ConfigError(f"{url} names no file.", remedy="Write for example sqlite:firm.db.")
    return Path(rest).expanduser()


@cache
def _store_opener(scheme: str) -> Callable[[str, bool], Library]:
    """Return what opens the library at a URL, and may create it if the second argument is set."""
    for found in entry_points(group=_STORES, name=scheme):
        return cast("Callable[[str, bool], Library]", found.load())
    names = {"sqlite", *entry_points(group=_STORES).names}
    raise ConfigError(
        f"no store opens {scheme}: libraries.",  # the URL may hold a password
        remedy=f"Known are plain paths and {', '.join(f'{name}:' for name in sorted(names))}.",
    )


def upload_folder(library: Path) -> Path:
    """Return the folder next to a library for files uploaded to a server."""
    return library.absolute().with_name(f"{library.name}-files")


class Library(Writer):
    """A library in one file; open it with `Library.open`, use it in one thread at a time.

    Any number of processes may have it open. Reads see the last commit; a write waits for the
    previous one.

    Another store is a subclass: its tables are the same, except those of the words index, which
    `_set_aside` and related methods fill.
    """

    documents_at_once = 1
    """How many documents `add` should store in one transaction."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        super().__init__(SqliteDatabase(path, create=create))

    @classmethod
    def open(cls, url: str | Path, *, create: bool = True) -> Library:
        """Open the library at a path or URL, and make it if it is not there and `create` is set.

        Raises:
            LibraryError: If it cannot be opened; the message says why and what to do.
            ConfigError: If no store is registered for the URL's scheme.
        """
        scheme = "" if isinstance(url, Path) else scheme_of(url)
        if scheme == "sqlite":
            return cls(sqlite_path(str(url)), create=create)
        if scheme:
            return _store_opener(scheme)(str(url), create)
        return cls(Path(url).expanduser(), create=create)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.memory = Memory()
        self._database.close()

    @property
    def url(self) -> str:
        """Return what opens it, from any folder."""
        return str(self.path.absolute())

    shared = False
    """Whether other machines can open it."""

    @property
    def files(self) -> Path:
        """Return the folder, next to the library, for files uploaded to a server."""
        return upload_folder(self.path)

    @property
    def files_are_shared(self) -> bool:
        return True

    def owns(self, path: Path) -> bool:
        """Tell whether a file is part of the library itself, and no contract."""
        own = str(self.path.absolute())
        return str(path.absolute()) in {f"{own}{end}" for end in ("", "-wal", "-shm", "-journal")}

    def limit_cache(self, kilobytes: int) -> None:
        """Let this connection hold no more of the library in memory than so much."""
        self._database.limit_cache(kilobytes)

    def audit_trail(self) -> Iterator[AuditEntry]:
        return audit.audit_entries(self._database)

    def audit_verdict(self, head: str = "") -> audit.AuditVerdict:
        return audit.verify_trail(self._database, head)

    def add(
        self,
        document: Document,
        outline: Outline,
        card: Card,
        passages: Sequence[Passage],
        vectors: NDArray[np.float32] | None,
        *,
        collection: str,
        identifier: str = "",
    ) -> bool:
        """Store a document with its passages, words and vectors in one transaction.

        It is called as `document_id` says, or by an `identifier` that it has in another library.

        Returns False where the collection has this content already; the document stays as it is,
        unless fewer pages were left unread this time: then it takes the place of what was stored.
        A failure recorded for the path goes. `document_with` tells what the document is called.

        Raises:
            ValueError: If passages are not numbered from 0 or do not lie in the text, or if the
                vectors do not fit the passages or the encoder on record.
            InputError: If the text holds half a surrogate pair and so is no text.
        """
        columns = document_columns(document, outline, card, passages)
        return self.add_columns(columns, vectors, collection=collection, identifier=identifier)

    @in_transaction
    def add_columns(
        self,
        columns: DocumentColumns,
        vectors: NDArray[np.float32] | None,
        *,
        collection: str,
        identifier: str = "",
    ) -> bool:
        """Store a document that was made ready before, as `add` does.

        Raises:
            ValueError: If the vectors do not fit the passages or the encoder on record.
        """
        data = None if vectors is None else self._packed(vectors, len(columns.passages))
        path = storable_path(columns.path)
        paths = self._make_way(columns, collection)
        if self.note_path(columns.sha256, columns.path, collection=collection):
            return False
        self._forget_failure(path, collection)
        place = self._collection_row(collection)
        columns = replace(columns, id=identifier or self.document_id(columns, collection))
        self._insert(columns, data, place, collection, [*paths, path], audit.utc_now())
        self.record(
            "add",
            {
                "document": columns.id,
                "sha256": columns.sha256,
                "path": path,
                "collection": collection,
                "passages": len(columns.passages),
            },
        )
        return True

    def _make_way(self, columns: DocumentColumns, collection: str) -> list[str]:
        """Take out the same content where more of its pages were left unread, or it is damaged.

        Returns the paths where it was seen. Under a legal hold it stays.
        """
        known = self.document_with(columns.sha256, collection)
        if known is None or hold_of(self, collection):
            return []
        if not self.holds_damaged(columns.sha256, collection) and len(
            self.unread_pages(columns.sha256, collection)
        ) <= len(columns.needs_ocr):
            return []
        paths = self.paths_of(known)
        self.remove(known)
        return paths

    def delete_damaged_values(self, sha256: str, collection: str) -> None:
        """Delete what rooms further down keep of a document, as far as it is damaged.

        They recompute it. The document stays, and so does what people said and decided about it.
        """
        document = self.document_with(sha256, collection)
        if document is None:
            return
        for values in values_in(self._database.tables()):
            if values.are_damaged(self, document):
                with self.transaction():
                    values.delete_damaged(self, document)
                    self._touch()
                    self.record("delete damaged", {"document": document, "part": values.part})

    def holds_damaged(self, sha256: str, collection: str) -> bool:
        """Tell whether a part of the document of a collection with this content is damaged.

        Adding it again replaces it.
        """
        document = self.document_with(sha256, collection)
        try:
            if document is not None:
                self.read_whole(document)
        except DamagedDocument:
            return True
        return False

    def note_path(self, sha256: str, path: str, *, collection: str) -> str | None:
        """Note that a document of a collection is the file at `path`, too.

        Returns the document's id, or None where none in the collection has this hash. A failure
        recorded for the path goes.
        """
        document = self.document_with(sha256, collection)
        if document is None:
            return None
        with self.transaction():
            row, _ = self._row_and_count(document)
            self._forget_failure(storable_path(path), collection)
            self._record_source(storable_path(path), row, self._existing_collection(collection))
        return document

    @in_transaction
    def remove(self, document: str) -> None:
        """Take a document out of the library.

        Raises:
            ConfigError: If there is no such document, or its collection is under a legal hold.
        """
        collection = self.collection_of(document)
        if hold := hold_of(self, collection):
            raise ConfigError(f"collection {collection!r} is under a legal hold {hold}.")
        row, count = self._row_and_count(document)
        first = as_integer(
            self.execute("SELECT first_passage FROM documents WHERE row = ?", (row,))[0][0]
        )
        self._take_back(row, range(first, first + count))
        self.execute("DELETE FROM documents WHERE row = ?", (row,))
        self._touch()
        self.record("remove", {"document": document})

    def erase_deleted(self) -> str:
        """Give up the space of what was deleted; return what may be left of it, in a sentence."""
        return self._database.erase_deleted()

    def leave_out(self, error: DamagedDocument) -> None:
        """Leave a damaged document out, and list it among the failures until it is added again."""
        if error.document not in self.damaged:
            super().leave_out(error)
            with suppress(LibraryError):  # who may only read is still answered
                self.fail(error.path, error.message, error.remedy, collection=error.collection)

    def check(self) -> list[str]:
        """Look for damage in the whole file, and return what is wrong, one sentence each.

        It reads everything: the pages of the file, the words index, sizes of vectors, places of
        passages, outlines and cards, and the audit chain.
        """
        from fourcorners.library.check import find_faults

        return find_faults(self._database)
