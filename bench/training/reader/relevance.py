"""Questions with sentences that answer them and others that the search puts first.

    python -m training.reader.relevance --data DATA --library contracts.db --out LESSONS

Each time that a question of `training.questions.data` is learned, it is put to a few of its
sentences, which stay together in a batch: they are put in order.
"""

from __future__ import annotations

import argparse
import pickle
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from fourcorners.models.registry import default_encoder
from training.questions.data import Lesson, gather
from training.reader.data import Asked, Clause, Kind, Pack, encode, length

RELEVANCE = "relevance"
ANSWERING, ALSO, NEAR, FIRST, REST = 2, 1, 1, 2, 1  # sentences of a list, at most
FIRST_OF = 8  # of the sentences that the search puts first, those that are drawn from more often
WITH_NAMES = 0.25  # of the questions, those that are put as they were, with parties' names
DOUBTFUL = 0.5  # how relevant a sentence is that may be quoted and need not be


def draw(lesson: Lesson, chance: random.Random) -> list[tuple[str, float]]:
    """Draw sentences of a lesson, each with how relevant it is."""

    def draw_texts(texts: Sequence[str], most: int, relevant: float) -> list[tuple[str, float]]:
        chosen = chance.sample(list(texts), min(most, len(texts)))
        return [(each, relevant) for each in chosen]

    return [
        *draw_texts(lesson.answers, ANSWERING, 1.0),
        *draw_texts(lesson.also, ALSO, DOUBTFUL),
        *draw_texts(lesson.near, NEAR, 0.0),
        *draw_texts(lesson.rest[:FIRST_OF], FIRST, 0.0),
        *draw_texts(lesson.rest[FIRST_OF:], REST, 0.0),
    ]


def relevance_batches(
    lessons: Sequence[Lesson], share: float, tokens: int, seed: int, tokenizer: Tokenizer
) -> list[list[Pack]]:
    """Return batches of whole lists, of a share of the lessons."""
    chance = random.Random(seed)
    chosen = chance.sample(list(lessons), int(share * len(lessons)))
    lists = [_list(number, each, chance, tokenizer) for number, each in enumerate(chosen)]
    found: list[list[Pack]] = []
    for at in range(0, len(lists), 128):
        batch: list[Pack] = []
        for own in sorted(lists[at : at + 128], key=_longest):
            together = [*batch, *own]
            if batch and len(together) * _longest(together) > tokens:
                found.append(batch)
                together = own
            batch = together
        if batch:
            found.append(batch)
    chance.shuffle(found)
    return found


def _list(number: int, lesson: Lesson, chance: random.Random, tokenizer: Tokenizer) -> list[Pack]:
    asked = lesson.questions[-1 if chance.random() < WITH_NAMES else 0]
    return list(_packs(number, asked, draw(lesson, chance), tokenizer))


def _packs(
    number: int, asked: str, sentences: Sequence[tuple[str, float]], tokenizer: Tokenizer
) -> Iterator[Pack]:
    for text, relevant in sentences:
        question = Asked(Kind.RELEVANT, asked, relevant=relevant)
        clause: Clause = encode(RELEVANCE, number, text, [question], tokenizer)
        yield clause, clause.questions


def _longest(items: Sequence[Pack]) -> int:
    return max(map(length, items), default=0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    lessons = gather(given.data, given.library, default_encoder())
    given.out.write_bytes(pickle.dumps(lessons))
    print(f"{len(lessons)} lessons")


if __name__ == "__main__":
    main()
