"""Clauses prepared for ranking, with word counts and vectors computed once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.precedents.scoring.features import ClauseFeatures
from fourcorners.text.stems import IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
"""BM25's k1 and b: the saturation of repeated words, and the penalty for length."""


class Bm25:
    """The words of clauses, which are counted once and asked many times."""

    def __init__(self, texts: Sequence[str]) -> None:
        import numpy as np

        listed = [stem_tokens(tokenize(text).tokens) for text in texts]
        lengths = np.array([len(each) for each in listed], np.float64)
        self._size = len(listed)
        self._norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean() if listed else 1)))
        rows: dict[str, list[int]] = {}
        counts: dict[str, list[int]] = {}
        for row, each in enumerate(listed):
            for stem, count in Counter(each).items():
                rows.setdefault(stem, []).append(row)
                counts.setdefault(stem, []).append(count)
        self._found = {
            stem: (np.array(held, np.intp), np.array(counts[stem], np.float64))
            for stem, held in rows.items()
        }

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return one score a clause, 0 where no word of the query is in it."""
        import numpy as np

        scores = np.zeros(self._size, np.float64)
        for stem, times in Counter(query_stems(query)).items():
            found = self._found.get(stem)
            if found is None:
                continue
            rows, counts = found
            rarity = math.log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += times * rarity * counts * (K1 + 1) / (counts + self._norm[rows])
        return scores


def query_stems(query: str) -> Iterable[str]:
    tokens = tokenize(query).tokens
    return stem_tokens([token for token in tokens if token not in IDLE] or list(tokens))


def scale_by_highest(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    highest = float(scores.max(initial=0.0))
    return scores / highest if highest > 0 else scores


Vectors: TypeAlias = "Callable[[Sequence[str]], NDArray[np.float32]]"


class ClauseCollection:
    """The candidate clauses; only what a ranking method needs is computed.

    Args:
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
        self._readings: dict[int, ClauseFeatures] = {}
        self._make: Vectors = encoder.encode
        self._vectors: NDArray[np.float32] | None = None
        self._made: NDArray[np.bool_] | None = None
        if callable(vectors):
            self._make = vectors
        elif vectors is not None:
            if vectors.shape != (len(texts), encoder.dimension):
                raise ValueError(f"{len(texts)} clauses, but vectors of the shape {vectors.shape}")
            self._vectors = vectors

    def reading(self, row: int) -> ClauseFeatures:
        if row not in self._readings:
            self._readings[row] = ClauseFeatures(self.texts[row])
        return self._readings[row]

    @cached_property
    def lexical(self) -> Bm25:
        return Bm25(self.texts)

    @cached_property
    def all_rows(self) -> NDArray[np.intp]:
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
