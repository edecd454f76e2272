"""Confidence intervals: the bootstrap over documents, and Wilson's for a share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


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
    random = np.random.default_rng(seed)
    drawn = sorted(
        figure([units[i] for i in random.integers(0, len(units), len(units))])
        for _ in range(samples)
    )
    return drawn[int(0.025 * samples)], drawn[min(samples - 1, int(0.975 * samples))]


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
