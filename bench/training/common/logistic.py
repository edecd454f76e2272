"""Logistic regressions, many at a time, by Newton's method.

All heads share the passes over the data, which is what costs time: a head more is nearly free.
Targets may be shares (0 to 1), rows may have weights. The last column is the constant; it is
hardly penalised.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

PASSES = (3, 4, 5, 6, 8, 10, 10)  # steps of conjugate gradients within each Newton step
FREE = 1e-3  # the penalty of the constant
_TRIES = 6

Matrix = NDArray[np.float32]


def fit_many(
    rows: sp.csr_matrix | Matrix,
    targets: Matrix,
    strength: float,
    weights: NDArray[np.float32] | None = None,
) -> Matrix:
    """Fit one head a column of `targets`; return the weights (columns, heads).

    `strength` is the inverse of the L2 penalty.
    """
    rows = rows.astype(np.float32)
    across = rows.T.tocsr() if sp.issparse(rows) else np.ascontiguousarray(rows.T)
    squares = across.multiply(across).tocsr() if sp.issparse(rows) else across**2
    each = np.ones(rows.shape[0], np.float32) if weights is None else weights
    cost = (strength * each).astype(np.float32)[:, None]
    penalty = np.ones((rows.shape[1], 1), np.float32)
    penalty[-1] = FREE
    heads = np.zeros((rows.shape[1], targets.shape[1]), np.float32)
    share = np.clip((cost * targets).sum(0) / cost.sum(), 1e-5, 1 - 1e-5)
    heads[-1] = np.log(share / (1 - share))

    def loss(odds: Matrix, heads: Matrix) -> NDArray[np.float64]:
        misfit = (cost * (np.logaddexp(0, odds) - targets * odds)).sum(0, dtype=np.float64)
        return misfit + 0.5 * (penalty * heads * heads).sum(0, dtype=np.float64)

    odds = rows @ heads
    now = loss(odds, heads)
    for passes in PASSES:
        sure = 1 / (1 + np.exp(-odds))
        slope = across @ (cost * (sure - targets)) + penalty * heads
        bend = cost * sure * (1 - sure)
        scale = 1 / (squares @ bend + penalty)
        step, rest = np.zeros_like(heads), -slope
        scaled = scale * rest
        way, size = scaled.copy(), (rest * scaled).sum(0)
        moved = np.zeros_like(odds)
        for _ in range(passes):
            seen = rows @ way
            curved = across @ (bend * seen) + penalty * way
            far = size / np.maximum((way * curved).sum(0), 1e-20)
            step += far * way
            moved += far * seen
            rest -= far * curved
            scaled = scale * rest
            size, before = (rest * scaled).sum(0), size
            way = scaled + (size / np.maximum(before, 1e-30)) * way
        length = np.ones(heads.shape[1], np.float32)
        for _ in range(_TRIES):
            after = loss(odds + length * moved, heads + length * step)
            if not (after > now).any():
                break
            length[after > now] *= 0.4
        length[loss(odds + length * moved, heads + length * step) > now] = 0
        heads += length * step
        odds = odds + length * moved
        now = loss(odds, heads)
    return heads


def fit_one(
    rows: NDArray[np.float64],
    target: NDArray[np.float64],
    strength: float,
    steps: int = 25,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Fit one head on few columns exactly; the last column is the constant."""
    each = np.ones(len(rows)) if weights is None else weights
    penalty = np.full(rows.shape[1], 1 / strength)
    penalty[-1] = FREE
    share = float(np.clip(np.average(target, weights=each), 1e-5, 1 - 1e-5))
    head = np.zeros(rows.shape[1])
    head[-1] = np.log(share / (1 - share))

    def loss(head: NDArray[np.float64]) -> float:
        odds = rows @ head
        misfit = each * (np.logaddexp(0, odds) - target * odds)
        return float(misfit.sum() + (penalty * head**2).sum() / 2)

    now = loss(head)
    for _ in range(steps):
        sure = 1 / (1 + np.exp(-(rows @ head)))
        slope = rows.T @ (each * (sure - target)) + penalty * head
        curved = (rows * (each * sure * (1 - sure))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curved, slope)
        length = 1.0
        while loss(head - length * step) > now and length > 1e-3:
            length /= 2
        head = head - length * step
        before, now = now, loss(head)
        if before - now < 1e-5 * abs(before):
            break
    return head
