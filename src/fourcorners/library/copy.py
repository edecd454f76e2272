"""Copy a library into an empty one, in the same kind of store or another, and verify the copy.

Everything is copied unchanged, under the same rows: documents with their passages and vectors, and
the rows of every table, including those of other rooms. The target is written in one transaction.
Then both are read again and compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.columns import load_columns
from fourcorners.library.database import Row, retry_lost
from fourcorners.library.store import Library
from fourcorners.library.vectors.rows import pack_vectors

_OWN = {
    *("documents", "passages", "vectors", "passage_vectors", "concordances", "meta"),
    *("word_lengths", "postings", "commits"),
}
"""Tables that each store fills itself, or that are copied separately."""


@dataclass(frozen=True, slots=True)
class CopySummary:
    """What was copied, and compared: `tables` has the rows of each table."""

    documents: int
    passages: int
    vectors: int
    tables: dict[str, int]


def copy_library(source: Library, target: Library) -> CopySummary:
    """Copy all of a library into an empty one.

    Args:
        source: What to copy; it is not changed.
        target: Where to.

    Raises:
        ConfigError: If the target is not empty.
        LibraryError: If the source is damaged, or the copy is not what was copied.
    """
    if target.document_ids() or target.audit_verdict().entries:
        raise ConfigError(
            f"{target.place} is not empty.", remedy="Name a library that does not exist yet."
        )
    with source.snapshot():
        tables = [name for name in source.tables() if name not in _OWN]
        if known := source.encoder:
            target.set_encoder(known.name, known.dimension)
        retry_lost(lambda: _copy_all(source, target, tables))
        return _compare_copies(source, target, tables)


def _copy_all(source: Library, target: Library, tables: list[str]) -> None:
    with target.restore_transaction():
        _copy_documents(source, target)
        for table in tables:
            _copy_rows(source, target, table)
        _copy_meta(source, target)


def _copy_documents(source: Library, target: Library) -> None:
    entries = sorted(map(source.entry, source.document_ids()), key=lambda each: each.rows.start)
    bare = set(source.documents_without_vectors())
    for entry in entries:
        source.read_whole(entry.id)  # what is damaged is not copied, nor left out
        columns, place = load_columns(source, entry)
        vectors = None
        if entry.id not in bare:
            vectors = pack_vectors(source.vectors(document=entry.id).matrix)
        target.restore_document(columns, vectors, place, entry.collection)


def _copy_rows(source: Library, target: Library, table: str) -> None:
    names, rows = _read(source, table)
    places = ", ".join("?" for _ in names)
    sql = f"INSERT INTO {table}({', '.join(names)}) VALUES ({places})"  # noqa: S608
    target.execute_many(sql, rows)


def _copy_meta(source: Library, target: Library) -> None:
    rows = source.execute("SELECT key, value FROM meta")
    meta = [row for row in rows if row[0] != "headings_after"]
    meta.append(("headings_after", "0"))
    target.execute_many("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta)


def _compare_copies(source: Library, target: Library, tables: list[str]) -> CopySummary:
    """Read both again; raise an error if they differ."""
    counts: dict[str, int] = {}
    for table in tables:
        (count, digest), (other, same) = _digest(source, table), _digest(target, table)
        if (count, digest) != (other, same):
            raise _differs(target, f"the table {table}")
        counts[table] = count
    passages = vectors = 0
    mine, theirs = (
        [store.entry(each) for each in store.document_ids()] for store in (source, target)
    )
    if mine != theirs:
        raise _differs(target, "the list of documents")
    for entry in mine:
        if _document_values(source, entry.id) != _document_values(target, entry.id):
            raise _differs(target, f"document {entry.id}")
        matrix = source.vectors(document=entry.id).matrix
        if matrix.tobytes() != target.vectors(document=entry.id).matrix.tobytes():
            raise _differs(target, f"the vectors of document {entry.id}")
        passages += entry.passages
        vectors += len(matrix)
    if audit_fault := target.audit_verdict().faults:
        raise _differs(target, audit_fault[0].description)
    return CopySummary(len(mine), passages, vectors, counts)


def _document_values(library: Library, document: str) -> tuple[object, ...]:
    parts = library.large_columns(document)
    return parts, library.text(document), library.passages(document), library.card(document)


def _digest(library: Library, table: str) -> tuple[int, str]:
    digest = sha256()
    _, rows = _read(library, table)
    for row in rows:
        digest.update(repr(row).encode())
    return len(rows), digest.hexdigest()


def _read(library: Library, table: str) -> tuple[list[str], list[Row]]:
    """Return the columns and the rows of a table, in a fixed order."""
    names = [f'"{name}"' for name in library.columns(table)]
    order = ", ".join(str(at + 1) for at in range(len(names)))
    sql = f"SELECT {', '.join(names)} FROM {table} ORDER BY {order}"  # noqa: S608
    return names, library.execute(sql)


def _differs(target: Library, what: str) -> LibraryError:
    return LibraryError(
        f"{what} of {target.place} is not what was copied.",
        remedy="Delete the copy and copy again; if it happens again, check the source.",
    )
