"""`LanceLibrary`: a `Library` with a journal for its catalogue, and Lance tables for documents."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from platformdirs import user_cache_path, user_data_path

from fourcorners import private_files
from fourcorners.cluster.catalogue.journal import HEAD, Journal
from fourcorners.cluster.catalogue.replica import Replica, ReplicaMismatch
from fourcorners.cluster.storage.address import Address
from fourcorners.cluster.storage.document_tables import (
    MAX_UNINDEXED,
    MAX_UNINDEXED_VECTORS,
    PASSAGES,
    RETENTION,
    TEXTS,
    VECTORS,
    DocumentTables,
    StoredPassage,
    generation_at,
)
from fourcorners.cluster.storage.tables import Tables
from fourcorners.cluster.words.store import MAX_BATCH, WordIndexStore
from fourcorners.cluster.words.visibility import LiveDocument, VisibleRows
from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.columns import DocumentColumns
from fourcorners.library.database import (
    SQLiteValue,
    as_integer,
    as_string,
    make_library_folder,
)
from fourcorners.library.entries import PassageRow, Vectors
from fourcorners.library.schema import LARGE_COLUMNS
from fourcorners.library.store import Library, upload_folder
from fourcorners.outline.tree import Passage
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_CACHED = 96  # documents whose text and outline are held in memory
SNAPSHOT_EVERY = 512  # entries of the journal after which the catalogue is set down whole


class LanceLibrary(Library):
    """A library on Lance tables; use it in one thread at a time.

    Any number of processes on any number of machines may have it open. Writers take turns, as in
    one SQLite file.

    Raises:
        LibraryError: If the tables are missing, damaged, of a newer version or out of reach.
    """

    documents_at_once = 16
    shared = True
    address_space = 4 << 30  # Lance's engine reserves far more than it uses

    def __init__(self, address: Address, *, create: bool) -> None:
        self.address = address
        self.tables = Tables(_find_address(address, create=create))
        self._journal = Journal(self.tables)
        self.document_tables = DocumentTables(self.tables)
        self.word_parts = WordIndexStore(self.tables, self.document_tables)
        if HEAD not in self.tables.names():
            if not create:
                raise _missing(address)
            self.document_tables.create()
            self._journal.create()
        self.replica = self._copied()
        Catalogue.__init__(self, self.replica)
        self._parts: OrderedDict[tuple[str, str], dict[str, str]] = OrderedDict()
        self._visible: tuple[str, VisibleRows] | None = None
        self._copy_shared()

    def _copied(self) -> Replica:
        """Open this machine's copy of the catalogue; one that does not fit is made anew."""
        store = self._journal.head().store
        path = user_cache_path("fourcorners") / "lance" / f"{store}.db"
        private_files.make_folder(path.parent)
        try:
            return Replica(path, self._journal, self.document_tables.flush)
        except ReplicaMismatch:
            for end in ("", "-wal", "-shm"):
                path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
            return Replica(path, self._journal, self.document_tables.flush)

    @property
    def path(self) -> Path:
        """Return the URL, as far as a path can hold it; it opens the library too."""
        return Path(self.address.url)

    @property
    def url(self) -> str:
        """Return what opens it, from any folder."""
        return self.address.url if self.address.folder is None else f"lance:{self.address.folder}"

    @property
    def files(self) -> Path:
        """Return the folder beside the tables; for those in a bucket, one of this machine's own."""
        folder = self.address.folder
        if folder is not None:
            return upload_folder(folder)
        return user_data_path("fourcorners") / "lance" / f"{self._journal.head().store}-files"

    @property
    def files_are_shared(self) -> bool:
        return self.address.folder is not None

    def owns(self, path: Path) -> bool:
        """Tell whether a file is one of the tables'."""
        return self.address.folder is not None and self.address.folder in path.absolute().parents

    def close(self) -> None:
        """Tend the tables if much was written, and close the copy of the catalogue."""
        if self.replica.published:
            with suppress(LibraryError):  # what was written is written; the next to close tends
                self.maintain()
        super().close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside one write, seen by all when it ends, or by none."""
        try:
            with self.replica.transaction():
                yield
        except BaseException:
            if self.replica.is_idle:  # what a part put is not named by the catalogue
                self.document_tables.discard()
            raise
        if self.replica.is_idle:
            if self.document_tables.unlisted >= MAX_BATCH:
                self.word_parts.extend(self.visible())
                self.document_tables.unlisted = 0
            if self._needs_maintenance(MAX_UNINDEXED_VECTORS, share=4):
                self.document_tables.maintain()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside see one state of the library."""
        self.replica.refresh()
        with super().snapshot():
            yield

    def maintain(self, *, always: bool = False) -> bool:
        """Bring indexes up to date, clear away what nobody sees, and shorten the journal.

        Args:
            always: Whether to do it however little was written since.

        Returns whether anything was to be done.
        """
        is_maintained = always or self._needs_maintenance(MAX_UNINDEXED, share=8)
        if is_maintained:
            before = time.time() - RETENTION.total_seconds()
            self.word_parts.maintain(self.visible(), before=generation_at(before))
            self.document_tables.unlisted = 0
            visible = self.visible().documents
            self.document_tables.delete_stale(
                {
                    TEXTS: self._generations("shelved"),
                    PASSAGES: {each.generation for each in visible},
                    VECTORS: {each.vectors for each in visible},
                },
                before=before,
            )
            self.document_tables.maintain()
        return self.replica.write_snapshot(1 if always else SNAPSHOT_EVERY) or is_maintained

    def _needs_maintenance(self, least: int, *, share: int) -> bool:
        """Tell whether so much was written that it is worth bringing the indexes up to date.

        Args:
            least: Passages from which it can be worth it.
            share: What part of all passages is worth it.
        """
        written = self.document_tables.written
        return bool(written) and written >= max(least, self.visible().totals.rows // share)

    def _generations(self, table: str) -> set[str]:
        return {as_string(row[0]) for row in self.execute(f"SELECT generation FROM {table}")}  # noqa: S608

    def visible(self) -> VisibleRows:
        """Return which rows count; it is worked out anew when documents have come or gone."""
        version = self.content_version
        if self._visible is None or self._visible[0] != version:
            self._visible = version, VisibleRows(self)
        return self._visible[1]

    def text(self, document: str) -> str:
        return self.large_columns(document)["text"]

    def large_columns(
        self, document: str, names: Sequence[str] = LARGE_COLUMNS
    ) -> Mapping[str, str]:
        """Return what of a document the catalogue does not hold, as it is stored.

        Raises:
            ConfigError: If there is none with this id.
            LibraryError: If it is not what was stored.
        """
        del names  # they are stored in one row
        generation = as_string(
            self._one(
                "SELECT s.generation FROM documents d JOIN shelved s ON s.document = d.row "
                "WHERE d.id = ?",
                document,
            )[0]
        )
        key = document, generation
        if key not in self._parts:
            self._parts[key] = self.document_tables.large_columns(document, generation)
            if len(self._parts) > _MAX_CACHED:
                self._parts.popitem(last=False)
        self._parts.move_to_end(key)
        return self._parts[key]

    def prefetch(self, documents: Iterable[str]) -> None:
        """Read the large parts of documents that are not at hand, all at once."""
        wanted = frozenset(documents)
        missing = {
            (each.id, each.generation)
            for each in self.visible().documents
            if each.id in wanted and (each.id, each.generation) not in self._parts
        }
        if len(missing) > 1:
            self._parts.update(self.document_tables.large_columns_of(missing))
            while len(self._parts) > max(_MAX_CACHED, len(missing)):
                self._parts.popitem(last=False)

    def passages(self, document: str) -> list[Passage]:
        """Return the passages of a document, in order.

        Raises:
            LibraryError: If one is missing, or not what was stored.
        """
        first, count, generation = self._one(
            "SELECT d.first_passage, d.passage_count, s.generation FROM documents d "
            "JOIN shelved s ON s.document = d.row WHERE d.id = ?",
            document,
        )
        rows = range(as_integer(first), as_integer(first) + as_integer(count))
        found = {
            each.row: each.passage
            for each in self.document_tables.stored_range(rows)
            if each.generation == generation
        }
        if len(found) != len(rows):
            raise LibraryError(
                f"{len(rows) - len(found)} passages of document {document} are missing in "
                f"{self.path}.",
                remedy="Remove the document and add its file again, or restore a copy.",
            )
        return [found[row] for row in rows]

    def passage_rows(self, rows: Iterable[int]) -> dict[int, PassageRow]:
        """Return the passages with these rowids; a rowid that is not there is left out."""
        visible = self.visible()
        owners = {int(row): visible.owner(int(row)) for row in rows}
        wanted = [row for row, owner in owners.items() if owner is not None]
        return {
            each.row: PassageRow(each.row, owner.id, each.passage)
            for each in self.document_tables.stored_passages(wanted)
            if (owner := _counting(owners[each.row], each)) is not None
        }

    def set_encoder(self, name: str, dimension: int) -> None:
        """Record whose vectors the library holds; an empty library may change its mind."""
        super().set_encoder(name, dimension)
        self.document_tables.create_vectors(dimension)

    def check(self) -> list[str]:
        from fourcorners.cluster.check import Parts, find_faults

        return find_faults(
            Parts(
                self,
                self.replica,
                self.tables,
                self.document_tables,
                self.word_parts,
                self.visible(),
            )
        )

    def size(self) -> int:
        """Return the bytes of the tables."""
        return self.tables.size()

    def _load_vectors(self, scope: int | None, document: str | None) -> Vectors:
        known = self.encoder
        owned = [each for each in self.visible().documents if each.vectors]
        if document is not None:
            owned = [each for each in owned if each.id == document]
        elif scope is not None:
            rows = self.execute("SELECT row FROM documents WHERE collection = ?", (scope,))
            members = {as_integer(row[0]) for row in rows}
            owned = [each for each in owned if each.row in members]
        total = sum(len(each.rows) for each in owned)
        matrix = np.empty((total, known.dimension if known else 0), dtype=np.float32)
        rowids = np.array([row for each in owned for row in each.rows], dtype=np.int64)
        if total:
            where = ""
            if len(owned) == 1:
                span = owned[0].rows
                where = f"row >= {span.start:d} AND row < {span.stop:d}"
            self._fill(matrix, rowids, where)
        matrix.flags.writeable = rowids.flags.writeable = False
        return Vectors(rowids, matrix, tuple(each.id for each in owned for _ in each.rows))

    def _fill(self, matrix: NDArray[np.float32], rowids: NDArray[np.int64], where: str) -> None:
        read, generations, vectors = self.document_tables.vectors(where)
        counting = self.visible().live_rows(read, generations, vectors=True)
        read, vectors = read[counting], vectors[counting]
        order = np.argsort(read)
        at = np.searchsorted(read[order], rowids)
        if len(read) < len(rowids) or not np.array_equal(read[order][at], rowids):
            raise LibraryError(
                f"vectors are missing in {self.path}.",
                remedy="Restore a copy, or add the contracts to a new library.",
            )
        matrix[:] = vectors[order][at]

    def _next_passage(self, count: int) -> int:
        first = int(self._meta("next_passage") or "1")
        self._set_meta("next_passage", str(first + count))
        return first

    def _catalogue_columns(self, columns: DocumentColumns) -> Mapping[str, SQLiteValue]:
        return {
            name: value for name, value in columns.document.items() if name not in LARGE_COLUMNS
        }

    def _set_aside(self, columns: DocumentColumns, row: int, first: int, collection: str) -> None:
        del collection  # the catalogue knows
        generation, count = self.document_tables.put(columns, first)
        self.execute("INSERT INTO shelved VALUES (?, ?, ?)", (row, generation, count))
        terms = {
            token
            for _, start, end, _, _, _ in columns.passages
            for token in tokenize(columns.text[start:end]).tokens
        }
        self.execute_many(
            "INSERT INTO terms VALUES (?) ON CONFLICT DO NOTHING",
            ((term,) for term in sorted(terms)),
        )

    def _take_back(self, rows: range) -> None:
        """Leave the rows: without their document nobody sees them, and `tend` deletes them."""

    def rewrite_words(self, document: str) -> None:
        """Leave the index: the collection of a document is in the catalogue."""

    def change_encoder(self, name: str, dimension: int) -> None:
        known = self.encoder
        if known is not None and known.dimension != dimension:
            raise ConfigError(
                f"{self.path} holds vectors of {known.dimension} dimensions, and those of {name} "
                f"have {dimension}.",
                remedy="Add the contracts to a new library.",
            )
        super().change_encoder(name, dimension)

    def _delete_vectors(self) -> None:
        """Leave the rows: no document claims them, so nobody sees them, and `tend` deletes them."""
        self.execute("DELETE FROM vectors")

    def _insert_vectors(self, row: int, data: bytes) -> None:
        first, count = self.execute(
            "SELECT first_passage, passage_count FROM documents WHERE row = ?", (row,)
        )[0]
        known = self.encoder
        assert known is not None  # noqa: S101 - `_packed` has asked
        rows = range(as_integer(first), as_integer(first) + as_integer(count))
        self.document_tables.create_vectors(known.dimension)
        generation = self.document_tables.put_vectors(rows, data, known.dimension)
        self.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (row, generation))


def _counting(owner: LiveDocument | None, stored: StoredPassage) -> LiveDocument | None:
    return owner if owner is not None and owner.generation == stored.generation else None


def _find_address(address: Address, *, create: bool) -> Address:
    if address.folder is not None:
        if create:
            make_library_folder(address.folder, address.folder)
        elif not address.folder.is_dir():
            raise _missing(address)
    return address


def _missing(address: Address) -> LibraryError:
    return LibraryError(
        f"there is no library at {address.url}.",
        remedy="Make one with `fourcorners add FOLDER`, or name another with --library.",
    )
