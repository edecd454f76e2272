"""Teach the card which date, term or notice is the contract's: `outline/card/values/weights.json`.

Two logistic regressions a kind (`outline.card.values.judge`): over the signs of candidates, and
over what is known of the best one. The second learns from answers of the first that are out of
fold: five folds by `group`. From which probability on a value is asserted is chosen so that, out of
fold, enough of those asserted are the lawyers' answers. The run file holds out-of-fold answers,
with limits that were chosen on the other folds. Contracts of the groups that blind trials take are
not learned from; the weights that ship judge them for the run file.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.laws import find_governing_law
from fourcorners.outline.card.read import open_reading
from fourcorners.outline.card.term import TOGETHER
from fourcorners.outline.card.values import judge
from fourcorners.outline.card.values.candidates import Candidate
from fourcorners.outline.card.values.judge import KINDS, Reading, Start, Top, Weights
from fourcorners.outline.card.values.signs import Signs
from fourcorners_bench.cards.values import (
    KIND_PROVISIONS,
    ValueAnswer,
    answer_law,
    answer_value,
    load_values,
    normal_value,
)
from fourcorners_bench.extraction.loader import AnnotatedContract, assign_folds, load_cuad
from fourcorners_bench.outline.references import text_document
from fourcorners_bench.run_files import write_lines
from training.common.logistic import fit_many, fit_one
from training.verdicts.sample import load_contracts, trial_groups

OUT = Path(__file__).parents[3] / "src/fourcorners/outline/card/values/weights.json"
FOLDS = 5
FIRST, SECOND = 0.03, 0.1  # inverses of the L2 penalties
MOST = {"end": 1_500}  # signs that the first step keeps, by their chi-squared
USUAL_MOST = 800
FEWEST = 6  # contracts, or best candidates, that a sign must be seen in
STRONG = 2.5  # how much larger a sign of a statement's kind is than a word's
# Precision, out of fold, at which a limit is set. The strictest of the limits counts that leaving
# out one fold each gives, so that limits which are chosen on some folds hold .95 on the others.
PRECISE = {"renewal": 0.965}
USUAL_PRECISE = 0.945
NEAR = 20  # characters from marked words within which a period is what was marked
SURE = 2.0  # a limit that nothing reaches
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """The contracts that are learned from, with the lawyers' answers in the form of values.

    Those that are left out are judged by the weights that ship, for the run file alone.
    """

    contracts: list[AnnotatedContract]
    readings: list[Reading]
    truth: list[Mapping[str, frozenset[str]]]
    fold: NDArray[np.int64]
    left_out: list[tuple[AnnotatedContract, Reading]]

    def is_right(self, at: int, kind: str, value: str) -> bool:
        """Tell whether a value is the lawyers' answer."""
        return normal_value(value) in self.truth[at][KIND_PROVISIONS[kind]]

    def is_marked(self, at: int, kind: str, each: Candidate) -> bool:
        """Tell whether a candidate is right, and where a date is not asked for, marked too."""
        if not self.is_right(at, kind, each.value):
            return False
        marked = self.contracts[at].annotations[KIND_PROVISIONS[kind]]
        near = (span.start - NEAR <= each.span.start < span.end + NEAR for span in marked)
        return kind in judge.STARTS or any(near)


def gather(data: Path) -> Course:
    """Read the contracts."""
    left = {group for groups in trial_groups(load_contracts(data)) for group in groups}
    contracts = load_cuad(data)
    answers = load_values(contracts)
    learned: list[tuple[AnnotatedContract, Reading]] = []
    left_out: list[tuple[AnnotatedContract, Reading]] = []
    for each in contracts:
        document = text_document(each.name, each.text)
        reading = open_reading(document, build_outline(document))
        (left_out if each.group in left else learned).append((each, reading))
    contracts = [contract for contract, _ in learned]
    return Course(
        contracts,
        [reading for _, reading in learned],
        [answers[each.name] for each in contracts],
        np.array(assign_folds(contracts, k=FOLDS)),
        left_out,
    )


@dataclass(frozen=True)
class Rows:
    """The candidates of all contracts for one kind."""

    signs: list[Signs]
    right: NDArray[np.float32]
    document: NDArray[np.int64]
    candidates: list[list[Candidate]]


def read_rows(course: Course, kind: str, starts: Sequence[Sequence[Start]]) -> Rows:
    """Return all candidates with their signs."""
    signs, right, document, candidates = [], [], [], []
    for at, reading in enumerate(course.readings):
        found = reading.candidates(kind, starts[at])
        candidates.append(found)
        signs += reading.signs(kind, found, starts[at])
        right += [course.is_marked(at, kind, each) for each in found]
        document += [at] * len(found)
    return Rows(signs, np.array(right, np.float32), np.array(document), candidates)


