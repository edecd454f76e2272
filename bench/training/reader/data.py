"""Families of lessons as clauses with their questions; a family is learned from or left out."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from training.lessons.readings import load_families

ANSWERS = ("yes", "no", "depends", "none")
EARLIER = Path(__file__).parents[1] / "answer_reader/families.jsonl"
MOST = 384  # tokens of a clause
PACKED = 8  # questions that are put to a clause at once
LEFT_OUT = 0.1  # of the families
SEED = 20261128
BOTH = (-1, -1)  # the span of an answer that names each party


class Kind(IntEnum):
    ASK = 0  # yes, no, depends or none
    WORDS = 1  # the words that answer
    WHOSE = 2  # the party


@dataclass(frozen=True, slots=True)
class Question:
    """A question put to a clause.

    Attributes:
        key: Family, kind, number and clause.
        answer: The place in `ANSWERS`, of an `ASK`.
        span: The first and last token of the words that answer; None for silence, `BOTH` for each
            party.
    """

    key: tuple[int, int, int, int]
    kind: Kind
    ids: tuple[int, ...]
    answer: int = 0
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    family: int
    ids: tuple[int, ...]
    questions: tuple[Question, ...]


Pack = tuple[Clause, tuple[Question, ...]]


def read_families() -> list[dict[str, Any]]:
    """Return all families: those of the lessons, settled, and those of the reader of answers."""
    earlier = EARLIER.read_text("utf-8").splitlines()
    return [*load_families(), *map(json.loads, earlier)]


def left_out(count: int) -> set[int]:
    """Return the numbers of the families that are judged on."""
    return set(random.Random(SEED).sample(range(count), int(count * LEFT_OUT)))


def prepare(families: Sequence[Mapping[str, Any]], tokenizer: Tokenizer) -> list[Clause]:
    return [
        _clause(number, at, family, tokenizer)
        for number, family in enumerate(families)
        for at in range(len(family["clauses"]))
    ]


def _clause(number: int, at: int, family: Mapping[str, Any], tokenizer: Tokenizer) -> Clause:
    text = family["clauses"][at]
    encoded = tokenizer.encode(text)
    questions = []
    for row, ask in enumerate(family["asks"]):
        if ask["a"][at] is not None:
            key = (number, Kind.ASK, row, at)
            ids = _question_ids(tokenizer, ask["q"])
            questions.append(Question(key, Kind.ASK, ids, ANSWERS.index(ask["a"][at])))
    for kind, name, answers in ((Kind.WORDS, "wh", "spans"), (Kind.WHOSE, "whose", "parties")):
        for row, ask in enumerate(family.get(name, ())):
            words = ask[answers][at]
            is_both = kind is Kind.WHOSE and words == "both"
            span = BOTH if is_both else _token_span(text, words, encoded.offsets)
            if words is None or span is not None:
                ids = _question_ids(tokenizer, ask["q"])
                questions.append(Question((number, kind, row, at), kind, ids, span=span))
    return Clause(number, tuple(encoded.ids[:MOST]), tuple(questions))


def _question_ids(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode(text).ids[1:])  # the clause has the mark of the beginning


def _token_span(
    text: str, words: str | None, offsets: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    """Return the first and the last token of words; None for silence and for missing words."""
    found = re.search(re.escape(words), text, re.IGNORECASE) if words else None
    if found is None:
        return None
    inside = [
        number
        for number, (start, end) in enumerate(offsets[:MOST])
        if start < min(end, found.end()) and end > found.start()
    ]
    return (inside[0], inside[-1]) if inside else None


def packs(clauses: Sequence[Clause], chance: random.Random) -> Iterator[Pack]:
    """Yield clauses with some of their questions, all of them in turn."""
    for clause in clauses:
        own = list(clause.questions)
        chance.shuffle(own)
        for at in range(0, len(own), PACKED):
            yield clause, tuple(own[at : at + PACKED])


def batches(items: Sequence[Pack], tokens: int, chance: random.Random) -> list[list[Pack]]:
    """Return packs in batches of at most so many tokens, those of near lengths together."""
    shuffled = list(items)
    chance.shuffle(shuffled)
    found: list[list[Pack]] = []
    for at in range(0, len(shuffled), 512):
        batch: list[Pack] = []
        for each in sorted(shuffled[at : at + 512], key=length):
            if batch and (len(batch) + 1) * length(each) > tokens:
                found.append(batch)
                batch = []
            batch.append(each)
        found.append(batch)
    chance.shuffle(found)
    return found


def length(pack: Pack) -> int:
    clause, questions = pack
    return len(clause.ids) + sum(len(each.ids) for each in questions)
