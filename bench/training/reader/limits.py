"""Choose the probabilities from which the reader's answers are asserted: `limits.json`.

    python -m training.reader.limits --data DATA --reader FOLDER [--nth N]

It reads the lessons that were left out. Yes and no are asserted where 95 of 100 of them are right
on invented families, on real clauses and on written questions alike; a statement is verified where
one of 100 false ones is, and refused where one of 100 true ones is, of sentences and of families.
For the card, limits are chosen on one half and counted on the other; those that ship come of all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from fourcorners.models.card import CARD_FILE, save_card
from fourcorners.models.reader.reader import (
    LIMITS,
    NEVER,
    OWN_SHARES,
    UNSTATED,
    Answer,
    OnnxReader,
    open_reader,
    own_share,
    stated_limit,
)
from fourcorners.models.session import run_in_threads
from fourcorners.system.processes import usable_cores
from training.reader.data import ANSWERS, Clause, Kind, Question, read_tokenizer
from training.reader.lessons import (
    CLAUSES,
    FAMILIES,
    LABELS,
    PASSAGES,
    RULINGS,
    STATEMENTS,
    all_lessons,
)

FALSE_VERIFIED, TRUE_REFUSED = 0.01, 0.01
AIM = 0.97  # of what limits are chosen on: then .95 is right of what they are not
FEWEST = 60  # answers above a limit, without which it was not measured
ASKED = (FAMILIES, CLAUSES, RULINGS, PASSAGES)  # unlike the labelled clauses, asked as people ask
STATED_OF = (STATEMENTS, FAMILIES, PASSAGES)
FEWEST_FALSE = 100  # false statements, without which one in a hundred was not measured
BLOCK = 50  # clauses that stay together: those of a family or a contract are neighbours
Limits = dict[str, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A question as it was answered.

    Attributes:
        right: The place of an answer, or `NOT_YES`.
        own: The share of the question's words that the clause does not have.
    """

    origin: str
    block: int
    chances: tuple[float, ...]
    right: int
    own: float = 0.0

    @property
    def answer(self) -> int:
        return int(np.argmax(self.chances))


def read_lines(reader: OnnxReader, clauses: Sequence[Clause]) -> list[Line]:
    """Return what a reader answers to the questions of clauses that are answered in four ways."""

    def read(number: int) -> list[Line]:
        clause = clauses[number]
        return [
            Line(
                clause.origin,
                number // BLOCK,
                _chances(reader, clause, each),
                each.answer,
                own_share(clause.ids, each.ids),
            )
            for each in clause.questions
            if each.kind is Kind.ASK
        ]

    found = run_in_threads(read, range(len(clauses)), usable_cores())
    return [line for own in found for line in own]


def _chances(reader: OnnxReader, clause: Clause, question: Question) -> tuple[float, ...]:
    odds = reader.run(clause.ids, question.ids)[0][: len(ANSWERS)]
    chances = np.exp(odds - odds.max())
    return tuple((chances / chances.sum()).tolist())


def choose(lines: Sequence[Line]) -> Limits:
    """Return the limits; an answer that is never right often enough has none that is reached."""
    found = {}
    asked = [each for each in lines if each.origin in ASKED]
    for answer in (Answer.YES, Answer.NO):
        place = ANSWERS.index(answer)
        chosen = [each for each in asked if each.answer == place]
        limits = [
            _least_limit([each for each in chosen if each.origin == origin])
            for origin in sorted({each.origin for each in asked})
        ]
        found[str(answer)] = max(limits, default=NEVER)
    origins = {each.origin for each in lines} & {*STATED_OF}
    stated = [[each for each in lines if each.origin == origin] for origin in origins]
    true = [[1 - each.chances[0] for each in own if each.right == 0] for own in stated]
    for name in map(stated_limit, OWN_SHARES):
        false = [[each for each in own if each.right != 0] for own in stated]
        alike = [[e.chances[0] for e in own if _limit_of(e) == name] for own in false]
        limits = [_limit_above(own, FALSE_VERIFIED) for own in alike if len(own) >= FEWEST_FALSE]
        found[name] = max(limits, default=NEVER)
    found[UNSTATED] = max(_limit_above(own, TRUE_REFUSED) for own in true)
    return found