def choose_signs(rows: Rows, learned: NDArray[np.bool_], most: int) -> dict[str, int]:
    """Return the signs that tell right candidates best, with their columns."""
    seen: Counter[str] = Counter()
    good: Counter[str] = Counter()
    inside: dict[str, set[int]] = defaultdict(set)
    for at in np.flatnonzero(learned):
        for sign in rows.signs[at]:
            seen[sign] += 1
            good[sign] += int(rows.right[at])
            inside[sign].add(int(rows.document[at]))
    share = float(rows.right[learned].mean())

    def gain(sign: str) -> float:
        expected = seen[sign] * share
        return (good[sign] - expected) ** 2 / (expected * (1 - share))

    selected = [sign for sign in seen if len(inside[sign]) >= FEWEST]
    selected.sort(key=lambda sign: (-gain(sign), sign))
    return {sign: at for at, sign in enumerate(selected[:most])}


def matrix(signs: Sequence[Signs], columns: Mapping[str, int]) -> sp.csr_matrix:
    """Return rows of signs, and the constant."""
    places, sizes, starts = [], [], [0]
    for each in signs:
        known = sorted((columns[sign], sign[0] == "!") for sign in each if sign in columns)
        places += [column for column, _ in known]
        sizes += [STRONG if strong else 1.0 for _, strong in known]
        starts.append(len(places))
    found = sp.csr_matrix(
        (np.array(sizes, np.float32), places, starts), shape=(len(signs), len(columns))
    )
    return sp.hstack([found, np.ones((len(signs), 1), np.float32)]).tocsr()


def learn_first(rows: Rows, learned: NDArray[np.bool_], kind: str) -> dict[str, float]:
    """Fit the first step."""
    columns = choose_signs(rows, learned, MOST.get(kind, USUAL_MOST))
    picked = [rows.signs[at] for at in np.flatnonzero(learned)]
    head = fit_many(matrix(picked, columns), rows.right[learned][:, None], FIRST)[:, 0]
    return {
        "": float(head[-1]),
        **{
            sign: float(head[at]) * (STRONG if sign[0] == "!" else 1.0)
            for sign, at in columns.items()
        },
    }


def learn_second(signs: Sequence[Mapping[str, float]], right: Array) -> dict[str, float]:
    """Fit the second step."""
    seen = Counter(name for each in signs for name in each)
    names = [name for name, count in sorted(seen.items()) if count >= FEWEST]
    table = np.array([[*(each.get(name, 0.0) for name in names), 1.0] for each in signs])
    head = fit_one(table, right, SECOND)
    return {"": float(head[-1]), **dict(zip(names, map(float, head[:-1]), strict=True))}


def choose_limit(sure: Array, right: Array, fold: NDArray[np.int64], kind: str) -> float:
    """Return the probability from which enough are right, whichever fold is left out."""
    limits = []
    for left in np.unique(fold):
        selected = np.flatnonzero(fold != left)
        order = selected[np.argsort(-sure[selected], kind="stable")]
        precision = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
        enough = np.flatnonzero(precision >= PRECISE.get(kind, USUAL_PRECISE))
        limits.append(float(sure[order[enough[-1]]]) if len(enough) else SURE)
    return max(limits)


@dataclass(frozen=True)
class Learned:
    """One kind: the weights that ship, and what was judged out of fold of each contract."""

    weights: Weights
    found: list[tuple[Top, float] | None]
    stated: list[bool]


def first_tops(course: Course, rows: Rows, kind: str) -> tuple[dict[str, float], list[Top | None]]:
    """Return the first step's weights, and the best candidates out of fold."""
    everywhere = np.ones(len(rows.signs), np.bool_)
    odds = np.zeros(len(rows.signs))
    for held in range(FOLDS):
        outside = course.fold[rows.document] == held
        weights = Weights(learn_first(rows, ~outside, kind), {}, SURE)
        for at in np.flatnonzero(outside):
            odds[at] = weights.odds(rows.signs[at])
    ends = np.cumsum([len(each) for each in rows.candidates])
    tops = [
        judge.best_candidate(found, odds[end - len(found) : end].tolist())
        for found, end in zip(rows.candidates, ends, strict=True)
    ]
    return learn_first(rows, everywhere, kind), tops


