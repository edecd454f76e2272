"""`Catalogue`: everything that can be read from a library."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING
from zlib import crc32

from fourcorners.documents.document import Document, StoredFile
from fourcorners.errors import DamagedValue
from fourcorners.library.damage import values_in
from fourcorners.library.database import (
    Row,
    SQLiteValue,
    as_bytes,
    as_integer,
    as_string,
)
from fourcorners.library.entries import (
    PassageRow,
    Vectors,
)
from fourcorners.library.listing import Listing
from fourcorners.library.memory import VersionedCache
from fourcorners.library.tables import stored_json
from fourcorners.library.vectors.codes import CurrentCodes, VectorCodes
from fourcorners.library.vectors.rows import unpack_vectors
from fourcorners.outline.card.card import Card
from fourcorners.outline.exclusions import Exclusion, blank_text, document_exclusions
from fourcorners.outline.passages.concordance import Concordance
from fourcorners.outline.tree import Outline, Passage, View
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_DOCUMENT = """
    SELECT d.name, d.path, d.sha256, d.media_type, d.reader, d.text_sha256,
        coalesce(o.section, ''), coalesce(o.address, '')
    FROM documents d LEFT JOIN original_files o ON o.document = d.id AND o.stored != ''
    WHERE d.id = ?
"""
_CARD = """
    SELECT d.card, p.parties FROM documents d LEFT JOIN document_parties p ON p.document = d.id
    WHERE d.id = ?
"""
_ROWS = """
    SELECT p.row, d.id, p.ordinal, p.start, p."end", p.view, p.node, p.context
    FROM passages p JOIN documents d ON d.row = p.document
    WHERE p.row IN (SELECT value FROM json_each(?))
"""
_BEARING = """
    SELECT d.id, d.first_passage, d.passage_count FROM documents d
    WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.document = d.row) AND
"""
_BEARING_ONE = _BEARING + "d.id = ?"
_BEARING_ALL = _BEARING + "(?1 IS NULL OR d.collection = ?1) ORDER BY d.row"
_HOLDING = """
    SELECT id FROM documents WHERE ?1 >= first_passage AND ?1 < first_passage + passage_count
"""
_PASSAGE_VECTORS = """
    SELECT passage, data FROM passage_vectors
    WHERE passage IN (SELECT value FROM json_each(?)) ORDER BY passage
