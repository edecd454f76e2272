"""Vectors of clauses, kept in the library by the hash of their words and the encoder's name."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from fourcorners.library.database import binary, register, string
from fourcorners.library.store import Library
from fourcorners.models.encoder import Encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROOM = "precedents"

register(
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


def vectors(library: Library, texts: Sequence[str], encoder: Encoder) -> NDArray[np.float32]:
    """Return one unit row a text; what the library has not yet is made and kept."""
    import numpy as np

    library.prepare(_ROOM)
    keys = [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    held: dict[str, NDArray[np.float32]] = {}
    for key in set(keys):
        rows = library.execute(
            "SELECT clause, data FROM precedent_vectors WHERE encoder = ? AND clause = ?",
            (encoder.name, key),
        )
        for clause, data in rows:
            held[string(clause)] = np.frombuffer(binary(data), dtype="<f4")
    fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
    if fresh:
        made = encoder.encode(list(fresh.values()))
        with library.transaction():
            for key, row in zip(fresh, made, strict=True):
                held[key] = row
                library.execute(
                    "INSERT OR REPLACE INTO precedent_vectors VALUES (?, ?, ?)",
                    (encoder.name, key, row.astype("<f4").tobytes()),
                )
    if not keys:
        return np.empty((0, encoder.dimension), np.float32)
    return np.stack([held[key] for key in keys])
