"""The audit trail a page at a time, from either end, without reading the rest of it."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from fourcorners.library.database import as_integer, as_string
from fourcorners.library.entries import AuditEntry
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name

_SENT = "audit_sent"  # up to which entry a collector of logs has the trail


def entries_after(
    library: Library,
    number: int,
    limit: int,
    collection: str = "",
    documents: Sequence[str] | None = None,
) -> list[AuditEntry]:
    """Return the entries after one, the oldest first; of a collection and its documents, if given.

    Without a collection `documents` are None: all entries are meant.
    """
    if documents is None:
        return _entries(library, "seq > ? ORDER BY seq LIMIT ?", number, limit)
    condition, lists = _of_collection(library, collection, documents)
    return _entries(library, f"seq > ? AND {condition} ORDER BY seq LIMIT ?", number, *lists, limit)


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Which entries are wanted.

    Attributes:
        since: The first day, in UTC.
        until: The last day, in UTC.
        documents: The ids of those in `collection`; None for the whole library.
    """

    event: str = ""
    since: date | None = None
    until: date | None = None
    collection: str = ""
    documents: Sequence[str] | None = None


def latest_entries(
    library: Library, query: AuditQuery, before: int, limit: int
) -> list[AuditEntry]:
    """Return the wanted entries before one (0: the last), the latest first."""
    conditions, values = ["seq < ?"], list[str | int]([before or 1 << 62])
    if query.event:
        conditions, values = [*conditions, "event = ?"], [*values, query.event]
    if query.since is not None:
        conditions.append("seq >= ?")
        values.append(_first_entry_at(library, query.since.isoformat()))
    if query.until is not None:
        conditions.append("seq < ?")
        day_after = query.until + timedelta(days=1)
        values.append(_first_entry_at(library, day_after.isoformat()))
    if query.documents is not None:
        condition, lists = _of_collection(library, query.collection, query.documents)
        conditions, values = [*conditions, condition], [*values, *lists]
    wanted = f"{' AND '.join(conditions)} ORDER BY seq DESC LIMIT ?"
    return _entries(library, wanted, *values, limit)


def _of_collection(
    library: Library, collection: str, documents: Sequence[str]
) -> tuple[str, tuple[str, str]]:
    """Return the condition for what names a collection or one of its documents, and its values."""
    fold = fold_name(collection)
    names = {collection, *(each for each in library.collection_names() if fold_name(each) == fold)}
    condition = (
        "(json_extract(detail, '$.collection') IN (SELECT value FROM json_each(?)) "
        "OR json_extract(detail, '$.document') IN (SELECT value FROM json_each(?)))"
    )
    return condition, (json.dumps(sorted(names)), json.dumps(sorted(documents)))


def _first_entry_at(library: Library, at: str) -> int:
    """Return the number of the first entry from a time on, by bisection: the trail has no gaps."""
    last = latest_entries(library, AuditQuery(), 0, 1)
    numbers = range(1, last[0].seq + 2 if last else 2)

    def time_of(number: int) -> str:
        found = _entries(library, "seq = ?", number)
        return found[0].at if found else "~"  # after the last

    return numbers[0] + bisect_left(numbers, at, key=time_of)


def _entries(library: Library, wanted: str, *values: str | int) -> list[AuditEntry]:
    rows = library.execute(
        f"SELECT seq, at, event, detail, previous, hash FROM audit WHERE {wanted}",  # noqa: S608
        values,
    )
    return [AuditEntry(as_integer(seq), *map(as_string, texts)) for seq, *texts in rows]


def sent_entry(library: Library) -> int:
    """Return up to which entry a collector of logs has the trail."""
    rows = library.execute("SELECT value FROM meta WHERE key = ?", (_SENT,))
    return int(as_string(rows[0][0])) if rows else 0


def note_sent(library: Library, number: int) -> None:
    library.execute(
        "INSERT INTO meta(key, value) VALUES (?, ?) "
        "ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (_SENT, str(number)),
    )


def unsent_count(library: Library) -> int:
    """Return how many entries a collector of logs has not got yet."""
    last = library.execute("SELECT coalesce(max(seq), 0) FROM audit")
    return max(0, as_integer(last[0][0]) - sent_entry(library))


def event_kinds(library: Library) -> list[str]:
    rows = library.execute(
        "WITH RECURSIVE kinds(event) AS (SELECT min(event) FROM audit UNION ALL "
        "SELECT (SELECT min(event) FROM audit WHERE event > kinds.event) FROM kinds "
        "WHERE event IS NOT NULL) SELECT event FROM kinds WHERE event IS NOT NULL"
    )
    return [as_string(event) for (event,) in rows]
