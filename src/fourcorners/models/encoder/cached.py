"""`CachedEncoder`: an encoder that remembers what it made, for texts that are asked for again.

The sentences of a contract are read again for each question whether it says so, and the examples
of a rule for each contract; their vectors are the same every time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

from fourcorners.models.encoder.protocol import Encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_VECTORS = 4_096
"""Vectors that are kept by default: those of some fifteen contracts, six MB."""


class CachedEncoder:
    """An encoder with the last vectors that it made; threads may share it.

    Texts are known by their hashes: no contract is kept in memory for their sake.
    """

    def __init__(self, encoder: Encoder, *, most: int = MAX_VECTORS) -> None:
        self._encoder, self._most = encoder, most
        self._lock = Lock()
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def dimension(self) -> int:
        return self._encoder.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row a text; those that are kept are not made again.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        import numpy as np

        keys = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        found = self._stored_vectors(keys)
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if fresh:
            made = self._encoder.encode(list(fresh.values()))
            found.update(zip(fresh, made, strict=True))
            self._keep(dict(zip(fresh, made, strict=True)))
        if not keys:
            return np.empty((0, self.dimension), np.float32)
        return np.stack([found[key] for key in keys])

    def _stored_vectors(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return found

    def _keep(self, made: dict[bytes, NDArray[np.float32]]) -> None:
        with self._lock:
            for key, row in made.items():
                self._vectors[key] = row.copy()  # a view would keep all the other rows as well
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
