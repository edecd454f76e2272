"""The audit trail a page at a time, from either end, without reading the rest of it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fourcorners.library.database import as_integer, as_string
from fourcorners.library.entries import AuditEntry
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name


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
    fold = fold_name(collection)
    names = {collection, *(each for each in library.collection_names() if fold_name(each) == fold)}
    wanted = (
        "seq > ? AND (json_extract(detail, '$.collection') IN (SELECT value FROM json_each(?)) "
        "OR json_extract(detail, '$.document') IN (SELECT value FROM json_each(?))) "
        "ORDER BY seq LIMIT ?"
    )
    lists = (json.dumps(sorted(names)), json.dumps(sorted(documents)))
    return _entries(library, wanted, number, *lists, limit)


def entries_before(library: Library, number: int, limit: int, event: str = "") -> list[AuditEntry]:
    """Return the entries before one (0: the last) of a kind (if named), the latest first."""
    number = number or 1 << 62
    if not event:
        return _entries(library, "seq < ? ORDER BY seq DESC LIMIT ?", number, limit)
    wanted = "seq < ? AND event = ? ORDER BY seq DESC LIMIT ?"
    return _entries(library, wanted, number, event, limit)


def _entries(library: Library, wanted: str, *values: str | int) -> list[AuditEntry]:
    rows = library.execute(
        f"SELECT seq, at, event, detail, previous, hash FROM audit WHERE {wanted}",  # noqa: S608
        values,
    )
    return [AuditEntry(as_integer(seq), *map(as_string, texts)) for seq, *texts in rows]


def event_kinds(library: Library) -> list[str]:
    rows = library.execute(
        "WITH RECURSIVE kinds(event) AS (SELECT min(event) FROM audit UNION ALL "
        "SELECT (SELECT min(event) FROM audit WHERE event > kinds.event) FROM kinds "
        "WHERE event IS NOT NULL) SELECT event FROM kinds WHERE event IS NOT NULL"
    )
    return [as_string(event) for (event,) in rows]
