"""The open connections to the library: one belongs to one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fourcorners.errors import LibraryBusy
from fourcorners.library.memory import Memory
from fourcorners.library.store import Library

_MOST = 8  # connections; vectors and what else is kept of documents they keep together
_PREPARED = 512  # contracts that stay ready to be asked, some 450 MB
_PAGES = 16 << 10  # kibibytes of the file that a connection keeps; the system keeps the rest


class ConnectionPool:
    """Hands out connections to one library, the one used last first: what it has read is warm.

    Whoever takes one while all are in use waits. A thread that holds one must not take another.

    Raises:
        LibraryError: If the library cannot be opened.
    """

    def __init__(self, url: str | Path, *, most: int = _MOST) -> None:
        self._url = url
        self._first = _open_library(url)
        self._first.memory = Memory(_PREPARED)
        self._free: list[Library] = [self._first]
        self._left = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._closed = False
        self.files = self._free[0].files
        self.files_are_shared = self._free[0].files_are_shared

    @contextmanager
    def library(self) -> Iterator[Library]:
        """Lend a connection for as long as the block lasts."""
        with self._left:
            library = self._take()
            try:
                yield library
            finally:
                self._give_back(library)

    def close(self) -> None:
        """Close every connection; those lent out are closed when they come back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for library in free:
            library.close()

    def _take(self) -> Library:
        with self._lock:
            if self._closed:
                raise LibraryBusy("the server is stopping.", remedy="Try again in a moment.")
            if self._free:
                return self._free.pop()
        opened = _open_library(self._url)
        opened.share(self._first)
        return opened

    def _give_back(self, library: Library) -> None:
        with self._lock:
            if not self._closed:
                self._free.append(library)
                return
        library.close()


def _open_library(url: str | Path) -> Library:
    opened = Library.open(url, create=True)
    opened.limit_cache(_PAGES)
    return opened
