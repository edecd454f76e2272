r"""Fit how much each sign of a passage counts: `playbooks/passages/passage_weights.json`.

One logistic regression over the sentences of CUAD's contracts and the law firm's 14 provisions
together, with a bias a provision (their mean is kept): does an expert's mark cover half of the
sentence? One for every set of signs that may be there: with and without vectors, a query by hand,
a learned query, a clause reader. What was learned (queries, examples, directions) comes from other
folds than the contract's: five folds by `group`.

The run files are out of fold altogether: what a contract is asked, and the weights, were learned
on the other four folds; and what those weights were fitted on was learned without the contract's
fold too (each contract that is fitted on is asked what was learned on the remaining three).

    fourcorners bench provisions --data DIR/cuad --library cuad.db     # reads and encodes, once
    python -m training.passages.train --data DIR/cuad --library cuad.db --run-out oof
    fourcorners bench score oof-both-3-windows.jsonl --data DIR/cuad

With `--reader` the folder in which `training/clause_reader/train.py` keeps its out-of-fold answers:
then weights with a clause reader are fitted too. (The readers that weights are fitted on have seen
the fold that is answered: to teach one for each pair of folds would take hours.)

What is learned is kept in `--cache`. Some five CPU-minutes; the seed is fixed.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.learning import learn, mining
from fourcorners.playbooks.learning.learn import mark_sentences
from fourcorners.playbooks.passages import ranking
from fourcorners.playbooks.passages.ranking import (
    ALWAYS,
    FILE,
    GROUPS,
    SIGNALS,
    RankedContract,
    RankingTarget,
    Weighing,
    ranking_signals,
    score_sentences,
    tile_spans,
)
from fourcorners.search.query import parse_query
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import CATEGORIES, FOURTEEN_PROVISIONS, AnnotatedContract
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.provisions.directions import DirectionQuery
from fourcorners_bench.provisions.run import (
    FOLDS,
    ReturnLimits,
    build_learner,
    builtin_targets,
    return_limits,
    select_windows,
)
from fourcorners_bench.provisions.score import (
    SCENARIOS,
    ProvidedPassages,
    count_instances,
    instance_recall,
)
from fourcorners_bench.run_files import write_lines

PENALTY = 0.1  # L2, on signs divided by their spread
FREE = 0.01  # that of a provision's bias
SHARE = 0.05  # of the sentences without a mark that are fitted on
STEPS = 40
LEARNED = [SIGNALS.index(name) for name in (*GROUPS["learned"], *GROUPS["direction"])]
MEANING = [SIGNALS.index(name) for name in GROUPS["meaning"]]
READER = SIGNALS.index("reader")
PROFILES = {
    "optimised": ("query", "meaning"),
    "learned": ("learned", "meaning", "direction"),
    "both": ("learned", "query", "meaning", "direction"),
    "both-without-vectors": ("learned", "query"),
    "learned-reader": ("learned", "meaning", "direction", "reader"),
    "both-reader": ("learned", "query", "meaning", "direction", "reader"),
    "both-reader-without-vectors": ("learned", "query", "reader"),
}
Array = NDArray[np.float32]
Without = frozenset[int]
"""Folds that nothing was learned from."""


@dataclass(frozen=True, slots=True)
class Course:
    """All that is fitted on; every array has a row for each provision, then for each sentence.

    Attributes:
        fixed: The signs of what is not learned here, and those of the clause reader.
        learned: By what was not learned from: the signs of queries and directions, then of the
            meaning of learned examples; filled for the contracts of these folds alone.
        marked: Whether a sentence is of the provision.
    """

    contracts: list[AnnotatedContract]
    ready: list[RankedContract]
    fold: NDArray[np.int64]
    starts: NDArray[np.int64]
    fixed: Array
    learned: dict[Without, Array]
    marked: NDArray[np.bool_]

    def of(self, at: int) -> slice:
        """Return the sentences of a contract."""
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def rows(
        self, groups: Sequence[str], without: Without, provision: int, taken: NDArray[np.bool_]
    ) -> Array:
        """Return the signs of groups, those that are always there last."""
        columns = [SIGNALS.index(name) for group in groups for name in GROUPS[group]]
        columns += [SIGNALS.index(name) for name in ALWAYS]
        rows = self.fixed[provision][taken]
        if "learned" in groups or "direction" in groups:
            found = self.learned[without][provision][taken]
            rows[:, LEARNED] = found[:, : len(LEARNED)]
            if "query" not in groups:
                rows[:, MEANING] = found[:, len(LEARNED) :]
        chosen: Array = rows[:, columns]
        return chosen


def sets_left_out() -> list[Without]:
    """Return every fold, and every two folds."""
    numbers = range(FOLDS)
    single = [frozenset({each}) for each in numbers]
    return single + [frozenset(pair) for pair in itertools.combinations(numbers, 2)]


def learn_all(
    contracts: list[AnnotatedContract], fold: NDArray[np.int64], library: Library
) -> dict[Without, list[DirectionQuery]]:
    """Learn the 14 provisions without each fold, and without every two."""
    learner = build_learner(library, contracts, FOURTEEN_PROVISIONS)
    found = {}
    for left_out in sets_left_out():
        without = {
            contract.group for contract, each in zip(contracts, fold, strict=True)
            if each in left_out
        }  # fmt: skip
        found[left_out] = [learner.learn(name, without=without) for name in FOURTEEN_PROVISIONS]
        say(f"learned without {sorted(left_out)}")
    return found


def gather(
    contracts: list[AnnotatedContract],
    fold: NDArray[np.int64],
    library: Library,
    learned_queries: dict[Without, list[DirectionQuery]],
) -> Course:
    """Read the signs of every sentence."""
    own = builtin_targets(default_encoder())
    asked = {
        left_out: [
            RankingTarget(
                learned=parse_query(each.query), examples=each.centres, direction=each.direction
            )
            for each in queries
        ]
        for left_out, queries in learned_queries.items()
    }
    ready, fixed, marked, starts = [], [], [], [0]
    learned: dict[Without, list[Array]] = {left_out: [] for left_out in learned_queries}
    for at, contract in enumerate(contracts):
        each = RankedContract.build(read_contract(library, document_id(contract.text)))
        count = len(each.spans)
        by_hand = [
            ranking_signals(each, replace(own[name], learned=None)) for name in FOURTEEN_PROVISIONS
        ]
        fixed.append(np.stack(by_hand))
        for left_out, queries in asked.items():
            rows = np.zeros(
                (len(FOURTEEN_PROVISIONS), count, len(LEARNED) + len(MEANING)), np.float32
            )
            if fold[at] in left_out:
                found = [ranking_signals(each, wanted) for wanted in queries]
                rows = np.stack(found)[:, :, LEARNED + MEANING]
            learned[left_out].append(rows)
        sentences = mark_sentences(contract.text, each.spans, contract.annotations, contract.group)
        marked.append(
            [[name in one.provisions for one in sentences] for name in FOURTEEN_PROVISIONS]
        )
        ready.append(replace(each, index=WordIndex("")))
        starts.append(starts[-1] + count)
        if at % 50 == 0:
            say(f"read {at} of {len(contracts)} contracts")
    return Course(
        contracts,
        ready,
        fold,
        np.array(starts),
        np.concatenate(fixed, axis=1),
        {left_out: np.concatenate(rows, axis=1) for left_out, rows in learned.items()},
        np.concatenate([np.array(each, np.bool_) for each in marked], axis=1),
    )


def hear(course: Course, folder: Path) -> None:
    """Take the clause reader's out-of-fold answers by words in."""
    kinds = [CATEGORIES.index(name) for name in FOURTEEN_PROVISIONS]
    of_fold = np.repeat(course.fold, np.diff(course.starts))
    for held in range(FOLDS):
        words, _ = np.load(folder / f"first-{held}.npy")
        place = of_fold == held
        if len(words) != place.sum():
            raise SystemExit(f"{folder}: the answers of fold {held} are of other sentences.")
        course.fixed[:, place, READER] = words[:, kinds].T


