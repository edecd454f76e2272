"""Caches of a library, shared by all connections of a process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar

MAX_DOCUMENTS = 48  # prepared ones that are held
SIZES: Mapping[str, int] = {
    "entries": 8,  # collections with their lists of documents
    "orders": 16,  # collections with what their documents are sorted by
    "parties": 8,  # collections with the parties of their contracts
    "sides": 8,  # collections with whom each of their documents is read for
    "corrections": 4_096,  # clauses that people put into cells, with their answers
    "stale": 8,  # grids with how many of their contracts were reviewed for others
    "families": 8,  # collections with which of their contracts belong to which
    "names": 8,  # collections, or sets of them, with the index of their names
    "places": 256,  # documents with their pages and headings
    "exclusions": 4_096,  # documents with what in them is no evidence: a few places each
    "in force": 64,  # contracts as amended on a day
    "timelines": 4,  # sets of contracts, each on a day
    "nearest passages": 256,  # concepts, each within its filters
}
"""The caches of a library, by name, and how many values each holds."""

Value = TypeVar("Value")


class VersionedCache(Generic[Value]):
    """Cached values computed from a library's content: kept until that changes, most recently used.

    Threads may share it: while one of them computes a value, others wait for it, separately for
    each kind. Callers must not change the cached values.

    Args:
        most: How many values stay.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, Value] = OrderedDict()
        self._version = ""
        self._lock = threading.RLock()

    def get(self, version: str, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; compute it if this version has no value.

        Args:
            version: The library's `content_version`, as the caller sees it; constant if the key
                identifies the state of a value.
            key: The key of the value.
            make: Computes it, through the caller's connection.
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
        with self._lock:
            self._held.clear()


class Memory:
    """The memory shared by the connections of a process to one library.

    Attributes:
        documents: How many documents may stay prepared for questions, at some 0.9 MB each.
    """

    __slots__ = ("_held", "_lock", "documents")

    def __init__(self, documents: int = MAX_DOCUMENTS) -> None:
        self.documents = documents
        self._held: dict[str, Any] = {}
        self._lock = threading.Lock()

    def cache(self, name: str) -> VersionedCache[Any]:
        return self.get_or_make(name, lambda: VersionedCache(SIZES[name]))

    def get_or_make(self, name: str, make: Callable[[], Value]) -> Value:
        """Return the cached value of a name; it is created once."""
        with self._lock:
            if name not in self._held:
                self._held[name] = make()
            value: Value = self._held[name]
            return value
