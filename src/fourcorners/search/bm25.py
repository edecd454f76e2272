"""BM25 as FTS5's `bm25()` works it out, for rows that are ranked without it."""

from __future__ import annotations

from math import log

from fourcorners.library.words import WordTotals

K1, B = 1.2, 0.75
"""BM25's constants, as SQLite sets them."""
_LEAST_RARITY = 1e-6  # of a word in more than half of the passages, as SQLite has it


def bm25(often: int, length: int, whole: WordTotals, bearers: int) -> float:
    """Weigh one phrase in one row as FTS5 does, the better the higher.

    Args:
        often: How often it stands in the row.
        length: The words of the row, filter tokens among them.
        whole: The size of the index.
        bearers: How many rows bear the phrase.
    """
    rarity = log((whole.rows - bearers + 0.5) / (bearers + 0.5))
    rarity = rarity if rarity > 0 else _LEAST_RARITY
    mean = whole.words / whole.rows
    return rarity * ((often * (K1 + 1.0)) / (often + K1 * (1 - B + B * length / mean)))