def judge_tops(
    course: Course,
    kind: str,
    first: dict[str, float],
    tops: Sequence[Top | None],
    others: Sequence[Top | None],
    starts: Sequence[Sequence[Start]],
) -> Learned:
    """Learn the second step and the limit, and judge out of fold."""
    known = [at for at, top in enumerate(tops) if top]
    chosen = [top for top in tops if top]
    signs = [
        course.readings[at].second_signs(kind, top, others[at], starts[at])
        for at, top in zip(known, chosen, strict=True)
    ]
    right = np.array(
        [
            course.is_right(at, kind, top.candidate.value)
            for at, top in zip(known, chosen, strict=True)
        ],
        np.float64,
    )
    fold = course.fold[known]
    sure = np.zeros(len(known))
    for held in range(FOLDS):
        inside = np.flatnonzero(fold != held)
        second = learn_second([signs[at] for at in inside], right[inside])
        weights = Weights({}, second, SURE)
        for at in np.flatnonzero(fold == held):
            sure[at] = weights.probability(signs[at])
    stated = [False] * len(tops)
    found: list[tuple[Top, float] | None] = [None] * len(tops)
    for held in range(FOLDS):
        inside = fold != held
        limit = choose_limit(sure[inside], right[inside], fold[inside], kind)
        for at in np.flatnonzero(fold == held):
            found[known[at]] = (chosen[at], float(sure[at]))
            stated[known[at]] = bool(sure[at] >= limit)
    weights = Weights(first, learn_second(signs, right), choose_limit(sure, right, fold, kind))
    return Learned(weights, found, stated)


def learn(course: Course) -> dict[str, Learned]:
    """Learn all kinds, in the order in which one needs the other."""
    none: list[list[Start]] = [[] for _ in course.contracts]
    firsts = {
        kind: first_tops(course, read_rows(course, kind, none), kind) for kind in judge.STARTS
    }
    learned = {}
    for kind, other in zip(judge.STARTS, reversed(judge.STARTS), strict=True):
        first, tops = firsts[kind]
        learned[kind] = judge_tops(course, kind, first, tops, firsts[other][1], none)
    starts = [
        judge.find_starts({kind: learned[kind].found[at] for kind in judge.STARTS})
        for at in range(len(course.contracts))
    ]
    for kind in KINDS:
        if kind in learned:
            continue
        own = starts if kind == "end" else none
        first, tops = first_tops(course, read_rows(course, kind, own), kind)
        learned[kind] = judge_tops(course, kind, first, tops, [None] * len(tops), own)
    return learned


def run_lines(course: Course, learned: Mapping[str, Learned]) -> list[ValueAnswer]:
    """Return the out-of-fold answers, and the governing law by its rules."""
    lines = []
    for at, contract in enumerate(course.contracts):
        for kind in KINDS:
            found, stated = learned[kind].found[at], learned[kind].stated[at]
            value = judge.value_of(kind, found, asserted=stated) if found else None
            lines.append(answer_value(contract.name, kind, value))
        lines.append(answer_law(contract.name, find_governing_law(contract.text)))
    weights = {kind: each.weights for kind, each in learned.items()}
    for contract, reading in course.left_out:
        judged = {each.kind: each for each in judge.judge_values(reading, weights)}
        lines += [answer_value(contract.name, kind, judged.get(kind)) for kind in KINDS]
        lines.append(answer_law(contract.name, find_governing_law(contract.text)))
    return lines


def print_joint_precision(course: Course, learned: Mapping[str, Learned]) -> None:
    """Print how often values that are asserted together are all right, out of fold."""
    for kinds in (("end", "renewal"), ("end", "notice"), ("end", "renewal", "notice")):
        stated, right = 0, 0
        for at in range(len(course.contracts)):
            found = [learned[kind].found[at] for kind in kinds if learned[kind].stated[at]]
            pairs = [pair for pair in found if pair]
            if len(pairs) < len(kinds) or math.prod(sure for _, sure in pairs) < TOGETHER:
                continue
            stated += 1
            right += all(
                course.is_right(at, kind, top.candidate.value)
                for kind, (top, _) in zip(kinds, pairs, strict=True)
            )
        print(f"{' and '.join(kinds)}: {right} of {stated}")


def write_weights(course: Course, learned: Mapping[str, Learned], path: Path) -> None:
    """Write what ships."""
    body = {
        "learned_from": "CUAD v1 (The Atticus Project, CC BY 4.0): "
        f"{len(course.contracts)} contracts",
        "command": "python -m training.values.train --data DATA/cuad --write",
        "kinds": {
            kind: {
                "limit": round(learned[kind].weights.limit, 4),
                "second": _rounded(learned[kind].weights.second),
                "first": _rounded(learned[kind].weights.first),
            }
            for kind in KINDS
        },
    }
    path.write_text(json.dumps(body, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    return {
        sign: round(weight, 3)
        for sign, weight in sorted(weights.items())
        if abs(weight) >= 5e-4 or not sign
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run-out", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights that ship")
    arguments = parser.parse_args()
    course = gather(arguments.data)
    learned = learn(course)
    print_joint_precision(course, learned)
    if arguments.run_out:
        write_lines(arguments.run_out, run_lines(course, learned))
    if arguments.write:
        write_weights(course, learned, OUT)


if __name__ == "__main__":
    main()
