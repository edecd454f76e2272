"""Learn when a report says "not in the contract" (`research/sufficiency.json`).

Half of the cases are questions of LegalBench-RAG asked of contracts that answer them, the other
half the same asked of copies out of which the marked answers were cut. Each is judged by a clause
reader that learned from other contracts, and none is of the contracts that `fourcorners bench
answers --removal` measures on. A rule is learned for each ground (`sufficiency.SIGNS`), with and
without vectors; that of the reader has a constant for each kind besides, and its threshold is that
of the mean of its opinion and the query's. A threshold is where the worse of "answered" and "said
not to be there" is best.

    python -m training.answerability.absence --data DIR --reader FOLDER [--reader FOLDER …]
    [--library FILE]
        [--cases 500] [--held 200] [--write]
    python -m training.answerability.absence --data DIR --reader FOLDER --trade .95 [--every]
    [--library FILE]
        [--write]

`--trade` learns no weights. It judges the cases of `bench answers` by the rule that is shipped, of
contracts that neither the encoder nor the reader that is given (`clause_reader/held_out.py`) has
learned from, and chooses the threshold at which that share of the copies is denied. What it prints
is out of fold: the threshold of each fifth of the contracts, by `group`, is chosen on the others.
`--every` takes all cases, those whose copies may still answer among them.

`--reader` is a clause reader taught without some of the contracts, by `clause_reader/train.py`
with a `--data` that lacks them; their cases are learned from. `--held` measures on as many cases
that `bench answers` draws, by the first reader that has not learned from their contracts: the
reader that is shipped learned from all of them, so that the bench is kinder than new contracts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.evaluation.answers import removal
from fourcorners.evaluation.extraction import loader as cuad
from fourcorners.evaluation.extraction.run import document_id
from fourcorners.evaluation.measures.statistics import wilson_interval
from fourcorners.evaluation.retrieval.loader import corpus_text
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.models.clause_reader.reader import ClauseReader, open_reader
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.answerability import clause_kinds as kinds
from fourcorners.research.answerability import sufficiency
from fourcorners.research.answerability.sufficiency import (
    FEATURES,
    FILE,
    EvidenceBasis,
    Features,
    RulesFile,
)
from fourcorners.search.concepts import recognise_concepts
from fourcorners.search.sentences.units import document_cache

STRENGTH, OF_KIND = 1.0, 8.0  # the L2 penalties of signs, and of a kind's constant
FOLDS = 5
NEWTON = 15  # steps of Newton's method
LIMIT = "limit"  # the sign that is weighed against the others
TRADED = (
    " The threshold of the ground of the clause reader, with vectors, was chosen by --trade on "
    "contracts that neither the encoder nor the reader of the choice learned from."
)
MODES = {"with_vectors": True, "by_words": False}
Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """One side of a case, as the rules see it; `kind` is empty where none is known."""

    contract: str
    is_answered: bool
    kind: str
    signs: Features


@dataclass(frozen=True)
class Learned:
    """A rule without its threshold."""

    weights: Rows
    bias: float
    kinds: Mapping[str, float]

    def odds(self, rows: Rows, named: Sequence[str]) -> Rows:
        """Return the log-odds of rows of signs, with the kind that each is about."""
        constants = np.array([self.kinds.get(kind, 0.0) for kind in named])
        odds: Rows = rows @ self.weights + self.bias + constants
        return odds


Tables = dict[str, list[Seen]]


def main() -> None:
    """Learn the rules, print how they do, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, action="append", required=True)
    parser.add_argument("--library", type=Path, default=Path("abstain.db"))
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--held", type=int, default=0)
    parser.add_argument("--trade", type=float, metavar="SHARE")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    readers = [open_reader(folder) for folder in options.reader]
    watcher = Watcher(options.data, options.library, readers)
    if options.trade is not None:
        held = watcher.see(held=True, count=sys.maxsize, every=options.every)
        chosen = trade(held["with_vectors"], options.data, options.trade)
        if options.write:
            put_threshold(chosen)
        return
    seen = watcher.see(held=False, count=options.cases)
    content: dict[str, object] = {
        "provenance": f"training.answerability.absence over {len(seen['by_words']) // 2} questions "
        "of LegalBench-RAG's CUAD set and as many with their answers cut out, of contracts that "
        "neither the bench measures on nor the clause reader of the fit learned from; "
        f"L2 {STRENGTH}."
    }
    content |= {mode: learned(mode, seen[mode]) for mode in MODES}
    text = json.dumps(content, indent=2) + "\n"
    if options.held:
        held = watcher.see(held=True, count=options.held)
        for mode, with_vectors in MODES.items():
            rules = RulesFile.model_validate_json(text).rules(with_vectors=with_vectors)
            told(f"{mode}, held", rules, held[mode])
    if options.write:
        FILE.write_text(text, encoding="utf-8")


