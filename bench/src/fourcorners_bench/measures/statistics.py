"""Confidence intervals, and the few tests that the papers report, without a library for them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import mean, pvariance, variance
from typing import TypeVar

T = TypeVar("T")
MAX_SPLITS = 50_000
"""Up to so many ways to split two samples all are looked at; beyond, as many are drawn."""
_NODES = 200  # of the quadrature, exact to some 12 digits for thousands of degrees of freedom


def ratio(part: float, whole: float) -> float:
    """Return the share that a part is of a whole; 0 of nothing."""
    return part / whole if whole else 0.0


def bootstrap_interval(
    units: Sequence[T],
    figure: Callable[[Sequence[T]], float],
    *,
    samples: int = 1_000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the 95% percentile interval of `figure` over resamples of `units` with replacement.

    Units are documents, since what is drawn from one document is not independent.
    """
    import numpy as np

    if not units:
        return (0.0, 0.0)
    drawn = np.random.default_rng(seed)
    return sample_interval(
        [
            figure([units[i] for i in drawn.integers(0, len(units), len(units))])
            for _ in range(samples)
        ]
    )


def sample_interval(drawn: Sequence[float]) -> tuple[float, float]:
    """Return the bounds between which 95% of the values lie."""
    ordered = sorted(drawn) or [0.0]
    count = len(ordered)
    return ordered[int(0.025 * count)], ordered[min(count - 1, int(0.975 * count))]


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson, 1927)."""
    if not trials:
        return (0.0, 0.0)
    z = 1.959964
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = share * (1 - share) / trials + z * z / (4 * trials * trials)
    half = z * math.sqrt(spread) / (1 + z * z / trials)
    return (max(0.0, middle - half), min(1.0, middle + half))


def coefficient_of_variation(values: Sequence[float]) -> float:
    """Return the population's deviation over its mean, in percent."""
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
    """Return the regularised incomplete beta function for multiples of one half.

    With x as the square of a sine its integrand is smooth, and Gauss's quadrature exact.
    """
    import numpy as np

    if not 0 < x < 1:
        return float(x >= 1)
    end = math.asin(math.sqrt(x))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    angles = end * (nodes + 1) / 2
    log_beta = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    density = np.sin(angles) ** (2 * a - 1) * np.cos(angles) ** (2 * b - 1)
    return min(1.0, math.exp(log_beta) * end * float(weights @ density))


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
    places = range(len(values))
    seen = statistic(x, y) - 1e-9

    def is_at_least(split: Sequence[int]) -> bool:
        rest = [values[at] for at in places if at not in split]
        return statistic([values[at] for at in split], rest) >= seen

    count = math.comb(len(values), len(x))
    if count <= MAX_SPLITS:
        return sum(map(is_at_least, combinations(places, len(x)))) / count
    drawn = random.Random(seed)  # noqa: S311 - nothing secret
    hits = sum(is_at_least(drawn.sample(places, len(x))) for _ in range(MAX_SPLITS))
    return (hits + 1) / (MAX_SPLITS + 1)
