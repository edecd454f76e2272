"""What the port needs of a cache: the same request is answered once, while the cache is kept."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import asdict
from typing import Protocol

from fourcorners.llm.exchange import Finish, Response


class Cache(Protocol):
    """Text by key, used in the thread that asks; a key is the hash of all that matters."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, value: str) -> None: ...


class MemoryCache:
    """A cache of this process; the one that was not used for longest goes first."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> str | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, value: str) -> None:
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def dump_response(response: Response) -> str:
    return json.dumps(asdict(response), ensure_ascii=False, sort_keys=True)


def load_response(line: str) -> Response | None:
    """Return the response that `packed` made of JSON; None if it is not such JSON."""
    try:
        held = json.loads(line)
        return Response(**{**held, "finish": Finish(held["finish"])})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
