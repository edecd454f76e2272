"""Learn how much each sign of a provision counts: `review/extract/calibration.json`.

For each provision a logistic model over the features of `review.extract.scoring` is fitted to
CUAD's expert annotations, and the thresholds that give the best F1 (the law firm's, plain and
strict, averaged) at a bounded number of characters are chosen. The run file holds out-of-fold
answers: five folds by `group`; the thresholds of a fold are chosen on the other four.

    fourcorners bench extraction --data DIR/cuad --library cuad.db     # reads and encodes, once
    python -m training.extraction.train --data DIR/cuad --library cuad.db --run-out oof.jsonl
    fourcorners bench score oof.jsonl --data DIR/cuad

Needs `pip install './bench[training]'`. Takes some minutes on two cores; the seed is fixed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Extent, card_facts
from fourcorners.review.extract.cells import MAX_CANDIDATES, choose_candidates, join_quotes
from fourcorners.review.extract.scoring import (
    DEFAULT,
    FEATURES,
    Curve,
    PreparedProvision,
    default_calibration,
    score_segments,
    top_positions,
)
from fourcorners.review.run import prepare_provisions
from fourcorners.text.span import Span
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import (
    CATEGORY_PROVISIONS,
    PLAYBOOKS,
    AnnotatedContract,
    Extraction,
)
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.extraction.score import Counts, count_provision
from fourcorners_bench.run_files import write_lines

OUT = Path(__file__).parents[3] / "src/fourcorners/review/extract/calibration.json"
FOLDS = 5
STRENGTH = 1.0  # inverse of the L2 penalty
CHARACTERS = 1_200.0  # a contract, from which on a threshold is penalised
PRECISE = 0.2  # what character precision counts relative to F1 in the choice of thresholds
EAGER = 0.008  # what a lower threshold may cost: other drafting styles score lower than CUAD's
LEAST = 0.05  # below this no sentence is quoted: a person would not believe it
GRID = 24

# Provisions that no category of their own answers, with the categories whose union they are.
UNIONS = {"non-solicitation": ("No-Solicit Of Customers", "No-Solicit Of Employees")}


Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Example:
    """One contract as a provision sees it: features, places and labels of its sentences."""

    features: NDArray[np.float32]
    spans: tuple[Span, ...]
    positive: NDArray[np.bool_]
    facts: tuple[tuple[Span, float], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one contract is answered out of fold: candidates best first, and the thresholds."""

    candidates: list[tuple[Span, float]]
    threshold: float
    also: float


def categories_of() -> dict[str, tuple[str, ...]]:
    """Return, for each provision, the categories of CUAD that it answers."""
    answered = {provision: (category,) for category, (_, provision) in CATEGORY_PROVISIONS.items()}
    return {**answered, **UNIONS}


def examples(
    reading: Contract, contract: AnnotatedContract, provisions: Sequence[PreparedProvision]
) -> dict[str, Example]:
    """Return what each provision sees in one contract."""
    spans = tuple(segment.span for segment in reading.sentences)
    seen = {}
    for prepared in provisions:
        provision = prepared.provision
        known: list[tuple[Span, float]] = []
        if provision.extent is Extent.FACT:
            known = card_facts(reading.card, provision.card)
        marked = [
            span for name in categories_of()[provision.id] for span in contract.annotations[name]
        ]
        seen[provision.id] = Example(
            features=score_segments(reading, prepared),
            spans=spans,
            positive=np.array([_is_positive(span, marked) for span in spans], np.bool_),
            facts=tuple(known),
        )
    return seen


def _is_positive(span: Span, marked: Sequence[Span]) -> bool:
    return any(
        (both := span.intersection(mark)) and len(both) >= 0.5 * min(len(span), len(mark))
        for mark in marked
    )


def fit(seen: Sequence[Example]) -> Curve:
    """Fit the logistic model of one provision.

    A first model ranks sentences. A second, of two weights, turns the log-odds of a contract's best
    sentence into the probability that the contract holds the provision: what a person wants to
    know of a cell. Both together are one logistic curve.
    """
    features = np.concatenate([example.features for example in seen])
    positive = np.concatenate([example.positive for example in seen])
    ranking = LogisticRegression(C=STRENGTH, max_iter=1_000).fit(features, positive)
    best = [ranking.decision_function(each.features).max() for each in seen if len(each.features)]
    there = [bool(each.positive.any()) for each in seen if len(each.features)]
    slope, shift = 1.0, 0.0
    if len(set(there)) > 1:  # some provisions are in every contract
        presence = LogisticRegression(C=STRENGTH).fit(np.array(best)[:, None], there)
        slope, shift = float(presence.coef_[0][0]), float(presence.intercept_[0])
    return Curve(
        tuple(round(slope * float(weight), 4) for weight in ranking.coef_[0]),
        round(slope * float(ranking.intercept_[0]) + shift, 4),
        0.5,
        0.5,
    )


