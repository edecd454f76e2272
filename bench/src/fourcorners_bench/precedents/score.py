"""Measures of a ranking of clauses: NDCG and star precision, as ACORD's paper counts them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from fourcorners.errors import ConfigError
from fourcorners_bench.measures.statistics import bootstrap_interval
from fourcorners_bench.precedents.loader import AcordQuery, Ranking
from fourcorners_bench.record import Json, json_figures
from fourcorners_bench.run_files import index_lines, require_line

MEASURES = ("ndcg@5", "ndcg@10", "3-star@5", "4-star@5", "5-star@5")
TOP = 5  # ACORD's precision at 5


@dataclass(frozen=True, slots=True)
class QueryMeasures:
    """The measures of one query; None where it has no clause with so many stars."""

    query: str
    category: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over queries with its 95% bootstrap interval; None where no query counts."""

    value: float | None
    low: float | None
    high: float | None

    def to_json(self) -> list[Json]:
        return [json_figures(each, 6) for each in (self.value, self.low, self.high)]


def score_query(asked: AcordQuery, answer: Ranking) -> QueryMeasures:
    """Score the ranking of one query; what was not judged is left out of it.

    NDCG has linear gain on scores of 0 to 4. Star precision is the plain share of the first five
    that have so many stars: the normalised definition of the paper's appendix F gives other figures
    than the paper's tables, this one gives the same.

    Raises:
        ConfigError: If the ranking lacks a judged clause.
    """
    gains = [asked.judged[clause] for clause, _ in answer.ranking if clause in asked.judged]
    if len(gains) != len(asked.judged):
        raise ConfigError(
            f"the ranking of {asked.id!r} lacks {len(asked.judged) - len(gains)} of its "
            f"{len(asked.judged)} judged clauses."
        )
    best = sorted(asked.judged.values(), reverse=True)
    stars = [
        sum(gain >= least - 1 for gain in gains[:TOP]) / TOP if best[0] >= least - 1 else None
        for least in (3, 4, 5)
    ]
    values = (ndcg(gains, best, 5), ndcg(gains, best, 10), *stars)
    return QueryMeasures(asked.id, asked.category, values)


def ndcg(gains: Sequence[float], best: Sequence[float], k: int) -> float:
    """Return the discounted gain of the first `k` as a share of the best order's."""
    ideal = _discounted(best[:k])
    return _discounted(gains[:k]) / ideal if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))


def score_run(queries: Sequence[AcordQuery], run: Iterable[Ranking]) -> list[QueryMeasures]:
    """Score a run.

    Raises:
        ConfigError: If a query has no line: a missing line is not an answer.
    """
    answers = index_lines(run, lambda line: line.query)
    return [score_query(query, require_line(answers, query.id)) for query in queries]


def mean_figures(rows: Sequence[QueryMeasures], *, seed: int = 0) -> dict[str, Figure]:
    """Return each measure's mean with its interval over queries."""
    return {name: _figure(rows, at, seed) for at, name in enumerate(MEASURES)}


def _figure(rows: Sequence[QueryMeasures], at: int, seed: int) -> Figure:
    values = [value for row in rows if (value := row.values[at]) is not None]
    if not values:
        return Figure(None, None, None)
    low, high = bootstrap_interval(values, mean, seed=seed)
    return Figure(mean(values), low, high)


def figures_by_category(
    rows: Sequence[QueryMeasures], *, seed: int = 0
) -> dict[str, tuple[int, dict[str, Figure]]]:
    """Return for each category its number of queries and its figures, the largest first."""
    parts: dict[str, list[QueryMeasures]] = {}
    for row in rows:
        parts.setdefault(row.category, []).append(row)
    ordered = sorted(parts.items(), key=lambda part: (-len(part[1]), part[0]))
    return {name: (len(part), mean_figures(part, seed=seed)) for name, part in ordered}


def precedent_measures(rows: Sequence[QueryMeasures], *, seed: int = 0) -> dict[str, Json]:

    def figure_values(part: Mapping[str, Figure]) -> dict[str, Json]:
        return {name: figure.to_json() for name, figure in part.items()}

    return {
        "queries": len(rows),
        "all": figure_values(mean_figures(rows, seed=seed)),
        "categories": {
            name: {"queries": count, **figure_values(part)}
            for name, (count, part) in figures_by_category(rows, seed=seed).items()
        },
        "by_query": {row.query: json_figures(row.values, 6) for row in rows},
    }
