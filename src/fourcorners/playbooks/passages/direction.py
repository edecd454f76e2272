"""A direction of meaning: which way the vectors of a provision's passages lie from the rest.

Where examples say what a provision is like, a direction also says what it is not like: a logistic
regression over unit vectors, fitted on passages of contracts that are marked and that are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PENALTY = 1.0  # L2
_OTHERS = 4_000  # passages of the rest that are fitted on; the others count through them
_STEPS = 12  # of Newton's method; it stops sooner
_TRIES = 10  # halvings of a step that overshoots
_ENOUGH = 0.05  # a step that gains less is the last


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """The log-odds that a passage is of a kind: `bias` + its unit vector times `vector`."""

    vector: NDArray[np.float32]
    bias: float

    def log_odds(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = vectors @ self.vector + self.bias
        return found


def fit_direction(
    vectors: NDArray[np.float32], of_kind: NDArray[np.bool_], *, seed: int = 0
) -> Direction | None:
    """Fit a direction from unit rows `of_kind` and others; None where one sort is missing."""
    import numpy as np

    others = np.flatnonzero(~of_kind)
    if not of_kind.any() or not len(others):
        return None
    drawn = others
    if len(others) > _OTHERS:
        drawn = np.random.default_rng(seed).choice(others, _OTHERS, replace=False)
    taken = np.concatenate([np.flatnonzero(of_kind), drawn])
    kind = of_kind[taken].astype(np.float64)
    rows = np.c_[vectors[taken].astype(np.float64), np.ones(len(taken))]
    penalty = np.full(rows.shape[1], _PENALTY)
    penalty[-1] = 1e-3
    head = np.zeros(rows.shape[1])
    head[-1] = np.log(kind.mean() / (1 - kind.mean()))

    def loss(head: NDArray[np.float64]) -> float:
        odds = rows @ head
        return float((np.logaddexp(0, odds) - kind * odds).sum() + (penalty * head**2).sum() / 2)

    now = loss(head)
    for _ in range(_STEPS):
        sure = 1 / (1 + np.exp(-(rows @ head)))
        slope = rows.T @ (kind - sure) - penalty * head
        bend = (rows * (sure * (1 - sure))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        tried = (0.5**halved for halved in range(_TRIES))
        length = next((each for each in tried if loss(head + each * step) < now), 0.0)
        head = head + length * step
        before, now = now, loss(head)
        if before - now < _ENOUGH:
            break
    # Only a share of the others was seen: they are rarer in what was drawn than in contracts.
    rarer = np.log(len(others) / len(drawn))
    return Direction(head[:-1].astype(np.float32), float(head[-1] - rarer))
