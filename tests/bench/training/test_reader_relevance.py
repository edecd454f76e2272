"""Questions that are learned with sentences: lists stay whole, and each sentence has its grade."""

from __future__ import annotations

import random

import pytest
from tokenizers import Tokenizer

from fourcorners.models.card import load_card
from fourcorners.models.registry import READER, WEIGHTS
from fourcorners.models.session import read_tokenizer
from training.questions.data import Lesson
from training.reader.data import Kind, length
from training.reader.relevance import DOUBTFUL, draw, relevance_batches

TOKENS = 400


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return read_tokenizer(load_card(WEIGHTS / READER))


def lesson(number: int) -> Lesson:
    return Lesson(
        (f"May they leave {number}?", f"May Alder leave {number}?"),
        ("Either may leave.", "Alder may leave.", "Birch may leave."),
        ("Notice is thirty days.",),
        ("Nobody may leave early.",),
        tuple(f"Clause {at} is about goods." for at in range(20)),
    )


def test_a_list_has_sentences_of_each_kind_with_their_grades() -> None:
    drawn = draw(lesson(1), random.Random(0))
    grades = [grade for _, grade in drawn]
    assert grades == [1.0, 1.0, DOUBTFUL, 0.0, 0.0, 0.0, 0.0]
    assert len({text for text, _ in drawn}) == len(drawn)
    assert sum("about goods" in text for text, _ in drawn) == 3


def test_lists_stay_whole_and_batches_small(tokenizer: Tokenizer) -> None:
    lessons = [lesson(number) for number in range(30)]
    found = relevance_batches(lessons, 1.0, TOKENS, 0, tokenizer)
    assert len(found) > 5
    batch_of: dict[int, int] = {}
    for at, batch in enumerate(found):
        assert len(batch) * max(map(length, batch)) <= TOKENS
        for clause, questions in batch:
            (question,) = questions
            assert question.kind is Kind.RELEVANT
            assert 0 <= question.relevant <= 1
            assert batch_of.setdefault(clause.group, at) == at
    assert len(batch_of) == len(lessons)
    assert sum(map(len, found)) == 7 * len(lessons)


def test_a_share_is_drawn_by_seed(tokenizer: Tokenizer) -> None:
    lessons = [lesson(number) for number in range(40)]
    some = relevance_batches(lessons, 0.25, TOKENS, 3, tokenizer)
    assert len({clause.group for batch in some for clause, _ in batch}) == 10
    assert some == relevance_batches(lessons, 0.25, TOKENS, 3, tokenizer)
    assert some != relevance_batches(lessons, 0.25, TOKENS, 4, tokenizer)
