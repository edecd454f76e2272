"""The journal: every transaction of a library, in order, each committed by one swap.

Two Lance tables. `head` has one row: how far the journal goes, and who is writing. `journal` has a
row for each part of a transaction. A writer takes the head (so that writers take turns, as they do
in one SQLite file), appends its rows, and then moves the head over them: until that swap succeeds
nobody sees them, and a writer that lost its turn meanwhile cannot make it. Each row's digest covers
the row before it, so that a row that was changed, lost or put in is noticed.
"""

from __future__ import annotations

import random
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from typing import cast

import pyarrow as pa

from fourcorners.cluster.storage.tables import RESTORE_REMEDY, Tables, sql_quote
from fourcorners.errors import LibraryError
from fourcorners.library.audit import GENESIS_HASH
from fourcorners.library.jobs import is_worker_lost

HEAD, JOURNAL, SNAPSHOTS = "head", "journal", "snapshots"
FORMAT = 1
"""Of the tables of this room; a library of a newer one is refused."""
LEASE_SECONDS = 45.0  # seconds for which a turn is kept from others
MAX_WAIT = 120.0  # seconds that a writer waits for its turn
RETENTION = timedelta(hours=1)
"""How long earlier versions of a table are kept for those who are reading them."""
_PART = 64 << 20  # bytes of a snapshot in one row