def fit(course: Course, groups: Sequence[str], held: int | None, seed: int) -> Weighing:
    """Fit the weights of what is known on all folds but one, or on all."""
    drawn = np.random.default_rng(seed).random(course.marked.shape) < SHARE
    of_fold = np.repeat(course.fold, np.diff(course.starts))
    blocks, targets = [], []
    for provision in range(len(FOURTEEN_PROVISIONS)):
        for fold in range(FOLDS):
            if fold == held:
                continue
            taken = (course.marked[provision] | drawn[provision]) & (of_fold == fold)
            without = frozenset({fold} if held is None else {fold, held})
            rows = course.rows(groups, without, provision, taken)
            biases = np.zeros((len(rows), len(FOURTEEN_PROVISIONS)), np.float32)
            biases[:, provision] = 1.0
            blocks.append(np.concatenate([rows, biases], axis=1))
            targets.append(course.marked[provision][taken])
    names = [name for group in groups for name in GROUPS[group]] + list(ALWAYS)
    found = regress(
        np.concatenate(blocks).astype(np.float64),
        np.concatenate(targets).astype(np.float64),
        len(names),
    )
    bias = float(found[len(names) :].mean() + np.log(SHARE))
    weights = zip(names, found[: len(names)].tolist(), strict=True)
    return {"bias": round(bias, 3), **{name: round(each, 4) for name, each in weights}}


