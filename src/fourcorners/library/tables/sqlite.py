"""`SqliteDatabase`: the tables of a library in one SQLite file.

The file is in WAL mode with full synchronisation: readers and one writer work concurrently, in any
number of processes, and a second writer waits for the first.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast
from urllib.parse import quote

import apsw

from fourcorners.errors import DiskFull, LibraryError
from fourcorners.library.database import (
    BUSY_SECONDS,
    RESTORE_REMEDY,
    Bindings,
    Row,
    SQLiteValue,
    as_integer,
    as_string,
)
from fourcorners.library.tables import migration
from fourcorners.library.tables.migration import VERSION, schema_sql
from fourcorners.system import private_files

APPLICATION_ID = 0x34434E52  # "4CNR", in the file's header
_MAGIC = b"SQLite format 3\0"
_SMALLEST = 512  # bytes: one page
INDEX_CHECK_BYTES = 32 * 2**20
"""Up to this size the words index is checked when a file is opened (4 ms a megabyte)."""
TABLES_CHECK_BYTES = 256 * 2**20
"""Up to this size the tables are checked when a file is opened (0.6 ms a megabyte).

A file that is shorter than its header says is refused at any size; `Library.check` finds the rest.
"""

_LOG_IN_USE = "Another process was reading the library, so its log still has earlier pages."
_COPY_REMEDY = "Copy it to a folder that you may write to, and name the copy with --library."

# In one statement, because another process may be creating the tables.
_IDENTITY = """
    SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
    FROM pragma_application_id, pragma_user_version
"""
_TABLES_CHECK = """
    SELECT found.quick_check FROM sqlite_schema AS known, pragma_quick_check(known.name) AS found
    WHERE known.type = 'table' AND known.sql NOT LIKE 'CREATE VIRTUAL%'
