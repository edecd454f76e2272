"""The reader as a reranker: sentences are read, and the likeliest counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners import models
from fourcorners.models.reader.reader import AnswerReranker
from fourcorners.settings import Settings


class WordReader:
    """A reader whose logit is how many words of the question a sentence has."""

    name = "words-1"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def relevance(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        self.seen += sentences
        asked = set(question.split())
        return np.array([float(len(asked & set(each.split()))) for each in sentences])


def test_the_likeliest_sentence_of_a_passage_counts() -> None:
    reader = WordReader()
    reranker = AnswerReranker(reader)
    passages = [
        "The term ends in May. Either party may give notice of termination.",
        "The Licensee shall pay the fees.",
        "  ",
    ]
    found = reranker.scores("notice of termination", passages)
    assert found.tolist() == [2.0, 0.0, 0.0]
    assert len(reader.seen) == 4
    assert reranker.name == "words-1"
    assert reranker.scores("notice", []).shape == (0,)


def test_what_ships_puts_an_answer_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURCORNERS_RERANKER_KIND", "reader")
    reranker = models.default_reranker(Settings.load().reranker)
    assert reranker is not None
    assert reranker.name == models.shipped_reranker().name
    passages = [
        "This Agreement is governed by the laws of Ireland.",
        "Either party may terminate this Agreement at any time by thirty days' written notice.",
        "The Supplier shall insure the goods.",
    ]
    scores = reranker.scores("Can they end this early?", passages)
    assert int(scores.argmax()) == 1