def candidates(example: Example, curve: Curve) -> list[tuple[Span, float]]:
    """Return what a review would consider, best first."""
    if example.facts:
        return sorted(example.facts, key=lambda each: -each[1])
    probability = curve.probability(example.features)
    return [
        (example.spans[at], round(float(probability[at]), 5))
        for at in top_positions(probability, MAX_CANDIDATES)
    ]


def thresholds(
    contracts: Sequence[AnnotatedContract],
    considered: Sequence[Sequence[tuple[Span, float]]],
    categories: Sequence[str],
) -> tuple[float, float]:
    """Return the probabilities from which a cell is found and from which a quote goes along.

    They are the pair with the best F1 at a bounded number of characters.
    """
    best = np.array([each[0][1] if each else 0.0 for each in considered])
    steps = [*np.quantile(best, np.linspace(0.05, 0.98, GRID)), *np.linspace(0.1, 0.9, 17)]
    enough = sorted({round(float(step), 4) for step in steps})
    pool = [p for each in considered for _, p in each[:8]]
    quantiles = np.quantile(pool, np.linspace(0.2, 0.98, GRID))
    more = sorted({round(max(LEAST, float(quantile)), 4) for quantile in quantiles})

    def counts(limit: float) -> NDArray[np.float64]:
        rows = []
        for contract, each in zip(contracts, considered, strict=True):
            quotes = [span for span, _ in choose_candidates(each, limit, limit)]
            total = sum((count_provision(contract, name, quotes) for name in categories), Counts())
            rows.append(astuple(total))
        return np.array(rows, np.float64)

    nothing = counts(2.0)
    worths: dict[tuple[float, float], float] = {}
    for also in more:
        something = counts(also)
        for found in enough:
            if found >= also:
                gate = (best >= found)[:, None]
                total = np.where(gate, something, nothing).sum(axis=0).astype(int)
                worths[found, also] = worth(Counts(*total))
    if not worths:
        return 0.5, 0.5
    most = max(worths, key=lambda pair: worths[pair])
    near = [pair for pair in worths if pair[1] == most[1] and worths[pair] >= worths[most] - EAGER]
    return min(near)


def worth(total: Counts) -> float:
    excess = max(0.0, total.characters - CHARACTERS) / CHARACTERS
    f1 = (total.f1() + total.f1(strict=True)) / 2
    return f1 + PRECISE * total.character_precision - 0.1 * excess


def learn(
    contracts: Sequence[AnnotatedContract],
    seen: Sequence[Example],
    categories: Sequence[str],
    fold: Sequence[int],
) -> tuple[Curve, list[Answer]]:
    """Fit one provision; return its curve and each contract's out-of-fold answer."""
    answers: dict[int, Answer] = {}
    for held in range(FOLDS):
        inside = [at for at in range(len(contracts)) if fold[at] != held]
        curve = fit([seen[at] for at in inside])
        limits = thresholds(
            [contracts[at] for at in inside],
            [candidates(seen[at], curve) for at in inside],
            categories,
        )
        for at in range(len(contracts)):
            if fold[at] == held:
                answers[at] = Answer(candidates(seen[at], curve), *limits)
    ordered = [answers[at] for at in range(len(contracts))]
    found, also = thresholds(contracts, [each.candidates for each in ordered], categories)
    return replace(fit(seen), threshold=found, also=also), ordered


def _learn_one(
    contracts: Sequence[AnnotatedContract], fold: Sequence[int], task: tuple[str, Sequence[Example]]
) -> tuple[str, Curve, list[Answer]]:
    name, seen = task
    return name, *learn(contracts, seen, categories_of()[name], fold)


