"""How the ranking of precedents is fitted: what is learned, and by which steps.

A weight for each feature and two matrices for vectors; see `precedents/train.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.encoder.adapter import (
    SHARPNESS,
    Adam,
    TrainingQuery,
    matrix_gradients,
    rate_at,
    softmax,
    target_shares,
)
from fourcorners.precedents.scoring.collection import ClauseCollection
from fourcorners.precedents.scoring.features import FEATURE_NAMES
from fourcorners.precedents.scoring.score import (
    FIRST_STEP_WEIGHTS,
    LEARNED_FEATURES,
    Candidates,
    PrecedentModel,
    select_candidates,
)
from fourcorners_bench.precedents.loader import AcordQuery, Format

SEEDS = (0, 1, 2)
HEAD_STEPS, JOINT_STEPS, BATCH = 250, 60, 8
HEAD_RATE, JOINT_RATE, MATRIX_RATE = 0.03, 0.02, 1e-3
HEAD_DECAY, MATRIX_DECAY = 1.0, 0.2
LEAST_SPREAD = 0.1  # of a feature that few queries have: another query must not be ruled by it
FORMS = tuple(Format)
FAMILIES: dict[str, tuple[str, ...]] = {
    "encoder": ("cosine", "cosine_expanded"),
    "BM25": ("words", "words_expanded"),
    "concepts": FEATURE_NAMES[: FEATURE_NAMES.index("length")],
    "making": FEATURE_NAMES[FEATURE_NAMES.index("length") :],
}
"""The families of features: meaning, words, what the query asks for, and how the clause is made."""
START = {
    "cosine": 0.1,
    "cosine_expanded": 0.3,
    "words": 0.1,
    "words_expanded": 0.35,
    "topics": 0.4,
    "details": 0.25,
    "details_carved": 0.1,
    "carved": 0.1,
    "carved_unasked": -0.1,
    "unwanted": -0.1,
    "whole": 0.3,
    "mutual": 0.1,
    "one_sided": 0.1,
    "seller": 0.1,
    "buyer": 0.1,
    "via_indemnity": 0.1,
    "redacted": -0.03,
}
"""Weights of the standardised features; what is learned is held near to them.

They were rounded by hand after weights learned from all train queries had been read. So no figure
of this recipe is fully out of fold; the card's `clean` has those of one that started from cosines
and words.
"""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A query in one wording, with its candidates and their stars less one."""

    asked: AcordQuery
    found: Candidates
    gains: NDArray[np.intp]

    @property
    def lesson(self) -> TrainingQuery:
        """Return it as the matrices are taught by it; the scores are still to come."""
        none = np.zeros(len(self.gains))
        return TrainingQuery(self.asked.id, self.found.query, self.found.vectors, none, self.gains)


def cases_of(
    queries: Sequence[AcordQuery],
    ids: list[str],
    collection: ClauseCollection,
    chosen_by: Sequence[float] = FIRST_STEP_WEIGHTS,
) -> list[list[Case]]:
    """Return for each query its cases by wording."""
    place = {clause: row for row, clause in enumerate(ids)}
    made = []
    for asked in queries:
        rows = [place[clause] for clause in asked.judged]
        gain = {place[clause]: score for clause, score in asked.judged.items()}
        cases = []
        for form in FORMS:
            found = select_candidates(asked.wording(form), collection, rows, chosen_by=chosen_by)
            gains = np.array([gain[row] for row in found.rows.tolist()], np.intp)
            cases.append(Case(asked, found, gains))
        made.append(cases)
    return made


def moments(cases: Sequence[Sequence[Case]]) -> tuple[Floats, Floats]:
    """Return mean and spread of each feature."""
    rows = np.vstack([case.found.features for each in cases for case in each])
    return rows.mean(axis=0), np.maximum(rows.std(axis=0), LEAST_SPREAD)


