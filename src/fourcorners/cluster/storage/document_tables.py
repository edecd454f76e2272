"""`DocumentTables`: texts, passages with their words, and vectors, as rows of Lance tables.

Rows are only ever added, in groups, each under a generation; the catalogue says which generation of
a document counts, and since it is published last, a document is seen whole or not at all. What no
catalogue names any more is cleared away later. Lance does not notice a flipped byte in its data:
each row has a checksum, which is looked at whenever the row is read.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, cast
from zlib import crc32

import numpy as np
import pyarrow as pa

from fourcorners.cluster.storage.tables import RESTORE_REMEDY, Tables, Value, sql_quote
from fourcorners.errors import LibraryError
from fourcorners.library.columns import DocumentColumns
from fourcorners.library.schema import LARGE_COLUMNS
from fourcorners.library.tokens import view_token
from fourcorners.outline.tree import Passage, View
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXTS, PASSAGES, VECTORS = "texts", "passages", "vectors"
RETENTION = timedelta(hours=1)
"""How long rows that no catalogue names, and earlier versions, are kept for those reading them."""
MAX_UNINDEXED = 2048
"""Passages not yet in the words index from which it is brought up to date at the end of a job."""
MAX_UNINDEXED_VECTORS = 8192
"""Such passages from which that is done while more are added.

Each question reads them all, some 30 milliseconds of CPU for a thousand; but to bring the index up
to date costs more the more it holds already.
"""
_AT_ONCE = 64  # documents in one commit, at most
_SOME = 500  # rowids in one condition

_TEXTS = pa.schema(
    [
        ("document", pa.string()),
        ("generation", pa.string()),
        *((name, pa.large_string()) for name in LARGE_COLUMNS),
        ("sha256", pa.string()),
    ]
)
_PASSAGES = pa.schema(
    [
        ("row", pa.int64()),
        ("generation", pa.string()),
        ("ordinal", pa.int32()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("view", pa.string()),
        ("node", pa.int32()),
        ("context", pa.string()),
        ("place_crc", pa.int64()),
        ("tokens", pa.string()),
        ("marks", pa.string()),
        ("words_crc", pa.int64()),
    ]
)
_PLACE = ("row", "generation", "ordinal", "start", "end", "view", "node", "context")


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage as it was stored: its rowid, and the generation that it belongs to."""

    row: int
    generation: str
    passage: Passage