def learn_all(
    contracts: Sequence[AnnotatedContract],
    seen: Sequence[Mapping[str, Example]],
    *,
    processes: int,
    seed: int,
) -> tuple[dict[str, Curve], list[Extraction]]:
    """Fit every provision; return the curves and the out-of-fold run."""
    fold = cuad.assign_folds(list(contracts), k=FOLDS, seed=seed)
    tasks = [(name, [each[name] for each in seen]) for name in seen[0]]
    curves: dict[str, Curve] = {}
    run: list[Extraction] = []
    by_provision = {provision: category for category, (_, provision) in CATEGORY_PROVISIONS.items()}
    with ProcessPoolExecutor(processes) as pool:
        for name, curve, answers in pool.map(partial(_learn_one, contracts, fold), tasks):
            curves[name] = curve
            print(f"{name}: found from {curve.threshold}, quoted from {curve.also}", flush=True)
            if name in by_provision:
                run.extend(
                    _line(contract, by_provision[name], answer)
                    for contract, answer in zip(contracts, answers, strict=True)
                )
    return curves, run


def without_meaning(seen: Sequence[Mapping[Key, Example]]) -> list[dict[Key, Example]]:
    """Return the examples as they are for a library without vectors."""
    silent = [FEATURES.index("meaning"), FEATURES.index("meaning_of_best")]
    return [
        {
            name: replace(example, features=_zeroed(example.features, silent))
            for name, example in each.items()
        }
        for each in seen
    ]


def _zeroed(features: NDArray[np.float32], columns: Sequence[int]) -> NDArray[np.float32]:
    copy = features.copy()
    copy[:, columns] = 0.0
    return copy


def _line(contract: AnnotatedContract, category: str, answer: Answer) -> Extraction:
    quotes = join_quotes(
        choose_candidates(answer.candidates, answer.threshold, answer.also), contract.text
    )
    return Extraction(
        name=contract.name,
        provision=category,
        quotes=tuple(span for span, _ in quotes),
        score=answer.candidates[0][1] if answer.candidates else 0.0,
        candidates=tuple(answer.candidates),
    )


def to_json(
    curves: Mapping[str, Curve],
    by_words: Mapping[str, Curve],
    learned_from: Sequence[str],
    seed: int,
) -> str:
    """Return the calibration file."""
    body = {
        "features": list(FEATURES),
        "learned_from": sorted(learned_from),
        "seed": seed,
        "provisions": _entries(curves),
        "by_words": _entries(by_words),
    }
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:12]
    return json.dumps({"version": f"cuad-{digest}", **body}, indent=1) + "\n"


def _entries(curves: Mapping[str, Curve]) -> dict[str, dict[str, object]]:
    return {
        name: {
            "weights": list(curve.weights),
            "bias": curve.bias,
            "threshold": curve.threshold,
            "also": curve.also,
        }
        for name, curve in sorted(curves.items())
    }


def examples_of(
    library: str, ways: Sequence[Sequence[PreparedProvision]], contract: AnnotatedContract
) -> list[dict[str, Example]]:
    """Return what each list of provisions sees in a contract of the library."""
    with Library.open(library, create=False) as store:
        name = document_id(contract.text)
        reading = Contract.build(
            store.document(name),
            store.outline(name),
            store.card(name),
            store.passages(name),
            store.vectors(document=name).matrix,
        )
    return [examples(reading, contract, provisions) for provisions in ways]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--run-out", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    contracts = cuad.load_cuad(arguments.data)
    encoder = default_encoder()
    provisions = [
        each for name in PLAYBOOKS for each in prepare_provisions(load_playbook(name), encoder)
    ]
    with ProcessPoolExecutor(arguments.processes) as pool:
        work = partial(examples_of, str(arguments.library), [provisions])
        seen = [each for (each,) in pool.map(work, contracts, chunksize=4)]
    settings = {"processes": arguments.processes, "seed": arguments.seed}
    curves, run = learn_all(contracts, seen, **settings)
    by_words, _ = learn_all(contracts, without_meaning(seen), **settings)
    shipped = default_calibration()  # what is asked of a user's provision is learned apart
    curves[DEFAULT], by_words[DEFAULT] = shipped.curves[DEFAULT], shipped.by_words[DEFAULT]
    learned_from = [document_id(contract.text) for contract in contracts]
    text = to_json(curves, by_words, learned_from, arguments.seed)
    arguments.out.write_text(text, encoding="utf-8")
    if arguments.run_out:
        write_lines(arguments.run_out, run)


if __name__ == "__main__":
    main()
