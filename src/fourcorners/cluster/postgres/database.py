"""`PostgresDatabase`: a connection to the tables of a library in PostgreSQL.

Writers take turns, as in a SQLite file: a transaction begins with a lock of the library's own, and
so sees what was committed before it. Readers wait for nobody.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psycopg

from fourcorners.cluster.postgres.connection import (
    Address,
    connect,
    connection_lost,
    convert_error,
    is_ended,
    missing_library,
)
from fourcorners.cluster.postgres.dialect import (
    COMMITS,
    JSON_EXTRACT,
    TABLES,
    Statement,
    Value,
    translate,
    translate_schema,
)
from fourcorners.errors import LibraryError, TransactionLost
from fourcorners.library.database import (
    BUSY_SECONDS,
    Bindings,
    Row,
    SQLiteValue,
    as_integer,
    as_string,
    retry_lost,
    transact,
    waiting_for_server,
)
from fourcorners.library.tables import migration
from fourcorners.library.tables.migration import VERSION, schema_sql

Result = TypeVar("Result")

_SILENT_SECONDS = 300  # after which the turn of a writer that has vanished is ended
# Of the transaction, not the connection: behind PgBouncer each may be on another connection.
_LIMITS = (
    f"SET LOCAL lock_timeout = '{BUSY_SECONDS}s'; "
    f"SET LOCAL idle_in_transaction_session_timeout = '{_SILENT_SECONDS}s'"
)
_READS = ("SELECT", "WITH", "EXPLAIN")
_BEGIN = (
    f"BEGIN; {_LIMITS}; SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 875777618))"
)
_NOTE = """
    INSERT INTO commits(connection, number) VALUES ('{}', {})
    ON CONFLICT (connection) DO UPDATE SET number = excluded.number, at = excluded.at
"""
_NUMBER = "SELECT number FROM commits WHERE connection = $1"
_FORGET = "DELETE FROM commits WHERE at < now() - interval '1 day';"
_END_FORMER = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = $1 AND pid != pg_backend_pid()
"""
_MARK = "Fourcorners library, version "
_VERSION = "SELECT obj_description(to_regclass('meta'), 'pg_class')"
_COLUMNS = """
    SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1)
    AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
_KEYS = """
    SELECT (SELECT string_agg(a.attname::text, ',' ORDER BY k.place)
            FROM unnest(i.indkey) WITH ORDINALITY AS k(number, place)
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number)
    FROM pg_index i WHERE i.indrelid = to_regclass($1) AND i.indisunique AND i.indpred IS NULL
    ORDER BY i.indisprimary DESC, i.indexrelid
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
_NOT_OVERWRITTEN = (
    "PostgreSQL has freed the space of the deleted rows and overwrites it as it is used again. "
    "VACUUM FULL on the library's tables rewrites them at once; the write-ahead log, its archive, "
    "replicas and the database's own backups hold the rows for as long as they are kept."
)
_UPGRADE = "Upgrade with `pip install --upgrade fourcorners`."


