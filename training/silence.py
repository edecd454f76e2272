"""Learn when a contract answers, once its likeliest sentences were read (`research/answered.json`).

Each question is asked of its contract and of a copy out of which the sentences were cut that answer
it. Two kinds of questions, all to contracts that neither the encoder nor the reader of answers has
learned from: those that people ask in everyday words (`lay_questions.jsonl`, of which some are
silent from the start), and those of the removal test (`fourcorners bench answers --removal`). The
clause reader is one that has not learned from these contracts either (`blind_clause_reader.py`).

    python training/silence.py --data DATA --reader BLIND --library silence.db [--write]

What is printed is out of fold, by contract. `--denied` and `--silent` are the shares of copies and
of silent questions that are to be denied: the first where a known kind of clause is asked for and
the answer would count, the second where it would be shown with a warning.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from answer_lessons import read_questions
from encoder_data import FOLDS, HELD_FOLD
from logistic import fit_one
from numpy.typing import NDArray

from fourcorners.evaluation import cuad, removal
from fourcorners.evaluation.extracting import document_id
from fourcorners.evaluation.retrieval import text_of
from fourcorners.library.store import Library
from fourcorners.models.clause_reader import open_reader
from fourcorners.models.registry import default_encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research import kinds
from fourcorners.research.answered import FILE, SIGNS
from fourcorners.research.desk import lay_out
from fourcorners.research.looking import answering
from fourcorners.text.sentences import sentences
from fourcorners.text.span import Span

STRENGTH = 10.0
CUT = 3  # one written question in so many is asked of a copy, too
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question to a contract, and the sentences that answer it where it is asked of a copy."""

    source: str
    contract: str
    question: str
    text: str
    cut: tuple[Span, ...]
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What speaks for an answer on one side of a case."""

    source: str
    contract: str
    side: str
    known: bool
    row: tuple[float, ...]


def cases(data: Path) -> Iterator[Case]:
    """Yield the questions of both kinds, by contract."""
    contracts = cuad.load(data / "cuad")
    folds = cuad.folds(contracts, k=FOLDS)
    text = {
        one.name.removesuffix(".txt"): one.text
        for one, fold in zip(contracts, folds, strict=True)
        if fold == HELD_FOLD
    }
    for number, each in enumerate(read_questions()):
        if each.contract in text:
            own = text[each.contract]
            is_cut = bool(each.needed) and number % CUT == 0
            cut = tuple(
                one
                for one in sentences(own, Span(0, len(own)))
                if any(one.overlaps(other) for other in (*each.needed, *each.also))
            )
            side = Case("written", each.contract, each.question, own, cut if is_cut else ())
            yield replace(side, silent=not each.needed)
    folder = removal.find_data(data)[0]
    for case in removal.cases(data, held=True, count=10_000):
        name = Path(case.file_path).name.removesuffix(".txt")
        yield Case("removal", name, case.question, text_of(folder, case.file_path), case.cut)


def see(data: Path, library: Path) -> list[Seen]:
    """Ask every case of both sides."""
    encoder, concepts = default_encoder(), default_concepts()
    found: list[Seen] = []
    drawn = sorted(cases(data), key=lambda each: each.contract)
    with (
        Library.open(library) as store,
        removal.Shelf(store, data, encoder) as shelf,
    ):
        for number, case in enumerate(drawn, start=1):
            sides = {"silent" if case.silent else "standing": case.text}
            if case.cut:
                sides["cut"] = removal.without(case.text, case.cut)
            for side, text in sides.items():
                document = shelf.add(text)
                desk = lay_out(store, [document], encoder=encoder, concepts=concepts)
                told = answering(desk, case.question)
                if told is not None:
                    signs, known = told
                    row = tuple(signs[name] for name in SIGNS)
                    found.append(Seen(case.source, case.contract, side, known, row))
            if number % 50 == 0:
                print(f"{number} of {len(drawn)} cases asked", flush=True)
    return found


def learn(seen: Sequence[Seen], known: bool, denied: float, silent: float) -> dict[str, object]:
    """Learn a rule, print how it does out of fold, and return it."""
    own = [each for each in seen if each.known is known]
    rows = np.array([[*each.row, 1.0] for each in own])
    targets = np.array([float(each.side == "standing") for each in own])
    fold = np.array([int(sha256(each.contract.encode()).hexdigest(), 16) % 5 for each in own])
    # Copies and silent questions count as much together as questions with an answer.
    odds = np.zeros(len(own))
    for held in range(5):
        inside = fold != held
        head = fitted(rows[inside], targets[inside])
        odds[~inside] = rows[~inside] @ head
    head = fitted(rows, targets)
    side = np.array([each.side for each in own])
    source = np.array([each.source for each in own])
    wrong = np.where(side == "standing", np.nan, odds)
    cut_removal = odds[(side == "cut") & (source == "removal")]
    must = cut_removal if len(cut_removal) > 20 else odds[side == "cut"]
    answers = float(np.quantile(must, denied))
    may = min(answers, float(np.nanquantile(wrong[source == "written"], silent)))
    name = "known" if known else "unknown"
    for each in ("written", "removal"):
        of = source == each
        right = odds[of & (side == "standing")]
        if not len(right):
            continue
        told = [f"{name}, {each}: {len(right)} answered"]
        for other in ("cut", "silent"):
            those = odds[of & (side == other)]
            if len(those):
                area = float((right[:, None] > those[None]).mean())
                shares = (those < may).mean(), (those < answers).mean()
                told.append(
                    f"{len(those)} {other}: area {area:.3f}, "
                    f"not shown {shares[0]:.3f}, not counted {shares[1]:.3f}"
                )
        told.append(f"counted {(right >= answers).mean():.3f}, shown {(right >= may).mean():.3f}")
        print("; ".join(told))
    weights = dict(zip(SIGNS, (round(float(each), 4) for each in head[:-1]), strict=True))
    print(weights, round(float(head[-1]), 3))
    return {
        "bias": round(float(head[-1]), 4),
        "weights": {sign: weight for sign, weight in weights.items() if weight},
        "answers": round(chance(answers), 4),
        "may_answer": round(chance(may), 4),
    }


def fitted(rows: Array, targets: Array) -> Array:
    """Return weights, of which none speaks against an answer, and the constant."""
    used = np.ones(rows.shape[1], bool)
    while True:
        head = fit_one(rows * used, targets, STRENGTH)
        wrong = [at for at in range(rows.shape[1] - 1) if head[at] < 0]
        if not wrong:
            return head * used
        used[min(wrong, key=lambda at: head[at])] = False


def chance(odds: float) -> float:
    """Return the chance of log-odds."""
    return float(1 / (1 + np.exp(-odds)))


def main() -> None:
    """Ask, learn, and write what was learned."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True, help="a blind clause reader")
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--seen", type=Path, help="keep what was seen here")
    parser.add_argument("--denied", type=float, default=0.95)
    parser.add_argument("--silent", type=float, default=0.8)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    blind = open_reader(given.reader)
    kinds.default_clause_reader = lambda: blind  # type: ignore[assignment]
    if given.seen and given.seen.is_file():
        seen = pickle.loads(given.seen.read_bytes())  # noqa: S301 - our own
    else:
        seen = see(given.data, given.library)
        if given.seen:
            given.seen.write_bytes(pickle.dumps(seen))
    contracts = {document_id(each.text) for each in cases(given.data)}
    if contracts & set(blind.learned_from):
        raise SystemExit("the clause reader has learned from contracts that are asked.")
    content = {
        "provenance": "training/silence.py over "
        f"{sum(each.source == 'written' for each in seen)} written questions and copies and "
        f"{sum(each.source == 'removal' for each in seen)} of the removal test, of contracts that "
        f"no model of the fit learned from; {given.denied} of copies denied, {given.silent} of "
        "what is silent not shown.",
        "known": learn(seen, True, given.denied, given.silent),
        "unknown": learn(seen, False, given.denied, given.silent),
    }
    if given.write:
        FILE.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
