"""Check a library fully for everything that can be wrong with the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias
from zlib import crc32

from fourcorners.errors import LibraryError
from fourcorners.library import audit
from fourcorners.library.catalogue import text_hash
from fourcorners.library.damage import values_in
from fourcorners.library.database import Database, as_bytes, as_integer, as_string
from fourcorners.library.tables import stored_json
from fourcorners.library.vectors.rows import BYTES
from fourcorners.outline.tree import View

_INDEX_CHECK = "INSERT INTO words(words) VALUES ('integrity-check')"
_READERS: tuple[Callable[[str], object], ...] = (
    stored_json.PAGES.load,
    stored_json.MARKS.load,
    stored_json.WARNINGS.load,
    stored_json.OUTLINE.load,
    stored_json.CARD.load,
    stored_json.NUMBERS.load,
    stored_json.WORDS.load,
)


Look: TypeAlias = Callable[[Database], Iterator[str]]
"""Yields the problems of one kind, a sentence each."""


def find_faults(database: Database, looks: Iterable[Look] | None = None) -> list[str]:
    """Return what is wrong, one sentence each; empty if the library is whole.

    Args:
        database: The tables.
        looks: The checks to run; by default those of a file.
    """
    found: list[str] = []
    for look in looks or (_pages, _index, *OF_ANY_STORE):
        try:
            found += look(database)
        except LibraryError as error:
            found.append(error.message)
    return found


def _pages(database: Database) -> Iterator[str]:
    yield from _table_faults(database, "the file")


def _table_faults(database: Database, name: str) -> Iterator[str]:
    """Yield what is wrong with the pages of a file, and rows that belong to none."""
    for (line,) in database.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield f"{name} is damaged: {as_string(line)}"
    for table, row, parent, _ in database.execute("PRAGMA foreign_key_check"):
        yield f"row {row!s} of {table!s} belongs to a row of {parent!s} that is not there"


def _index(database: Database) -> Iterator[str]:
    if not database.is_read_only:  # SQLite takes the check for a write
        with database.transaction():
            database.execute(_INDEX_CHECK)
    passages, indexed, both = database.execute(
        "SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM words_docsize), "
        "(SELECT count(*) FROM passages WHERE row IN (SELECT id FROM words_docsize))"
    )[0]
    if not passages == indexed == both:
        yield f"the words index has {indexed!s} rows for {passages!s} passages"


def _passages(database: Database) -> Iterator[str]:
    for document, expected, present in database.execute(
        "SELECT d.id, d.passage_count, count(p.row) FROM documents d LEFT JOIN passages p "
        "ON p.document = d.row AND p.row = d.first_passage + p.ordinal "
        'AND p.start <= p."end" AND p."end" <= d.characters '
        "AND p.view IN (SELECT value FROM json_each(?)) "
        "GROUP BY d.row HAVING count(p.row) != d.passage_count",
        (json.dumps([*View]),),
    ):
        yield f"document {document!s} has {present!s} of its {expected!s} passages in their places"
    for document, count in database.execute(
        "SELECT d.id, count(*) FROM passages p JOIN documents d ON d.row = p.document "
        "WHERE p.ordinal >= d.passage_count GROUP BY d.row"
    ):
        yield f"document {document!s} has {count!s} passages too many"
    yield from _documents_without_collection(database)


def _documents_without_collection(database: Database) -> Iterator[str]:
    for (document,) in database.execute(
        "SELECT id FROM documents WHERE collection NOT IN (SELECT row FROM collections)"
    ):
        yield f"document {document!s} is in no collection"


def _vectors(database: Database) -> Iterator[str]:
    rows = database.execute("SELECT value FROM meta WHERE key = 'dimension'")
    dimension = int(as_string(rows[0][0])) if rows else 0
    for row, document, first, count in database.execute(
        "SELECT d.row, d.id, d.first_passage, d.passage_count FROM vectors v "
        "JOIN documents d ON d.row = v.document ORDER BY d.row"
    ):
        start, passages = as_integer(first), as_integer(count)
        data = b"".join(
            as_bytes(each)
            for (each,) in database.execute(
                "SELECT data FROM passage_vectors WHERE passage >= ? AND passage < ? "
                "ORDER BY passage",
                (start, start + passages),
            )
        )
        if len(data) != passages * dimension * BYTES:
            yield f"document {document!s} has {len(data)} bytes of vectors for {count!s} passages"
            continue
        codes, checksum = database.execute(
            "SELECT codes, crc32 FROM vectors WHERE document = ?", (row,)
        )[0]
        if crc32(as_bytes(codes), crc32(data)) != checksum:
            yield f"the vectors of document {document!s} are not what was stored"


def _concordances(database: Database) -> Iterator[str]:
    yield from _checksums(database, "concordances", "the concordance of document {} is")


def _checksums(database: Database, table: str, what: str) -> Iterator[str]:
    """Yield what of a table of blobs, one a document, is not as it was stored."""
    for (row,) in database.execute(f"SELECT document FROM {table} ORDER BY document"):  # noqa: S608
        document, data, checksum = database.execute(
            f"SELECT d.id, t.data, t.crc32 FROM {table} t LEFT JOIN documents d "  # noqa: S608
            "ON d.row = t.document WHERE t.document = ?",
            (row,),
        )[0]
        if crc32(as_bytes(data)) != checksum:
            yield f"{what.format(document)} not what was stored"


def _values(database: Database) -> Iterator[str]:
    for (row,) in database.execute("SELECT row FROM documents ORDER BY row"):
        document = database.execute("SELECT id FROM documents WHERE row = ?", (row,))[0][0]
        try:
            texts = database.execute(
                "SELECT pages, marks, warnings, outline, card, needs_ocr, words, text, "
                "text_sha256, characters FROM documents WHERE row = ?",
                (row,),
            )[0]
        except UnicodeDecodeError:
            yield f"what was read of document {document!s} is no longer text"
            continue
        for read, text in zip(_READERS, texts, strict=False):
            try:
                read(as_string(text))
            except LibraryError as error:
                yield f"document {document!s}: {error.message}"
        text, digest, characters = texts[-3:]
        if text_hash(as_string(text)) != digest or len(as_string(text)) != characters:
            yield f"the text of document {document!s} is not what was stored"


def _values_of_rooms(database: Database) -> Iterator[str]:
    for values in values_in(database.tables()):
        for (document,) in database.execute("SELECT id FROM documents ORDER BY row"):
            if values.are_damaged(database, as_string(document)):
                yield f"document {document!s}: its {values.part} cannot be read"


def _audit(database: Database) -> Iterator[str]:
    yield from audit.audit_faults(database)


OF_ANY_STORE: tuple[Look, ...] = (
    _passages,
    _vectors,
    _concordances,
    _values,
    _values_of_rooms,
    _audit,
)
"""The checks of every store."""
