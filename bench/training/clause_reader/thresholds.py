"""What the clause reader quotes: thresholds and margins, chosen on contracts that are not judged.

All provisions share one trade: a point of F1 against characters returned and their precision. For
each contract the counts of every prefix of its candidates are added up once; a pair of thresholds
is then a matter of looking up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fourcorners.review.extract.cells import MAX_CANDIDATES, MAX_READER_CHARACTERS, SHARE
from fourcorners.text.span import Span, merge_spans
from fourcorners_bench.extraction.loader import RELATED, AnnotatedContract
from fourcorners_bench.extraction.score import MIN_RETURNED

DEEPEST = MAX_CANDIDATES  # sentences of a contract that may be quoted
LENGTHY = 0.05  # F1 that 1,000 characters a contract must be worth
PRECISE = 0.05  # F1 that character precision, from none to all, is worth
SMOOTH = 9  # contracts over which the worth of a threshold is averaged: a single one is chance
EAGER = 0.2  # F1 that hearing the playbook's query may cost on these contracts
MARGINS = (0.0, 0.25, 0.5, 1.0)  # see `fourcorners.review.extract.reader.rescale_probability`
# Where the query by itself finds twice as many contracts without the clause as with it, and no fact
# of the example data room, which is drafted otherwise, hangs on it: it must be surer there.
MISLEADING = frozenset(
    {
        "Anti-Assignment",
        "Audit Rights",
        "Change Of Control",
        "Effective Date",
        "Exclusivity",
        "License Grant",
    }
)
MISLED = 0.25
LEAST = 1e-3  # a probability below which nothing is quoted
STEPS = 30
Numbers = NDArray[np.float64]
Candidates = Sequence[Sequence[tuple[Span, float]]]


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The counts of each contract, for each number of its best candidates.

    Attributes:
        probability: Of each candidate, best first (contracts, `DEEPEST`); -1 where there is none.
        counts: True positives, false negatives, false positives, forgiven, characters returned,
            characters right: (contracts, `DEEPEST` + 1, 6).
    """

    probability: Numbers
    counts: Numbers


def prefixes(contracts: Sequence[AnnotatedContract], found: Candidates, category: str) -> Prefixes:
    """Judge every prefix of the candidates of each contract."""
    probability = np.full((len(contracts), DEEPEST), -1.0)
    counts = np.zeros((len(contracts), DEEPEST + 1, 6))
    for at, (contract, each) in enumerate(zip(contracts, found, strict=True)):
        best = each[:DEEPEST]
        counts[at] = _counts(contract, category, [span for span, _ in best])
        probability[at, : len(best)] = [sure for _, sure in best]
        lengthy = np.cumsum([len(span) for span, _ in best])[1:] > MAX_READER_CHARACTERS
        faint = probability[at, 1 : len(best)] < SHARE * probability[at, 0]
        probability[at, 1 : len(best)][lengthy | faint] = -1.0
    return Prefixes(probability, counts)


def _counts(contract: AnnotatedContract, category: str, spans: Sequence[Span]) -> Numbers:
    counts = np.zeros((DEEPEST + 1, 6))
    returned = _running_totals([len(span) for span in spans])
    instances = contract.annotations[category]
    counts[:, 4] = returned
    if instances:
        counts[:, 5] = _shared_lengths(spans, merge_spans(instances))
        for instance in instances:
            places = _places(contract.text, instance)
            held = np.max([_shared_lengths(spans, [place]) for place in places], axis=0)
            counts[:, 0] += held >= MIN_RETURNED * len(instance)
        counts[:, 1] = len(instances) - counts[:, 0]
    elif len(spans):
        related = merge_spans(
            s for name in RELATED.get(category, ()) for s in contract.annotations[name]
        )
        forgiven = _shared_lengths(spans, related) >= MIN_RETURNED * returned
        counts[1:, 2], counts[1:, 3] = ~forgiven[1:], forgiven[1:]
    return counts


