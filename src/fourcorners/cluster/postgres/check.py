"""The full check of a library in PostgreSQL; of its pages and indexes `pg_amcheck` tells."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.library import check
from fourcorners.library.database import Database

_WITHOUT_WORDS = """
    SELECT d.id FROM documents d LEFT JOIN word_lengths w ON w.document = d.row
    WHERE w.document IS NULL OR length(w.lengths) != 4 * d.passage_count
"""


def find_faults(database: Database) -> list[str]:
    """Return what is wrong, one sentence each; empty if the library is whole."""
    return check.find_faults(database, (_words, *check.OF_ANY_STORE))


def _words(database: Database) -> Iterator[str]:
    for (document,) in database.execute(_WITHOUT_WORDS):
        yield f"the words index does not hold all passages of document {document!s}"