def regress(
    rows: NDArray[np.float64], target: NDArray[np.float64], weighed: int
) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, by Newton's method with bounded steps."""
    spread = rows.std(axis=0) + 1e-9
    spread[weighed:] = 1.0
    rows = rows / spread
    penalty = np.full(rows.shape[1], FREE)
    penalty[:weighed] = PENALTY
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-(rows @ found)))
        slope = rows.T @ (target - sure) - penalty * found
        bend = (rows * (sure * (1 - sure))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        found += step * min(1.0, 2 / np.abs(step).max())
        if np.abs(step).max() < 1e-4:
            break
    weights: NDArray[np.float64] = found / spread
    return weights


def answers(
    course: Course, groups: Sequence[str], seed: int
) -> dict[tuple[int, str], list[ProvidedPassages]]:
    """Return the passages of every scenario and shape, out of fold."""
    weighings = [fit(course, groups, held, seed) for held in range(FOLDS)]
    names = [name for group in groups for name in GROUPS[group]] + list(ALWAYS)
    columns = [SIGNALS.index(name) for name in names]
    runs: dict[tuple[int, str], list[ProvidedPassages]] = {}
    for at, contract in enumerate(course.contracts):
        held, ready = int(course.fold[at]), course.ready[at]
        here = np.zeros(course.marked.shape[1], np.bool_)
        here[course.of(at)] = True
        wanted = [
            (scenario.number, shape)
            for scenario in SCENARIOS
            if scenario.includes(contract)
            for shape in return_limits(scenario, "both")
        ]
        parts = {
            longest: tile_spans(ready.spans, len(contract.text), longest=longest)
            for longest in {shape.longest for _, shape in wanted}
        }
        for provision, name in enumerate(FOURTEEN_PROVISIONS):
            rows = np.zeros((len(ready.spans), len(SIGNALS)), np.float32)
            rows[:, columns] = course.rows(groups, frozenset({held}), provision, here)
            chance = score_sentences(rows, weighings[held])
            found: dict[ReturnLimits, tuple[Span, ...]] = {}
            for number, shape in wanted:
                if shape not in found:
                    spans = select_windows(ready, chance, shape, parts[shape.longest])
                    found[shape] = tuple(spans)
                line = ProvidedPassages(contract.name, name, found[shape])
                runs.setdefault((number, shape.name), []).append(line)
    return runs


def combinations(reader: bool) -> Iterator[tuple[str, ...]]:
    """Return every set of signs that may be known, in the order of `GROUPS`."""
    names = [group for group in GROUPS if reader or group != "reader"]
    for size in range(len(names) + 1):
        yield from itertools.combinations(names, size)


def digest(paths: Sequence[Path], more: str) -> str:
    """Return a short hash of files and of a text."""
    found = hashlib.sha256(more.encode("utf-8"))
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def say(text: str) -> None:
    """Print how far the work is."""
    print(f"{time.process_time():6.0f} s  {text}", flush=True)


def learn_and_gather(options: argparse.Namespace, contracts: list[AnnotatedContract]) -> Course:
    """Learn without each fold and every two, and read what that says of every sentence."""
    fold = np.array(cuad.assign_folds(contracts, k=FOLDS, seed=options.seed))
    with Library.open(options.library, create=False) as library:
        return gather(contracts, fold, library, learn_all(contracts, fold, library))


def course_of(options: argparse.Namespace, contracts: list[AnnotatedContract]) -> Course:
    """Return all that is fitted on, from the cache if it is there."""
    sources = [Path(str(each.__file__)) for each in (learn, mining, ranking)]
    documents = " ".join(document_id(contract.text) for contract in contracts)
    key = digest([*sources, options.data / "annotations.jsonl"], f"{options.seed} {documents}")
    cache_file = options.cache / f"course-{key}.pickle"
    if not cache_file.exists():
        options.cache.mkdir(parents=True, exist_ok=True)
        cache_file.with_suffix(".part").write_bytes(
            pickle.dumps(learn_and_gather(options, contracts))
        )
        cache_file.with_suffix(".part").rename(cache_file)
    course: Course = pickle.loads(cache_file.read_bytes())  # noqa: S301 - our own cache
    if options.reader:
        hear(course, options.reader)
    return course


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--reader", type=Path, help="folder of the clause reader's answers")
    parser.add_argument("--cache", type=Path, default=Path(".weigh-passages"))
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--run-out", type=str, help="start of the names of the run files")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    contracts = cuad.load_cuad(options.data)
    course = course_of(options, contracts)
    weighings = {
        "+".join(groups): fit(course, groups, None, options.seed)
        for groups in combinations(bool(options.reader))
    }
    content = {
        "provenance": {
            "script": "training/passages/train.py",
            "contracts": len(contracts),
            "documents": digest([], " ".join(sorted(document_id(c.text) for c in contracts))),
            "annotations": digest([options.data / "annotations.jsonl"], ""),
            "sentences": int(course.marked.shape[1]),
            "folds": FOLDS,
            "penalty": PENALTY,
            "seed": options.seed,
            "date": datetime.now(UTC).date().isoformat(),
        },
        "weighings": {
            known: {
                "bias": each["bias"],
                "weights": {name: weight for name, weight in each.items() if name != "bias"},
            }
            for known, each in weighings.items()
        },
    }
    options.out.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    say(f"{len(weighings)} weighings written to {options.out}")
    if not options.run_out:
        return
    for profile, groups in PROFILES.items():
        if "reader" in groups and not options.reader:
            continue
        for (number, shape), run in answers(course, groups, options.seed).items():
            name = shape.replace("½", "half").replace(" ", "-")
            write_lines(Path(f"{options.run_out}-{profile}-{number}-{name}.jsonl"), run)
            by_name = {contract.name: contract for contract in contracts}
            found = instance_recall(
                count_instances(by_name[p.name], p.provision, p.passages) for p in run
            )
            say(f"{profile}, scenario {number}, {name}: {found:.2%}")


if __name__ == "__main__":
    main()
