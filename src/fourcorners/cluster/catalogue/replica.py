"""`Replica`: this machine's copy of a library's catalogue, as a SQLite file made from the journal.

All that a library keeps but texts, passages, words and vectors is small: who is in which
collection, cards, findings, remarks, links, jobs, the audit trail. Rooms ask and change it in SQL.
So each machine has those tables in a file of its own; a transaction is published as the rows that
it changed (SQLite's changesets), and others' are applied before anything is read. The journal is
the truth: the file may be deleted at any time, and is made anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from fourcorners.cluster.catalogue.journal import (
    LEASE_SECONDS,
    Journal,
    JournalEntry,
    JournalHead,
    JournalTrimmed,
)
from fourcorners.errors import LibraryError
from fourcorners.library.audit import GENESIS_HASH
from fourcorners.library.database import (
    Bindings,
    Database,
    Row,
    SQLiteValue,
    as_integer,
    as_string,
    library_errors,
    registered_tables,
)
from fourcorners.library.jobs import worker_name
from fourcorners.library.schema import APPLICATION_ID, MIGRATIONS

MAX_AGE = 0.5  # seconds for which reads outside a snapshot trust the last look at the journal
CORE_TABLES = ""
"""The name under which the journal holds the schema of the library itself."""

# What the catalogue of a library on Lance tables does not hold, or holds otherwise.
_CORE = (*MIGRATIONS[:7], "SELECT 1")  # the eighth is about vectors, which lie elsewhere
_WITHOUT = """
    DROP TABLE words;
    DROP TABLE passages;
    DROP TABLE vectors;
    ALTER TABLE documents DROP COLUMN text;
    ALTER TABLE documents DROP COLUMN pages;
    ALTER TABLE documents DROP COLUMN marks;
    ALTER TABLE documents DROP COLUMN warnings;
    ALTER TABLE documents DROP COLUMN outline;
    ALTER TABLE documents DROP COLUMN words;
    CREATE TABLE shelved(
        document   INTEGER PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE,
        generation TEXT NOT NULL,
        words      INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE vectors(
        document   INTEGER PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE,
        generation TEXT NOT NULL
    ) STRICT;
    CREATE TABLE terms(term TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
"""
_LOCAL = """
    CREATE TABLE IF NOT EXISTS replica(
        one    INTEGER PRIMARY KEY CHECK (one = 1),
        store  TEXT NOT NULL,
        seq    INTEGER NOT NULL,
        digest TEXT NOT NULL
    ) STRICT
"""
_READS = ("SELECT", "WITH", "PRAGMA", "EXPLAIN", "SAVEPOINT", "RELEASE", "ROLLBACK")


class ReplicaMismatch(LibraryError):
    """The copy does not fit the journal: it is to be deleted and made anew."""


class Replica(Database):
    """A connection to the copy, to be used by one thread at a time.

    Args:
        path: The file.
        journal: The truth.
        before_publishing: What a transaction needs done before it may be seen.

    Attributes:
        published: How many transactions this connection has published.
    """

    def __init__(
        self, path: Path, journal: Journal, before_publishing: Callable[[], None] = lambda: None
    ) -> None:
        self._journal = journal
        self._before_publishing = before_publishing
        self._me = worker_name()
        self._turn: JournalHead | None = None
        self._last_read = float("-inf")
        self._is_open = False
        self.published = 0
        super().__init__(path, create=True)

    def _open(self) -> None:
        path = self.path
        self._restrict()
        try:
            with library_errors(path):
                self._configure()
                self._connection.execute("PRAGMA synchronous = normal").fetchall()
            if self._number("PRAGMA application_id") == APPLICATION_ID:
                self._quick_check(path.stat().st_size)
        except LibraryError as error:
            raise ReplicaMismatch(error.message, remedy=error.remedy) from error
        self._connection.execute(_LOCAL).fetchall()
        self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}").fetchall()
        self.refresh(wait=True)
        self._require_known_schema()
        if self._number("PRAGMA user_version") < len(_CORE):
            self._bring(CORE_TABLES, _CORE, _WITHOUT)
        for room in registered_tables():
            self.migrate(room)
        self._is_open = True

    def _require_known_schema(self) -> None:
        if self._number("PRAGMA user_version") > len(_CORE):
            raise LibraryError(
                f"the library of {self.path} was written by a newer version of Fourcorners.",
                remedy="Upgrade with `pip install --upgrade fourcorners`, or name another library.",
            )

    def migrate(self, room: str) -> None:
        """Bring the tables of a registered room up to date, for all; cheap when they are."""
        wanted = registered_tables()[room]
        version = self._room_version(room)
        if version > len(wanted):
            raise LibraryError(
                f"the library of {self.path} holds a newer version of the tables of {room}.",
                remedy="Upgrade with `pip install --upgrade fourcorners`.",
            )
        if version < len(wanted):
            self._bring(room, wanted)

    def _bring(self, room: str, migrations: Sequence[str], last: str = "") -> None:
        """Publish the migrations that a room's tables still need; others run them as they read."""
        with super().transaction():
            head = self._journal.acquire(self._me)
            try:
                self._catch_up(head)
                version = self._version_of(room)  # another process may have been faster
                sql = list(migrations[version:])
                if version == 0 and last:
                    sql.append(last)
                schema = json.dumps({"room": room, "version": len(migrations), "sql": sql}).encode()
                if version < len(migrations):
                    self._apply_schema(schema)
                    self._set_position(self._journal.publish(head, [("schema", schema)]))
                else:
                    self._journal.release(head)
            except BaseException:
                with suppress(LibraryError):
                    self._journal.release(head)
                raise

    def _version_of(self, room: str) -> int:
        return (
            self._number("PRAGMA user_version") if room == CORE_TABLES else self._room_version(room)
        )

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement and return its rows; one that writes is a transaction by itself.

        Raises:
            LibraryError: As `Database.execute` and the journal do.
        """
        if self._depth or not self._is_open:
            self._hold()
            return super().execute(sql, bindings)
        if not sql.lstrip().upper().startswith(_READS):
            with self.transaction():
                return super().execute(sql, bindings)
        self.refresh()
        changes = self._connection.total_changes()
        rows = super().execute(sql, bindings)
        if self._connection.total_changes() != changes:
            raise AssertionError(f"this writes outside a transaction: {sql}")
        return rows

    def execute_many(self, sql: str, bindings: Iterable[Sequence[SQLiteValue]]) -> None:
        with self.transaction():
            super().execute_many(sql, bindings)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside one write, published as a whole when it ends, or not at all."""
        if self._depth:
            with super().transaction():
                yield
            return
        with super().transaction(), self._publish_transaction():
            yield

    @contextmanager
    def _publish_transaction(self) -> Iterator[None]:
        self._turn = self._journal.acquire(self._me)
        try:
            self._catch_up(self._turn)
            session = apsw.Session(self._connection, "main")
            try:
                session.config(apsw.SQLITE_SESSION_OBJCONFIG_ROWID, 1)  # tables without a key, too
                session.table_filter(lambda table: table != "replica")
                session.attach()
                yield
                changes = session.changeset()
            finally:
                session.close()
            self._before_publishing()
            if changes:
                self._set_position(self._journal.publish(self._turn, [("changes", changes)]))
                self.published += 1
            else:
                self._journal.release(self._turn)
        except BaseException:
            with suppress(LibraryError):  # what went wrong is what must be told
                self._journal.release(self._turn)
            raise
        finally:
            self._turn = None

    @property
    def is_idle(self) -> bool:
        return not self._depth

    def _hold(self) -> None:
        """Keep the turn in a long transaction."""
        if self._turn is not None and self._turn.until - time.time() < LEASE_SECONDS / 2:
            self._turn = self._journal.renew(self._turn)

    def refresh(self, *, wait: bool = False) -> None:
        """Apply what others have published, unless it was done just now or a read is going on.

        Args:
            wait: Whether to look now, and to wait for a process that writes to the copy; otherwise
                that process brings it up to date itself.
        """
        if self._depth or self._connection.in_transaction:
            return
        if not wait and time.monotonic() - self._last_read < MAX_AGE:
            return
        head = self._journal.head()
        self._last_read = time.monotonic()
        if self._position() == (head.store, head.seq, head.digest):
            return
        if wait:
            self._restore()
            with super().transaction():
                self._catch_up(self._journal.head())
        elif self._begin_at_once():
            with library_errors(self.path):
                try:
                    self._catch_up(self._journal.head())
                    self._connection.execute("COMMIT").fetchall()
                except BaseException:
                    self._connection.execute("ROLLBACK").fetchall()
                    raise

    def _begin_at_once(self) -> bool:
        """Begin to write to the copy, unless another process is at it."""
        self._connection.set_busy_handler(None)
        try:
            self._connection.execute("BEGIN IMMEDIATE").fetchall()
        except apsw.BusyError:
            return False
        finally:
            self._be_patient()
        return True

    def _restore(self) -> None:
        """Begin a new copy with the snapshot, if there is one."""
        if self._position()[1]:
            return
        data = self._journal.snapshot()
        if data is None:
            return
        whole = apsw.Connection(":memory:")
        whole.deserialize("main", data)
        with library_errors(self.path), self._connection.backup("main", whole, "main") as copying:
            copying.step()
        self._configure()

    def _position(self) -> tuple[str, int, str]:
        rows = super().execute("SELECT store, seq, digest FROM replica")
        if not rows:
            return "", 0, ""
        return as_string(rows[0][0]), as_integer(rows[0][1]), as_string(rows[0][2])

    def _set_position(self, head: JournalHead) -> None:
        super().execute(
            "INSERT OR REPLACE INTO replica VALUES (1, ?, ?, ?)",
            (head.store, head.seq, head.digest),
        )

    def _catch_up(self, head: JournalHead) -> None:
        """Apply the entries up to the head, inside a transaction on the copy.

        Raises:
            ReplicaFault: If the copy is of another library, or of a state that the journal has not.
        """
        store, seq, digest = self._position()
        if (store, seq, digest) == (head.store, head.seq, head.digest):
            return
        if (store and store != head.store) or seq > head.seq:
            raise ReplicaMismatch(f"{self.path} is a copy of another state of the library.")
        try:
            entries = self._journal.entries_since(seq, digest or GENESIS_HASH, head)
        except JournalTrimmed as error:
            raise ReplicaMismatch(error.message) from error
        self._connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)  # what they did is told
        try:
            for entry in entries:
                self._apply(entry)
        finally:
            self._connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 1)
        self._set_position(head)

    def _apply(self, entry: JournalEntry) -> None:
        if entry.kind == "schema":
            self._apply_schema(entry.data)
            self._require_known_schema()
            return
        try:
            apsw.Changeset.apply(
                entry.data, self._connection, flags=apsw.SQLITE_CHANGESETAPPLY_FKNOACTION
            )
        except apsw.Error as error:
            raise ReplicaMismatch(f"entry {entry.seq} does not fit {self.path}: {error}") from error

    def _apply_schema(self, values: bytes) -> None:
        schema = json.loads(values)
        with library_errors(self.path):
            for sql in schema["sql"]:
                self._connection.execute(sql).fetchall()
            if schema["room"] == CORE_TABLES:
                self._connection.execute(f"PRAGMA user_version = {schema['version']:d}").fetchall()
                return
            self._connection.execute(
                "INSERT INTO rooms(name, version) VALUES (?, ?) "
                "ON CONFLICT(name) DO UPDATE SET version = excluded.version",
                (schema["room"], schema["version"]),
            ).fetchall()

    def write_snapshot(self, every: int) -> bool:
        """Keep the catalogue whole in the store if it changed `every` times since, and trim."""
        self.refresh(wait=True)
        known = self._journal.last_snapshot()
        _, seq, _ = self._position()
        if seq - known < every:
            return False
        beside = self.path.with_name(f"{self.path.name}.whole")
        beside.unlink(missing_ok=True)
        try:
            super().execute("VACUUM INTO ?", (str(beside),))
            whole = apsw.Connection(str(beside))
            at = whole.execute("SELECT seq FROM replica").fetchall()[0][0]
            whole.close()
            self._journal.write_snapshot(as_integer(at), beside.read_bytes())
        finally:
            beside.unlink(missing_ok=True)
        self._journal.trim(known)
        return True
