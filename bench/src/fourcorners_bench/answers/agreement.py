"""Whether a judge and people agree on which reports are better (PAKTON, 2025, appendix C.1).

For each criterion both give a distribution over first, second and neither, in percent. Compared
are the distributions of each criterion (cosine, mean absolute and root mean square error) and, over
the criteria, each of the three shares: their mean difference, variances, and distributions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners_bench.answers.judging import load_criteria
from fourcorners_bench.answers.votes import Winner, winner_shares
from fourcorners_bench.measures import statistics
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, json_figures

if TYPE_CHECKING:
    from rich.table import Table

Counts = Mapping[str, Mapping[Winner, int]]


@dataclass(frozen=True, slots=True)
class DistributionMatch:
    """Two distributions of one criterion; errors are in percentage points."""

    criterion: str
    judge: Sequence[float]
    people: Sequence[float]
    cosine: float
    mae: float
    rmse: float


@dataclass(frozen=True, slots=True)
class ShareMatch:
    """One of the three shares over the criteria; each p is that of no difference."""

    winner: Winner
    difference: float
    f: float
    f_p: float
    smirnov_p: float
    whitney_p: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge and people agree."""

    criteria: tuple[DistributionMatch, ...]
    shares: tuple[ShareMatch, ...]

    @property
    def cosine(self) -> float:
        return mean(each.cosine for each in self.criteria)

    @property
    def mae(self) -> float:
        """Return the mean absolute error over the criteria, in percentage points."""
        return mean(each.mae for each in self.criteria)

    @property
    def rmse(self) -> float:
        """Return the root mean square error over the criteria, in percentage points."""
        return math.sqrt(mean(each.rmse**2 for each in self.criteria))

    def to_json(self) -> dict[str, Json]:
        """Return the figures for the record; None for those that are unknown."""
        return {
            "cosine": round(self.cosine, 4),
            "mae": round(self.mae, 4),
            "rmse": round(self.rmse, 4),
            "criteria": [
                {
                    "criterion": each.criterion,
                    "judge": json_figures(each.judge, 2),
                    "people": json_figures(each.people, 2),
                    **{name: round(getattr(each, name), 4) for name in ("cosine", "mae", "rmse")},
                }
                for each in self.criteria
            ],
            "shares": [json_figures(each) for each in self.shares],
        }


def measure_agreement(judge: Counts, people: Counts, *, without: Collection[str] = ()) -> Agreement:
    """Compare the votes of a judge and of people by the criteria that both voted on.

    `without` leaves criteria out, as the paper does with one that its judge misunderstood.

    Raises:
        ConfigError: If no criterion is left.
    """
    names = [
        each.id
        for each in load_criteria().items
        if each.id not in without and judge.get(each.id) and people.get(each.id)
    ]
    if not names:
        raise ConfigError("judge and people have voted on no criterion together.")
    alike = []
    for name in names:
        one, other = winner_shares(judge[name]), winner_shares(people[name])
        apart = [a - b for a, b in zip(one, other, strict=True)]
        alike.append(
            DistributionMatch(
                name,
                one,
                other,
                cosine(one, other),
                mean(map(abs, apart)),
                math.sqrt(mean(each * each for each in apart)),
            )
        )
    found = []
    for at, winner in enumerate(Winner):
        left = [each.judge[at] for each in alike]
        right = [each.people[at] for each in alike]
        f, p = statistics.variance_ratio(left, right)
        found.append(
            ShareMatch(
                winner,
                mean(left) - mean(right),
                f,
                p,
                statistics.permutation_p(left, right, statistics.smirnov_distance),
                statistics.permutation_p(left, right, statistics.u_distance),
            )
        )
    return Agreement(tuple(alike), tuple(found))


def cosine(x: Sequence[float], y: Sequence[float]) -> float:
    length = math.sqrt(sum(a * a for a in x) * sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y, strict=True)) / length if length else 0.0


def criteria_table(found: Agreement, systems: tuple[str, str]) -> Table:
    title = f"Votes for {systems[0]} / {systems[1]} / neither, percent"
    heads = ("judge", "people", "cosine", "MAE", "RMSE")
    table = figure_table(title, "", *heads, wrap_words=True)
    names = {each.id: each.name for each in load_criteria().items}
    for each in found.criteria:
        table.add_row(
            names[each.criterion],
            *(" / ".join(f"{value:.0f}" for value in one) for one in (each.judge, each.people)),
            f"{each.cosine:.4f}",
            f"{each.mae:.2f}",
            f"{each.rmse:.2f}",
        )
    figures = (f"{found.cosine:.4f}", f"{found.mae:.2f}", f"{found.rmse:.2f}")
    table.add_row("all", "", "", *figures, style="bold")
    return table


def share_table(found: Agreement, systems: tuple[str, str]) -> Table:
    """Return how each share differs over the criteria, with the tests' p."""
    title = "Over the criteria: judge less people, and p of no difference"
    heads = ("mean", "variances", "Kolmogorov-Smirnov", "Mann-Whitney")
    table = figure_table(title, "", *heads)
    names = (*systems, "neither")
    for name, each in zip(names, found.shares, strict=True):
        tests = (each.f_p, each.smirnov_p, each.whitney_p)
        p_values = ("" if math.isnan(p) else f"{p:.3f}" for p in tests)
        table.add_row(name, f"{each.difference:+.1f}", *p_values)
    return table