_HEAD = pa.schema(
    [
        ("format", pa.int32()),
        ("store", pa.string()),
        ("seq", pa.int64()),
        ("digest", pa.string()),
        ("holder", pa.string()),
        ("until", pa.float64()),
    ]
)
_JOURNAL = pa.schema(
    [
        ("seq", pa.int64()),
        ("kind", pa.string()),
        ("data", pa.large_binary()),
        ("previous", pa.string()),
        ("digest", pa.string()),
    ]
)
_SNAPSHOTS = pa.schema(
    [
        ("seq", pa.int64()),
        ("part", pa.int32()),
        ("parts", pa.int32()),
        ("data", pa.large_binary()),
        ("sha256", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class JournalHead:
    """How far the journal goes: `digest` is that of its last row, `store` names the library."""

    store: str
    seq: int
    digest: str
    holder: str
    until: float


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A part of a transaction: `kind` is `schema` (SQL) or `changes` (a changeset of SQLite)."""

    seq: int
    kind: str
    data: bytes
    previous: str
    digest: str


class JournalTrimmed(LibraryError):
    """The journal no longer goes back as far as was asked: a snapshot does."""


class Journal:
    """The journal of one library."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._url = tables.address.url

    def create(self) -> None:
        """Make the tables; the head last, so that there is a library when all of it is there."""
        self._tables.make(JOURNAL, _JOURNAL)
        self._tables.make(SNAPSHOTS, _SNAPSHOTS)
        first = [FORMAT, uuid.uuid4().hex, 0, GENESIS_HASH, "", 0.0]
        values = {name: [value] for name, value in zip(_HEAD.names, first, strict=True)}
        self._tables.make(HEAD, _HEAD, pa.table(values, schema=_HEAD))

    def head(self) -> JournalHead:
        """Return how far the journal goes.

        Raises:
            LibraryError: If there is no one head, or the tables are of a newer version.
        """
        found = self._tables.rows(HEAD, "", _HEAD.names, 2).to_pylist()
        if len(found) != 1:
            raise LibraryError(
                f"{self._url} has {len(found)} heads, not one.", remedy=RESTORE_REMEDY
            )
        version = cast("int", found[0].pop("format"))
        if version > FORMAT:
            raise LibraryError(
                f"{self._url} was written by a newer version of Fourcorners.",
                remedy="Upgrade with `pip install --upgrade fourcorners`.",
            )
        return JournalHead(**found[0])

    def acquire(self, me: str) -> JournalHead:
        """Wait for a turn to write, and return how far the journal goes.

        Raises:
            LibraryError: If others have been writing for too long.
        """
        deadline = time.monotonic() + MAX_WAIT
        while True:
            head = self.head()
            if head.holder == me and head.until > time.time():
                return head  # the answer to a swap was lost after the deed
            if not head.holder or head.until < time.time() or is_worker_lost(head.holder):
                until = time.time() + LEASE_SECONDS
                if self._swap(head, holder=me, until=until):
                    return replace(head, holder=me, until=until)
            if time.monotonic() > deadline:
                raise LibraryError(
                    f"{self._url} is locked: {head.holder} has been writing for {MAX_WAIT:g} s.",
                    remedy="Wait for it to end, or end it, and try again.",
                )
            time.sleep(random.uniform(0.005, 0.05))  # noqa: S311 - no secret

    def renew(self, head: JournalHead) -> JournalHead:
        """Keep a turn for longer.

        Raises:
            LibraryError: If it was taken over.
        """
        until = time.time() + LEASE_SECONDS
        if not self._swap(head, holder=head.holder, until=until):
            raise self._lost_entries_error(head)
        return replace(head, until=until)

    def release(self, head: JournalHead) -> None:
        self._swap(head, holder="", until=0.0)

    def publish(self, head: JournalHead, parts: Sequence[tuple[str, bytes]]) -> JournalHead:
        """Write the parts of a transaction, all or none, and give the turn back.

        Raises:
            LibraryError: If the turn was lost to another writer: nothing was written.
        """
        entries: list[JournalEntry] = []
        seq, previous = head.seq, head.digest
        for kind, data in parts:
            seq += 1
            digest = _digest(seq, kind, data, previous)
            entries.append(JournalEntry(seq, kind, data, previous, digest))
            previous = digest
        columns = {name: [getattr(each, name) for each in entries] for name in _JOURNAL.names}
        self._tables.append(JOURNAL, pa.table(columns, schema=_JOURNAL))
        moved = replace(head, seq=seq, digest=previous, holder="", until=0.0)
        try:
            done = self._swap(head, seq=seq, digest=previous, holder="", until=0.0)
        except LibraryError:  # an answer may be lost after the deed: the journal tells
            if not self._has(moved):
                raise
            done = True
        if not done and not self._has(moved):
            raise self._lost_entries_error(head)
        return moved

    def entries_since(self, seq: int, digest: str, head: JournalHead) -> list[JournalEntry]:
        """Return the entries after `seq`, whose digest is `digest`, up to the head, in order.

        Raises:
            Trimmed: If the journal no longer goes back so far.
            LibraryError: If it is damaged, or `seq` with this digest is no part of it.
        """
        rows = self._tables.rows(
            JOURNAL, f"seq > {seq:d} AND seq <= {head.seq:d}", _JOURNAL.names
        ).to_pylist()
        known = {cast("str", row["digest"]): JournalEntry(**row) for row in rows}
        found: list[JournalEntry] = []
        wanted = head.digest
        for at in range(head.seq, seq, -1):
            entry = known.get(wanted)
            if entry is None or entry.seq != at:
                if not any(other.seq == seq + 1 for other in known.values()):
                    raise JournalTrimmed(f"{self._url}: the journal begins after entry {seq}.")
                raise self._damaged(at)
            if _digest(entry.seq, entry.kind, entry.data, entry.previous) != entry.digest:
                raise self._damaged(at)
            found.append(entry)
            wanted = entry.previous
        if wanted != digest:
            raise self._damaged(seq)
        return found[::-1]

    def snapshot(self) -> bytes | None:
        """Return the catalogue as it was last set down whole, if it was.

        Raises:
            LibraryError: If it is damaged.
        """
        known = self._tables.rows(SNAPSHOTS, "", ["seq", "part", "parts"]).to_pylist()
        there = Counter(row["seq"] for row in known)
        whole = [row["seq"] for row in known if there[row["seq"]] == row["parts"]]
        if not whole:
            return None
        columns = ["part", "data", "sha256"]
        rows = self._tables.rows(SNAPSHOTS, f"seq = {max(whole):d}", columns).to_pylist()
        for row in rows:
            if sha256(row["data"]).hexdigest() != row["sha256"]:
                raise LibraryError(f"{self._url}: its snapshot is damaged.", remedy=RESTORE_REMEDY)
        return b"".join(row["data"] for row in sorted(rows, key=lambda row: row["part"]))

    def last_snapshot(self) -> int:
        """Return the entry up to which the catalogue was last set down whole; 0 if never."""
        known = self._tables.rows(SNAPSHOTS, "", ["seq"]).to_pylist()
        return max((row["seq"] for row in known), default=0)

    def write_snapshot(self, seq: int, data: bytes) -> None:
        """Keep the catalogue whole as of `seq`, so that the journal before it may be trimmed."""
        parts = [data[at : at + _PART] for at in range(0, len(data), _PART)]
        columns = {
            "seq": [seq] * len(parts),
            "part": range(len(parts)),
            "parts": [len(parts)] * len(parts),
            "data": parts,
            "sha256": [sha256(part).hexdigest() for part in parts],
        }
        self._tables.append(SNAPSHOTS, pa.table(columns, schema=_SNAPSHOTS))
        self._tables.delete(SNAPSHOTS, f"seq < {seq:d}")

    def trim(self, before: int) -> None:
        """Drop entries up to `before`, which a snapshot holds, and versions nobody reads."""
        if before > 0:
            self._tables.delete(JOURNAL, f"seq <= {before:d}")
        for name in (HEAD, JOURNAL, SNAPSHOTS):
            self._tables.optimize(name, RETENTION)

    def _swap(self, head: JournalHead, **values: str | int | float) -> bool:
        where = (
            f"seq = {head.seq:d} AND digest = {sql_quote(head.digest)} "
            f"AND holder = {sql_quote(head.holder)} AND until = {head.until!r}"
        )
        return self._tables.swap(HEAD, where, values)

    def _has(self, moved: JournalHead) -> bool:
        """Tell whether what was to be written is in the journal that all see."""
        head = self.head()
        if head.seq < moved.seq:
            return False
        rows = self._tables.rows(
            JOURNAL, f"seq >= {moved.seq:d} AND seq <= {head.seq:d}", ["digest", "previous"]
        ).to_pylist()
        previous = {row["digest"]: row["previous"] for row in rows}
        at = head.digest
        for _ in range(head.seq - moved.seq):
            at = previous.get(at, "")
        return at == moved.digest

    def _lost_entries_error(self, head: JournalHead) -> LibraryError:
        return LibraryError(
            f"{self._url}: {head.holder} took longer than {LEASE_SECONDS:g} seconds over a "
            "write, and "
            "another process took its turn. Nothing of it was stored.",
            remedy="Run the command again.",
        )

    def _damaged(self, seq: int) -> LibraryError:
        return LibraryError(
            f"{self._url}: entry {seq} of its journal is damaged.", remedy=RESTORE_REMEDY
        )


def _digest(seq: int, kind: str, data: bytes, previous: str) -> str:
    return sha256(
        b"\0".join((previous.encode(), str(seq).encode(), kind.encode(), data))
    ).hexdigest()