class DocumentTables:
    """The tables of one library's documents; what is put is written by `flush`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._staged: dict[str, list[pa.Table]] = {TEXTS: [], PASSAGES: [], VECTORS: []}
        self.written = self.unlisted = 0

    def create(self) -> None:
        for name, schema in ((TEXTS, _TEXTS), (PASSAGES, _PASSAGES)):
            self._tables.make(name, schema)
        for column in ("tokens", "marks"):
            self._tables.index_words(PASSAGES, column)
        self._tables.index_values(PASSAGES, "row")
        self._tables.index_values(TEXTS, "document")

    def create_vectors(self, dimension: int) -> None:
        if VECTORS in self._tables.names():
            known = self._tables.table(VECTORS).schema.field("vector").type.list_size
            if known == dimension:
                return
            self._tables.drop(VECTORS)
        self._tables.make(VECTORS, _vectors_schema(dimension))
        self._tables.index_values(VECTORS, "row")

    def put(self, columns: DocumentColumns, first: int) -> tuple[str, int]:
        """Put a document; return its generation, and the words and filter tokens it has."""
        generation = new_generation()
        parts = {name: cast("str", columns.document[name]) for name in LARGE_COLUMNS}
        row = {"document": columns.id, "generation": generation, **parts}
        row["sha256"] = _sha256(row)
        if len(self._staged[TEXTS]) >= _AT_ONCE:
            self.flush()
        self._staged[TEXTS].append(_table([row], _TEXTS))
        passages = [
            _passage_row(columns.text, each, labels, first, generation)
            for each, labels in zip(columns.passages, columns.labels, strict=True)
        ]
        self._staged[PASSAGES].append(_table(passages, _PASSAGES))
        common = 2 if columns.type else 1  # the document's own token, and its type's
        return generation, sum(
            _count(str(row["tokens"])) + _count(str(row["marks"])) + common for row in passages
        )

    def put_vectors(self, rows: range, data: bytes, dimension: int) -> str:
        """Put the vectors of a document's passages, float16 as in `library.vectors`."""
        generation = new_generation()
        flat = np.frombuffer(data, dtype="<f2")
        matrix = flat.reshape(len(rows), dimension)
        values = {
            "row": pa.array(rows, pa.int64()),
            "generation": [generation] * len(rows),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat, pa.float16()), dimension),
            "crc": [
                _vector_crc(row, generation, vector)
                for row, vector in zip(rows, matrix, strict=True)
            ],
        }
        self._staged[VECTORS].append(pa.table(values, schema=_vectors_schema(dimension)))
        return generation

    def flush(self) -> None:
        """Write what was put, in one commit a table; texts first, by which orphans are known."""
        for name, staged in self._staged.items():
            if staged:
                rows = pa.concat_tables(staged)
                staged.clear()
                self._tables.append(name, rows)
                if name == PASSAGES:
                    self.written += len(rows)
                    self.unlisted += len(rows)

    def discard(self) -> None:
        for staged in self._staged.values():
            staged.clear()

    def large_columns(self, document: str, generation: str) -> dict[str, str]:
        """Return the columns `LARGE` of a document.

        Raises:
            LibraryError: If they are not there, or not what was stored.
        """
        return self.large_columns_of([(document, generation)])[document, generation]

    def large_columns_of(
        self, wanted: Collection[tuple[str, str]]
    ) -> dict[tuple[str, str], dict[str, str]]:
        """Return the columns `LARGE` of some documents, each named with its generation.

        Raises:
            LibraryError: As `parts` does.
        """
        self.flush()
        where = f"document IN ({', '.join(sql_quote(document) for document, _ in sorted(wanted))})"
        found: dict[tuple[str, str], dict[str, str]] = {}
        for row in self._tables.rows(TEXTS, where, _TEXTS.names).to_pylist():
            key = row["document"], row["generation"]
            if key not in wanted:
                continue
            if _sha256(row) != row["sha256"]:
                raise self._damaged(f"the text of document {row['document']}")
            found[key] = {name: cast("str", row[name]) for name in LARGE_COLUMNS}
        for document, generation in wanted:
            if (document, generation) not in found:
                raise self._damaged(f"the text of document {document}")
        return found

    def stored_passages(self, rows: Iterable[int]) -> Iterator[StoredPassage]:
        """Yield the passages with these rowids, of any generation, in no order.

        Raises:
            LibraryError: If one is not what was stored.
        """
        self.flush()
        wanted = sorted(set(rows))
        for at in range(0, len(wanted), _SOME):
            where = f"row IN ({', '.join(map(str, wanted[at : at + _SOME]))})"
            yield from self._stored_passages(where)

    def stored_range(self, rows: range) -> Iterator[StoredPassage]:
        self.flush()
        yield from self._stored_passages(f"row >= {rows.start:d} AND row < {rows.stop:d}")

    def _stored_passages(self, where: str) -> Iterator[StoredPassage]:
        for row in self._tables.rows(PASSAGES, where, [*_PLACE, "place_crc"]).to_pylist():
            if _crc(row, _PLACE) != row["place_crc"]:
                raise self._damaged(f"passage {row['row']}")
            span = Span(row["start"], row["end"])
            passage = Passage(row["ordinal"], span, View(row["view"]), row["node"], row["context"])
            yield StoredPassage(row["row"], row["generation"], passage)

    def vectors(self, where: str) -> tuple[NDArray[np.int64], list[str], NDArray[np.float32]]:
        """Return rowids, generations and vectors of the rows where a condition holds.

        Raises:
            LibraryError: If one is not what was stored.
        """
        self.flush()
        return self.read_vectors(self._tables.rows(VECTORS, where, VECTOR_COLUMNS))

    def read_vectors(
        self, found: pa.Table
    ) -> tuple[NDArray[np.int64], list[str], NDArray[np.float32]]:
        rowids = found["row"].to_numpy()
        generations = cast("list[str]", found["generation"].to_pylist())
        flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        matrix = flat.reshape(len(rowids), -1) if len(rowids) else flat.reshape(0, 0)
        for row, generation, vector, crc in zip(
            rowids.tolist(), generations, matrix, found["crc"].to_pylist(), strict=True
        ):
            if _vector_crc(row, generation, vector) != crc:
                raise self._damaged(f"the vector of passage {row}")
        return rowids, generations, matrix.astype(np.float32)

    def require_words(self, found: pa.Table) -> None:
        """Look whether rows read for their words are what was stored.

        Raises:
            LibraryError: If one is not.
        """
        columns = [found[name].to_pylist() for name in (*WORDS, "words_crc")]
        for row, generation, tokens, marks, crc in zip(*columns, strict=True):
            if _words_crc(row, generation, tokens, marks) != crc:
                raise self._damaged(f"the words of passage {row}")

    def delete_stale(self, living: Mapping[str, Collection[str]], *, before: float) -> None:
        """Delete rows of generations that are not among the living and older than a time."""
        limit = generation_at(before)
        for name, live_rows in living.items():
            if name not in self._tables.names():
                continue
            column = self._tables.rows(name, "", ["generation"])["generation"]
            dead = [
                each
                for each in column.unique().to_pylist()
                if each < limit and each not in live_rows
            ]
            for at in range(0, len(dead), _SOME):
                some = ", ".join(map(sql_quote, dead[at : at + _SOME]))
                self._tables.delete(name, f"generation IN ({some})")

    def maintain(self, keep: timedelta = RETENTION) -> None:
        names = self._tables.names()
        for name in (TEXTS, PASSAGES, VECTORS):
            if name in names:
                self._tables.optimize(name, keep)
        self.written = 0

    def _damaged(self, what: str) -> LibraryError:
        return LibraryError(
            f"{what} in {self._tables.address.url} is not what was stored.", remedy=RESTORE_REMEDY
        )


