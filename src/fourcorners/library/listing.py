"""`Listing`: what a library holds: documents, collections, paths, failures, counts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path

from fourcorners.documents.discovery import path_or_url
from fourcorners.errors import ConfigError, DamagedDocument, DamagedValue, name_remedy
from fourcorners.library.damage import UNDECODABLE, DamagedDocuments
from fourcorners.library.database import Bindings, Database, Row, SQLiteValue, as_integer, as_string
from fourcorners.library.entries import (
    CollectionStats,
    EncoderRecord,
    Entry,
    Failure,
    Stats,
    resolve_name,
)
from fourcorners.library.memory import Memory
from fourcorners.library.tables import stored_json
from fourcorners.library.tables.documents import DocumentQueries
from fourcorners.library.tokens import fold_name

_ENTRY = """
    SELECT row, characters, page_count, first_passage, passage_count,
           id, name, path, media_type, type, title, needs_ocr, added,
           (SELECT c.name FROM collections c WHERE c.row = collection)
    FROM documents WHERE
"""
_IN_COLLECTION = "(?1 IS NULL OR collection = ?1)"
_NAMED = """
    SELECT name, path, (SELECT c.name FROM collections c WHERE c.row = collection)
    FROM documents WHERE id = ?
"""
_RANGES = """
    SELECT first_passage, passage_count FROM documents
    WHERE id IN (SELECT value FROM json_each(?))
"""
_WITHOUT_VECTORS = """
    SELECT id FROM documents
    WHERE passage_count > 0 AND row NOT IN (SELECT document FROM vectors) AND
