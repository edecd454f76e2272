"""The few tests of statistics that the papers report, without a library for them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import mean, pvariance, variance

MAX_SPLITS = 50_000
"""Up to so many ways to split two samples all are looked at; beyond, as many are drawn."""
_STEPS = 300  # of the continued fraction, far more than it needs
_TINY = 1e-300  # instead of a division by zero


def coefficient_of_variation(values: Sequence[float]) -> float:
    """Return the coefficient of variation in percent: the population's deviation over its mean."""
    middle = mean(values)
    return 100 * math.sqrt(pvariance(values)) / middle if middle else math.nan


def regression_slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the slope of the regression of y on x; not a number where x does not vary."""
    middle = mean(x)
    spread = math.fsum((each - middle) ** 2 for each in x)
    if not spread:
        return math.nan
    return math.fsum((a - middle) * b for a, b in zip(x, y, strict=True)) / spread


def anova(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return F and p of a one-way analysis of variance; not a number for too few values."""
    values = [each for group in groups for each in group]
    between, within = len(groups) - 1, len(values) - len(groups)
    if between < 1 or within < 1 or not all(groups):
        return math.nan, math.nan
    grand = mean(values)
    outer = math.fsum(len(group) * (mean(group) - grand) ** 2 for group in groups)
    inner = math.fsum((each - mean(group)) ** 2 for group in groups for each in group)
    if not inner:
        return math.nan, math.nan
    value = (outer / between) / (inner / within)
    return value, f_tail(value, between, within)


def variance_ratio(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return F and the two-sided p of equal variances; not a number where one does not vary."""
    if len(x) < 2 or len(y) < 2 or not variance(x) or not variance(y):
        return math.nan, math.nan
    value = variance(x) / variance(y)
    upper = f_tail(value, len(x) - 1, len(y) - 1)
    return value, min(1.0, 2 * min(upper, 1 - upper))


def f_tail(value: float, above: int, below: int) -> float:
    """Return the probability of an F as great, with the degrees of freedom above and below."""
    if value <= 0:
        return 1.0
    return incomplete_beta(below / 2, above / 2, below / (below + above * value))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    told = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(told + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, _not_zero(1 - (a + b) * x / (a + 1))
    d = 1 / d
    found = d
    for m in range(1, _STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _not_zero(1 + step * d)
            c = _not_zero(1 + step / c)
            found *= c * d
        if abs(c * d - 1) < 1e-13:
            break
    return front * found


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def smirnov_distance(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the greatest distance of two samples' distributions (Kolmogorov and Smirnov)."""
    return max(
        abs(sum(a <= at for a in x) / len(x) - sum(b <= at for b in y) / len(y)) for at in {*x, *y}
    )


def mann_whitney(x: Sequence[float], y: Sequence[float]) -> float:
    """Return U of the first sample: pairs in which it is greater, ties for half."""
    return math.fsum((a > b) + (a == b) / 2 for a in x for b in y)


def u_distance(x: Sequence[float], y: Sequence[float]) -> float:
    """Return how far U is from what two like samples have."""
    return abs(mann_whitney(x, y) - len(x) * len(y) / 2)


def permutation_p(
    x: Sequence[float],
    y: Sequence[float],
    statistic: Callable[[Sequence[float], Sequence[float]], float],
    *,
    seed: int = 0,
) -> float:
    """Return p by permutation: the share of splits of the values whose statistic is as great.

    It is exact where there are few splits, ties included.
    """
    values = [*x, *y]
    seen = statistic(x, y) - 1e-9
    count = math.comb(len(values), len(x))
    if count <= MAX_SPLITS:
        splits = combinations(range(len(values)), len(x))
        return sum(_of(values, split, statistic) >= seen for split in splits) / count
    drawn = random.Random(seed)  # noqa: S311 - nothing secret
    hits = sum(
        _of(values, drawn.sample(range(len(values)), len(x)), statistic) >= seen
        for _ in range(MAX_SPLITS)
    )
    return (hits + 1) / (MAX_SPLITS + 1)


def _of(
    values: Sequence[float],
    split: Sequence[int],
    statistic: Callable[[Sequence[float], Sequence[float]], float],
) -> float:
    chosen = set(split)
    return statistic(
        [values[at] for at in split],
        [value for at, value in enumerate(values) if at not in chosen],
    )