"""


class SqliteDatabase:
    """A connection to one library file, for one thread at a time.

    A file that cannot be written, or in whose folder nothing can, is opened for reading.

    Attributes:
        is_read_only: Whether it is.

    Raises:
        LibraryError: If the file is missing, damaged, of another application, or of a version that
            cannot be read.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path, self.place = path, str(path)
        self._depth = 0
        self.is_read_only = _is_read_only(path)
        _refuse_early(path, create=create and not self.is_read_only)
        with library_errors(path):
            if self.is_read_only:
                self._connection = _connect_to_read(path)
            else:
                self._connection = _connect(path, create=create)
            self._be_patient()
            try:
                self._open(create=create)
            except BaseException:
                self._connection.close()
                raise

    def _be_patient(self) -> None:
        self._connection.set_busy_handler(_BusyTimeout())

    def _open(self, *, create: bool) -> None:
        fresh = self._identify()
        if fresh and not create:
            raise _no_library(self.path)
        if not self.is_read_only:
            self._restrict()
            self._use_log()
        self._configure()
        if not fresh:
            self._quick_check(self.path.stat().st_size)
        if fresh or self._number("PRAGMA user_version") < VERSION:
            if self.is_read_only:
                raise LibraryError(
                    f"{self.path} was written by an earlier version of Fourcorners, and cannot be "
                    "converted: it cannot be written.",
                    remedy=_COPY_REMEDY,
                )
            self._make_current()

    def _restrict(self) -> None:
        """Make it readable by its owner only; SQLite's auxiliary files inherit its mode."""
        for end in ("", "-wal", "-shm", "-journal"):
            private_files.restrict(self.path.with_name(f"{self.path.name}{end}"))

    def _identify(self) -> bool:
        """Return whether the file is new; refuse what is not a library of this version."""
        owner, version, tables = map(as_integer, self.execute(_IDENTITY)[0])
        if owner == version == tables == 0:
            return True
        if owner != APPLICATION_ID:
            raise LibraryError(
                f"{self.path} is a database of another application, not a library.",
                remedy="Name another file with --library.",
            )
        if version > VERSION:
            raise LibraryError(
                f"{self.path} was written by a newer version of Fourcorners "
                f"(its schema is {version}, this program knows {VERSION}).",
                remedy="Upgrade with `pip install --upgrade fourcorners`, or name another library.",
            )
        if version < migration.FORMER:
            raise migration.too_old(self, f"its schema is {version}")
        return False

    def _use_log(self) -> None:
        deadline = time.monotonic() + BUSY_SECONDS
        while True:  # the switch to WAL does not honour the busy timeout
            try:
                self._connection.execute("PRAGMA journal_mode = wal").fetchall()
                break
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _configure(self) -> None:
        for pragma in (
            "synchronous = full",
            "foreign_keys = on",
            "trusted_schema = off",
            "cell_size_check = on",
            "cache_size = -65536",
            "journal_size_limit = 67108864",
        ):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()

    def _quick_check(self, size: int) -> None:
        if size > TABLES_CHECK_BYTES:
            return
        sql = "PRAGMA quick_check(3)" if size <= INDEX_CHECK_BYTES else _TABLES_CHECK
        faults = [str(row[0]) for row in self.execute(sql) if row[0] != "ok"]
        if faults:
            raise LibraryError(f"{self.path} is damaged: {faults[0]}.", remedy=RESTORE_REMEDY)

    def _make_current(self) -> None:
        with self.transaction():
            self.run_script(schema_sql())
            self.run_script(f"PRAGMA application_id = {APPLICATION_ID}")
            self.run_script(f"PRAGMA user_version = {VERSION}")

    def run_script(self, sql: str) -> None:
        """Run statements that define tables."""
        self.execute(sql)

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement (or several without bindings) and return all its rows.

        Raises:
            LibraryError: If the file is damaged, locked for too long, full or read-only.
        """
        with library_errors(self.path):
            return cast("list[Row]", self._connection.execute(sql, bindings).fetchall())

    def execute_many(self, sql: str, bindings: Iterable[Sequence[SQLiteValue]]) -> None:
        with library_errors(self.path):
            self._connection.executemany(sql, bindings).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside one write: all of it is stored, or none.

        It waits for another writer at its start. Inside another transaction it is a part of it that
        can fail separately.
        """
        name = f"nested{self._depth}"
        with library_errors(self.path):
            if self._depth:
                self._connection.execute(f"SAVEPOINT {name}").fetchall()
            else:
                self._connection.execute("BEGIN IMMEDIATE").fetchall()
        self._depth += 1
        try:
            yield
            with library_errors(self.path):
                end = f"RELEASE {name}" if self._depth > 1 else "COMMIT"
                self._connection.execute(end).fetchall()
        except BaseException:
            if self._connection.in_transaction:  # SQLite itself rolls back when the disk is full
                undo = f"ROLLBACK TO {name}; RELEASE {name}" if self._depth > 1 else "ROLLBACK"
                self._connection.execute(undo).fetchall()
            raise
        finally:
            self._depth -= 1

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside see one state of the library, whatever other processes write."""
        self.execute("SAVEPOINT snapshot")
        try:
            yield
        finally:
            self.execute("RELEASE snapshot")

    def tables(self) -> list[str]:
        """Return the names of all tables except those of the words index."""
        rows = self.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        names = [as_string(row[0]) for row in rows]
        return [name for name in names if not name.startswith(("sqlite_", "words"))]

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table that are stored, in order."""
        return [as_string(row[1]) for row in self.execute(f"PRAGMA table_info({table})")]

    @contextmanager
    def restore_transaction(self) -> Iterator[None]:
        """Open a transaction in which rows can be restored in any order."""
        with self.transaction():
            self.execute("PRAGMA defer_foreign_keys = on")
            yield

    def limit_cache(self, kilobytes: int) -> None:
        """Hold no more of the file in memory than so much."""
        self.execute(f"PRAGMA cache_size = -{kilobytes:d}")

    def erase_deleted(self) -> str:
        """Write the file again without what was deleted; return what may be left, in a sentence."""
        self.execute("INSERT INTO words(words) VALUES ('optimize')")  # drops words of deleted rows
        self.execute("VACUUM")
        return _LOG_IN_USE if self._number("PRAGMA wal_checkpoint(truncate)") else ""

    def size(self) -> int:
        """Return the bytes that the library takes on disk, including the log."""
        log = self.path.with_name(f"{self.path.name}-wal")
        return self.path.stat().st_size + (log.stat().st_size if log.exists() else 0)

    def close(self) -> None:
        """Close the file; the last connection to leave merges the log into it."""
        with library_errors(self.path):
            self._connection.close()

    def _number(self, sql: str) -> int:
        return as_integer(self.execute(sql)[0][0])


