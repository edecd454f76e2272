"""`PostgresLibrary`: a `Library` whose tables are in PostgreSQL, for any number of machines."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from platformdirs import user_data_path

from fourcorners.cluster.postgres.connection import Address
from fourcorners.cluster.postgres.database import PostgresDatabase
from fourcorners.cluster.postgres.postings import count_words, pack_lengths
from fourcorners.library import check
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import Database, as_integer
from fourcorners.library.store import Library

if TYPE_CHECKING:
    from fourcorners.library.columns import DocumentColumns

_WITHOUT_WORDS = """
    SELECT d.id FROM documents d LEFT JOIN word_lengths w ON w.document = d.row
    WHERE w.document IS NULL OR length(w.lengths) != 4 * d.passage_count
"""


class PostgresLibrary(Library):
    """A library in PostgreSQL; use it in one thread at a time.

    Any number of processes on any number of machines may have it open. Writers take turns, as in
    one SQLite file.

    Raises:
        LibraryError: If the tables are missing, of a newer version or out of reach.
    """

    documents_at_once = 16  # a commit waits for the disk of the server
    shared = True
    files_are_shared = False

    def __init__(self, address: Address, *, create: bool) -> None:
        self.address = address
        self.server = PostgresDatabase(address, create=create)
        Catalogue.__init__(self, self.server)

    @property
    def url(self) -> str:
        return self.address.url

    @property
    def files(self) -> Path:
        """Return a folder of this machine's own for files that a server was given."""
        name = sha256(self.address.target.encode()).hexdigest()[:16]
        return user_data_path("fourcorners") / "postgresql" / f"{name}-files"

    def owns(self, path: Path) -> bool:
        """Tell whether a file is part of the library itself: none is."""
        del path
        return False

    def check(self) -> list[str]:
        """Return what is wrong, one sentence each; of pages and indexes `pg_amcheck` tells."""
        return check.find_faults(self.server, (_find_missing_words, *check.OF_ANY_STORE))

    def _next_passage(self, count: int) -> int:
        first = self.server.query("SELECT nextval(pg_get_serial_sequence('passages', 'row'))")
        last = as_integer(first[0][0]) + count - 1
        self.server.query("SELECT setval(pg_get_serial_sequence('passages', 'row'), $1)", (last,))
        return as_integer(first[0][0])

    def _set_aside(self, columns: DocumentColumns, row: int, first: int, collection: str) -> None:
        server = self.server
        server.copy_rows("passages", ((first + each[0], row, *each) for each in columns.passages))
        stored = (row, crc32(columns.concordance), columns.concordance)
        server.copy_rows("concordances", [stored])
        words = count_words(columns, collection)
        lengths = (row, int(words.lengths.sum()), pack_lengths(words.lengths))
        server.copy_rows("word_lengths", [lengths])
        server.copy_rows(
            "postings", ((term, row, bearing, entries) for term, bearing, entries in words.postings)
        )

    def _take_back(self, row: int, rows: range) -> None:
        """Leave the words: they go with their document."""

    def rewrite_words(self, document: str) -> None:
        """Leave the words: the collection of a document is in the catalogue."""


def _find_missing_words(database: Database) -> Iterator[str]:
    for (document,) in database.execute(_WITHOUT_WORDS):
        yield f"the words index does not hold all passages of document {document!s}"
