"""The audit trail: append-only, each entry bound to the one before it by a hash."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256

from fourcorners.library.database import Database, integer, string
from fourcorners.library.entries import AuditEntry

FIRST = "0" * 64
_HEAD = "audit_head"


def append(database: Database, event: str, detail: Mapping[str, str | int]) -> AuditEntry:
    """Add an entry inside the caller's transaction (or one of its own)."""
    with database.transaction():
        last = database.execute("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
        seq = integer(last[0][0]) + 1 if last else 1
        previous = string(last[0][1]) if last else FIRST
        at = now()
        told = json.dumps(dict(detail), sort_keys=True)
        entry = AuditEntry(seq, at, event, told, previous, _hash(seq, at, event, told, previous))
        database.execute(
            "INSERT INTO audit(seq, at, event, detail, previous, hash) VALUES (?, ?, ?, ?, ?, ?)",
            (seq, at, event, told, previous, entry.hash),
        )
        database.execute(
            "INSERT INTO meta(key, value) VALUES (?, ?) "
            "ON CONFLICT(key) DO UPDATE SET value = excluded.value",
            (_HEAD, entry.hash),
        )
    return entry


def trail(database: Database) -> Iterator[AuditEntry]:
    """Yield the entries, the oldest first."""
    rows = database.execute("SELECT seq, at, event, detail, previous, hash FROM audit ORDER BY seq")
    for row in rows:
        seq, *texts = row
        yield AuditEntry(integer(seq), *[string(text) for text in texts])


def faults(database: Database) -> list[str]:
    """Return what is wrong with the trail, one sentence each; empty if it is whole.

    It finds entries that were changed, taken out of the middle, put in, or cut off the end.
    Whoever can rewrite the whole file can also rewrite the whole chain: keep the last hash
    elsewhere to prove against that.
    """
    found: list[str] = []
    previous = FIRST
    for count, entry in enumerate(trail(database), start=1):
        if entry.seq != count:
            found.append(f"audit entry {count} is missing")
            break
        if entry.previous != previous:
            found.append(f"audit entry {entry.seq} does not follow the one before it")
        if entry.hash != _hash(entry.seq, entry.at, entry.event, entry.detail, entry.previous):
            found.append(f"audit entry {entry.seq} was changed")
        previous = entry.hash
    head = database.execute("SELECT value FROM meta WHERE key = ?", (_HEAD,))
    if not found and (string(head[0][0]) if head else FIRST) != previous:
        found.append("the end of the audit trail is missing")
    return found


def now() -> str:
    """Return the time in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _hash(seq: int, at: str, event: str, detail: str, previous: str) -> str:
    line = json.dumps([seq, at, event, detail, previous], separators=(",", ":"))
    return sha256(line.encode()).hexdigest()
