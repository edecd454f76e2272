"""Learn when a contract answers, once its likeliest sentences were read (`research/answered.json`).

Questions in everyday words (`lay_questions.jsonl`) to contracts that neither the encoder nor the
reader of answers has learned from: most are answered there, some are silent, and a third is asked
of a copy, too, out of which the sentences were cut that answer it. Those that ask for a known kind
of clause are left out: what was read brings nothing there beside what a review makes of the kind.

    python -m training.answerability.reader_rule --data DATA --library silence.db [--write]

What is printed is out of fold, by contract. `--silent` is the share of silent questions whose words
are not shown at all, `--sure` the share of them that are not taken for an answer.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.evaluation.answers import removal
from fourcorners.library.store import Library
from fourcorners.models.registry import default_encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.answerability.reader_rule import FEATURES, FILE
from fourcorners.research.answerability.search import answer_features
from fourcorners.research.context import build_context
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from training.answer_reader.data import read_questions, texts
from training.common.logistic import fit_one

STRENGTH = 10.0
CUT = 3  # one written question in so many is asked of a copy, too
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question to a contract, and the sentences that answer it where it is asked of a copy."""

    contract: str
    question: str
    text: str
    cut: tuple[Span, ...]
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What speaks for an answer on one side of a case."""

    contract: str
    side: str
    row: tuple[float, ...]


def cases(data: Path) -> Iterator[Case]:
    """Yield the questions, with the text of their contract."""
    text = {name: own for name, (own, is_held) in texts(data).items() if is_held}
    for number, each in enumerate(read_questions()):
        if each.contract in text:
            own = text[each.contract]
            is_cut = bool(each.needed) and number % CUT == 0
            cut = tuple(
                one
                for one in split_sentences(own, Span(0, len(own)))
                if any(one.overlaps(other) for other in (*each.needed, *each.also))
            )
            yield Case(each.contract, each.question, own, cut if is_cut else (), not each.needed)


def see(data: Path, library: Path) -> list[Seen]:
    """Ask every case of both sides."""
    encoder, concepts = default_encoder(), default_concepts()
    found: list[Seen] = []
    drawn = sorted(cases(data), key=lambda each: each.contract)
    with (
        Library.open(library) as store,
        removal.RemovalLibrary(store, data, encoder) as shelf,
    ):
        for number, case in enumerate(drawn, start=1):
            sides = {"silent" if case.silent else "standing": case.text}
            if case.cut:
                sides["cut"] = removal.remove_spans(case.text, case.cut)
            for side, text in sides.items():
                document = shelf.add(text)
                desk = build_context(store, [document], encoder=encoder, concepts=concepts)
                told = answer_features(desk, case.question)
                if told is not None:
                    row = tuple(told[name] for name in FEATURES)
                    found.append(Seen(case.contract, side, row))
            if number % 50 == 0:
                print(f"{number} of {len(drawn)} cases asked", flush=True)
    return found


def learn(seen: Sequence[Seen], silent: float, sure: float) -> dict[str, object]:
    """Learn the rule, print how it does out of fold, and return it."""
    rows = np.array([[*each.row, 1.0] for each in seen])
    side = np.array([each.side for each in seen])
    targets = (side == "standing").astype(np.float64)
    fold = np.array([int(sha256(each.contract.encode()).hexdigest(), 16) % 5 for each in seen])
    odds = np.zeros(len(seen))
    for held in range(5):
        inside = fold != held
        odds[~inside] = rows[~inside] @ fitted(rows[inside], targets[inside])
    may, answers = (float(np.quantile(odds[side == "silent"], each)) for each in (silent, sure))
    standing = odds[side == "standing"]
    for name in ("standing", "silent", "cut"):
        own = odds[side == name]
        area = float((standing[:, None] > own[None]).mean())
        print(
            f"{len(own)} {name}: area {area:.3f}, shown {(own >= may).mean():.3f}, "
            f"taken for an answer {(own >= answers).mean():.3f}"
        )
    head = fitted(rows, targets)
    weights = dict(zip(FEATURES, (round(float(each), 4) for each in head[:-1]), strict=True))
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
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--seen", type=Path, help="keep what was seen here")
    parser.add_argument("--silent", type=float, default=0.65)
    parser.add_argument("--sure", type=float, default=0.92)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.seen and given.seen.is_file():
        seen = pickle.loads(given.seen.read_bytes())  # noqa: S301 - our own
    else:
        seen = see(given.data, given.library)
        if given.seen:
            given.seen.write_bytes(pickle.dumps(seen))
    content = {
        "provenance": f"training.answerability.reader_rule over {len(seen)} questions to contracts "
        "and copies that neither encoder nor reader learned from; shown but for "
        f"{given.silent} of those that are silent, taken for an answer but for {given.sure}.",
        **learn(seen, given.silent, given.sure),
    }
    print(json.dumps(content, indent=1))
    if given.write:
        FILE.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
