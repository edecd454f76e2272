"""The tables of a new library, as migrations leave them, and those of PostgreSQL's own."""

from __future__ import annotations

import apsw

from fourcorners.library.database import registered_tables
from fourcorners.library.schema import MIGRATIONS

CORE = ""
"""The name under which the schema of the library itself goes."""

TABLES = """
    CREATE TABLE word_lengths(
        document BIGINT PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE DEFERRABLE,
        words    BIGINT NOT NULL,
        lengths  BYTEA NOT NULL
    );
    CREATE TABLE postings(
        term     TEXT COLLATE "C" NOT NULL,
        document BIGINT NOT NULL REFERENCES documents(row) ON DELETE CASCADE DEFERRABLE,
        passages INTEGER NOT NULL,
        entries  BYTEA NOT NULL
    );
    CREATE UNIQUE INDEX postings_by_term ON postings(term, document) INCLUDE (passages);
    CREATE INDEX postings_by_document ON postings(document);
"""
"""In place of FTS5's: which passages have each word, and how many words a passage has."""

_NOT_HERE = ("words", "sqlite_")  # FTS5's table and those that it keeps; SQLite's own


def whole_schema(room: str) -> str:
    """Return the statements, in SQLite's SQL, that make what a room's migrations come to.

    So a new library does not go through what older ones went through in SQLite.
    """
    beside = apsw.Connection(":memory:")
    before: set[tuple[str, str]] = set()
    for name, migrations in ((CORE, MIGRATIONS), *registered_tables().items()):
        for migration in migrations:
            beside.execute(migration)
        made = {
            (str(what), str(sql)): None
            for what, sql in beside.execute(
                "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
            )
        }
        if name == room:
            return "\n".join(
                f"{sql};"
                for what, sql in made
                if (what, sql) not in before and not what.startswith(_NOT_HERE)
            )
        before = set(made)
    raise KeyError(room)
