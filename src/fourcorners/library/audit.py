"""The audit trail: append-only, with each entry linked to the previous one by a hash."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from fourcorners.library.database import Database, as_integer, as_string, in_transaction
from fourcorners.library.entries import AuditEntry

GENESIS_HASH = "0" * 64  # precedes the first entry
_HEAD = "audit_head"


@in_transaction
def append_entry(database: Database, event: str, detail: Mapping[str, str | int]) -> AuditEntry:
    """Add an entry inside the caller's transaction, or in a new one."""
    last = database.execute("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
    seq = as_integer(last[0][0]) + 1 if last else 1
    previous = as_string(last[0][1]) if last else GENESIS_HASH
    at = utc_now()
    serialized = json.dumps(dict(detail), sort_keys=True)
    entry = AuditEntry(
        seq, at, event, serialized, previous, _hash(seq, at, event, serialized, previous)
    )
    database.execute(
        "INSERT INTO audit(seq, at, event, detail, previous, hash) VALUES (?, ?, ?, ?, ?, ?)",
        (seq, at, event, serialized, previous, entry.hash),
    )
    database.execute(
        "INSERT INTO meta(key, value) VALUES (?, ?) "
        "ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (_HEAD, entry.hash),
    )
    return entry


def audit_entries(database: Database) -> Iterator[AuditEntry]:
    rows = database.execute("SELECT seq, at, event, detail, previous, hash FROM audit ORDER BY seq")
    for row in rows:
        seq, *texts = row
        yield AuditEntry(as_integer(seq), *[as_string(text) for text in texts])


@dataclass(frozen=True, slots=True)
class AuditProblem:
    """Something wrong with the trail; `seq` is the first entry that it touches."""

    seq: int
    description: str


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """The result of verifying the whole trail.

    Attributes:
        entries: How many there are.
        head: The hash of the last entry: a copy kept elsewhere proves that nothing up to it was
            changed.
        faults: What is wrong, the first broken entry first.
        proven: The entry with the requested hash; None if there is none, or if the chain before it
            is broken.
    """

    entries: int
    head: str
    faults: tuple[AuditProblem, ...]
    proven: int | None = None


def verify_trail(database: Database, head: str = "") -> AuditVerdict:
    """Read the trail from its start, and look for the entry whose hash is `head`, if given.

    It detects entries that were changed, removed, inserted, or cut off the end. A person who can
    rewrite the whole file can also rewrite the whole chain: keep the last hash elsewhere to detect
    that.
    """
    found: list[AuditProblem] = []
    previous, count, proven = GENESIS_HASH, 0, None
    for count, entry in enumerate(audit_entries(database), start=1):
        if entry.seq != count:
            found.append(AuditProblem(count, f"audit entry {count} is missing"))
            break
        if entry.previous != previous:
            what = f"audit entry {entry.seq} does not follow the previous one"
            found.append(AuditProblem(entry.seq, what))
        if entry.hash != _hash(entry.seq, entry.at, entry.event, entry.detail, entry.previous):
            found.append(AuditProblem(entry.seq, f"audit entry {entry.seq} was changed"))
        previous = entry.hash
        if head and entry.hash == head and not found:
            proven = entry.seq
    last = database.execute("SELECT value FROM meta WHERE key = ?", (_HEAD,))
    if not found and (as_string(last[0][0]) if last else GENESIS_HASH) != previous:
        found.append(AuditProblem(count + 1, "the end of the audit trail is missing"))
    return AuditVerdict(count, previous, tuple(found), proven)


def audit_faults(database: Database) -> list[str]:
    """Return what is wrong with the trail, one sentence each; empty if it is whole."""
    return [each.description for each in verify_trail(database).faults]


def utc_now() -> str:
    """Return the time in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _hash(seq: int, at: str, event: str, detail: str, previous: str) -> str:
    line = json.dumps([seq, at, event, detail, previous], separators=(",", ":"))
    return sha256(line.encode()).hexdigest()