def _shared_lengths(spans: Sequence[Span], marks: Sequence[Span]) -> Numbers:
    """Return how many characters the first 0, 1, 2 ... spans share with disjoint marks."""
    if not spans or not marks:
        return np.zeros(DEEPEST + 1)
    starts, ends = np.array([[span.start, span.end] for span in spans]).T
    low, high = np.array([[mark.start, mark.end] for mark in marks]).T
    both = np.minimum(ends[:, None], high) - np.maximum(starts[:, None], low)
    return _running_totals(np.maximum(both, 0).sum(1))


def _running_totals(sizes: Sequence[int] | NDArray[np.int64]) -> Numbers:
    """Return the sums of the first 0, 1, 2 ... sizes; the last is that of all."""
    sums = np.zeros(DEEPEST + 1)
    if len(sizes):
        sums[1 : len(sizes) + 1] = np.cumsum(sizes)
        sums[len(sizes) + 1 :] = sums[len(sizes)]
    return sums


@cache
def _places(text: str, instance: Span) -> tuple[Span, ...]:
    words = instance.text_in(text)
    found = []
    place = text.find(words)
    while place >= 0:
        found.append(Span(place, place + len(words)))
        place = text.find(words, place + 1)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds with what they are worth on the contracts that they were chosen on."""

    found: float
    also: float
    worth: float


def choose_limits(judged: Prefixes, inside: NDArray[np.bool_]) -> Limits:
    """Return the best thresholds for some contracts.

    A probability above 1 marks a candidate that counts whatever the thresholds.
    """
    probability, counts = judged.probability[inside], judged.counts[inside]
    top = probability[:, 0]
    order = np.argsort(-top, kind="stable")
    nothing = counts[:, 0]
    pool = np.sort(probability[:, :10][probability[:, :10] >= LEAST])
    steps = sorted({round(float(p), 4) for p in np.quantile(pool, np.linspace(0.05, 0.99, STEPS))})
    best = Limits(0.5, 0.5, -1.0)
    for also in steps:
        many = np.maximum((probability >= also).sum(1), 1)
        change = counts[np.arange(len(counts)), many] - nothing
        totals = nothing.sum(0) + np.cumsum(change[order], axis=0)
        worth = _worth(totals, len(counts))
        window = np.ones(SMOOTH) / SMOOTH
        worth = np.convolve(np.pad(worth, SMOOTH // 2, mode="edge"), window, mode="valid")
        worth[(top[order] < also) | (top[order] > 1)] = -1.0
        at = int(worth.argmax())
        if worth[at] > best.worth:
            best = Limits(round(float(top[order][at]), 4), also, float(worth[at]))
    return best


def _worth(totals: Numbers, contracts: int) -> Numbers:
    right, missed, wrong, forgiven, returned, precise = totals.T
    plain = 2 * right / np.maximum(2 * right + missed + wrong, 1)
    strict = 2 * right / np.maximum(2 * right + missed + wrong + forgiven, 1)
    length = returned / contracts / 1_000
    worth: Numbers = (
        (plain + strict) / 2 - LENGTHY * length + PRECISE * precise / np.maximum(returned, 1)
    )
    return worth


def choose_margin(
    judged: Sequence[Prefixes], inside: NDArray[np.bool_], least: float
) -> tuple[int, Limits]:
    """Return which of `MARGINS` to take, of those from `least` on, with its thresholds.

    It is the smallest that is nearly as good as the best: these contracts are drafted alike, and
    the query knows other ways to draft.
    """
    limits = {
        at: choose_limits(each, inside)
        for at, (each, margin) in enumerate(zip(judged, MARGINS, strict=True))
        if margin >= least
    }
    enough = max(each.worth for each in limits.values()) - EAGER
    at = next(at for at, each in limits.items() if each.worth >= enough)
    return at, limits[at]
