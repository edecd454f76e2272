"""Learn the curves of a provision that nothing was learned for: `default` in `calibration.json`.

A provision that a user writes has no curve. What its signs are worth is learned from
CUAD's categories, each as three people might write it: with the playbook's query and examples;
with four keywords of it that have no boosts, and one example; with the query and no example. All
sentences count, those that match nothing for as many as are left out. Facts of the contract card
are left out, since the card answers them, and so are the contracts that are kept for trials.

What is printed is of provisions and contracts that were not learned from: a seventh of the
categories is left out at a time and, of contracts, a fifth of the groups. From these answers the
threshold is chosen: the least from which `PRECISION` of the found cells are right. The curves of
the other provisions are left as they are.

    python -m training.extraction.unseen --data DIR/cuad --library cuad.db --write

Needs `pip install './bench[training]'`. Takes some minutes on two cores; the seed is fixed.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.models import default_encoder
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Extent, Provision
from fourcorners.review.extract.cells import choose_candidates
from fourcorners.review.extract.scoring import (
    DEFAULT,
    FEATURES,
    Curve,
    PreparedProvision,
    default_calibration,
    level_boosts,
)
from fourcorners.review.run import prepare_provisions
from fourcorners.search.query import Or, Query
from fourcorners.text.span import Span
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import PLAYBOOKS, AnnotatedContract
from fourcorners_bench.extraction.score import Counts, count_provision
from training.common.logistic import fit_one
from training.extraction.train import (
    OUT,
    Example,
    candidates,
    categories_of,
    examples_of,
    to_json,
    without_meaning,
    worth,
)
from training.verdicts.sample import load_contracts, trial_groups

FOLDS = 5  # of contracts, by group
BLOCKS = 7  # of provisions, by name: those that are much alike are left out together
STRENGTH = 1.0  # inverse of the L2 penalty
UNSIGNED_SHARE = (
    0.02  # the share of the sentences without a sign that is learned from, for all of them
)
KEYWORDS = 4  # of a query as a user writes it
PRECISION = (
    0.9  # of the found cells that are right, so many at least; .95 would lose a third of them
)
STEPS = np.linspace(0.3, 0.98, 69)  # thresholds that are tried
FURTHER = np.linspace(0.05, 0.95, 19)  # of them, for quotes other than the best
WAYS = ("playbook", "keywords", "no example")

Key = tuple[str, str]  # provision and way
Seen = Mapping[Key, Example]


@dataclass(frozen=True, slots=True)
class Cell:
    """What a provision that was not learned from is answered of a contract."""

    provision: str
    contract: int
    holds: bool
    candidates: list[tuple[Span, float]]

    @property
    def best(self) -> float:
        return self.candidates[0][1] if self.candidates else 0.0


def in_keywords(provision: Provision) -> Provision:
    """Return a provision as a user might write it: the keywords that say most, one example."""
    tree = provision.query.tree
    parts = tree.parts if isinstance(tree, Or) else (tree,)
    best = sorted(parts, key=lambda part: -getattr(part, "boost", 1.0))[:KEYWORDS]
    plain = tuple(replace(part, boost=1.0) for part in best)
    selected = Or(plain) if len(plain) > 1 else plain[0]
    return replace(
        provision,
        query=Query(str(selected), selected),
        avoid=None,
        card=None,
        examples=provision.examples[:1],
    )


def written(encoder: Encoder) -> list[tuple[Key, PreparedProvision]]:
    """Return the provisions that are learned from, each in all ways."""
    playbooks = [load_playbook(name) for name in PLAYBOOKS]
    found = []
    for playbook in playbooks:
        asked = [each for each in playbook.provisions if each.extent is not Extent.FACT]
        for way, provisions in zip(
            WAYS,
            (
                asked,
                [in_keywords(each) for each in asked],
                [replace(each, examples=(), card=None) for each in asked],
            ),
            strict=True,
        ):
            prepared = prepare_provisions(replace(playbook, provisions=tuple(provisions)), encoder)
            found += [((each.provision.id, way), each) for each in prepared]
    return list(dict(found).items())


def fit(seen: Sequence[Seen], keys: Sequence[Key], rng: np.random.Generator) -> Curve:
    """Fit one curve to provisions together, each in each way of the same weight.

    A first model ranks sentences; a second turns the log-odds of a contract's best sentence into
    the probability that the contract holds the provision.
    """
    parts = [_thinned([each[key] for each in seen], rng) for key in keys]
    rows, positive, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    head = fit_one(rows, positive, STRENGTH, weights=weights * len(rows) / len(parts))
    shown = [each[key] for each in seen for key in keys if len(each[key].features)]
    best = np.array([(each.features @ head[:-1]).max() + head[-1] for each in shown])
    holds = np.array([each.positive.any() for each in shown], np.float64)
    slope, shift = fit_one(np.c_[best, np.ones(len(best))], holds, STRENGTH)
    return Curve(
        tuple(round(float(slope * weight), 4) for weight in head[:-1]),
        round(float(slope * head[-1] + shift), 4),
        0.5,
        0.5,
    )


def _thinned(
    seen: Sequence[Example], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return rows with a constant, labels and weights (1 in all) of one provision."""
    features = np.concatenate([each.features for each in seen])
    positive = np.concatenate([each.positive for each in seen])
    telling = positive | (features[:, FEATURES.index("words")] > 0)
    selected = telling | (rng.random(len(features)) < UNSIGNED_SHARE)
    weights = np.where(telling, 1.0, 1 / UNSIGNED_SHARE)[selected]
    rows = np.c_[features[selected], np.ones(selected.sum())].astype(np.float64)
    return rows, positive[selected].astype(np.float64), weights / weights.sum()