class PostgresDatabase:
    """A connection to a library's tables, for one thread at a time.

    A connection that the server has ended is reopened, and what was asked outside a transaction is
    asked again. A transaction cannot be: it raises `TransactionLost`, and nothing of it is stored.
    Where the connection ended in a commit, the new one finds out whether that was stored: a
    transaction that has written leaves its number in the table `commits`.

    Raises:
        LibraryError: If there are no tables, they are of a newer version, or the server is out of
            reach.
    """

    def __init__(self, address: Address, *, create: bool) -> None:
        self.address = address
        self._depth = 0
        self._is_reading = False
        self._name = f"fourcorners-{uuid.uuid4().hex}"
        self._number = 0  # of the last transaction that has written
        self._has_written = False
        self._keys: dict[str, tuple[list[str], list[list[str]]]] = {}
        self._statements: dict[str, Statement] = {}
        self._connection = connect(address, self._name, again=False)
        try:
            self._open(create=create)
        except BaseException:
            self._connection.close()
            raise

    @property
    def path(self) -> Path:
        return Path(self.address.url)

    @property
    def place(self) -> str:
        return self.address.url

    is_read_only = False  # of rights, the server decides

    def _open(self, *, create: bool) -> None:
        if self._version() is None:
            if not create:
                raise missing_library(self.address)
            with self.transaction():
                if self._version() is None:  # another process may have been faster
                    self._create()
        version = self._version() or 0
        if version > VERSION:
            raise LibraryError(
                f"{self.place} was written by a newer version of Fourcorners.", remedy=_UPGRADE
            )
        if version < migration.FORMER:
            raise migration.too_old(self, f"its schema is {version}")
        if version < VERSION:
            with self.transaction():
                self.run_script(schema_sql())
                self.query(COMMITS)
                self._set_version()

    def _create(self) -> None:
        self.query(JSON_EXTRACT)
        self.run_script(schema_sql())
        self.query(TABLES)
        self.query(COMMITS)
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
        if self._depth or _is_read(statement):
            return self.query(statement, values)
        return transact(self, lambda: self.query(statement, values))

    def execute_many(self, sql: str, bindings: Iterable[Sequence[SQLiteValue]]) -> None:
        statement = self._translated(sql)
        rows = [statement.bound(each)[1] for each in bindings]

        def write() -> None:
            with self._errors(), self._connection.cursor() as cursor:
                self._has_written = True
                cursor.executemany(statement.sql, rows)

        transact(self, write)

    def _translated(self, sql: str) -> Statement:
        if sql not in self._statements:
            self._statements[sql] = translate(sql, self.key_columns)
        return self._statements[sql]

    def query(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        """Run a statement in PostgreSQL's own SQL and return its rows."""
        if self._depth or self._is_reading:
            return self._run(sql, bindings)
        return self._run_connected(sql, bindings)

    def _run_connected(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        """Run what is no part of a transaction, or begins one: on a new connection if need be."""

        def run() -> list[Row]:
            if self._connection.closed:
                self._connection = connect(self.address, self._name, again=True)
                self._run(_END_FORMER, (self._name,))  # which may have a turn as a writer
            return self._run(sql, bindings)

        return retry_lost(run)

    def _run(self, sql: str, bindings: Sequence[Value] = ()) -> list[Row]:
        with self._errors():
            is_read = _is_read(sql)
            self._has_written |= not is_read
            prepare = None if bindings else False  # several statements cannot be prepared
            cursor = self._connection.execute(
                sql.encode(), bindings or None, binary=is_read, prepare=prepare
            )
            return cursor.fetchall() if cursor.description else []

    def copy_rows(self, table: str, rows: Iterable[Sequence[Value]]) -> None:
        """Put rows into a table, values for all its columns in order, the quickest way."""
        sql = f"COPY {table} FROM STDIN".encode()
        self._has_written = True
        with self._errors(), self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(row)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make everything inside one write: all of it is stored, or none.

        It waits for another writer at its start. Inside another transaction it is a part of that
        one which can fail on its own.

        Raises:
            TransactionLost: If the connection ended in it; `library.database.transact` tries again.
        """
        assert not self._is_reading, "a snapshot is for reading"  # noqa: S101
        name = f"nested{self._depth}"
        undo = f"ROLLBACK TO {name}; RELEASE {name}" if self._depth else "ROLLBACK"
        if self._depth:
            self._run(f"SAVEPOINT {name}")
        try:
            if not self._depth:
                self._run_connected(_BEGIN)
                self._has_written = False
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            if self._depth:
                self._run(f"RELEASE {name}")
            else:
                self._commit()
        except BaseException as error:
            if not self._connection.closed:
                with suppress(TransactionLost):  # the connection has ended meanwhile, and so this
                    self._run(undo)
            if isinstance(error, TransactionLost):
                error.is_over = not self._depth
            raise

    def _commit(self) -> None:
        if not self._has_written:
            self._run("COMMIT")
            return
        self._number += 1
        forgetting = _FORGET if self._number == 1 else ""
        try:
            self._run(f"{forgetting}{_NOTE.format(self._name, self._number)}; COMMIT")
        except TransactionLost:
            if not self._is_committed():
                raise

    def _is_committed(self) -> bool:
        """Return whether the transaction is stored in whose commit the connection ended.

        The former connection may still be at it: its turn as a writer has to end first.
        """
        with waiting_for_server():  # who asked has to know, however long it takes

            def look() -> bool:
                self._run_connected(_BEGIN)
                rows = self._run(_NUMBER, (self._name,))
                self._run("COMMIT")
                return rows == [(self._number,)]

            return retry_lost(look)

    def erase_deleted(self) -> str:
        """Free the space of deleted rows; only their tables' rewriting would overwrite it."""
        for table in self.tables():
            self.query(f"VACUUM {table}")
        return _NOT_OVERWRITTEN

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads inside see one state; inside a transaction they do anyway.

        Raises:
            TransactionLost: If the connection ended in it.
        """
        if self._depth or self._is_reading:
            yield
            return
        self._run_connected(f"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; {_LIMITS}")
        self._is_reading = True
        try:
            yield
        except TransactionLost as error:
            error.is_over = True
            raise
        finally:
            self._is_reading = False
            if not self._connection.closed:
                with suppress(TransactionLost):  # all has been read
                    self._run("COMMIT")

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

    def key_columns(self, table: str) -> tuple[list[str], list[list[str]]]:
        if table not in self._keys:
            columns = [as_string(name) for (name,) in self.query(_COLUMNS, (table,))]
            keys = [as_string(names).split(",") for (names,) in self.query(_KEYS, (table,))]
            self._keys[table] = columns, keys
        return self._keys[table]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            refusal = convert_error(self.address, error)
            if is_ended(self._connection, error):
                lost = connection_lost(self.address, error)
                lost.is_over = not (self._depth or self._is_reading)
                raise lost from error
            if refusal is error:
                raise
            raise refusal from error


def _is_read(sql: str) -> bool:
    return sql.lstrip().upper().startswith(_READS)
