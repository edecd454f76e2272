"""Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

RRF_K = 60
"""The paper's constant: a higher one favours the first ranks less."""


def ranks(scores: Mapping[int, float]) -> dict[int, int]:
    """Return the rank of each row, from 1; equal scores are ordered by row."""
    return {row: rank for rank, row in enumerate(sort_by_score(sorted(scores), scores), 1)}


def sort_by_score(rows: Iterable[int], scores: Mapping[int, float]) -> list[int]:
    """Return the rows by score; equal scores stay in the order given."""
    return sorted(rows, key=scores.__getitem__, reverse=True)


def fuse_ranks(rankings: Iterable[tuple[Mapping[int, int], float]]) -> dict[int, float]:
    """Return for each row the sum of weight / (60 + rank) over the rankings that contain it."""
    fused: dict[int, float] = {}
    for ranking, weight in rankings:
        for row, rank in ranking.items():
            fused[row] = fused.get(row, 0.0) + weight / (RRF_K + rank)
    return fused