class Watcher:
    """Looks at both sides of cases as the rules do."""

    def __init__(self, data: Path, library: Path, readers: Sequence[ClauseReader]) -> None:
        self._data, self._library, self._readers = data, library, readers
        self._encoder, self._concepts = default_encoder(), default_concepts()

    def see(self, *, held: bool, count: int, every: bool = False) -> Tables:
        """Return the signs of the first cases whose contracts some reader has not learned from."""
        drawn: list[tuple[removal.RemovalCase, ClauseReader]] = []
        for case in removal.draw_cases(self._data, held=held, count=sys.maxsize, every=every):
            reader = self._reader_of(case)
            if reader is not None and len(drawn) < count:
                drawn.append((case, reader))
        # A contract is read once for all its cases: first as it stands, then each copy.
        sides = [(case, reader, is_cut) for case, reader in drawn for is_cut in (False, True)]
        sides.sort(key=lambda each: (each[0].file_path, each[2]))
        found: Tables = {mode: [] for mode in MODES}
        with (
            Library.open(self._library) as store,
            removal.RemovalLibrary(store, self._data, self._encoder) as shelf,
        ):
            for number, (case, reader, is_cut) in enumerate(sides, start=1):
                document = shelf.add_redacted(case) if is_cut else shelf.add_original(case)
                for mode, with_vectors in MODES.items():
                    kind, signs = self._signs(store, document, case, reader, with_vectors)
                    found[mode].append(Seen(case.file_path, not is_cut, kind, signs))
                if number % 40 == 0:
                    sys.stdout.write(f"{number // 2} of {len(drawn)} cases read\n")
                    sys.stdout.flush()
        return found

    def _reader_of(self, case: removal.RemovalCase) -> ClauseReader | None:
        identity = document_id(corpus_text(removal.find_data(self._data)[0], case.file_path))
        return next((r for r in self._readers if identity not in r.learned_from), None)

    def _signs(
        self,
        store: Library,
        document: str,
        case: removal.RemovalCase,
        reader: ClauseReader,
        with_vectors: bool,
    ) -> tuple[str, Features]:
        """Return the kind that is asked for, and the signs of all grounds."""
        units = document_cache(store).get(store, document)
        encoder = self._encoder if with_vectors else None
        vector = None
        meant = recognise_concepts(case.question, self._concepts)
        if encoder is not None:
            vector = encoder.encode([case.question])[0]
            meant = [(document_cache(store).with_examples(one, encoder), w) for one, w in meant]
        else:
            units = replace(units, vectors=None, cache={})
        signs = dict(
            sufficiency.sufficiency_features(units, case.question, vector, [], encoder, None)
        )
        opinions = kinds.clause_opinions(
            store, document, meant, reader=reader, may_have_vectors=with_vectors
        )
        if opinions is None:
            return "", signs
        signs |= sufficiency.sufficiency_features(
            units, case.question, vector, meant, encoder, opinions
        )
        return opinions.kind, signs


