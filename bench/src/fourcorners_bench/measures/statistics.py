"""Confidence intervals, and the analysis of variance of PAKTON's paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import mean, pvariance
from typing import TypeVar

T = TypeVar("T")
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
