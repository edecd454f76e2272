"""Clauses made ready to be ranked: words counted and vectors made once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from fourcorners.models.encoder import Encoder
from fourcorners.precedents.features import Reading
from fourcorners.precedents.lexical import Bm25

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Collection:
    """The clauses to choose from; what a way to rank does not need is never made.

    Args:
        texts: Of the clauses.
        encoder: What makes vectors, of clauses and of queries.
        vectors: One unit row a clause, if they are at hand.
    """

    def __init__(
        self,
        texts: Sequence[str],
        encoder: Encoder,
        *,
        vectors: NDArray[np.float32] | None = None,
    ) -> None:
        if vectors is not None and vectors.shape != (len(texts), encoder.dimension):
            raise ValueError(f"{len(texts)} clauses, but vectors of the shape {vectors.shape}")
        self.texts = tuple(texts)
        self.encoder = encoder
        self._vectors = vectors
        self._readings: dict[int, Reading] = {}

    def reading(self, row: int) -> Reading:
        """Return a clause with what was found in it so far."""
        if row not in self._readings:
            self._readings[row] = Reading(self.texts[row])
        return self._readings[row]

    @cached_property
    def lexical(self) -> Bm25:
        """Return the words of the clauses."""
        return Bm25(self.texts)

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """Return one unit row a clause."""
        if self._vectors is not None:
            return self._vectors
        return self.encoder.encode(self.texts)