def learned(mode: str, seen: Sequence[Seen]) -> dict[str, object]:
    """Learn the rules of libraries with vectors, or without; print their figures out of fold."""
    rules: dict[str, object] = {}
    odds: dict[EvidenceBasis, Rows] = {}
    sides = [each for each in seen if EvidenceBasis.CLAUSE_READER in each.signs]
    targets = np.array([float(each.is_answered) for each in sides])
    _, groups = np.unique([each.contract for each in sides], return_inverse=True)
    folds = groups % FOLDS
    for ground in (EvidenceBasis.UNKNOWN, EvidenceBasis.KNOWN, EvidenceBasis.CLAUSE_READER):
        names = FEATURES[ground]
        rows = np.array([[each.signs[ground][name] for name in names] for each in sides])
        # The query's opinion counts for kinds that the reader was not taught, too: no constants.
        named = [each.kind if ground is EvidenceBasis.CLAUSE_READER else "" for each in sides]
        odds[ground] = out_of_fold(rows, targets, named, names, folds)
        if ground is EvidenceBasis.CLAUSE_READER:
            odds[ground] = (odds[ground] + odds[EvidenceBasis.KNOWN]) / 2  # as `judge` does
        cut = threshold(odds[ground], targets)
        standing, removed = odds[ground][targets == 1], odds[ground][targets == 0]
        report(f"{mode}, {ground.value}, out of fold", standing, removed, cut)
        rules[ground.value] = shape(names, fit(rows, targets, named, names), cut)
    return rules


def out_of_fold(
    rows: Rows,
    targets: Rows,
    named: Sequence[str],
    names: Sequence[str],
    folds: NDArray[np.int64],
) -> Rows:
    """Return the log-odds of each row by a rule that has not learned from its contract."""
    kinds_of = np.array(named)
    odds = np.zeros(len(rows))
    for fold in range(FOLDS):
        inside = folds != fold
        rule = fit(rows[inside], targets[inside], kinds_of[inside].tolist(), names)
        odds[~inside] = rule.odds(rows[~inside], kinds_of[~inside].tolist())
    return odds


def shape(names: Sequence[str], rule: Learned, cut: float) -> dict[str, object]:
    """Return a rule as the file has it."""
    weights = dict(zip(names, rule.weights.tolist(), strict=True))
    return {
        "bias": round(rule.bias, 4),
        "weights": {name: round(weight, 4) for name, weight in weights.items() if weight},
        "threshold": round(float(1 / (1 + np.exp(-cut))), 4),
        "kinds": {kind: round(value, 3) for kind, value in sorted(rule.kinds.items())},
    }


def fit(rows: Rows, targets: Rows, named: Sequence[str], names: Sequence[str]) -> Learned:
    """Return weights, a constant, and one for each kind.

    What would speak against an answer the stronger it is, as no sign but a limit should, is noise
    of these contracts: such signs are left out.
    """
    used = rows.std(0) > 0
    while True:
        rule = _fit(rows * used, targets, named)
        wrong = [at for at, name in enumerate(names) if name != LIMIT and rule.weights[at] < 0]
        if not wrong:
            return rule
        used[min(wrong, key=lambda at: rule.weights[at] * rows[:, at].std())] = False


def _fit(rows: Rows, targets: Rows, named: Sequence[str]) -> Learned:
    """Fit a logistic model; signs are scaled while learning."""
    known = sorted(set(named) - {""})
    middle, spread = rows.mean(0), rows.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    of_kind = np.array([[float(kind == other) for other in known] for kind in named])
    columns = [(rows - middle) / spread, of_kind.reshape(len(rows), -1), np.ones((len(rows), 1))]
    scaled = np.concatenate(columns, axis=1)
    head = np.zeros(scaled.shape[1])
    penalty = np.diag([STRENGTH] * rows.shape[1] + [OF_KIND] * len(known) + [1e-6])
    for _ in range(NEWTON):
        sure = 1 / (1 + np.exp(-scaled @ head))
        slope = scaled.T @ (sure - targets) + penalty @ head
        bend = (scaled * (sure * (1 - sure))[:, None]).T @ scaled + penalty
        head -= np.linalg.solve(bend, slope)
    count = rows.shape[1]
    weights = np.where(rows.std(0) > 0, head[:count] / spread, 0.0)
    constants = dict(zip(known, head[count:-1].tolist(), strict=True))
    return Learned(weights, float(head[-1] - middle @ weights), constants)


