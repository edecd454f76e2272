"""What passages of a kind have in common, as a direction of their vectors, and queries with it."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourcorners.playbooks.learning.learn import (
    MAX_CENTRES,
    Clause,
    LearnedQuery,
    QueryLearner,
    Sentence,
)
from fourcorners.playbooks.passages.ranking import Direction

_PENALTY = 1.0  # L2
_OTHERS = 4_000  # passages of the rest that are fitted on; the others count through them
_STEPS = 12  # of Newton's method; it stops sooner
_TRIES = 10  # halvings of a step that overshoots
_ENOUGH = 0.05  # a step that gains less is the last


@dataclass(frozen=True, slots=True, eq=False)
class MarkedPassages:
    """Passages of contracts with their vectors, and what each is marked as.

    Attributes:
        vectors: One unit row a passage.
    """

    vectors: NDArray[np.float32]
    groups: Sequence[str]
    provisions: Sequence[frozenset[str]]


@dataclass(frozen=True, slots=True)
class DirectionQuery(LearnedQuery):
    """A learned query with the direction of its passages' vectors."""

    direction: Direction | None = None


class PassageLearner(QueryLearner):
    """Learns the direction of marked passages, too."""

    def __init__(
        self,
        given: Sequence[Sentence],
        clauses: Sequence[Clause],
        *,
        vectors: NDArray[np.float32] | None,
        passages: MarkedPassages,
    ) -> None:
        super().__init__(given, clauses, vectors=vectors)
        self._passages = passages

    def learn(
        self,
        provision: str,
        *,
        without: AbstractSet[str] = frozenset(),
        centres: int = MAX_CENTRES,
    ) -> DirectionQuery:
        found = super().learn(provision, without=without, centres=centres)
        marked = self._passages
        within = np.array([group not in without for group in marked.groups], np.bool_)
        of_kind = np.array([provision in each for each in marked.provisions], np.bool_)
        return DirectionQuery(
            *(found.provision, found.terms, found.examples, found.centres),
            fit_direction(marked.vectors[within], of_kind[within]),
        )


def fit_direction(vectors: NDArray[np.float32], of_kind: NDArray[np.bool_]) -> Direction | None:
    """Fit a direction from unit rows `of_kind` and others; None where one sort is missing."""
    others = np.flatnonzero(~of_kind)
    if not of_kind.any() or not len(others):
        return None
    drawn = others
    if len(others) > _OTHERS:
        drawn = np.random.default_rng(0).choice(others, _OTHERS, replace=False)
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