"""
_VECTOR_CODES = "SELECT codes, crc32 FROM vectors WHERE document = ?"
_OF_DOCUMENT = (
    "SELECT data FROM passage_vectors WHERE passage >= ? AND passage < ? ORDER BY passage"
)
_READ = ("text", "pages", "marks", "warnings", "words")  # what was read, and not found in it
LARGE_COLUMNS = ("text", "pages", "marks", "warnings", "outline", "words")
"""The columns of `documents` that are large."""

REENCODE_REMEDY = (
    "Use {} as before, or make its vectors again: `fourcorners library encode --library {}`."
)


class Catalogue(Listing):
    """The reading half of a `Library`."""

    def document(self, document: str) -> Document:
        """Return a document as it was read.

        Raises:
            ConfigError: If there is none with this id.
            DamagedDocument: If its text is not the one that was stored, or a part cannot be read.
        """
        with self.decoding(document, "text or pages"):
            return self._document(document)

    def _document(self, document: str) -> Document:
        name, path, sha256, media_type, reader, digest, section, address = map(
            as_string, self._one(_DOCUMENT, document)
        )
        large = self.large_columns(document, _READ)
        self._require_unharmed(document, large["text"], digest)
        return Document(
            id=document,
            name=name,
            path=path,
            sha256=sha256,
            media_type=media_type,
            reader=reader,
            text=large["text"],
            pages=stored_json.PAGES.load(large["pages"]),
            marks=stored_json.MARKS.load(large["marks"]),
            warnings=stored_json.WARNINGS.load(large["warnings"]),
            words=stored_json.WORDS.load(large["words"]),
            stored=StoredFile(section, address) if address else None,
        )

    def text(self, document: str) -> str:
        with self.decoding(document, "text"):
            row = self._one("SELECT text, text_sha256 FROM documents WHERE id = ?", document)
            text = as_string(row[0])
            self._require_unharmed(document, text, as_string(row[1]))
            return text

    def outline(self, document: str) -> Outline:
        with self.decoding(document, "outline"):
            return stored_json.OUTLINE.load(self.large_columns(document, ("outline",))["outline"])

    def stored_place(self, document: str) -> tuple[str, str, str]:
        """Return name, pages and outline of a document, the latter two as they are stored."""
        name = as_string(self._one("SELECT name FROM documents WHERE id = ?", document)[0])
        large = self.large_columns(document, ("pages", "outline"))
        return name, large["pages"], large["outline"]

    def large_columns(
        self, document: str, names: Sequence[str] = LARGE_COLUMNS
    ) -> Mapping[str, str]:
        """Return large columns of a document, these at least, as they are stored."""
        sql = f"SELECT {', '.join(names)} FROM documents WHERE id = ?"  # noqa: S608 - columns
        return dict(zip(names, map(as_string, self._one(sql, document)), strict=True))

    def card(self, document: str) -> Card:
        """Return what was read of a document, with the parties that a person gave it."""
        with self.decoding(document, "card"):
            return stored_json.load_card(*self._one(_CARD, document))

    def documents_with_given_parties(self) -> list[str]:
        """Return the documents whose parties a person gave."""
        return self._texts("SELECT document FROM document_parties ORDER BY document")

    def passages(self, document: str) -> list[Passage]:
        row, count = self._row_and_count(document)
        length = as_integer(self._one("SELECT characters FROM documents WHERE id = ?", document)[0])
        with self.decoding(document, "passages"):
            rows = self.execute(
                'SELECT ordinal, start, "end", view, node, context FROM passages '
                "WHERE document = ? ORDER BY ordinal",
                (row,),
            )
            found = [_passage(row) for row in rows]
        if [each.ordinal for each in found] != list(range(count)) or any(
            each.span.end > length for each in found
        ):
            raise self.damaged_document(document, "passages")
        return found

    def concordance(self, document: str) -> Concordance:
        """Return the words and sentences of a document: as stored, or else recomputed.

        Raises:
            ConfigError: If there is none with this id.
            DamagedDocument: If the stored data is damaged.
        """
        row, _ = self._row_and_count(document)
        stored = self.execute("SELECT crc32, data FROM concordances WHERE document = ?", (row,))
        found = self._unharmed_concordance(document, *stored[0]) if stored else None
        if found is not None:
            return found
        read = self.document(document)
        exclusions = document_exclusions(read, self.outline(document))
        return Concordance.build(read.text, self.passages(document), exclusions)

    def exclusions(self, document: str) -> tuple[Exclusion, ...]:
        """Return what in the text of a document is not evidence, in order and disjoint.

        Raises:
            ConfigError: If there is none with this id.
            DamagedDocument: If the stored data is damaged.
        """
        known: VersionedCache[tuple[Exclusion, ...]] = self.memory.cache("exclusions")
        return known.get(
            self.content_version, document, lambda: self.concordance(document).exclusions
        )

    def evidence_text(self, document: str) -> str:
        """Return the text of a document with white space for what is not evidence.

        Raises:
            ConfigError: If there is none with this id.
            DamagedDocument: If the stored data is damaged.
        """
        return blank_text(self.text(document), self.exclusions(document))

    def read_whole(self, document: str) -> None:
        """Read all that is stored of a document.

        Raises:
            DamagedDocument: If a part cannot be read.
        """
        self.entry(document)
        self.document(document)
        self.outline(document)
        self.card(document)
        self.passages(document)
        self.concordance(document)
        self.vectors(document=document)
        row, _ = self._row_and_count(document)
        rows = self.entry(document).rows
        places = (rows.start, rows.stop)
        for codes, checksum in self.execute(_VECTOR_CODES, (row,)):
            data = b"".join(as_bytes(each) for (each,) in self.execute(_OF_DOCUMENT, places))
            if crc32(as_bytes(codes), crc32(data)) != checksum:
                raise self.damaged_document(document, "vectors")
        for values in values_in(self._database.tables()):
            if values.are_damaged(self, document):
                raise self.damaged_document(document, values.part)

    def state_of(self, document: str) -> Hashable:
        """Return a value that changes when a document's text, vectors or given parties do.

        Raises:
            ConfigError: If there is none with this id.
        """
        row, _ = self._row_and_count(document)
        has_vectors = self.execute("SELECT 1 FROM vectors WHERE document = ?", (row,))
        given = self._text("SELECT parties FROM document_parties WHERE document = ?", document)
        return row, bool(has_vectors), self.encoder, given

    def passage_rows(self, rows: Iterable[int]) -> dict[int, PassageRow]:
        """Return the passages with these rowids; a rowid that is not there is left out.

        So are those of documents that are left out.

        Raises:
            DamagedDocument: If a passage of a document is not there, or cannot be read.
        """
        wanted, left_out = self.without_left_out(rows), self.damaged
        found = {}
        for row in self.execute(_ROWS, (json.dumps(wanted),)):
            document = as_string(row[1])
            if document not in left_out:
                with self.decoding(document, "passages"):
                    passage = _passage(row[2:])
                found[as_integer(row[0])] = PassageRow(as_integer(row[0]), document, passage)
        for rowid in wanted:
            if rowid not in found and (document := self._document_of(rowid)):
                raise self.damaged_document(document, "passages")
        return found

    def vectors(self, collection: str | None = None, document: str | None = None) -> Vectors:
        """Return the vectors of the library, of a collection or of a document.

        Those of a large library may exceed the memory: a search uses `vector_codes`, and reads what
        it compares with `passage_vectors`. A library without an encoder on record gives an empty
        matrix.
        """
        if document is not None:
            return self._load_vectors(_BEARING_ONE, document)
        return self._load_vectors(_BEARING_ALL, self._scope(collection))

    def passage_vectors(self, rows: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rowids of those passages that have vectors, ascending, and these."""
        import numpy as np

        wanted = json.dumps([int(row) for row in rows])
        found = self.execute(_PASSAGE_VECTORS, (wanted,))
        rowids = [as_integer(row) for row, _ in found]
        matrix = self._unpack_vectors(rowids, [as_bytes(data) for _, data in found])
        return np.array(rowids, dtype=np.int64), matrix

    def _document_of(self, passage: int) -> str:
        """Return the id of the document that a passage's rowid belongs to; empty for none."""
        return self._text(_HOLDING, passage) or ""

    def vector_codes(self) -> VectorCodes:
        """Return the codes of all vectors; they are cached in memory, and updated."""
        current = self.memory.get_or_make("codes", CurrentCodes)
        with self.snapshot():
            left_out = {self._row_and_count(document)[0] for document in self.damaged}
            try:
                return current.get(self, self.content_version, self._dimension, left_out)
            except DamagedValue as error:
                if error.row is None:
                    raise
                sql = "SELECT id FROM documents WHERE row = ?"
                document = as_string(self.execute(sql, (error.row,))[0][0])
                raise self.damaged_document(document, "vectors") from error

    @property
    def _dimension(self) -> int:
        known = self.encoder
        return known.dimension if known else 0

    def _load_vectors(self, bearing: str, scope: str | int | None) -> Vectors:
        import numpy as np

        rows: list[bytes] = []
        rowids: list[int] = []
        documents: list[str] = []
        with self.snapshot():
            left_out = self.damaged
            for name, begin, passages in self.execute(bearing, (scope,)):
                document, first, count = as_string(name), as_integer(begin), as_integer(passages)
                if document in left_out and scope != document:
                    continue
                held = self.execute(_OF_DOCUMENT, (first, first + count))
                if len(held) != count:
                    raise self.damaged_document(document, "vectors")
                rows += [as_bytes(data) for (data,) in held]
                rowids += range(first, first + count)
                documents += [document] * count
        matrix = self._unpack_vectors(rowids, rows)
        numbers = np.array(rowids, dtype=np.int64)
        numbers.flags.writeable = False
        return Vectors(numbers, matrix, tuple(documents))

    def _unpack_vectors(self, rowids: Sequence[int], rows: Sequence[bytes]) -> NDArray[np.float32]:
        """Return the vectors of some passages.

        Raises:
            DamagedDocument: If one is damaged.
        """
        try:
            return unpack_vectors(rows, self._dimension)
        except DamagedValue:
            for rowid, row in zip(rowids, rows, strict=True):
                with self.decoding(self._document_of(rowid), "vectors"):
                    unpack_vectors([row], self._dimension)
            raise

    def _require_unharmed(self, document: str, text: str, digest: str) -> None:
        if text_hash(text) != digest:
            raise self.damaged_document(document, "text")

    def _unharmed_concordance(
        self, document: str, checksum: SQLiteValue, data: SQLiteValue
    ) -> Concordance | None:
        try:
            if crc32(as_bytes(data)) == checksum:
                return Concordance.load(as_bytes(data))
        except ValueError:
            pass
        raise self.damaged_document(document, "words and sentences")


def _passage(row: Row) -> Passage:
    ordinal, start, end, view, node, context = row
    return Passage(
        ordinal=as_integer(ordinal),
        span=Span(as_integer(start), as_integer(end)),
        view=View(as_string(view)),
        node=None if node is None else as_integer(node),
        context=as_string(context),
    )


def text_hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