def threshold(odds: Rows, targets: Rows) -> float:
    """Return the log-odds at which the worse of "answered" and "denied" is best."""
    answered, removed = odds[targets == 1], odds[targets == 0]
    return float(max(odds, key=lambda cut: min((answered >= cut).mean(), (removed < cut).mean())))


def trade(seen: Sequence[Seen], data: Path, share: float) -> float:
    """Return the chance from which on the rule that is shipped denies a share of the copies.

    Prints what comes of it out of fold, and of the threshold as it is.
    """
    rules = sufficiency.load_rules(with_vectors=True)
    taught = [each for each in seen if EvidenceBasis.CLAUSE_READER in each.signs]
    odds, now = np.zeros(len(taught)), 0.0
    for at, each in enumerate(taught):
        judged = sufficiency.judge(
            rules, {ground: each.signs[ground] for ground in grounds(each)}, each.kind
        )
        odds[at], now = log_odds(judged.chance), log_odds(judged.threshold)
    standing = np.array([each.is_answered for each in taught])
    beside = removal.find_data(data)[1]
    if beside is None:
        raise SystemExit(f"{data} holds no CUAD beside LegalBench-RAG: its groups make the folds.")
    of = {contract.name: contract.group for contract in cuad.load_cuad(beside)}
    groups = [of[Path(each.contract).name] for each in taught]
    _, number = np.unique(groups, return_inverse=True)
    fold = np.random.default_rng(0).permutation(number.max() + 1)[number] % FOLDS
    cuts = np.array([np.quantile(odds[~standing & (fold != one)], share) for one in range(FOLDS)])
    for name, cut in (("as it is", np.full(len(taught), now)), ("out of fold", cuts[fold])):
        answered, denied = odds[standing] >= cut[standing], odds[~standing] < cut[~standing]
        for what, kept in (("answered", answered), ("denied", denied)):
            low, high = wilson_interval(int(kept.sum()), len(kept))
            text = f"{name}: {what} {kept.mean():.3f} ({low:.3f} to {high:.3f}) of {len(kept)}\n"
            sys.stdout.write(text)
    chosen = 1 / (1 + np.exp(-np.quantile(odds[~standing], share)))
    sys.stdout.write(f"threshold {chosen:.4f}\n")
    return round(float(chosen), 4)


def log_odds(chance: float) -> float:
    """Return the log-odds of a chance."""
    return float(np.log(chance / (1 - chance)))


def put_threshold(chosen: float) -> None:
    """Put the threshold of the reader's ground, with vectors, into the file of the rules."""
    content = json.loads(FILE.read_text("utf-8"))
    content["with_vectors"][EvidenceBasis.CLAUSE_READER.value]["threshold"] = chosen
    content["provenance"] = content["provenance"].partition(TRADED)[0] + TRADED
    FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def told(name: str, rules: sufficiency.Rules, seen: Sequence[Seen]) -> None:
    """Print how the rules do on cases that they were not learned from, as reports go by them."""
    chances: dict[bool, list[float]] = {True: [], False: []}
    for each in seen:
        asked = {ground: each.signs[ground] for ground in grounds(each)}
        judged = sufficiency.judge(rules, asked, each.kind)
        chances[each.is_answered].append(judged.chance - judged.threshold)
    report(name, np.array(chances[True]), np.array(chances[False]), 0.0)


def grounds(seen: Seen) -> list[EvidenceBasis]:
    """Return the grounds that a report goes by."""
    known = [
        ground
        for ground in (EvidenceBasis.KNOWN, EvidenceBasis.CLAUSE_READER)
        if ground in seen.signs
    ]
    return known or [EvidenceBasis.UNKNOWN]


def report(name: str, standing: Rows, removed: Rows, cut: float) -> None:
    """Print the shares answered and denied, and the area under the curve."""
    area = (standing[:, None] > removed[None]).mean()
    sys.stdout.write(
        f"{name}: {len(standing)} cases, answered {(standing >= cut).mean():.3f}, "
        f"denied {(removed < cut).mean():.3f}, area under the curve {area:.3f}\n"
    )


if __name__ == "__main__":
    main()