def _make_library_folder(folder: Path, library: Path) -> None:
    """Create the folder of a library or of its tables.

    Raises:
        LibraryError: If it cannot be made.
    """
    try:
        private_files.make_folder(folder)
    except OSError as error:
        raise LibraryError(
            f"no library can be made at {library}: {error.strerror}.",
            remedy="Name a file in a folder that you may write to with --library.",
        ) from error


def _refuse_early(path: Path, *, create: bool) -> None:
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe or device"
        raise LibraryError(
            f"{path} is {what}, not a library.", remedy="Name a file with --library."
        )
    if create:
        _make_library_folder(path.parent, path)
    elif not path.exists() or not path.stat().st_size:
        raise _no_library(path)
    with suppress(OSError), path.open("rb") as file:  # SQLite reports what cannot be read
        head = file.read(_SMALLEST)  # a shorter file is empty for SQLite, which would overwrite it
        if head and (len(head) < _SMALLEST or not head.startswith(_MAGIC)):
            raise _not_a_library(path)


def _no_library(path: Path) -> LibraryError:
    return LibraryError(
        f"there is no library at {path}.",
        remedy="Make one with `fourcorners add FOLDER`, or name another with --library.",
    )


def _not_a_library(path: Path) -> LibraryError:
    return LibraryError(f"{path} is not a library.", remedy="Name another file with --library.")


def _connect(path: Path, *, create: bool) -> apsw.Connection:
    if create and not path.exists():
        with suppress(OSError):  # another process was faster, or SQLite reports the problem
            private_files.open_new(path).close()
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    return apsw.Connection(str(path), flags=flags)


def _is_read_only(path: Path) -> bool:
    """Return whether a file is there, but it or its folder cannot be written."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _connect_to_read(path: Path) -> apsw.Connection:
    """Open a file that cannot be written.

    SQLite shares a file in WAL mode through companion files. If they are not there and cannot be
    made, nobody is writing it, and SQLite may take it as it is.

    Raises:
        LibraryError: If changes have been logged that are not in the file yet.
    """
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(uri, flags=flags)
    try:
        connection.execute(_IDENTITY).fetchall()
    except apsw.CantOpenError:
        connection.close()
    else:
        return connection
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise LibraryError(
            f"{path} has changes in {log.name} that are not in it yet, and cannot be written.",
            remedy="Copy both files to a folder that you may write to, and name the copy with "
            "--library.",
        )
    return apsw.Connection(f"{uri}&immutable=1", flags=flags)


class _BusyTimeout:
    """Wait for another process's lock, polling at random short intervals.

    SQLite's own busy timeout waits ever longer between polls, and starves next to two busy writers.
    """

    def __init__(self) -> None:
        self._until = 0.0

    def __call__(self, looks: int) -> bool:
        if looks == 0:
            self._until = time.monotonic() + BUSY_SECONDS
        time.sleep(random.uniform(0.001, 0.01))  # noqa: S311 - no secret
        return time.monotonic() < self._until


@contextmanager
def library_errors(path: Path) -> Iterator[None]:
    """Convert SQLite's errors about the file to a `LibraryError` with a remedy."""
    try:
        yield
    except apsw.NotADBError as error:
        raise _not_a_library(path) from error
    except (apsw.CorruptError, apsw.FormatError) as error:
        raise LibraryError(f"{path} is damaged: {error}.", remedy=RESTORE_REMEDY) from error
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise LibraryError(
            f"{path} is locked: another process has been writing for {BUSY_SECONDS} seconds.",
            remedy="Wait for it to end, or end it, and try again.",
        ) from error
    except apsw.FullError as error:
        raise DiskFull(
            f"the disk that holds {path} is full.", remedy="Make room and run the command again."
        ) from error
    except apsw.ReadOnlyError as error:
        raise LibraryError(
            f"{path} is read-only here: it can be searched, but not changed.", remedy=_COPY_REMEDY
        ) from error
    except (
        apsw.CantOpenError,
        apsw.PermissionsError,
        apsw.AuthError,
    ) as error:
        raise LibraryError(
            f"{path} cannot be opened for writing: {error}.",
            remedy="Name a file in a folder that you may write to with --library.",
        ) from error
    except apsw.IOError as error:
        raise LibraryError(
            f"{path} cannot be read or written: {error}.",
            remedy="Check the disk; a library belongs on a local disk, not on a network share.",
        ) from error
