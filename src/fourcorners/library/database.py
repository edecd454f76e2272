"""The interface of what holds the tables of a library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

from fourcorners.errors import DamagedValue

SQLiteValue: TypeAlias = int | float | bytes | str | None
Row: TypeAlias = tuple[SQLiteValue, ...]
Bindings: TypeAlias = Sequence[SQLiteValue] | Mapping[str, SQLiteValue]

BUSY_SECONDS = 30  # seconds for which a writer waits for another
RESTORE_REMEDY = "Restore a copy, or move the file away and add the contracts again."


class SqlReader(Protocol):
    """What accepts queries: a library, or its file."""

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]: ...


class Database(Protocol):
    """A connection to the tables of a library, for one thread at a time."""

    @property
    def path(self) -> Path: ...

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement and return all its rows."""

    def execute_many(self, sql: str, bindings: Iterable[Sequence[SQLiteValue]]) -> None: ...

    def transaction(self) -> AbstractContextManager[None]:
        """Make everything inside one write; a nested one can fail separately."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads inside see one state of the library, whatever other processes write."""

    def run_script(self, sql: str) -> None:
        """Run statements that define tables."""

    def tables(self) -> list[str]:
        """Return the names of all tables except those of the words index."""

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table that are stored, in order."""

    def restore_transaction(self) -> AbstractContextManager[None]:
        """Open a transaction in which rows can be restored in any order."""

    def limit_cache(self, kilobytes: int) -> None:
        """Limit how much of the tables is held in memory."""

    def size(self) -> int:
        """Return the bytes that the library takes on disk."""

    def close(self) -> None: ...


def as_integer(value: SQLiteValue) -> int:
    if not isinstance(value, int):
        raise DamagedValue(
            f"a number was expected in the library, not {type(value).__name__}.",
            remedy=RESTORE_REMEDY,
        )
    return value


def as_string(value: SQLiteValue) -> str:
    if not isinstance(value, str):
        raise DamagedValue(
            f"text was expected in the library, not {type(value).__name__}.", remedy=RESTORE_REMEDY
        )
    return value


def as_bytes(value: SQLiteValue) -> bytes:
    if not isinstance(value, bytes):
        raise DamagedValue(
            f"bytes were expected in the library, not {type(value).__name__}.",
            remedy=RESTORE_REMEDY,
        )
    return value
