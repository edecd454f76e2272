"""Clauses made ready to be ranked: words counted and vectors made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.precedents.scoring.bm25 import Bm25
from fourcorners.precedents.scoring.features import ClauseReading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "Callable[[Sequence[str]], NDArray[np.float32]]"


class ClauseCollection:
    """The clauses to choose from; what a way to rank does not need is never made.

    Args:
        texts: Of the clauses.
        encoder: What makes vectors, of clauses and of queries.
        vectors: One unit row a clause if they are at hand, or what gives them for some texts, if
            not the encoder itself.
    """

    def __init__(
        self,
        texts: Sequence[str],
        encoder: Encoder,
        *,
        vectors: NDArray[np.float32] | Vectors | None = None,
    ) -> None:
        self.texts = tuple(texts)
        self.encoder = encoder
        self._readings: dict[int, ClauseReading] = {}
        self._make: Vectors = encoder.encode
        self._vectors: NDArray[np.float32] | None = None
        self._made: NDArray[np.bool_] | None = None
        if callable(vectors):
            self._make = vectors
        elif vectors is not None:
            if vectors.shape != (len(texts), encoder.dimension):
                raise ValueError(f"{len(texts)} clauses, but vectors of the shape {vectors.shape}")
            self._vectors = vectors

    def reading(self, row: int) -> ClauseReading:
        """Return a clause with what was found in it so far."""
        if row not in self._readings:
            self._readings[row] = ClauseReading(self.texts[row])
        return self._readings[row]

    @cached_property
    def lexical(self) -> Bm25:
        """Return the words of the clauses."""
        return Bm25(self.texts)

    @cached_property
    def all_rows(self) -> NDArray[np.intp]:
        """Return the rows of all clauses."""
        import numpy as np

        return np.arange(len(self.texts))

    def vectors(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return one unit row a clause asked for; those not asked for before are made."""
        import numpy as np

        if self._vectors is None:
            self._vectors = np.zeros((len(self.texts), self.encoder.dimension), np.float32)
            self._made = np.zeros(len(self.texts), np.bool_)
        if self._made is not None:
            fresh = rows[~self._made[rows]]
            if len(fresh):
                self._vectors[fresh] = self._make([self.texts[row] for row in fresh.tolist()])
                self._made[fresh] = True
        found: NDArray[np.float32] = self._vectors[rows]
        return found
