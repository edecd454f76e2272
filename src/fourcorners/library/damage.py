"""Handle documents whose stored parts cannot be read: leave them out, and report them.

A part that cannot be decoded raises `DamagedDocument`, wherever it is read. Work on many documents
is repeated without that one; `Catalogue.failures` lists it until it is added again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from fourcorners.errors import DamagedDocument

T = TypeVar("T")
P = ParamSpec("P")


class Documents(Protocol):
    """Documents of which some may turn out to be damaged: a library's."""

    @property
    def damaged(self) -> Mapping[str, DamagedDocument]: ...

    def leave_out(self, error: DamagedDocument) -> None: ...


L = TypeVar("L", bound=Documents)


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

    Raises:
        DamagedDocument: If the work cannot do without the document, which was asked for by name.
    """

    @wraps(work)
    def done(library: L, /, *args: P.args, **options: P.kwargs) -> T:
        return retry_without_damaged(library, lambda: work(library, *args, **options))

    return done


def retry_without_damaged(library: Documents, work: Callable[[], T]) -> T:
    """Do work, and again without each damaged document, as `without_damaged`."""
    while True:
        known = library.damaged.keys()
        try:
            return work()
        except DamagedDocument as error:
            library.leave_out(error)
            if error.document in known:
                raise


def events_without_damaged(library: Documents, start: Callable[[], Iterator[T]]) -> Iterator[T]:
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
