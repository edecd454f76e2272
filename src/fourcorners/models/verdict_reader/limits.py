"""From which probability an answer is asserted, and how often what is asserted is right.

A line is what was answered to one question of one clause, and what is right. Limits are chosen on
other folds than those that are judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

PRECISION = 0.95  # of what is asserted: the law of assertion
CONTRARY = "contrary-"  # begins the ids of contrary clauses
Line: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[str, str]
"""A provision and a question."""
Limits: TypeAlias = dict[Key, float]


@dataclass(frozen=True, slots=True)
class VerdictScore:
    """What is asserted of one question.

    Attributes:
        stated: Clauses that say something of it.
        asserted: Clauses of which something is asserted, right or wrong.
    """

    provision: str
    question: str
    clauses: int
    stated: int
    asserted: int
    right: int

    @property
    def precision(self) -> float | None:
        return self.right / self.asserted if self.asserted else None

    @property
    def coverage(self) -> float:
        """Return the share of the clauses that say something of which it is asserted, rightly."""
        return self.right / self.stated if self.stated else 0.0


def choose_limits(lines: Iterable[Line]) -> Limits:
    """Return for each question the probability from which its answers are asserted.

    How often answers are right is learned from all questions together, as a curve over the reader's
    log-odds with a shift and a slope for each question, which few answers move little. An answer
    is asserted where these curves make it right as often as the least sure of those of which
    `_AIM` were right, if the question's own answers agree. Questions whose answers are never that
    sure have no limit.
    """
    answers = [
        each for own in _answers_by_question(lines).values() for each in own if not each["silent"]
    ]
    if not answers:
        return {}
    keys = sorted({_key(each) for each in answers})
    rows = np.stack([_signs(_key(each), each["probability"], keys) for each in answers])
    right = np.array([each["value"] == each["right"] for each in answers], np.float64)
    weights = _fit(rows, right)
    trust = rows @ weights
    order = np.argsort(-trust, kind="stable")
    wrong = np.cumsum(1 - right[order])
    counts = np.arange(1, len(order) + 1)
    enough = np.nonzero((wrong + 1) / (counts + 1) <= 1 - _AIM)[0]
    if not len(enough):
        return {}
    least = float(trust[order[enough[-1]]])
    least -= _ROUNDING * max(1.0, abs(least))
    limits = {}
    for key in keys:
        own = [each for each in answers if _key(each) == key]
        reached = (
            float(step)
            for step in _STEPS
            if float(_signs(key, step, keys) @ weights) >= least and _is_confirmed(own, step)
        )
        limit = next(reached, None)
        if limit is not None:
            limits[key] = limit
    return limits


def _is_confirmed(own: Iterable[Line], limit: float) -> bool:
    """Tell whether a question's own answers allow its limit: at most one in twenty is wrong.

    A limit that fewer than `_FEWEST` of them reach was not measured.
    """
    asserted = [each for each in own if each["probability"] >= limit]
    wrong = sum(each["value"] != each["right"] for each in asserted)
    return len(asserted) >= _FEWEST and wrong <= (1 - PRECISION) * len(asserted)


_STEPS = np.round(np.arange(0.1, 0.9995, 0.0005), 4)
_FEWEST = 5  # answers of a question, asserted above a limit
_AIM = 0.97  # of what limits are chosen on: then .95 is right of what they are not
_OWN, _SLOPE = 0.6, 0.5  # weight of a question's shift and slope against the common ones
_RIDGE = 1.0  # the penalty of all but the constant


def _key(line: Line) -> Key:
    return (line["provision"], line["question"])


def _signs(key: Key, probability: float, keys: Sequence[Key]) -> NDArray[np.float64]:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    odds = np.log(bounded / (1 - bounded))
    own = np.array([each == key for each in keys], np.float64)
    return np.concatenate([[1.0, odds], _OWN * own, _SLOPE * odds * own])


def _fit(rows: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit a logistic regression by Newton's method; the first column is the constant."""
    penalty = np.full(rows.shape[1], _RIDGE)
    penalty[0] = 0.0
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        chances = 1 / (1 + np.exp(-(rows @ weights)))
        slope = rows.T @ (chances - right) + penalty * weights
        curve = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.diag(penalty + 1e-9)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


_ROUNDS = 12  # more move nothing
_ROUNDING = 1e-9  # by which two products of the same numbers may differ


def score_verdicts(lines: Sequence[Line]) -> list[VerdictScore]:
    """Score a run out of fold: each fold by the limits that the other folds give."""
    counts: dict[Key, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for fold in sorted({each["fold"] for each in lines}):
        limits = choose_limits(each for each in lines if each["fold"] != fold)
        judged = [each for each in lines if each["fold"] == fold]
        for key, own in _answers_by_question(judged).items():
            limit = limits.get(key)
            asserted = [each for each in own if is_asserted(each, limit)]
            count = counts[key]
            count[0] += len(own)
            count[1] += sum(each["right"] not in (None, *each["silences"]) for each in own)
            count[2] += len(asserted)
            count[3] += sum(each["value"] == each["right"] for each in asserted)
    return [VerdictScore(*key, *count) for key, count in counts.items()]


def _answers_by_question(lines: Iterable[Line]) -> dict[Key, list[Line]]:
    """Return the lines that can be judged, by provision and question."""
    found: dict[Key, list[Line]] = {}
    for each in lines:
        if each["settled"] and not each["id"].startswith(CONTRARY):
            found.setdefault((each["provision"], each["question"]), []).append(each)
    return found


def is_asserted(line: Line, limit: float | None) -> bool:
    """Tell whether an answer says something, as surely as its limit."""
    return not line["silent"] and limit is not None and line["probability"] >= limit
