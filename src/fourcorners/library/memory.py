"""What is kept in memory of a library, for all connections of a process that share it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from fourcorners.library.entries import Vectors

MAX_DOCUMENTS = 48  # prepared ones that are held
_MATRICES = 3  # each as large as the vectors of a collection, or of the whole library

Value = TypeVar("Value")


class VersionedCache(Generic[Value]):
    """Values made from a library's content: kept until that changes, the ones used last first.

    Threads may share it: a value that one of them makes, others wait for, each kind its own. What
    is kept must not be changed by who gets it.

    Args:
        most: How many values stay.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, Value] = OrderedDict()
        self._version = ""
        self._lock = threading.RLock()

    def get(self, version: str, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; it is made where there is none of this version.

        Args:
            version: The library's `content_version`, as who asks sees it; always the same where
                the key tells of which state a value is.
            key: What is wanted.
            make: Makes it, through the connection of who asks.
        """
        with self._lock:
            if version != self._version:
                self._held.clear()
                self._version = version
            if key not in self._held:
                self._held[key] = make()
                while len(self._held) > self._most:
                    self._held.popitem(last=False)
            self._held.move_to_end(key)
            return self._held[key]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._held.clear()


class Memory:
    """What one or more connections to a library keep in memory; rooms may hang their own on it.

    Attributes:
        documents: How many documents may stay prepared for questions, at some 0.9 MB each.
        vectors: Of the library and of collections, by the folded name, empty for the whole.
    """

    __slots__ = ("__weakref__", "documents", "vectors")

    def __init__(self, documents: int = MAX_DOCUMENTS) -> None:
        self.documents = documents
        self.vectors: VersionedCache[Vectors] = VersionedCache(_MATRICES)
