"""`Writer`: how rows of a library are written, one transaction at a time."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING
from zlib import crc32

from fourcorners.errors import LibraryError
from fourcorners.library import audit, words
from fourcorners.library.catalogue import REENCODE_REMEDY, Catalogue
from fourcorners.library.columns import DocumentColumns, id_in_collection
from fourcorners.library.database import SQLiteValue, as_integer, as_string, in_transaction
from fourcorners.library.entries import AuditEntry, EncoderRecord, Place
from fourcorners.library.listing import storable_path
from fourcorners.library.tables import stored_json
from fourcorners.library.tokens import fold_name, require_name
from fourcorners.library.vectors.codes import pack_codes
from fourcorners.library.vectors.rows import BYTES, pack_vectors, split_vectors, unpack_vectors
from fourcorners.outline.card.card import Fact, Party

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Writer(Catalogue):
    """The writing half of a `Library`."""

    def transaction(self) -> AbstractContextManager[None]:
        """Make everything inside one write; nested, it is a part that can fail on its own."""
        return self._database.transaction()

    def execute_many(self, sql: str, bindings: Iterable[Sequence[SQLiteValue]]) -> None:
        self._database.execute_many(sql, bindings)

    def restore_transaction(self) -> AbstractContextManager[None]:
        """Make a transaction inside which rows are put back as they were, in any order."""
        return self._database.restore_transaction()

    def tables(self) -> list[str]:
        """Return the names of all tables but those of the words index."""
        return self._database.tables()

    def record(self, event: str, detail: Mapping[str, str | int]) -> AuditEntry:
        """Append to the audit trail, inside the caller's transaction if there is one."""
        return audit.append_entry(self._database, event, detail)

    def note_change(self) -> None:
        """Tell all who hold this library in memory that something of it is another."""
        self._touch()

    def document_id(self, columns: DocumentColumns, collection: str) -> str:
        """Return what a document is called in a collection.

        It follows from the content and the collection alone: whether another collection holds the
        same content must not show. In the first collection of a library, mostly the only one, it
        is what the content alone is called.
        """
        place = self._find("SELECT row FROM collections WHERE fold = ?", fold_name(collection))
        if place == 1 and not self._meta("ids"):
            return columns.id
        # Who bore this name before keeps its ids: the next one's are others, whatever it holds.
        earlier = self._meta(f"former {fold_name(collection)}")
        return id_in_collection(
            columns.sha256, f"{collection}\n{earlier}" if earlier else collection
        )

    def add_collection(self, name: str) -> None:
        """Make an empty collection, unless there is one of this name.

        Raises:
            ConfigError: If the name is empty, or has hidden characters.
        """
        self._collection_row(name)

    def note_former_name(self, collection: str) -> None:
        """Remember that a collection gives up its name, or goes."""
        former = f"former {fold_name(collection)}"
        self._set_meta(former, str(int(self._meta(former) or 0) + 1))
        self._set_meta("ids", "collection")

    def _insert(
        self,
        columns: DocumentColumns,
        data: bytes | None,
        place: int,
        collection: str,
        paths: Sequence[str],
        added: str,
    ) -> None:
        first = self._next_passage(len(columns.passages))
        values = {
            **columns.document,
            "id": columns.id,
            "key": f"{place}:{columns.sha256}",
            "first_passage": first,
            "added": added,
        }
        row = self._insert_values(values)
        self._set_aside(columns, row, first, collection)
        if data is not None:
            self._insert_vectors(row, data)
        for each in paths:
            self._record_source(each, row, place)
        self._touch()

    def restore_document(
        self,
        columns: DocumentColumns,
        vectors: bytes | None,
        place: Place,
        collection: str,
    ) -> None:
        """Store a document in the rows that it has in another library; the rest is the caller's.

        Args:
            columns: The document.
            vectors: Those of its passages, as `library.vectors` packs them.
            place: The rows.
            collection: The name of the one that it is in.
        """
        values = {
            **columns.document,
            "key": place.key,
            "row": place.row,
            "first_passage": place.first,
            "added": place.added,
        }
        self._insert_values(values)
        self._set_aside(columns, place.row, place.first, collection)
        if vectors is not None:
            self._insert_vectors(place.row, vectors)

    @in_transaction
    def set_vectors(self, document: str, vectors: NDArray[np.float32]) -> None:
        """Store the vectors of a document that has none, or other ones.

        Raises:
            ValueError: If they do not fit its passages or the encoder on record.
        """
        row, count = self._row_and_count(document)
        self._insert_vectors(row, self._packed(vectors, count))
        self._touch()

    @in_transaction
    def set_encoder(self, name: str, dimension: int) -> None:
        """Record whose vectors the library holds; an empty library may change its mind.

        Raises:
            LibraryError: If it holds vectors of another encoder.
        """
        known = self.encoder
        if known == EncoderRecord(name, dimension):
            return
        if known and self._find("SELECT 1 FROM vectors LIMIT 1"):
            raise LibraryError(
                f"{self.place} holds vectors of {known.name} ({known.dimension} dimensions), "
                f"not of {name} ({dimension}): they cannot be compared.",
                remedy=REENCODE_REMEDY.format(known.name, self.path),
            )
        self._set_meta("encoder", name)
        self._set_meta("dimension", str(dimension))

    @in_transaction
    def change_encoder(self, name: str, dimension: int) -> None:
        """Forget all vectors and record whose will take their place; nothing of the same encoder.

        Until they are made, search goes by words alone.
        """
        if self.encoder == EncoderRecord(name, dimension):
            return
        self._delete_vectors()
        self._set_meta("encoder", name)
        self._set_meta("dimension", str(dimension))
        self._touch()
        self.record("encoder", {"name": name})

    @in_transaction
    def set_read_for(self, collection: str, names: Sequence[str], *, by: str = "") -> None:
        """Remember for whom the contracts of a collection are read: names of parties, or none.

        Raises:
            ConfigError: If there is no such collection.
        """
        row, lines = self._existing_collection(collection), "\n".join(names)
        self.execute("INSERT OR REPLACE INTO collection_sides VALUES (?, ?)", (row, lines))
        detail = {"collection": collection, "names": "; ".join(names)}
        self.record("read for", {**detail, "by": by} if by else detail)

    @in_transaction
    def set_parties(self, document: str, parties: tuple[Fact[Party], ...], *, by: str = "") -> None:
        """Give a document other parties than those that were read, or (none) these again.

        Raises:
            ConfigError: If there is no such document.
        """
        detail = {"document": self.entry(document).id, "by": by}
        self.execute("DELETE FROM document_parties WHERE document = ?", (document,))
        if parties:
            values = (document, stored_json.PARTIES.dump(parties))
            self.execute("INSERT INTO document_parties VALUES (?, ?)", values)
        for table in ("graph_documents", "graph_parties", "graph_amendments"):
            self.execute(f"DELETE FROM {table} WHERE document = ?", (document,))  # noqa: S608
        names = "; ".join(fact.value.name for fact in parties)
        self.record("parties", {**detail, "names": names} if names else detail)
        self._touch()

    def fail(
        self,
        path: str,
        reason: str,
        remedy: str = "",
        *,
        collection: str,
        job: int | None = None,
    ) -> None:
        """Record that a file could not be added; the last failure of a path counts."""
        name, scope, at = storable_path(path), fold_name(collection), audit.utc_now()
        self.execute(
            "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, scope, reason, remedy, "", job, at),
        )

    @in_transaction
    def forget_failures(self, paths: Collection[str], *, collection: str) -> None:
        for path in paths:
            self._forget_failure(storable_path(path), collection)

    def _packed(self, vectors: NDArray[np.float32], count: int) -> bytes:
        known = self.encoder
        if known is None:
            raise ValueError("vectors need an encoder on record: call set_encoder first")
        if vectors.shape != (count, known.dimension):
            raise ValueError(
                f"vectors of shape {vectors.shape} do not fit {count} passages "
                f"of {known.dimension} dimensions"
            )
        return pack_vectors(vectors)

    def _delete_vectors(self) -> None:
        self.execute("DELETE FROM passage_vectors")
        self.execute("DELETE FROM vectors")

    def _insert_vectors(self, row: int, data: bytes) -> None:
        first, count = map(
            as_integer,
            self.execute(
                "SELECT first_passage, passage_count FROM documents WHERE row = ?", (row,)
            )[0],
        )
        rows = split_vectors(data, count)
        width = len(rows[0]) // BYTES if rows else 0
        codes = pack_codes(unpack_vectors(rows, width))
        self.execute_many(
            "INSERT OR REPLACE INTO passage_vectors VALUES (?, ?)", enumerate(rows, first)
        )
        checksum = crc32(codes, crc32(data))
        self.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", (row, checksum, codes))

    def _collection_row(self, collection: str) -> int:
        name = require_name(collection, "collection")
        self.execute(
            "INSERT INTO collections(name, fold) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (name, fold_name(name)),
        )
        return self._existing_collection(collection)

    def _insert_values(self, values: Mapping[str, SQLiteValue]) -> int:
        sql = (
            f"INSERT INTO documents({', '.join(values)}) "  # noqa: S608 - names of columns
            f"VALUES (:{', :'.join(values)}) RETURNING row"
        )
        return as_integer(self.execute(sql, values)[0][0])

    def _next_passage(self, count: int) -> int:
        """Return the first of the rowids that the next `count` passages get."""
        del count  # SQLite counts as they are inserted
        last = self._find("SELECT seq FROM sqlite_sequence WHERE name = 'passages'")
        return (last or 0) + 1

    def _set_aside(self, columns: DocumentColumns, row: int, first: int, collection: str) -> None:
        self.execute_many(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((first + each[0], row, *each) for each in columns.passages),
        )
        self.execute(
            "INSERT INTO concordances VALUES (?, ?, ?)",
            (row, crc32(columns.concordance), columns.concordance),
        )
        words.index_passages(
            self._database,
            columns.id,
            columns.index_rows(),
            first=first,
            document_type=columns.type,
            collection=collection,
        )

    def _take_back(self, row: int, rows: range) -> None:
        """Take the words of a document that leaves out of the index; its tables follow it."""
        del row  # the index knows passages
        words.delete_rows(self._database, rows)

    def _record_source(self, path: str, row: int, place: int) -> None:
        self.execute(
            "INSERT INTO sources(path, collection, document) VALUES (?, ?, ?) "
            "ON CONFLICT(path, collection) DO UPDATE SET document = excluded.document "
            "WHERE sources.document != excluded.document",
            (path, place, row),
        )

    def rewrite_words(self, document: str) -> None:
        """Rewrite the index of a document, because it contains its collection."""
        row, count = self._row_and_count(document)
        first, kind = self.execute(
            "SELECT first_passage, type FROM documents WHERE row = ?", (row,)
        )[0]
        start = as_integer(first)
        words.delete_rows(self._database, range(start, start + count))
        text, passages = self.text(document), self.passages(document)
        labels = words.passage_labels(text, self.outline(document), passages)
        words.index_passages(
            self._database,
            document,
            (
                (passage.span.text_in(text), passage.view.value, tokens)
                for passage, tokens in zip(passages, labels, strict=True)
            ),
            first=start,
            document_type=as_string(kind),
            collection=self.entry(document).collection,
        )

    def _forget_failure(self, path: str, collection: str) -> None:
        self.execute(
            "DELETE FROM failures WHERE path = ? AND collection = ?", (path, fold_name(collection))
        )

    def _set_meta(self, key: str, value: str) -> None:
        self.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def _touch(self) -> None:
        self._set_meta("content_version", uuid.uuid4().hex)
