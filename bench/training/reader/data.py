"""Clauses with the questions put to them, as tokens: what teacher and reader learn from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from tokenizers import Tokenizer

ANSWERS = ("yes", "no", "depends", "none")
NOT_YES = len(ANSWERS)  # of a statement that is false: anything else may be right
MOST = 384  # tokens of a clause
TOKENS = 3072  # of a batch
PACKED = 8  # questions that are put to a clause at once
UNKNOWN = -1.0
BOTH = (-1, -1)  # the span of an answer that names each party


class Kind(IntEnum):
    ASK = 0  # yes, no, depends or none
    WORDS = 1  # the words that answer
    WHOSE = 2  # the party
    RELEVANT = 3  # whether the clause answers at all


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in words.

    Attributes:
        answer: One of `ANSWERS`, or `NOT_YES`, of an `ASK`.
        span: The first and last character of the words that answer; None for silence, `BOTH` for
            each party.
        relevant: Whether the clause answers, from 0 to 1; `UNKNOWN` where that was not read.
    """

    kind: Kind
    words: str
    answer: int = 0
    span: tuple[int, int] | None = None
    relevant: float = UNKNOWN


@dataclass(frozen=True, slots=True)
class Question:
    """A question as tokens; `span` is its first and last token."""

    kind: Kind
    ids: tuple[int, ...]
    answer: int
    span: tuple[int, int] | None
    relevant: float


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause with its questions.

    Attributes:
        origin: What kind of lessons it is of, such as `families`.
        group: What is learned from or left out as a whole.
    """

    origin: str
    group: int
    ids: tuple[int, ...]
    questions: tuple[Question, ...]


Pack = tuple[Clause, tuple[Question, ...]]


def encode(
    origin: str, group: int, text: str, asked: Sequence[Asked], tokenizer: Tokenizer
) -> Clause:
    """Return a clause as tokens; questions are left out whose answer lies behind its cut end."""
    encoded = tokenizer.encode(text)
    clause, offsets = tuple(encoded.ids[:MOST]), encoded.offsets[:MOST]
    questions = []
    for each in asked:
        span = each.span if each.span in (None, BOTH) else _tokens(each.span, offsets)
        if (each.span is None) == (span is None):
            ids = tuple(tokenizer.encode(each.words).ids[1:])  # the clause has the first mark
            questions.append(Question(each.kind, ids, each.answer, span, each.relevant))
    return Clause(origin, group, clause, tuple(questions))


def _tokens(span: tuple[int, int], offsets: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    inside = [
        at for at, (start, end) in enumerate(offsets) if start < min(end, span[1]) and end > span[0]
    ]
    return (inside[0], inside[-1]) if inside else None


def read_tokenizer(folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def packs(
    clauses: Sequence[Clause], chance: random.Random, most: int | None = None
) -> Iterator[Pack]:
    """Yield clauses with some of their questions, all of them in turn or so many packs a clause."""
    for clause in clauses:
        own = list(clause.questions)
        chance.shuffle(own)
        for at in range(0, len(own), PACKED)[:most]:
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
