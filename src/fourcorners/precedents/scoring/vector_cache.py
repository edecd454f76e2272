"""Vectors of clauses, kept in the library by the hash of their words and the encoder's name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from fourcorners.library.database import as_bytes, as_string, register_tables
from fourcorners.library.store import Library
from fourcorners.models.encoder.protocol import Encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[np.float32]

BATCH = 256
"""Texts that are encoded before they are stored: as much is lost if a run is stopped."""
T = TypeVar("T")
_ROOM = "precedents"

register_tables(
    _ROOM,
    (
        """
        CREATE TABLE precedent_vectors(
            encoder TEXT NOT NULL,
            clause  TEXT NOT NULL,
            data    BLOB NOT NULL,
            PRIMARY KEY (encoder, clause)
        ) STRICT, WITHOUT ROWID
        """,
    ),
)


def split_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def cached_vectors(library: Library, texts: Sequence[str], encoder: Encoder) -> Rows:
    """Return one unit row a text; what the library has not yet is made and kept."""
    import numpy as np

    library.migrate(_ROOM)
    keys = [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    held: dict[str, Rows] = {}
    for key in set(keys):
        rows = library.execute(
            "SELECT clause, data FROM precedent_vectors WHERE encoder = ? AND clause = ?",
            (encoder.name, key),
        )
        for clause, data in rows:
            held[as_string(clause)] = np.frombuffer(as_bytes(data), dtype="<f4")
    fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
    for part in split_batches(fresh.items(), BATCH):
        made = encoder.encode([text for _, text in part])
        with library.transaction():
            for (key, _), row in zip(part, made, strict=True):
                held[key] = row
                library.execute(
                    "INSERT OR REPLACE INTO precedent_vectors VALUES (?, ?, ?)",
                    (encoder.name, key, row.astype("<f4").tobytes()),
                )
    if not keys:
        return np.empty((0, encoder.dimension), np.float32)
    return np.stack([held[key] for key in keys])