WORDS = ("row", "generation", "tokens", "marks")
VECTOR_COLUMNS = ("row", "generation", "vector", "crc")


def new_generation() -> str:
    """Return a name for what is written now; names sort by time."""
    return f"{generation_at(time.time())}-{uuid.uuid4().hex[:12]}"


def generation_at(moment: float) -> str:
    """Return what the names of all that is written from a moment on are not less than."""
    return f"{int(moment * 1000):012x}"


def _passage_row(
    text: str,
    passage: tuple[int, int, int, str, int | None, str],
    labels: str,
    first: int,
    generation: str,
) -> dict[str, Value]:
    ordinal, start, end, view, node, context = passage
    row: dict[str, Value] = {
        "row": first + ordinal,
        "generation": generation,
        "ordinal": ordinal,
        "start": start,
        "end": end,
        "view": view,
        "node": node,
        "context": context,
        "tokens": " ".join(tokenize(text[start:end]).tokens),
        "marks": f"{view_token(View(view))} {labels}".rstrip(),
    }
    row["place_crc"] = _crc(row, _PLACE)
    row["words_crc"] = _words_crc(
        first + ordinal, generation, str(row["tokens"]), str(row["marks"])
    )
    return row


def _count(tokens: str) -> int:
    return tokens.count(" ") + 1 if tokens else 0


def _crc(row: Mapping[str, Value], names: Sequence[str]) -> int:
    return crc32("\0".join(str(row[name]) for name in names).encode())


def _words_crc(row: int, generation: str, tokens: str, marks: str) -> int:
    return crc32(f"{row}\0{generation}\0{tokens}\0{marks}".encode())


def _vector_crc(row: int, generation: str, vector: NDArray[np.float16]) -> int:
    return crc32(vector.astype("<f2").tobytes(), crc32(f"{row}\0{generation}".encode()))


def _sha256(row: Mapping[str, Value]) -> str:
    content = "\0".join(str(row[name]) for name in ("document", "generation", *LARGE_COLUMNS))
    return sha256(content.encode()).hexdigest()


def _table(rows: Sequence[Mapping[str, Value]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)


def _vectors_schema(dimension: int) -> pa.Schema:
    return pa.schema(
        [
            ("row", pa.int64()),
            ("generation", pa.string()),
            ("vector", pa.list_(pa.float16(), dimension)),
            ("crc", pa.int64()),
        ]
    )
