"""How alike long texts are, from a sketch of each: near-duplicates without comparing all pairs.

A sketch is the smallest hashes of a text's runs of words (Broder, "On the resemblance and
containment of documents", 1997); the share of the smallest of two sketches together that both
have estimates the resemblance of the two sets of runs.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeVar

from fourcorners.text.tokenization import tokenize

T = TypeVar("T", str, tuple[int, int])
SHINGLE_WORDS = 5  # words
SKETCH_SIZE = 400  # hashes kept of a text: the estimate's standard error is about 2.5 points
_COMMON_HASH_LIMIT = 50  # texts that share a hash, above which it joins neighbours only, for cost


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two texts by their names, and their resemblance, 0 to 1."""

    left: str
    right: str
    resemblance: float


def sketch(text: str) -> frozenset[int]:
    """Return the sketch of a text; empty for one that is shorter than a run."""
    tokens = tokenize(text).tokens
    runs = {
        " ".join(tokens[at : at + SHINGLE_WORDS]) for at in range(len(tokens) - SHINGLE_WORDS + 1)
    }
    return frozenset(sorted({zlib.crc32(run.encode()) for run in runs})[:SKETCH_SIZE])


def resemblance(one: frozenset[int], other: frozenset[int]) -> float:
    together = sorted(one | other)[:SKETCH_SIZE]
    if not together:
        return 0.0
    return sum(value in one and value in other for value in together) / len(together)


def group_pairs(pairs: Iterable[tuple[T, T]]) -> list[tuple[T, ...]]:
    """Return what pairs join, directly or through others, the largest family first."""
    above: dict[T, T] = {}

    def root(name: T) -> T:
        while above.setdefault(name, name) != name:
            above[name] = name = above[above[name]]
        return name

    for left, right in pairs:
        above[root(right)] = root(left)
    members: dict[T, list[T]] = defaultdict(list)
    for name in above:
        members[root(name)].append(name)
    return sorted((tuple(sorted(each)) for each in members.values()), key=lambda f: (-len(f), f))


def find_similar_pairs(sketches: Mapping[str, frozenset[int]], least: float) -> list[SimilarPair]:
    """Return the pairs whose resemblance is at least `least`, the most alike first.

    The cost grows with the number of texts and of pairs that share much, not with all pairs.
    """
    pairs = (
        SimilarPair(one, other, resemblance(sketches[one], sketches[other]))
        for one, other in _candidates(sketches, least)
    )
    found = [pair for pair in pairs if pair.resemblance >= least]
    return sorted(found, key=lambda pair: (-pair.resemblance, pair.left, pair.right))


def _candidates(sketches: Mapping[str, frozenset[int]], least: float) -> Iterator[tuple[str, str]]:
    places: dict[int, list[str]] = defaultdict(list)
    for name, values in sketches.items():
        for value in values:
            places[value].append(name)
    shared: Counter[tuple[str, str]] = Counter()
    for names in places.values():
        few = len(names) <= _COMMON_HASH_LIMIT
        shared.update(combinations(sorted(names), 2) if few else pairwise(sorted(names)))
    for (one, other), count in shared.items():
        # Both keep their smallest: alike texts share about that part of the smaller sketch.
        if count >= 0.5 * least * min(len(sketches[one]), len(sketches[other])):
            yield one, other
