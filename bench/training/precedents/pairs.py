"""Pairs of a query and a clause to fine-tune on, each relevance as often as any other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from fourcorners_bench.precedents.loader import MAX_GAIN, Format, Split


@dataclass(frozen=True, slots=True)
class Pair:
    """A query, a clause, and the share from 0 to 1 that its stars stand for."""

    query: str
    clause: str
    target: float


def pairs_by_gain(split: Split) -> dict[int, list[Pair]]:
    """Return the judged pairs of a split by their score of 0 to 4."""
    found: dict[int, list[Pair]] = {}
    for asked in split.queries:
        query = asked.wording(Format.SHORT)
        for clause, gain in asked.judged.items():
            pair = Pair(query, split.clauses[clause], gain / MAX_GAIN)
            found.setdefault(gain, []).append(pair)
    return found


def balanced_batches(
    by_gain: dict[int, list[Pair]], size: int, *, seed: int
) -> Iterator[list[Pair]]:
    """Yield batches without end, each relevance drawn as often (ACORD, appendix F.2)."""
    drawn = random.Random(seed)
    gains = sorted(by_gain)
    while True:
        yield [drawn.choice(by_gain[drawn.choice(gains)]) for _ in range(size)]
