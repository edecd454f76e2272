"""The folds by which the ranking of precedents is measured, its calibration, and its figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourcorners_bench.precedents.loader import AcordQuery, Ranking, rank_by_score
from fourcorners_bench.precedents.score import mean_figures, score_run
from training.precedents.learning import FORMS, SEEDS, WHOLE, Case, Floats, Parts, learn, scored

FOLDS = 5
ALIKE = 0.7  # the cosine from which two queries of a category are near-paraphrases


def plain_folds(count: int) -> NDArray[np.intp]:
    """Return a fold for each query, at random."""
    return np.random.default_rng(0).permutation(count) % FOLDS


def grouped_folds(cases: Sequence[Sequence[Case]]) -> NDArray[np.intp]:
    """Return a fold for each query, the same for near-paraphrases of one category."""
    vectors = np.array([each[0].found.query for each in cases])
    alike = vectors @ vectors.T > ALIKE
    group = list(range(len(cases)))
    for one in range(len(cases)):
        for other in range(one):
            same = cases[one][0].asked.category == cases[other][0].asked.category
            if alike[one, other] and same and group[one] != group[other]:
                old, new = group[one], group[other]
                group = [new if each == old else each for each in group]
    sizes = {each: group.count(each) for each in group}
    held = [0] * FOLDS
    fold = {}
    for each in sorted(sizes, key=lambda one: (-sizes[one], one)):
        fold[each] = held.index(min(held))
        held[fold[each]] += sizes[each]
    return np.array([fold[each] for each in group])


def topic_folds(cases: Sequence[Sequence[Case]]) -> NDArray[np.intp]:
    """Return a fold for each query: liability, indemnities, and all other topics."""
    order = ("Limitation of Liability", "Indemnification")
    named = [each[0].asked.category for each in cases]
    return np.array([order.index(each) if each in order else len(order) for each in named])


def out_of_fold(
    cases: Sequence[Sequence[Case]],
    folds: NDArray[np.intp],
    encoder: str,
    used: Parts = WHOLE,
    seeds: Sequence[int] = SEEDS,
) -> list[list[Floats]]:
    """Return the scores of each query's cases by a model that has not seen the query."""
    found: dict[int, list[Floats]] = {}
    for fold in sorted(set(folds.tolist())):
        seen = [each for each, own in zip(cases, folds, strict=True) if own != fold]
        judge = learn(seen, encoder, used, seeds)
        for at in np.flatnonzero(folds == fold).tolist():
            found[at] = [scored(judge, case) for case in cases[at]]
    return [found[at] for at in range(len(cases))]


def calibrated(scores: Floats, gains: NDArray[np.intp]) -> Floats:
    """Return scale and shift of the chance of each number of stars (Platt's, by damped Newton)."""
    average, spread = scores.mean(), scores.std()
    rows = np.column_stack([(scores - average) / spread, np.ones_like(scores)])
    levels = []
    for least in range(1, 5):
        wanted = (gains >= least).astype(np.float64)
        line = np.array([0.0, np.log(wanted.mean() / (1 - wanted.mean()))])
        for _ in range(100):
            chance = 1 / (1 + np.exp(-np.clip(rows @ line, -60, 60)))
            slope = rows.T @ (chance - wanted) + 1e-3 * line
            bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.eye(2)
            step = np.linalg.solve(bend, slope)
            line -= step * min(1.0, 0.5 / np.abs(step).max())
        levels.append([line[0] / spread, line[1] - line[0] * average / spread])
    found = np.array(levels)
    if not np.isfinite(found).all() or (found[:, 0] <= 0).any():
        raise ValueError(f"the calibration did not converge: {found.tolist()}")
    return found


def calibration_error(chances: Floats, right: NDArray[np.bool_], bins: int = 10) -> float:
    """Return the expected calibration error over bins of equal width."""
    at = np.minimum((chances * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(chances[at == one].mean() - right[at == one].mean()) * (at == one).mean()
            for one in range(bins)
            if (at == one).any()
        )
    )


def told(queries: Sequence[AcordQuery], run: Sequence[Ranking]) -> dict[str, list[float | None]]:
    """Return the five measures of a run, each with its interval."""
    return {
        name: [None if each is None else round(100 * each, 1) for each in (f.value, f.low, f.high)]
        for name, f in mean_figures(score_run(queries, run)).items()
    }


def by_wording(
    cases: Sequence[Sequence[Case]], scores: Sequence[Sequence[Floats]], ids: list[str]
) -> dict[str, list[Ranking]]:
    """Return the runs of short, medium and long, and of short and long together."""
    runs = {
        form.value: [
            ranking([each[at]], [own[at]], ids) for each, own in zip(cases, scores, strict=True)
        ]
        for at, form in enumerate(FORMS)
    }
    runs["both"] = [
        ranking([each[0], each[2]], [own[0], own[2]], ids)
        for each, own in zip(cases, scores, strict=True)
    ]
    return runs


def ranking(cases: Sequence[Case], scores: Sequence[Floats], ids: list[str]) -> Ranking:
    """Rank all judged clauses: the candidates first, the mean of the wordings given."""
    names = [ids[row] for row in _rows(cases[0], ids)]
    each = [case.found.merge_scores(own) for case, own in zip(cases, scores, strict=True)]
    whole = np.mean(each, axis=0)
    return rank_by_score(cases[0].asked.id, dict(zip(names, whole.tolist(), strict=True)))


def _rows(case: Case, ids: list[str]) -> list[int]:
    """Return the rows of the clauses that were judged, in the order of their scores."""
    place = {clause: row for row, clause in enumerate(ids)}
    return [place[clause] for clause in case.asked.judged]
