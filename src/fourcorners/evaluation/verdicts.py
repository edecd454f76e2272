"""How often what is said of a clause is right, and how much is said: a table a question.

A run file has a line a clause and question: what was answered, how surely, and what readers of the
clause say (`training/verdicts`). Of contrary clauses, which were invented to mislead, it is known
what would be wrong. An answer is asserted where it says something and is as sure as its question's
limit; limits are chosen on other folds than those that are judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ConfigError
from fourcorners.evaluation.measures.tables import figure_table
from fourcorners.evaluation.record import Json, json_figures
from fourcorners.evaluation.run_files import read_lines

if TYPE_CHECKING:
    from rich.table import Table

PRECISION = 0.95  # of what is asserted: the law of assertion
CONTRARY = "contrary-"  # begins the ids of contrary clauses
Line: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[str, str]
"""A provision and a question."""
Limits: TypeAlias = dict[Key, float]
Wrong: TypeAlias = Mapping[str, Sequence[str]]
"""The answers that would be wrong, by question."""


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
    log-odds with shift and slope of each question's own, which few answers move little. Asserted
    is what is right, by these curves, as often as the least sure of those of which `_AIM` were
    right, as long as the question's own answers bear it out. Questions whose answers are never that
    sure have no limit.
    """
    answers = [each for own in _by_question(lines).values() for each in own if not each["silent"]]
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
_OWN, _SLOPE = 0.6, 0.5  # what a question's own shift and slope count beside the common ones
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


def score_verdicts(lines: Sequence[Line]) -> list[VerdictScore]:
    """Score a run out of fold: each fold by the limits that the other folds give."""
    counts: dict[Key, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for fold in sorted({each["fold"] for each in lines}):
        limits = choose_limits(each for each in lines if each["fold"] != fold)
        judged = [each for each in lines if each["fold"] == fold]
        for key, own in _by_question(judged).items():
            limit = limits.get(key)
            asserted = [each for each in own if _is_asserted(each, limit)]
            count = counts[key]
            count[0] += len(own)
            count[1] += sum(each["right"] not in (None, *each["silences"]) for each in own)
            count[2] += len(asserted)
            count[3] += sum(each["value"] == each["right"] for each in asserted)
    return [VerdictScore(*key, *count) for key, count in counts.items()]


def score_contrary(
    lines: Sequence[Line], wrong: Mapping[str, Mapping[str, Sequence[str]]]
) -> tuple[int, int]:
    """Return of how many contrary clauses something wrong is asserted in a fold, and of how many.

    `wrong` are the wrong answers of each clause by question. A clause that is said to be no such
    provision has no answers.

    Raises:
        ConfigError: If the run has a contrary clause whose wrong answers are not given.
    """
    unknown = {each["id"] for each in lines if each["id"].startswith(CONTRARY)} - wrong.keys()
    if unknown:
        raise ConfigError(
            f"the run has contrary clauses that the file lacks: {min(unknown)}.",
            remedy="Give the file with which the run was made.",
        )
    limits = choose_limits(lines)
    failed: set[tuple[str, int]] = set()
    seen: set[tuple[str, int]] = set()
    for each in lines:
        if not each["id"].startswith(CONTRARY):
            continue
        place = (each["id"], each["fold"])
        seen.add(place)
        limit = limits.get((each["provision"], each["question"]))
        if _is_asserted(each, limit) and each["value"] in wrong[each["id"]].get(
            each["question"], ()
        ):
            failed.add(place)
    return len(failed), len(seen)


def read_run(path: Path) -> list[Line]:
    """Return the lines of a run file.

    Raises:
        ConfigError: If it cannot be read, or a line is not one of such a run; the message names it.
    """
    return read_lines(path, _parse_line, "a verdict", "training.verdicts.train writes such files.")


def read_contrary(path: Path) -> dict[str, Wrong]:
    """Return the wrong answers of contrary clauses by their ids in a run, which count their lines.

    Raises:
        ConfigError: If the file cannot be read, or a line is no contrary clause.
    """
    clauses = read_lines(path, _parse_wrong, "a contrary clause")
    return {f"{CONTRARY}{number}": wrong for number, wrong in enumerate(clauses)}


def verdict_table(scores: Sequence[VerdictScore]) -> Table:
    """Return the scores as a table, with a row of them all."""
    heads = ("clauses", "stated", "asserted", "precision", "coverage")
    table = figure_table("What clauses say", "Provision", "Question", *heads, left=2)
    for each in (*scores, total_score(scores)):
        precision = "" if each.precision is None else f"{each.precision:.3f}"
        counts = (str(count) for count in (each.clauses, each.stated, each.asserted))
        table.add_row(each.provision, each.question, *counts, precision, f"{each.coverage:.3f}")
    return table


def verdict_measures(scores: Sequence[VerdictScore]) -> dict[str, Json]:
    """Return the scores as a record holds them."""
    return {f"{each.provision}.{each.question}": score_measures(each) for each in scores}


def total_score(scores: Iterable[VerdictScore]) -> VerdictScore:
    """Return all scores added up."""
    counts = [tuple(getattr(each, name) for name in _COUNTS) for each in scores]
    return VerdictScore(
        "All", "", *(sum(each[at] for each in counts) for at in range(len(_COUNTS)))
    )


def score_measures(score: VerdictScore) -> Json:
    """Return a score as a record holds it."""
    counts = {name: getattr(score, name) for name in _COUNTS}
    return json_figures({**counts, "precision": score.precision, "coverage": score.coverage})


_COUNTS = ("clauses", "stated", "asserted", "right")
_LINE: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("id", "provision", "question", "value"), str),
    **dict.fromkeys(("silent", "settled"), bool),
    "probability": (int, float),
    "right": (str, type(None)),
    "silences": list,
    "fold": int,
}


def _parse_line(line: Line) -> Line:
    for name, kind in _LINE.items():
        if not isinstance(line[name], kind):
            raise TypeError(f"{name} is {line[name]!r}")
    return line


def _parse_wrong(line: Mapping[str, Wrong]) -> Wrong:
    return {question.replace("_", "-"): wrong for question, wrong in line["wrong"].items()}


def _by_question(lines: Iterable[Line]) -> dict[Key, list[Line]]:
    """Return the lines that can be judged, by provision and question."""
    found: dict[Key, list[Line]] = {}
    for each in lines:
        if each["settled"] and not each["id"].startswith(CONTRARY):
            found.setdefault((each["provision"], each["question"]), []).append(each)
    return found


def _is_asserted(line: Line, limit: float | None) -> bool:
    return not line["silent"] and limit is not None and line["probability"] >= limit
