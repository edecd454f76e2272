"""BM25 as FTS5's `bm25()` computes it, for rows that are ranked without it."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, overload

from fourcorners.library.words import WordTotals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
"""BM25's constants, as SQLite sets them."""
_LEAST_RARITY = 1e-6  # the IDF of a word in more than half of the passages, as in SQLite


@overload
def bm25(often: int, length: int, whole: WordTotals, containing: int) -> float: ...


@overload
def bm25(
    often: NDArray[np.int64], length: NDArray[np.int64], whole: WordTotals, containing: int
) -> NDArray[np.float64]: ...


def bm25(
    often: int | NDArray[np.int64],
    length: int | NDArray[np.int64],
    whole: WordTotals,
    containing: int,
) -> float | NDArray[np.float64]:
    """Score one phrase in one row as FTS5 does, or in each of many rows; higher is better.

    Args:
        often: How often the phrase occurs in the row.
        length: The number of words in the row, including filter tokens.
        whole: The size of the index.
        containing: How many rows have the phrase.
    """
    rarity = log((whole.rows - containing + 0.5) / (containing + 0.5))
    rarity = rarity if rarity > 0 else _LEAST_RARITY
    mean = whole.words / whole.rows
    rest = K1 * (1 - B + B * length / mean)
    weighed: float | NDArray[np.float64]
    weighed = rarity * ((often * (K1 + 1.0)) / (often + rest))  # type: ignore[assignment] # float64
    return weighed