"""


class Listing(DocumentQueries):
    """What a library lists, and how its values are read."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.memory = Memory()

    @property
    def path(self) -> Path:
        return self._database.path

    @property
    def place(self) -> str:
        """Return where it is, as messages name it: a file's path, or a URL."""
        return self._database.place

    @property
    def is_read_only(self) -> bool:
        return self._database.is_read_only

    def share(self, other: Listing) -> None:
        """Share the caches of another connection to the same library."""
        self.memory = other.memory

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        return self._database.execute(sql, bindings)

    def snapshot(self) -> AbstractContextManager[None]:
        """Give all reads inside one consistent state of the library, despite other writers."""
        return self._database.snapshot()

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table that are stored, in order."""
        return self._database.columns(table)

    @property
    def content_version(self) -> str:
        """Return a value that changes with every document added, moved or removed, by anyone.

        It also changes when a document that turned out to be damaged is left out.
        """
        version, left_out = self._meta("content_version"), self.damaged
        return f"{version} without {' '.join(sorted(left_out))}" if left_out else version

    @property
    def damages(self) -> DamagedDocuments:
        return self.memory.get_or_make("damaged", DamagedDocuments)

    @property
    def damaged(self) -> Mapping[str, DamagedDocument]:
        """Return the documents that turned out to be damaged and are left out, by their ids."""
        met = self.damages
        return met.documents(self._meta("content_version")) if met else {}

    def left_out(self, *collections: str | None) -> list[DamagedDocument]:
        """Return the damaged documents of some collections, or of all where one is None."""
        folds = {None if each is None else fold_name(each) for each in collections}
        met = self.damaged.values()
        return [each for each in met if None in folds or fold_name(each.collection) in folds]

    def leave_out(self, error: DamagedDocument) -> None:
        """Leave a damaged document out of lists and searches, until the library changes."""
        self.damages.add(error, self._meta("content_version"))

    def without_left_out(self, passages: Iterable[int]) -> list[int]:
        """Return the rowids that do not belong to a document that is left out."""
        rowids = [int(row) for row in passages]
        if not (left_out := self.damaged):
            return rowids
        found = self.execute(_RANGES, (json.dumps([*left_out]),))
        begins = [(as_integer(first), as_integer(count)) for first, count in found]
        ranges = [range(first, first + count) for first, count in begins]
        return [row for row in rowids if not any(row in each for each in ranges)]

    @contextmanager
    def decoding(self, document: str, part: str) -> Iterator[None]:
        """Name the document in errors about a part that cannot be decoded.

        Raises:
            DamagedDocument: If it cannot.
        """
        try:
            yield
        except (DamagedValue, *UNDECODABLE) as error:
            raise self.damaged_document(document, part) from error

    def damaged_document(self, document: str, part: str) -> DamagedDocument:
        name, path, collection = map(as_string, self._one(_NAMED, document))
        return DamagedDocument(document, name, path, collection, part)

    def collection_of(self, document: str) -> str:
        """Return the collection of a document, whose entry may be damaged."""
        return as_string(self._one(_NAMED, document)[2])

    def documents(self, collection: str | None = None) -> list[Entry]:
        """List the documents (of a collection) by name.

        Raises:
            ConfigError: If there is no such collection.
        """
        return self._documents(collection, self.damaged)

    def _documents(self, collection: str | None, left_out: Collection[str] = ()) -> list[Entry]:
        scope = self._scope(collection)
        entries = []
        for row in self.execute(_ENTRY + _IN_COLLECTION, (scope,)):
            if (document := as_string(row[5])) not in left_out:
                try:
                    with self.decoding(document, "entry"):
                        entries.append(_entry(row))
                except DamagedDocument as error:
                    self.leave_out(error)
        return sorted(entries, key=lambda entry: (entry.name.casefold(), entry.path, entry.id))

    def document_ids(self, collection: str | None = None) -> list[str]:
        """Return the ids of all documents (of a collection), those that are damaged among them."""
        sql = f"SELECT id FROM documents WHERE {_IN_COLLECTION} ORDER BY row"  # noqa: S608 - ours
        return self._texts(sql, self._scope(collection))

    def entry(self, document: str) -> Entry:
        """Return how the library lists one document.

        Raises:
            ConfigError: If there is none with this id.
        """
        row = self._one(f"{_ENTRY} id = ?", document)
        with self.decoding(document, "entry"):
            return _entry(row)

    def resolve(
        self, name: str, collection: str | None = None, *, among: Sequence[Entry] | None = None
    ) -> Entry:
        """Return the document a person means by its id, its path, or a part of its name.

        `among` are the documents to choose from, by default those of the collection.

        Raises:
            ConfigError: If several match, or none; the message lists the candidates or the nearest.
            DamagedDocument: If it is left out, because it is damaged.
        """
        entries = self._documents(collection) if among is None else among
        try:
            found = resolve_name(name, entries, self.source_paths())
        except ConfigError:
            for each in self.left_out(collection):  # an entry that cannot be read has no name there
                if name in (each.document, each.path) or name.casefold() in each.name.casefold():
                    raise each from None
            raise
        if found.id in (damaged := self.damaged):
            raise damaged[found.id]
        return found

    def source_paths(self) -> list[tuple[str, str]]:
        """Return each path that documents were read from, with the id of the one it means."""
        rows = self.execute(
            "SELECT s.path, d.id FROM sources s JOIN documents d ON d.row = s.document"
        )
        return [(as_string(path), as_string(document)) for path, document in rows]

    def name_of(self, document: str) -> str:
        return as_string(self._one("SELECT name FROM documents WHERE id = ?", document)[0])

    def path_of(self, document: str) -> str:
        return as_string(self._one("SELECT path FROM documents WHERE id = ?", document)[0])

    def paths_of(self, document: str) -> list[str]:
        return self._texts(
            "SELECT s.path FROM sources s JOIN documents d ON d.row = s.document "
            "WHERE d.id = ? ORDER BY s.path",
            document,
        )

    def document_with(self, sha256: str, collection: str) -> str | None:
        """Return the id of the document of a collection whose file has this hash."""
        return self._with_content("id", sha256, collection)

    def media_type_of(self, sha256: str, collection: str) -> str:
        """Return the media type of the file with this hash; empty if a collection has none."""
        return self._with_content("media_type", sha256, collection) or ""

    def unread_pages(self, sha256: str, collection: str) -> tuple[int, ...]:
        found = self._with_content("needs_ocr", sha256, collection)
        return stored_json.NUMBERS.load(found) if found is not None else ()

    def _with_content(self, column: str, sha256: str, collection: str) -> str | None:
        return self._text(
            f"SELECT {column} FROM documents WHERE key = "  # noqa: S608 - ours
            "(SELECT row FROM collections WHERE fold = ?) || ':' || ?",
            fold_name(collection),
            sha256,
        )

    def document_at(self, path: str, collection: str) -> str | None:
        """Return the id of the document of a collection that was last read from a path."""
        return self._text(
            "SELECT d.id FROM sources s JOIN documents d ON d.row = s.document "
            "JOIN collections c ON c.row = s.collection WHERE s.path = ? AND c.fold = ?",
            storable_path(path),
            fold_name(collection),
        )

    def is_source(self, path: str) -> bool:
        """Tell whether a document of any collection was read from a path."""
        return bool(self._texts("SELECT path FROM sources WHERE path = ?", storable_path(path)))

    def documents_without_vectors(self, collection: str | None = None) -> list[str]:
        return self._texts(
            f"{_WITHOUT_VECTORS} {_IN_COLLECTION} ORDER BY row", self._scope(collection)
        )

    def collections(self) -> list[tuple[str, int]]:
        return [(part.name, part.documents) for part in self.stats().collections]

    def collection_names(self) -> list[str]:
        return self._texts("SELECT name FROM collections ORDER BY fold")

    def read_for(self, collection: str) -> tuple[str, ...]:
        """Return for whom the contracts of a collection are read: names of parties, or none.

        Raises:
            ConfigError: If there is no such collection.
        """
        row = self._existing_collection(collection)
        lines = self._text("SELECT names FROM collection_sides WHERE collection = ?", row)
        return tuple((lines or "").splitlines())

    def membership(self, collection: str) -> tuple[int, int]:
        """Return numbers that change whenever documents join or leave a collection.

        Args:
            collection: Its folded name; one that is not there has no members.
        """
        row = self.execute(
            "SELECT count(*), coalesce(sum(d.row), 0) FROM documents d "
            "JOIN collections c ON c.row = d.collection WHERE c.fold = ?",
            (collection,),
        )[0]
        return as_integer(row[0]), as_integer(row[1])

    def failures(self, collection: str | None = None) -> list[Failure]:
        rows = self.execute(
            "SELECT path, reason, remedy FROM failures "
            "WHERE ?1 IS NULL OR collection = ?1 ORDER BY path",
            (None if collection is None else fold_name(collection),),
        )
        noted = [Failure(*[as_string(value) for value in row]) for row in rows]
        met = [Failure(e.path, e.message, e.remedy) for e in self.left_out(collection)]
        return [*noted, *(each for each in met if each not in noted)]

    @property
    def encoder(self) -> EncoderRecord | None:
        name = self._meta("encoder")
        return EncoderRecord(name, int(self._meta("dimension"))) if name else None

    def stats(self) -> Stats:
        parts = self.execute(
            "SELECT c.name, count(d.row), coalesce(sum(d.characters), 0), "
            "coalesce(sum(d.passage_count), 0), coalesce(s.names, '') FROM collections c "
            "LEFT JOIN collection_sides s ON s.collection = c.row "
            "LEFT JOIN documents d ON d.collection = c.row GROUP BY c.row, s.names ORDER BY c.fold"
        )
        whole = self.execute(
            "SELECT count(*), coalesce(sum(characters), 0), coalesce(sum(passage_count), 0), "
            "(SELECT coalesce(sum(passage_count), 0) FROM documents WHERE row IN "
            "(SELECT document FROM vectors)), (SELECT count(*) FROM failures) FROM documents"
        )[0]
        collections = tuple(
            CollectionStats(
                as_string(name),
                *(as_integer(documents), as_integer(characters), as_integer(passages)),
                tuple(as_string(lines).splitlines()),
            )
            for name, documents, characters, passages, lines in parts
        )
        documents, characters, passages, vectors, failures = map(as_integer, whole)
        return Stats(documents, characters, passages, vectors, failures, self.size(), collections)

    def size(self) -> int:
        """Return the bytes that the library takes on disk."""
        return self._database.size()

    def _scope(self, collection: str | None) -> int | None:
        return None if collection is None else self._existing_collection(collection)

    def _existing_collection(self, collection: str) -> int:
        found = self._find("SELECT row FROM collections WHERE fold = ?", fold_name(collection))
        if found is None:
            known = self.collection_names()
            raise ConfigError(
                f"collection {collection!r} not found in {self.place}.",
                remedy=name_remedy(collection, known)
                if known
                else "Add documents with `fourcorners add FOLDER --collection NAME`.",
            )
        return found

    def _row_and_count(self, document: str) -> tuple[int, int]:
        row = self._one("SELECT row, passage_count FROM documents WHERE id = ?", document)
        return as_integer(row[0]), as_integer(row[1])

    def _one(self, sql: str, document: str) -> Row:
        rows = self.execute(sql, (document,))
        if not rows:
            raise ConfigError(
                f"document {document!r} not found in {self.place}.",
                remedy="List the documents with `fourcorners status`.",
            )
        return rows[0]

    def _find(self, sql: str, *bindings: SQLiteValue) -> int | None:
        rows = self.execute(sql, bindings)
        return as_integer(rows[0][0]) if rows else None

    def _text(self, sql: str, *bindings: SQLiteValue) -> str | None:
        return next(iter(self._texts(sql, *bindings)), None)

    def _texts(self, sql: str, *bindings: SQLiteValue) -> list[str]:
        return [as_string(text) for (text,) in self.execute(sql, bindings)]

    def _meta(self, key: str) -> str:
        """Return a value of the library's own, such as the version of its content."""
        return self._text("SELECT value FROM meta WHERE key = ?", key) or ""


def _entry(row: Row) -> Entry:
    _, characters, pages, first, count = map(as_integer, row[:5])
    document, name, path, media_type, kind, title, needs_ocr, added = map(as_string, row[5:13])
    return Entry(
        id=document,
        name=name,
        path=path,
        media_type=media_type,
        type=kind,
        title=title,
        characters=characters,
        pages=pages,
        rows=range(first, first + count),
        needs_ocr=stored_json.NUMBERS.load(needs_ocr),
        added=datetime.fromisoformat(added),
        collection=as_string(row[13]),
    )


def storable_path(path: str) -> str:
    r"""Return a path as text; bytes that are not UTF-8 become escapes such as `\xe9`.

    An object in a bucket is named by its URL.
    """
    return path_or_url(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
