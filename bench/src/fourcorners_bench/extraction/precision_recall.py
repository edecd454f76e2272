"""Precision over recall as CUAD's paper measures it (section 4), over all categories together.

Every candidate is a prediction with its score. It is right when the words of it and of an annotated
instance have a Jaccard similarity of at least one half; for `Parties` it is enough that it holds
the instance. An instance that some candidate matches is a true positive, one that none matches a
false negative, and a candidate that matches nothing a false positive. The same words twice are one
candidate. The area under the curve takes, at each recall, the best precision at that recall or
beyond, and reaches as far as the candidates do: recall that is never reached adds nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from fourcorners_bench.extraction.loader import CATEGORIES, AnnotatedContract, Extraction
from fourcorners_bench.measures.statistics import bootstrap_interval
from fourcorners_bench.measures.tables import summary_table
from fourcorners_bench.record import Json, json_figures

if TYPE_CHECKING:
    from rich.table import Table

MIN_JACCARD = 0.5  # as CUAD counts a match
SPLIT_CATEGORY = "Parties"
CONFIDENCE_STEPS = (*(round(0.99 - 0.01 * step, 2) for step in range(99)), 0.001, 0.0)
_GONE = str.maketrans({".": "", ",": "", ";": "", ":": "", "/": " "})


@dataclass(frozen=True, slots=True)
class Tally:
    """What one contract adds at each step: hits of instances, and wrong candidates."""

    instances: int
    hits: tuple[int, ...]
    wrong: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """The area under the curve, and the precision where a recall is first reached (0: never)."""

    area: float
    at_80: float
    at_90: float


@lru_cache(maxsize=4_096)
def distinct_words(text: str) -> frozenset[str]:
    """Return the distinct words of a text, as the paper's scorer compares them."""
    return frozenset(text.translate(_GONE).lower().split())


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    both = len(left & right)
    return both > 0 and both >= MIN_JACCARD * (len(left) + len(right) - both)


def tally_candidates(contract: AnnotatedContract, answer: Extraction) -> Tally:
    instances = [span.text_in(contract.text) for span in contract.annotations[answer.provision]]
    bags = [distinct_words(instance) for instance in instances]
    candidates: dict[str, float] = {}
    for span, score in answer.candidates:
        text = span.text_in(contract.text)
        candidates[text] = max(score, candidates.get(text, 0.0))
    best = [-1.0] * len(instances)
    wrong: list[float] = []
    for text, score in candidates.items():
        bag = distinct_words(text)
        matched = [
            at
            for at, instance in enumerate(instances)
            if _alike(bag, bags[at]) or (answer.provision == SPLIT_CATEGORY and instance in text)
        ]
        for at in matched:
            best[at] = max(best[at], score)
        if not matched:
            wrong.append(score)
    return Tally(len(instances), _count_above(best), _count_above(wrong))


def _count_above(scores: Iterable[float]) -> tuple[int, ...]:
    ordered = sorted(scores)
    return tuple(len(ordered) - bisect_right(ordered, step) for step in CONFIDENCE_STEPS)


def add_tallies(tallies: Sequence[Tally]) -> Tally:
    return Tally(
        sum(each.instances for each in tallies),
        tuple(map(sum, zip(*(each.hits for each in tallies), strict=True))),
        tuple(map(sum, zip(*(each.wrong for each in tallies), strict=True))),
    )


def precision_recall_curve(tallies: Sequence[Tally]) -> PrecisionRecall:
    total = add_tallies(tallies)
    points = [(0.0, 1.0)]
    for right, false in zip(total.hits, total.wrong, strict=True):
        if right + false and total.instances:
            points.append((right / total.instances, right / (right + false)))
    best: list[tuple[float, float]] = []
    highest = 0.0
    for recall, precision in reversed(points):
        highest = max(highest, precision)
        best.append((recall, highest))
    best.reverse()
    area = sum(
        (after[0] - before[0]) * (after[1] + before[1]) / 2 for before, after in pairwise(best)
    )
    return PrecisionRecall(area, _precision_at(best, 0.8), _precision_at(best, 0.9))


def _precision_at(points: Sequence[tuple[float, float]], recall: float) -> float:
    return next((precision for reached, precision in points if reached >= recall), 0.0)


def contract_tallies(
    contracts: Iterable[AnnotatedContract], run: Iterable[Extraction]
) -> dict[str, dict[str, Tally]]:
    texts: Mapping[str, AnnotatedContract] = {contract.name: contract for contract in contracts}
    found: dict[str, dict[str, Tally]] = {name: {} for name in texts}
    by_contract = sorted(run, key=lambda answer: answer.name)  # whose words are kept for the while
    for answer in by_contract:
        if answer.name in texts and answer.provision in CATEGORIES:
            found[answer.name][answer.provision] = tally_candidates(texts[answer.name], answer)
    return found


def pooled_curve(
    found: Iterable[Mapping[str, Tally]], categories: Sequence[str] = CATEGORIES
) -> PrecisionRecall:
    return precision_recall_curve(
        [each[name] for each in found for name in categories if name in each]
    )


def curve_measures(found: Mapping[str, Mapping[str, Tally]], *, seed: int = 0) -> dict[str, Json]:
    """Return the figures of CUAD's paper over the 41 categories together, with 95% intervals."""
    units = [add_tallies(list(each.values())) for each in found.values()]
    whole = precision_recall_curve(units)

    def interval(figure: Callable[[PrecisionRecall], float]) -> Json:
        def measure(drawn: Sequence[Tally]) -> float:
            return figure(precision_recall_curve(drawn))

        return json_figures(bootstrap_interval(units, measure, samples=200, seed=seed))

    return {
        "area": round(whole.area, 4),
        "area_interval": interval(lambda each: each.area),
        "precision_at_80_recall": round(whole.at_80, 4),
        "precision_at_80_recall_interval": interval(lambda each: each.at_80),
        "precision_at_90_recall": round(whole.at_90, 4),
        "categories": {
            name: round(pooled_curve(found.values(), [name]).area, 4) for name in CATEGORIES
        },
    }


def curve_table(measures: Mapping[str, Json]) -> Table:
    figures = {
        f"{label}, in %": f"{100 * cast('float', measures[name]):.1f}"
        for label, name in (
            ("area under precision over recall", "area"),
            ("precision at 80% recall", "precision_at_80_recall"),
            ("precision at 90% recall", "precision_at_90_recall"),
        )
    }
    return summary_table("All 41 categories, as CUAD's paper measures", figures)
