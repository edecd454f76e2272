"""Handle documents whose stored parts cannot be read: leave them out, and report them.

A part that cannot be decoded raises `DamagedDocument`, wherever it is read. Work on many documents
is repeated without that one; `Catalogue.failures` lists it until it is added again.
Values that other rooms store for a document, such as findings, are parts of it too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from fourcorners.errors import DamagedDocument, DamagedValue
from fourcorners.library.database import SQLiteValue, SqlReader, as_string, retry_lost

UNDECODABLE = (ValueError, KeyError, TypeError, IndexError)
"""What decoding raises where a value is not what was stored; bytes that are no text, too."""

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class DocumentValues:
    """Values of documents in a table of a room further down, which the program can compute again.

    Attributes:
        part: What an error calls them.
        table: Its column `document` has the ids.
        column: Where the values are.
        read: Raises `DamagedValue` if one is not what was stored.
    """

    part: str
    table: str
    column: str
    read: Callable[[str], object]

    def are_damaged(self, library: SqlReader, document: str) -> bool:
        return bool(self._damaged(library, document))

    def delete_damaged(self, library: SqlReader, document: str) -> None:
        sql = f"DELETE FROM {self.table} WHERE document = ?1"  # noqa: S608 - ours
        for value in self._damaged(library, document):
            if value is None:
                library.execute(sql, (document,))
            else:
                library.execute(f"{sql} AND {self.column} = ?2", (document, value))

    def _damaged(self, library: SqlReader, document: str) -> list[SQLiteValue]:
        """Return the values of a document that are damaged; None where it is unknown which."""
        sql = f"SELECT {self.column} FROM {self.table} WHERE document = ?"  # noqa: S608 - ours
        try:
            values = [value for (value,) in library.execute(sql, (document,))]
        except UnicodeDecodeError:
            return [None]
        return [value for value in values if not self._is_readable(value)]

    def _is_readable(self, value: SQLiteValue) -> bool:
        try:
            self.read(as_string(value))
        except (DamagedValue, *UNDECODABLE):
            return False
        return True


_VALUES: dict[str, DocumentValues] = {}


def register_values(values: DocumentValues) -> None:
    """Have values be read with their documents; call it when the room that keeps them is imported.

    What adds documents imports the rooms whose values it is to mend.
    """
    _VALUES[values.table] = values


def values_in(tables: Iterable[str]) -> list[DocumentValues]:
    """Return the registered values that these tables hold."""
    return [_VALUES[each] for each in tables if each in _VALUES]


class DamagedStore(Protocol):
    """Documents of which some may turn out to be damaged: a library's."""

    @property
    def damaged(self) -> Mapping[str, DamagedDocument]: ...

    def leave_out(self, error: DamagedDocument) -> None: ...


L = TypeVar("L", bound=DamagedStore)


class DamagedDocuments:
    """The damaged documents found in one state of a library, by their ids.

    Attributes:
        on_damage: Called with each one when it is found.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = ""
        self._found: Mapping[str, DamagedDocument] = {}
        self.on_damage: Callable[[DamagedDocument], None] = lambda _: None

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, error: DamagedDocument, version: str) -> None:
        """Record a document, if it is not recorded already."""
        with self._lock:
            known = self._found if version == self._version else {}
            if error.document in known:
                return
            self._version, self._found = version, {**known, error.document: error}
        self.on_damage(error)

    def documents(self, version: str) -> Mapping[str, DamagedDocument]:
        return self._found if version == self._version else {}


def without_damaged(
    work: Callable[Concatenate[L, P], T],
) -> Callable[Concatenate[L, P], T]:
    """Decorate work on a library to repeat it without each document that proves to be damaged.

    It is repeated, too, if the connection to the library ends in it.

    Raises:
        DamagedDocument: If the work cannot do without the document, which was asked for by name.
    """

    @wraps(work)
    def run_again(library: L, /, *args: P.args, **options: P.kwargs) -> T:
        return _retry_without_damaged(library, lambda: work(library, *args, **options))

    return run_again


def _retry_without_damaged(library: DamagedStore, work: Callable[[], T]) -> T:
    """Do work, and again without each damaged document, as `without_damaged`."""
    while True:
        known = library.damaged.keys()
        try:
            return retry_lost(work)
        except DamagedDocument as error:
            library.leave_out(error)
            if error.document in known:
                raise


def events_without_damaged(library: DamagedStore, start: Callable[[], Iterator[T]]) -> Iterator[T]:
    """Yield the events of work, which starts again without each damaged document."""
    while True:
        known = library.damaged.keys()
        try:
            yield from start()
        except DamagedDocument as error:
            library.leave_out(error)
            if error.document in known:
                raise
        else:
            return
