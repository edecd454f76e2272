"""`PostgresDatabase`: a connection to the tables of a library in PostgreSQL.

Writers take turns, as in a SQLite file: a transaction begins with a lock of the library's own, and
so sees what was committed before it. Readers wait for nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

import psycopg
from psycopg import errors
from psycopg.adapt import Buffer, Dumper
from psycopg.types.numeric import NumericBinaryLoader

from fourcorners.cluster.postgres.dialect import (
    JSON_EXTRACT,
    TABLES,
    Statement,
    Value,
    translate,
    translate_schema,
)
from fourcorners.errors import ConfigError, DiskFull, InputError, LibraryError
from fourcorners.library.database import (
    BUSY_SECONDS,
    Bindings,
    Row,
    SQLiteValue,
    as_integer,
    as_string,
)
from fourcorners.library.tables import migration
from fourcorners.library.tables.migration import VERSION, schema_sql

_SILENT_SECONDS = 300  # after which the turn of a writer that has vanished is ended
_READS = ("SELECT", "WITH", "EXPLAIN")
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 875777618))"
_MARK = "Fourcorners library, version "
_VERSION = "SELECT obj_description(to_regclass('meta'), 'pg_class')"
_COLUMNS = """
    SELECT a.attname, coalesce(a.attnum = ANY(i.indkey), false)
    FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attgenerated = '' ORDER BY a.attnum
"""
_TABLES = """
    SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace
    AND relkind = 'r' ORDER BY relname::text COLLATE "C"
"""
_NUMBERED = """
    SELECT table_name::text, column_name::text FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'YES'