def held_out(
    contracts: Sequence[AnnotatedContract], seen: Sequence[Seen], seed: int
) -> dict[str, list[Cell]]:
    """Return, for each way, the cells of provisions and contracts that were not learned from."""
    fold = cuad.assign_folds(list(contracts), k=FOLDS, seed=seed)
    rng = np.random.default_rng(seed)
    names = sorted({name for name, _ in seen[0]})
    cells: dict[str, list[Cell]] = defaultdict(list)
    for block in np.array_split(np.array(names), BLOCKS):
        left = set(block.tolist())
        for held in range(FOLDS):
            inside = [each for each, at in zip(seen, fold, strict=True) if at != held]
            curve = fit(inside, [key for key in seen[0] if key[0] not in left], rng)
            for at in (at for at in range(len(contracts)) if fold[at] == held):
                for name, way in (key for key in seen[0] if key[0] in left):
                    each = seen[at][name, way]
                    holds = any(contracts[at].annotations[kind] for kind in categories_of()[name])
                    cells[way].append(Cell(name, at, holds, candidates(each, curve)))
    return cells


def limits(
    contracts: Sequence[AnnotatedContract], cells: Mapping[str, Sequence[Cell]]
) -> tuple[float, float]:
    """Return from where on a cell is found, and from where on a quote goes along."""
    every = [cell for each in cells.values() for cell in each]
    found = next(
        round(float(step), 2) for step in STEPS if figures(every, float(step))[0] >= PRECISION
    )
    tried = [round(float(step), 2) for step in FURTHER if step <= found]
    return found, max(tried, key=lambda also: worth(count(contracts, every, found, also)))


def figures(cells: Sequence[Cell], threshold: float) -> tuple[float, float]:
    """Return how many of the found cells are right, and of the right cells how many are found."""
    holds = np.array([cell.holds for cell in cells])
    found = np.array([cell.best >= threshold for cell in cells])
    right = float((holds & found).sum())
    return right / max(1, found.sum()), right / max(1, holds.sum())


def count(
    contracts: Sequence[AnnotatedContract], cells: Sequence[Cell], found: float, also: float
) -> Counts:
    """Count what is quoted, by the law firm's rule."""
    total = Counts()
    for cell in cells:
        quotes = [span for span, _ in choose_candidates(cell.candidates, found, also)]
        for name in categories_of()[cell.provision]:
            total += count_provision(contracts[cell.contract], name, quotes)
    return total