@dataclass(frozen=True, slots=True)
class Parts:
    """What of the model is there: all of it, but for ablations.

    Attributes:
        families: Of features; the weights of others are nought.
        matrices: Whether the vectors go through matrices.
    """

    families: tuple[str, ...] = tuple(FAMILIES)
    matrices: bool = True

    @property
    def mask(self) -> Floats:
        """Return 1 for each feature that is there, 0 for others."""
        names = {name for family in self.families for name in FAMILIES[family]}
        return np.array([float(name in names) for name in LEARNED_FEATURES])


WHOLE = Parts()


@dataclass(slots=True)
class Parameters:
    """What is learned."""

    weights: Floats
    query_matrix: NDArray[np.float32]
    clause_matrix: NDArray[np.float32]


def by_hand() -> Floats:
    """Return the weights that learning starts from."""
    return np.array([START.get(name, 0.0) for name in LEARNED_FEATURES])


def fit(cases: Sequence[Sequence[Case]], seed: int, used: Parts = WHOLE) -> Parameters:
    """Fit the weights, then weights and matrices together."""
    average, spread = moments(cases)
    unit = np.eye(cases[0][0].found.vectors.shape[1], dtype=np.float32)
    mask = used.mask
    start = by_hand() * mask
    now = Parameters(start.copy(), unit.copy(), unit.copy())
    random = np.random.default_rng(seed)
    for steps, joint, rate in ((HEAD_STEPS, False, HEAD_RATE), (JOINT_STEPS, True, JOINT_RATE)):
        if joint and not used.matrices:
            continue
        values = [now.weights, now.query_matrix, now.clause_matrix][: 3 if joint else 1]
        adam = Adam(values, (rate, MATRIX_RATE, MATRIX_RATE)[: len(values)])
        for step in range(steps):
            wordings = random.integers(0, len(FORMS), BATCH)
            drawn = random.choice(len(cases), BATCH, replace=False)
            slopes = [np.zeros_like(each) for each in values]
            for at, wording in zip(drawn.tolist(), wordings.tolist(), strict=True):
                case = cases[at][wording]
                standard = (case.found.features - average) / spread * mask
                parts = gradient(case, standard, now, joint=joint)
                for whole, part in zip(slopes, parts, strict=True):
                    whole += part / BATCH
            slopes[0] += HEAD_DECAY * (now.weights - start)
            if joint:
                slopes[1] += MATRIX_DECAY * (now.query_matrix - unit)
                slopes[2] += MATRIX_DECAY * (now.clause_matrix - unit)
            adam.update(slopes, rate_at(step, steps))
    return now


def gradient(case: Case, standard: Floats, now: Parameters, *, joint: bool) -> list[Floats]:
    """Return the loss's gradient for one case, in the order of the parameters."""
    scores = standard @ now.weights
    if not joint:
        return [standard.T @ (softmax(scores) - target_shares(case.gains))]
    error, by_query, by_clause = matrix_gradients(
        case.lesson, now.query_matrix, now.clause_matrix, scores
    )
    return [standard.T @ error, by_query, by_clause]


def learn(
    cases: Sequence[Sequence[Case]], encoder: str, used: Parts = WHOLE, seeds: Sequence[int] = SEEDS
) -> PrecedentModel:
    """Return the model that some queries give: the mean of all seeds."""
    fitted = [fit(cases, seed, used) for seed in seeds]
    average, spread = moments(cases)
    return PrecedentModel(
        name="in training",
        encoder=encoder,
        learned_from=frozenset(),
        query_matrix=np.mean([each.query_matrix for each in fitted], axis=0).astype(np.float32),
        clause_matrix=np.mean([each.clause_matrix for each in fitted], axis=0).astype(np.float32),
        sharpness=SHARPNESS if used.matrices else 0.0,
        mean=average,
        spread=spread,
        weights=np.mean([each.weights for each in fitted], axis=0),
        levels=np.zeros((4, 2)),
    )


def scored(judge: PrecedentModel, case: Case) -> Floats:
    """Return the scores of a case's candidates."""
    return judge.scores(case.found.features, case.found.query, case.found.vectors)
