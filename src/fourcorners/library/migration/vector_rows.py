"""Store each passage's vector separately, where a document's were in one value.

Libraries of schema 7 and earlier held the vectors of a document as one value, without codes. The
migration leaves them in `packed_vectors`; this moves them, some documents per transaction, so that
it continues wherever it was stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from fourcorners.library.database import Bindings, Row, as_bytes, as_integer

AT_ONCE = 64  # documents in one transaction


class Writer(Protocol):
    """The methods that change a library."""

    def transaction(self) -> AbstractContextManager[None]: ...

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]: ...


def move_vectors(library: Writer, insert: Callable[[int, bytes], None]) -> None:
    """Move all remaining vectors; `insert` stores the vectors of a document's row."""
    while _move_some(library, insert):
        pass


def _move_some(library: Writer, insert: Callable[[int, bytes], None]) -> bool:
    with library.transaction():
        packed = library.execute(
            "SELECT document, data FROM packed_vectors ORDER BY document LIMIT ?", (AT_ONCE,)
        )
        for document, data in packed:
            insert(as_integer(document), as_bytes(data))
        if packed:
            last = packed[-1][0]
            library.execute("DELETE FROM packed_vectors WHERE document <= ?", (last,))
    return len(packed) == AT_ONCE
