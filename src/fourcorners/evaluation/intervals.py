"""Confidence intervals by the bootstrap over documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def bootstrap(
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