def _limit_above(chances: Sequence[float], share: float) -> float:
    """Return a limit that at most a share of chances reach."""
    ranked = sorted(chances, reverse=True)
    return _round_up(ranked[int(len(ranked) * share)]) if ranked else NEVER


def _round_up(chance: float) -> float:
    return math.floor(chance * 10_000 + 1) / 10_000


def _least_limit(chosen: Sequence[Line]) -> float:
    """Return the least probability from which enough answers are right."""
    ranked = sorted(chosen, key=lambda each: -each.chances[each.answer])
    right, limit = 0, NEVER
    for count, each in enumerate(ranked, 1):
        right += each.answer == each.right
        is_last = count == len(ranked)  # of those with one probability
        is_last = is_last or ranked[count].chances[each.answer] < each.chances[each.answer]
        if is_last and count >= FEWEST and right >= AIM * count:
            limit = math.floor(each.chances[each.answer] * 10_000) / 10_000
    return limit


def shares(lines: Sequence[Line], limits: Limits) -> dict[str, float]:
    """Return how often what is said is right, and how much is said."""
    found = {}
    for origin in sorted({each.origin for each in lines}):
        own = [each for each in lines if each.origin == origin]
        if origin != STATEMENTS:
            chosen = [each for each in own if _is_asserted(each, limits)]
            decided = sum(each.right < 2 for each in own)
            right = sum(each.answer == each.right for each in chosen)
            found[f"{origin}: right"] = _share(own, lambda each: each.answer == each.right)
            found[f"{origin}: asserted"] = len(chosen)
            if chosen:
                found[f"{origin}: precision"] = right / len(chosen)
            found[f"{origin}: coverage"] = right / max(1, decided)
        if origin in STATED_OF:
            false = [each for each in own if each.right != 0]
            true = [each for each in own if each.right == 0]
            verified = _verifies(limits)
            found[f"{origin}: false ones verified"] = _share(false, verified)
            found[f"{origin}: true ones verified"] = _share(true, verified)
            refused = _fails(limits[UNSTATED])
            found[f"{origin}: true ones refused"] = _share(true, refused)
            found[f"{origin}: false ones refused"] = _share(false, refused)
    return {name: round(value, 4) for name, value in found.items()}


def _is_asserted(line: Line, limits: Limits) -> bool:
    return line.answer < 2 and line.chances[line.answer] >= limits[ANSWERS[line.answer]]


def _limit_of(line: Line) -> str:
    return stated_limit(line.own)


def _verifies(limits: Limits) -> Callable[[Line], bool]:
    return lambda each: each.chances[0] >= limits[_limit_of(each)]


def _fails(limit: float) -> Callable[[Line], bool]:
    return lambda each: 1 - each.chances[0] >= limit


def _share(lines: Sequence[Line], holds: Callable[[Line], bool]) -> float:
    return sum(map(holds, lines)) / max(1, len(lines))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument(
        "--nth", type=int, default=1, help="read one in so many clauses of families and labels"
    )
    given = parser.parse_args()
    reader = open_reader(given.reader)
    _, tests = all_lessons(given.data, read_tokenizer(given.reader))
    lines = []
    for origin, own in tests.items():
        step = given.nth if origin in (FAMILIES, LABELS) else 1
        lines += read_lines(reader, own[::step])
        print(f"{origin}: read", flush=True)
    halves = [[each for each in lines if each.block % 2 == half] for half in (0, 1)]
    counted = [shares(own, choose(other)) for own, other in (halves, halves[::-1])]
    scores = {name: [each.get(name) for each in counted] for name in counted[0]}
    print(json.dumps(scores, indent=1))
    limits = choose(lines)
    print(limits)
    (given.reader / LIMITS).write_text(json.dumps(limits), "utf-8")
    card = yaml.safe_load((given.reader / CARD_FILE).read_text("utf-8"))
    card["files"][LIMITS] = hashlib.sha256((given.reader / LIMITS).read_bytes()).hexdigest()
    card["scores"] = scores
    save_card(given.reader, card)


if __name__ == "__main__":
    main()
