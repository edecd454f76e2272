"""Fill a library in PostgreSQL with many contracts: some variations, then rows that repeat them.

Storing a contract takes some 40 CPU milliseconds, a copy of its rows by the server a tenth of that.
Copies have the words and vectors of the variation under other ids and names, so the lists of common
words are as long as in a library of different contracts; rare words are not as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.multiplied import sources, variation
from fourcorners.cluster.postgres.library import PostgresLibrary
from fourcorners.library.database import as_integer
from fourcorners.library.store import Library

_INDEXES = {
    "postings_by_term": "CREATE UNIQUE INDEX postings_by_term ON postings(term, document) "
    "INCLUDE (passages)",
    "postings_by_document": "CREATE INDEX postings_by_document ON postings(document)",
}
_OF_DOCUMENTS = {  # columns but the first, which is the document's row
    "word_lengths": "words, lengths",
    "vectors": "crc32, codes",
    "concordances": "crc32, data",
}


def fill_library(
    url: str, source: Path, groups: Sequence[int], variations: int, copies: int
) -> int:
    """Add a collection for each group, `variations` contracts and so many copies of each.

    Returns how many contracts the library has.
    """
    with Library.open(source, create=False) as small:
        originals, known = list(sources(small)), small.encoder
    assert known is not None  # noqa: S101 - `sources` gives contracts with vectors
    with Library.open(url) as library:
        assert isinstance(library, PostgresLibrary)  # noqa: S101 - by its URL
        library.set_encoder(known.name, known.dimension)
        ask = library.server.query
        for name in _INDEXES:
            ask(f"DROP INDEX {name}")
        for group in groups:
            collection = f"Folder {group}"
            for at in range(0, variations, library.documents_at_once):
                with library.transaction():
                    for n in range(at, min(variations, at + library.documents_at_once)):
                        one = originals[n % len(originals)]
                        columns, vectors = variation(one, n // len(originals), group)
                        library.add_columns(columns, vectors, collection=collection)
            _copy_rows(library, collection, copies)
        for statement in _INDEXES.values():
            ask(statement)
        library.note_change()
        ask("VACUUM (ANALYZE)")
        return len(library.document_ids())


def _copy_rows(library: PostgresLibrary, collection: str, copies: int) -> None:
    ask = library.server.query
    rows = ask(
        "SELECT d.row, d.first_passage, d.passage_count FROM documents d JOIN collections c "
        "ON c.row = d.collection WHERE c.name = $1 ORDER BY d.row",
        (collection,),
    )
    first, last = as_integer(rows[0][0]), as_integer(rows[-1][0])
    begin = as_integer(rows[0][1])
    end = as_integer(rows[-1][1]) + as_integer(rows[-1][2])
    step, passages = last - first + 1, end - begin
    repeats = f"generate_series(1, {copies:d}) k"
    within = f"BETWEEN {first:d} AND {last:d}"
    ask("SET session_replication_role = replica")  # no check of each row's references
    own = {
        "row": f"d.row + k * {step:d}",
        "id": "left(md5(d.id || k), 16)",
        "key": "split_part(d.key, ':', 1) || ':' || md5(d.id || k) || md5(k || d.id)",
        "first_passage": f"d.first_passage + k * {passages:d}",
        "name": "d.name || ' ' || k",
        "path": "d.path || ' ' || k",
    }
    names = library.columns("documents")
    values = ", ".join(own.get(name, f'd."{name}"') for name in names)
    columns = ", ".join(f'"{name}"' for name in names)
    ask(
        f"INSERT INTO documents({columns}) SELECT {values} FROM documents d, {repeats} "  # noqa: S608
        f"WHERE d.row {within} ORDER BY k, d.row"
    )
    ask(
        f"INSERT INTO passages SELECT p.row + k * {passages:d}, p.document + k * {step:d}, "  # noqa: S608
        f'p.ordinal, p.start, p."end", p.view, p.node, p.context FROM passages p, {repeats} '
        f"WHERE p.document {within} ORDER BY k, p.row"
    )
    ask(
        f"INSERT INTO passage_vectors SELECT passage + k * {passages:d}, data "  # noqa: S608
        f"FROM passage_vectors, {repeats} WHERE passage >= {begin:d} AND passage < {end:d} "
        "ORDER BY k, passage"
    )
    for table, others in _OF_DOCUMENTS.items():
        ask(
            f"INSERT INTO {table} SELECT document + k * {step:d}, {others} "  # noqa: S608
            f"FROM {table}, {repeats} WHERE document {within} ORDER BY k, document"
        )
    ask(
        f"INSERT INTO postings SELECT term, document + k * {step:d}, passages, entries "  # noqa: S608
        f"FROM postings, {repeats} WHERE document {within}"
    )
    for table in ("documents", "passages"):
        ask(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'row'), max(row)) FROM {table}"  # noqa: S608
        )
    ask("SET session_replication_role = origin")
