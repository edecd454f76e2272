"""Read-only databases: an SQLite file, or what a DB-API module connects to."""

from __future__ import annotations

import importlib
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeAlias
from urllib.parse import quote

import apsw

from fourcorners.errors import CallError, ConfigError
from fourcorners.research.tool import Material, ToolQuery
from fourcorners.source_settings import SqlSettings

_SECONDS = 10  # of a query
MAX_ROWS = 50
"""Maximum bytes of one answer."""
_STEPS = 10_000  # of SQLite's machine between looks at the clock
_MOST_TABLES = 40  # tables whose columns the model is shown
_READING = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_RECURSIVE}
_UNREADABLE = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
_WORDS = re.compile(r":words\b")
Row: TypeAlias = "tuple[str, ...]"
Table: TypeAlias = "tuple[tuple[str, ...], list[Row]]"


class DatabaseSource:
    def __init__(self, name: str, settings: SqlSettings) -> None:
        self.name = name
        self._settings = settings

    @property
    def description(self) -> str:
        """Return what it contains; with tables and columns if the model writes the query."""
        if self._settings.query or self._settings.file is None:
            return f"{self._settings.says}; words: what to look for"
        return (
            f"{self._settings.says}; words: one SELECT of SQLite. Tables: "
            f"{'; '.join(_tables(self._settings.file))}"
        )

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return the rows.

        Raises:
            CallError: If the database refuses the query, or takes too long.
            ConfigError: If it cannot be opened.
        """
        settings = self._settings
        most = min(inquiry.limit, MAX_ROWS)
        if settings.file is not None:
            named, rows = _of_sqlite(settings, inquiry.words, most)
        else:
            named, rows = _in_time(lambda: _of_module(settings, inquiry.words, most))
        return [
            Material(
                words="\n".join(
                    f"{column}: {value}" for column, value in zip(named, row, strict=True)
                ),
                source=self.name,
                where=f"row {place} of the answer",
                score=1.0 / place,
            )
            for place, row in enumerate(rows, start=1)
        ]


def _open_database(file: Path) -> apsw.Connection:
    """Open a file of SQLite so that nothing can be written, attached or loaded."""
    if not file.is_file():
        raise ConfigError(f"there is no database {file.name}.", remedy="Correct `file`.")
    address = f"file:{quote(str(file.absolute()))}?mode=ro"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(address, flags=flags)
        connection.pragma("query_only", True)
        connection.pragma("trusted_schema", False)
    except apsw.Error as error:
        raise ConfigError(f"the database {file.name} cannot be read: {error}.") from error
    connection.authorizer = _only_reads
    return connection


def _only_reads(
    operation: int, name: str | None, other: str | None, _schema: str | None, _inner: str | None
) -> int:
    if operation in _READING:
        return apsw.SQLITE_OK
    if operation == apsw.SQLITE_FUNCTION and (other or "").lower() not in _UNREADABLE:
        return apsw.SQLITE_OK
    del name
    return apsw.SQLITE_DENY


def _of_sqlite(settings: SqlSettings, words: str, most: int) -> Table:
    if settings.file is None:
        raise ValueError("this is not an SQLite file")
    connection = _open_database(settings.file)
    until = time.monotonic() + _SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    query, given = (settings.query, {"words": words}) if settings.query else (words, {})
    try:
        named: tuple[str, ...] = ()
        rows: list[Row] = []
        cursor = connection.execute(query, given)
        for row in islice(cursor, most):
            named = named or tuple(column[0] for column in cursor.description)
            rows.append(tuple(map(_plain, row)))
        return named, rows
    except apsw.InterruptError:
        raise CallError(f"the query took more than {_SECONDS:g} seconds.") from None
    except apsw.AuthError:
        raise CallError("the query is not read-only and was refused.") from None
    except (apsw.Error, apsw.BindingsError) as error:
        raise CallError(f"the database refused the query: {error}.") from error
    finally:
        connection.close(force=True)


def _tables(file: Path) -> Iterator[str]:
    """Yield each table with its columns, as plain names."""
    connection = _open_database(file)
    connection.authorizer = None
    try:
        names = [
            str(name)
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT ?",
                (_MOST_TABLES,),
            )
        ]
        for name in names:
            found = connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
            columns = ", ".join(_name(str(column)) for (column,) in found)
            yield f"{_name(name)}({columns})"
    finally:
        connection.close(force=True)


def _name(name: str) -> str:
    return re.sub(r"\W+", "_", name)[:60]


class _Cursor(Protocol):
    @property
    def description(self) -> Sequence[Sequence[object]] | None: ...

    def execute(self, query: str, given: object, /) -> object: ...

    def fetchmany(self, size: int, /) -> Iterable[Sequence[object]]: ...


def _of_module(settings: SqlSettings, words: str, most: int) -> Table:
    try:
        module = importlib.import_module(settings.module)
    except ImportError:
        raise ConfigError(
            f"there is no module {settings.module}.", remedy="Install what speaks to the database."
        ) from None
    query, given = _bound(settings.query, words, str(getattr(module, "paramstyle", "qmark")))
    try:
        connection = module.connect(**settings.connect)
    except Exception as error:
        raise ConfigError(f"{settings.module} cannot connect: {type(error).__name__}.") from error
    try:
        cursor: _Cursor = connection.cursor()
        cursor.execute(query, given)
        rows = [tuple(map(_plain, row)) for row in cursor.fetchmany(most)]
        return tuple(str(column[0]) for column in cursor.description or ()), rows
    except Exception as error:
        raise CallError(f"the database refused the query: {type(error).__name__}.") from error
    finally:
        connection.rollback()
        connection.close()


def _bound(query: str, words: str, style: str) -> tuple[str, Mapping[str, str] | Sequence[str]]:
    count = len(_WORDS.findall(query))
    if style in ("named", "pyformat"):
        mark = ":words" if style == "named" else "%(words)s"
        return _WORDS.sub(mark, query), {"words": words}
    if style == "numeric":
        return _WORDS.sub(":1", query), [words]
    return _WORDS.sub("?" if style == "qmark" else "%s", query), [words] * count


def _in_time(work: Callable[[], Table]) -> Table:
    outcome: Future[Table] = Future()

    def run_query() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.set_exception(error)

    threading.Thread(target=run_query, name="fourcorners-database", daemon=True).start()
    if not wait([outcome], _SECONDS).done:
        raise CallError(f"the database did not answer within {_SECONDS:g} seconds.")
    return outcome.result()


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray | memoryview):
        return f"({len(bytes(value)):,} bytes)"
    return str(value)
