"""Read the places of words of several servers directly, or through `postgres_fdw` of one of them.

Used by `benchmarks.federation`: it says what PostgreSQL's own way to search several servers costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import psycopg
from psycopg import sql

WORDS = ("agreement", "notice", "termination", "confidential", "insurance", "warranty", "escrow")
_READ = (
    "SELECT p.term, d.first_passage, p.entries FROM {0}.postings p "
    "JOIN {0}.documents d ON d.row = p.document WHERE p.term = %s"
)


def make_foreign_tables(coordinator: str, hosts: Sequence[str], user: str) -> None:
    """Give a server the tables of others, as PostgreSQL's documentation says."""
    with psycopg.connect(coordinator, autocommit=True) as server:
        server.execute("CREATE EXTENSION IF NOT EXISTS postgres_fdw")
        for number, host in enumerate(hosts):
            name = sql.Identifier(f"part{number}")
            server.execute(sql.SQL("DROP SERVER IF EXISTS {} CASCADE").format(name))
            server.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(name))
            server.execute(
                sql.SQL(
                    "CREATE SERVER {} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host {}, "
                    "dbname 'postgres', async_capable 'true', fetch_size '10000')"
                ).format(name, host)
            )
            server.execute(
                sql.SQL("CREATE USER MAPPING FOR CURRENT_USER SERVER {} OPTIONS (user {})").format(
                    name, user
                )
            )
            server.execute(sql.SQL("CREATE SCHEMA {}").format(name))
            server.execute(
                sql.SQL(
                    "IMPORT FOREIGN SCHEMA public LIMIT TO (postings, documents) "
                    "FROM SERVER {0} INTO {0}"
                ).format(name)
            )


def read_places(
    coordinator: str, parts: Sequence[str], spent: Callable[[], float]
) -> dict[str, dict[str, float]]:
    """Return CPU milliseconds of reading each word's places, in both ways, and their megabytes.

    Args:
        coordinator: The server that has foreign tables.
        parts: The servers themselves.
        spent: CPU milliseconds of this process and all servers so far.
    """
    whole = " UNION ALL ".join(_READ.format(f"part{number}") for number in range(len(parts)))
    own = _READ.format("public")
    found: dict[str, dict[str, float]] = {}
    with psycopg.connect(coordinator) as one:
        several = [psycopg.connect(part) for part in parts]
        for word in ("the", *WORDS):  # the first opens connections between the servers
            for _ in range(2):  # the first brings the rows into the servers' memory
                began = spent()
                direct = [
                    row
                    for each in several
                    for row in each.execute(own, (word,), binary=True).fetchall()
                ]
                between = spent()
                foreign = one.execute(whole, (word,) * len(parts), binary=True).fetchall()
                ended = spent()
            if sorted(direct) != sorted(foreign):
                raise AssertionError(f"{word!r} has other places through foreign tables")
            found[word] = {
                "rows": len(direct),
                "mb": round(sum(len(row[2]) for row in direct) / 1e6, 1),
                "direct_ms": round(between - began, 1),
                "foreign_ms": round(ended - between, 1),
            }
        for each in several:
            each.close()
    return found
