"""BM25 over the stems of clauses, in memory (Robertson and Zaragoza, 2009)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fourcorners.search.stems import IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
"""How soon a word that recurs counts no more, and how much length counts against a clause."""


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
    """Return the stems of a query's words, but for those that every text has."""
    tokens = tokenize(query).tokens
    return stem_tokens([token for token in tokens if token not in IDLE] or list(tokens))


def scale_by_highest(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores as shares of the highest."""
    highest = float(scores.max(initial=0.0))
    return scores / highest if highest > 0 else scores