def as_shipped(
    contracts: Sequence[AnnotatedContract], seen: Sequence[Seen], curve: Curve
) -> dict[str, list[Cell]]:
    cells: dict[str, list[Cell]] = defaultdict(list)
    for at, each in enumerate(seen):
        for (name, way), example in each.items():
            holds = any(contracts[at].annotations[kind] for kind in categories_of()[name])
            cells[way].append(Cell(name, at, holds, candidates(example, curve)))
    return cells


def table(
    contracts: Sequence[AnnotatedContract],
    cells: Mapping[str, Sequence[Cell]],
    found: float,
    also: float,
) -> Iterator[str]:
    for way, each in cells.items():
        precision, recall = figures(each, found)
        by_name = defaultdict(list)
        for cell in each:
            by_name[cell.provision].append(cell)
        singly = [figures(own, found) for own in by_name.values() if any(c.holds for c in own)]
        mean = np.mean([recall for _, recall in singly])
        seldom = sum(precision < 0.8 for precision, _ in singly if precision)
        total = count(contracts, each, found, also)
        yield (
            f"{way}: precision {precision:.3f}, recall {recall:.3f} "
            f"(mean of provisions {mean:.3f}; {seldom} of {len(singly)} are right less than .8), "
            f"characters {total.characters:.0f}, of them right {total.character_precision:.2f}"
        )


def _seen(
    library: str, provisions: Sequence[tuple[Key, PreparedProvision]], contract: AnnotatedContract
) -> dict[Key, Example]:
    ways: dict[str, list[PreparedProvision]] = defaultdict(list)
    for (_, way), prepared in provisions:
        ways[way].append(prepared)
    seen = examples_of(library, list(ways.values()), contract)
    queries = {key: prepared.provision.query for key, prepared in provisions}
    return {
        (name, way): replace(example, features=level_boosts(example.features, queries[name, way]))
        for way, own in zip(ways, seen, strict=True)
        for name, example in own.items()
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the curves where they ship")
    return parser.parse_args()


def learn(contracts: Sequence[AnnotatedContract], seen: Sequence[Seen], seed: int) -> str:
    """Learn and judge both curves; return the calibration with them in it."""
    shipped = default_calibration()
    made = {}
    for name, curves, view in (
        ("words and meaning", shipped.curves, seen),
        ("words alone", shipped.by_words, without_meaning(seen)),
    ):
        before = curves[DEFAULT]
        print(f"{name}, as shipped (found from {before.threshold}, quoted from {before.also})")
        cells = as_shipped(contracts, view, before)
        print(*table(contracts, cells, before.threshold, before.also), sep="\n", flush=True)
        cells = held_out(contracts, view, seed)
        found, also = limits(contracts, cells)
        print(f"{name}, held out (found from {found}, quoted from {also})")
        print(*table(contracts, cells, found, also), sep="\n", flush=True)
        curve = fit(view, list(view[0]), np.random.default_rng(seed))
        made[name] = {**curves, DEFAULT: replace(curve, threshold=found, also=also)}
    before = json.loads(OUT.read_text("utf-8"))
    return to_json(*made.values(), before["learned_from"], before["seed"])


def main() -> None:
    arguments = _arguments()
    selected = {group for trial in trial_groups(load_contracts(arguments.data)) for group in trial}
    contracts = [each for each in cuad.load_cuad(arguments.data) if each.group not in selected]
    provisions = written(default_encoder())
    with ProcessPoolExecutor(arguments.processes) as pool:
        work = partial(_seen, str(arguments.library), provisions)
        seen: list[Seen] = list(pool.map(work, contracts, chunksize=4))
    made = learn(contracts, seen, arguments.seed)
    if arguments.write:
        OUT.write_text(made, "utf-8")


if __name__ == "__main__":
    main()
