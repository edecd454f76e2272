"""The interface of what holds the tables of a library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from fourcorners.errors import DamagedValue, LibraryUnreachable, TransactionLost

SQLiteValue: TypeAlias = int | float | bytes | str | None
Row: TypeAlias = tuple[SQLiteValue, ...]
Bindings: TypeAlias = Sequence[SQLiteValue] | Mapping[str, SQLiteValue]

P = ParamSpec("P")
Result = TypeVar("Result")

BUSY_SECONDS = 30  # seconds for which a writer waits for another
RESTORE_REMEDY = "Restore a copy, or move the file away and add the contracts again."

_ATTEMPTS = 3  # at a transaction: one that ends its connection each time must not go on for ever

WAIT_FOR_SERVER: ContextVar[bool] = ContextVar("wait_for_server", default=True)
"""Whether a server that is away is waited for; not where a person waits for a page."""


@contextmanager
def waiting_for_server(*, wait: bool = True) -> Iterator[None]:
    """Decide within the block whether a server that is away is waited for."""
    before = WAIT_FOR_SERVER.set(wait)
    try:
        yield
    finally:
        WAIT_FOR_SERVER.reset(before)


def retry_lost(work: Callable[[], Result]) -> Result:
    """Do work, and again from its start where a transaction in it was lost with its connection."""
    for left in reversed(range(_ATTEMPTS)):
        try:
            return work()
        except TransactionLost as error:
            if not error.is_over:
                raise
            if not left:
                raise LibraryUnreachable(error.message, remedy=error.remedy) from error
    raise AssertionError("unreachable")


class SqlReader(Protocol):
    """What accepts queries: a library, or its file."""

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]: ...


class Database(Protocol):
    """A connection to the tables of a library, for one thread at a time."""

    @property
    def path(self) -> Path: ...

    @property
    def place(self) -> str:
        """Return where it is, as messages name it: a file's path, or a URL."""

    @property
    def is_read_only(self) -> bool:
        """Return whether the tables lie where nothing can be written."""

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

    def erase_deleted(self) -> str:
        """Give up the space of what was deleted; return what may be left of it, in a sentence."""

    def size(self) -> int:
        """Return the bytes that the library takes on disk."""

    def close(self) -> None: ...


class Transactional(Protocol):
    """What has transactions: a library, or its tables."""

    def transaction(self) -> AbstractContextManager[None]: ...


Store = TypeVar("Store", bound=Transactional)


def in_transaction(
    work: Callable[Concatenate[Store, P], Result],
) -> Callable[Concatenate[Store, P], Result]:
    """Decorate work on a store to be one transaction, and again, whole, if its connection ends.

    What the work changes besides the library must be the same after a second time.
    """

    @wraps(work)
    def run(store: Store, /, *args: P.args, **options: P.kwargs) -> Result:
        return transact(store, lambda: work(store, *args, **options))

    return run


def transact(store: Transactional, work: Callable[[], Result]) -> Result:
    """Do work in one transaction, as `in_transaction`."""

    def attempt() -> Result:
        with store.transaction():
            return work()

    return retry_lost(attempt)


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