"""
_SIZE = """
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
"""
_NO_DATABASE = re.compile(r'database ".*" does not exist')  # psycopg has no class for it here
_UPGRADE = "Upgrade with `pip install --upgrade fourcorners`."


class PostgresDatabase:
    """A connection to a library's tables, for one thread at a time.

    A connection that the server has ended is reopened, unless a transaction was open.

    Raises:
        LibraryError: If there are no tables, they are of a newer version, or the server is out of
            reach.
    """

    def __init__(self, address: Address, *, create: bool) -> None:
        self.address = address
        self._depth = 0
        self._is_reading = False
        self._keys: dict[str, tuple[list[str], list[str]]] = {}
        self._statements: dict[str, Statement] = {}
        self._connection = self._connect()
        try:
            self._open(create=create)
        except BaseException:
            self._connection.close()
            raise

    @property
    def path(self) -> Path:
        return Path(self.address.url)

    def _connect(self) -> psycopg.Connection[Row]:
        try:
            made = psycopg.connect(
                self.address.url, autocommit=True, application_name="fourcorners"
            )
        except errors.OperationalError as error:
            if _NO_DATABASE.search(str(error)):
                raise _missing_library(self.address) from error
            raise _refusal(self.address, error) from error
        made.cursor_factory = psycopg.RawCursor
        for kind in (int, bool):
            made.adapters.register_dumper(kind, _UntypedInteger)
        made.adapters.register_loader("numeric", _Number)
        made.execute(
            f"SET lock_timeout = '{BUSY_SECONDS}s'; "
            f"SET idle_in_transaction_session_timeout = '{_SILENT_SECONDS}s'"
        )
        return cast("psycopg.Connection[Row]", made)

    def _open(self, *, create: bool) -> None:
        if self._version() is None:
            if not create:
                raise _missing_library(self.address)
            with self.transaction():
                if self._version() is None:  # another process may have been faster
                    self._create()
        version = self._version() or 0
        if version > VERSION:
            raise LibraryError(
                f"{self.path} was written by a newer version of Fourcorners.", remedy=_UPGRADE
            )
        if version < migration.FORMER:
            raise migration.too_old(self, f"its schema is {version}")
        if version < VERSION:
            with self.transaction():
                self.run_script(schema_sql())
                self._set_version()

    def _create(self) -> None:
        self.query(JSON_EXTRACT)
        self.run_script(schema_sql())
        self.query(TABLES)
        self._set_version()

    def run_script(self, sql: str) -> None:
        """Run statements that define tables, written for SQLite."""
        for statement in translate_schema(sql, self.key_columns):
            self.query(statement)

    def _version(self) -> int | None:
        (mark,) = self.query(_VERSION)[0]
        return None if mark is None else int(as_string(mark).removeprefix(_MARK))

    def _set_version(self) -> None:
        self.query(f"COMMENT ON TABLE meta IS '{_MARK}{VERSION:d}'")

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run a statement of the rooms and return its rows; one that writes is a transaction.

        Raises:
            LibraryError: If the server is out of reach or refuses it.
        """
        statement, values = self._translated(sql).bound(bindings)
        if self._depth or statement.lstrip().upper().startswith(_READS):
            return self.query(statement, values)
        with self.transaction():
            return self.query(statement, values)

    def execute_many(self, sql: str, bindings: Iterable[Sequence[SQLiteValue]]) -> None:
        statement = self._translated(sql)
        with self.transaction(), self._errors(), self._connection.cursor() as cursor:
            cursor.executemany(statement.sql, [statement.bound(each)[1] for each in bindings])

    def _translated(self, sql: str) -> Statement:
        if sql not in self._statements:
            self._statements[sql] = translate(sql, self.key_columns)
        return self._statements[sql]

    def query(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        """Run a statement in PostgreSQL's own SQL and return its rows."""
        if self._connection.closed and not self._depth and not self._is_reading:
            self._connection = self._connect()
        with self._errors():
            is_read = sql.lstrip().upper().startswith(_READS)
            cursor = self._connection.execute(sql.encode(), bindings or None, binary=is_read)
            return cursor.fetchall() if cursor.description else []

    def copy_rows(self, table: str, rows: Iterable[Sequence[Value]]) -> None:
        """Put rows into a table, values for all its columns in order, the quickest way."""
        sql = f"COPY {table} FROM STDIN".encode()
        with self._errors(), self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(row)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside one write: all of it is stored, or none.

        It waits for another writer at its start. Inside another transaction it is a part of that
        one which can fail on its own.
        """
        assert not self._is_reading, "a snapshot is for reading"  # noqa: S101
        name = f"nested{self._depth}"
        self.query(f"SAVEPOINT {name}" if self._depth else "BEGIN")
        self._depth += 1
        try:
            if self._depth == 1:
                self.query(_LOCK)
            yield
            self.query(f"RELEASE {name}" if self._depth > 1 else "COMMIT")
        except BaseException:
            if not self._connection.closed:
                undo = f"ROLLBACK TO {name}; RELEASE {name}" if self._depth > 1 else "ROLLBACK"
                self.query(undo)
            raise
        finally:
            self._depth -= 1

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside see one state; inside a transaction they do anyway."""
        if self._depth or self._is_reading:
            yield
            return
        self.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        self._is_reading = True
        try:
            yield
        finally:
            self._is_reading = False
            if not self._connection.closed:
                self.query("COMMIT")

    def close(self) -> None:
        self._connection.close()

    def size(self) -> int:
        """Return the bytes of all tables and their indexes."""
        return as_integer(self.query(_SIZE)[0][0])

    def limit_cache(self, kilobytes: int) -> None:
        """Leave it to the server, which holds the tables in memory for all connections."""

    def tables(self) -> list[str]:
        return [as_string(name) for (name,) in self.query(_TABLES)]

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table that are stored, in order."""
        return self.key_columns(table)[0]

    @contextmanager
    def restore_transaction(self) -> Iterator[None]:
        """Make a transaction inside which rows are put back as they were, in any order.

        What numbers new rows goes on after them.
        """
        with self.transaction():
            self.query("SET CONSTRAINTS ALL DEFERRED")
            yield
            for row in self.query(_NUMBERED):
                table, column = map(as_string, row)
                self.query(
                    f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), "  # noqa: S608
                    f"coalesce(max({column}), 1), count(*) > 0) FROM {table}"
                )

    def key_columns(self, table: str) -> tuple[list[str], list[str]]:
        if table not in self._keys:
            rows = [(as_string(name), bool(key)) for name, key in self.query(_COLUMNS, (table,))]
            self._keys[table] = [name for name, _ in rows], [name for name, key in rows if key]
        return self._keys[table]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            refusal = _refusal(self.address, error)
            if refusal is error:
                raise
            raise refusal from error


def _missing_library(address: Address) -> LibraryError:
    name = address.database or "NAME"
    return LibraryError(
        f"there is no library at {address.url}.",
        remedy=f"Make the database with `createdb {name}`, then run `fourcorners add FOLDER`.",
    )


def _refusal(address: Address, error: psycopg.Error) -> Exception:
    message = str(error).strip().partition("\n")[0]
    match error:
        case errors.LockNotAvailable():
            return LibraryError(
                f"{address.url} is locked: another process has been writing for "
                f"{BUSY_SECONDS} seconds.",
                remedy="Wait for it to end, or end it, and try again.",
            )
        case errors.DiskFull() | errors.OutOfMemory():
            return DiskFull(
                f"the server of {address.url} has no room left: {message}.",
                remedy="Make room and run the command again.",
            )
        case (
            errors.InsufficientPrivilege()
            | errors.ReadOnlySqlTransaction()
            | errors.InvalidSchemaName()
        ):
            return LibraryError(
                f"{address.url} may not be written: {message}.",
                remedy="Ask the server's administrator for the right to write (GRANT).",
            )
        case errors.UntranslatableCharacter() | errors.DataError():
            return InputError(f"the database cannot hold this: {message}.")
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return LibraryError(
                f"{address.url} is damaged: {message}.", remedy="Restore a copy of the database."
            )
        case errors.OperationalError():
            return LibraryError(
                f"the server of {address.url} says: {message}.",
                remedy="See that it runs and that it knows this user.",
            )
        case _:
            return error


class _UntypedInteger(Dumper):
    """Writes a number, or a truth value as one, and leaves its type to the statement."""

    oid = 0

    def dump(self, obj: int) -> Buffer:
        return str(int(obj)).encode()


class _Number(NumericBinaryLoader):
    """Reads sums, which PostgreSQL gives as `numeric`, as SQLite gives them."""

    def load(self, data: Buffer) -> int | float:  # type: ignore[override] # a number all the same
        number = super().load(data)
        return int(number) if number == int(number) else float(number)


_SECRET = {"password", "sslpassword", "oauth_client_secret"}  # options of libpq
_ONE_SLASH = re.compile(r"^postgres(?:ql)?:/(?=[^/])")


@dataclass(frozen=True, slots=True)
class Address:
    """A database, and the user, host and options with which libpq reaches it.

    Attributes:
        url: As libpq takes it; it holds no password.
        database: The name of the database; empty for libpq's default.
    """

    url: str
    database: str


def address_of(url: str) -> Address:
    """Read `postgresql://user@host/database?sslmode=verify-full`, with all that libpq allows.

    Raises:
        ConfigError: If it contains a password: URLs appear in messages, logs and process lists.
    """
    whole = _ONE_SLASH.sub("postgresql://", url)
    if whole != url and "/" not in url.partition("?")[0].partition("/")[2]:
        whole = whole.replace("://", ":///")  # a `Path` holds one slash of two or three
    parts = urlsplit(whole)
    if parts.password is not None or _SECRET & {*parse_qs(parts.query, keep_blank_values=True)}:
        raise ConfigError(
            "the URL of a library must not contain a password.",
            remedy="Put it into PGPASSWORD or the file ~/.pgpass.",
        )
    return Address(whole, parts.path.strip("/"))
