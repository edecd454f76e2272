"""The entailment model for other hypotheses, judged on those that are left out of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fourcorners.models.entailment.features import SpanPositions
from fourcorners.models.entailment.unseen import (
    SpanFeatures,
    UnseenHypotheses,
    evidence_features,
    label_features,
)
from training.entailment.data import Floats

FIRST, RANKED, MENTIONED = 1.0, 1.0, 0.03  # how weakly weights are held near zero
Weights = tuple[Floats, float]


@dataclass(frozen=True, slots=True)
class Question:
    """A document and a hypothesis, by their places, with what is seen of them and the truth."""

    document: int
    hypothesis: int
    signs: SpanFeatures
    place: SpanPositions
    evidence: NDArray[np.bool_]
    mentioned: bool


def learned(questions: Sequence[Question], margin: float = 0.0) -> UnseenHypotheses:
    """Learn from questions; for the label each is judged by what the other hypotheses teach."""
    hypotheses = sorted({each.hypothesis for each in questions})
    without = {
        left: _learn_first([each for each in questions if each.hypothesis != left])
        for left in hypotheses
    }
    return _learned(questions, without, margin)


def left_out(
    questions: Sequence[Question], halves: NDArray[np.intp]
) -> dict[tuple[int, int], UnseenHypotheses]:
    """Return models that have learned from neither a hypothesis nor a half of the documents.

    What the label is learned from comes from models that know neither the hypothesis that is left
    out nor the one that is learned from.
    """
    hypotheses = sorted({each.hypothesis for each in questions})
    models = {}
    for half in (0, 1):
        other = [each for each in questions if halves[each.document] != half]
        firsts: dict[tuple[int, int], Weights] = {}
        for one, two in combinations(hypotheses, 2):
            weights = _learn_first([each for each in other if each.hypothesis not in {one, two}])
            firsts[one, two] = firsts[two, one] = weights
        for left in hypotheses:
            known = [each for each in other if each.hypothesis != left]
            without = {each: firsts[left, each] for each in hypotheses if each != left}
            models[half, left] = _learned(known, without, 0.0)
    return models


def _learned(
    questions: Sequence[Question], without: dict[int, Weights], margin: float
) -> UnseenHypotheses:
    first = _learn_first(questions)
    truth = np.concatenate([each.evidence for each in questions])
    rows = [evidence_features(each.signs, _odds(each, first), each.place) for each in questions]
    ranked = _fitted(np.concatenate(rows), truth, RANKED)
    signs = [
        label_features(each.signs, _odds(each, without[each.hypothesis])) for each in questions
    ]
    is_mentioned = np.array([each.mentioned for each in questions])
    return UnseenHypotheses(
        first, ranked, _fitted(np.stack(signs), is_mentioned, MENTIONED), margin
    )


def _learn_first(questions: Sequence[Question]) -> Weights:
    rows = np.concatenate([each.signs.rows for each in questions])
    return _fitted(rows, np.concatenate([each.evidence for each in questions]), FIRST)


def _odds(question: Question, weights: Weights) -> Floats:
    return np.asarray(question.signs.rows @ weights[0] + weights[1])


def _fitted(rows: Floats, truth: NDArray[np.bool_], strength: float) -> Weights:
    """Return weights for rows as they are, of a regression on rows of unit spread."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 1e-6, spread, np.inf)
    fit = LogisticRegression(C=strength, max_iter=300).fit((rows - mean) / spread, truth)
    weights = fit.coef_[0] / spread
    return weights, float(fit.intercept_[0] - mean @ weights)


def arrays_of(model: UnseenHypotheses, name: str) -> dict[str, NDArray[np.generic]]:
    """Return what the model's file holds of it."""
    return {
        f"dense_{name}_first": np.array([*model.first[0], model.first[1]]),
        f"dense_{name}_ranked": np.array([*model.ranked[0], model.ranked[1]]),
        f"dense_{name}_mentioned": np.array([*model.mentioned[0], model.mentioned[1]]),
        f"dense_{name}_margin": np.array(model.margin),
    }
