from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.models.reader.reader import RelevanceReader
from fourcorners.models.registry import default_encoder
from fourcorners.search.sentences.answer_scores import (
    MAX_PER_DOCUMENT,
    MAX_SENTENCES,
    ScoreWeights,
    combine_scores,
    default_weights,
    read_sentences,
    reader_for,
)
from fourcorners.search.sentences.retrieve import SentenceRanking, retrieve_snippets
from fourcorners.search.sentences.units import SentenceIndex, sentence_index
from tests.models.fake import HashEncoder


def index_of(library: Library, document: str) -> SentenceIndex:
    return sentence_index(read_contract(library, document))


Add = Callable[..., str]
LINE = ScoreWeights(bias=0.5, search=1.0, reader=2.0)


class Marks:
    """A reader that likes one word."""

    name = "marks/1"

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[tuple[str, int]] = []

    def relevance(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        self.asked.append((question, len(sentences)))
        return np.array([4.0 if self.word in each else -4.0 for each in sentences])


def test_search_and_reader_make_one_chance() -> None:
    chances = np.array([0.5, 0.9, 0.5])
    found = combine_scores(chances, {0: 1.0, 1: -1.0}, LINE)
    odds = [0.5 + 2, 0.5 + np.log(9) - 2, 0.5 + 2 * default_weights().unread]
    assert found == pytest.approx(1 / (1 + np.exp(-np.array(odds))))


def test_certain_chances_have_odds_too() -> None:
    found = combine_scores(np.array([0.0, 1.0]), {0: 0.0, 1: 0.0}, LINE)
    assert 0 < found[0] < 1e-5
    assert 1 - 1e-5 < found[1] < 1


def test_of_each_document_some_are_read_and_of_all_the_likeliest(
    library: Library, add: Add
) -> None:
    one = add(*[f"The {at}th window is to be kept clean." for at in range(90)], name="a.txt")
    other = add(*[f"The {at}th door is to be kept shut." for at in range(20)], name="b.txt")
    marks = Marks("7th")
    reader: RelevanceReader = marks
    units = [index_of(library, each) for each in (one, other)]
    chances = [np.linspace(0.9, 0.5, 90), np.linspace(0.1, 0.2, 20)]
    heard = read_sentences(reader, "Which?", list(zip(units, chances, strict=True)))
    assert sorted(heard[0]) == list(range(MAX_SENTENCES))
    assert sorted(heard[1]) == list(range(20 - MAX_PER_DOCUMENT, 20))
    assert heard[0][7] == max(heard[0].values()) == 4.0
    assert marks.asked == [("Which?", MAX_SENTENCES + MAX_PER_DOCUMENT)]


def test_what_the_reader_likes_comes_early(library: Library, add: Add) -> None:
    add(
        "The rent is due monthly.",
        "A deposit is lodged on the first day.",
        "The roof is new and has no holes at all.",
        *(f"The {at}th window is to be kept clean by whoever lives there." for at in range(9)),
    )
    encoder = HashEncoder(256)
    plain = retrieve_snippets(library, "When is the rent due?", encoder=encoder)
    assert plain.snippets[0].words == "The rent is due monthly."
    assert plain.odds == {}
    reader = Marks("deposit")
    ranking = SentenceRanking(reader=reader, read_as="When is it due?")
    read = retrieve_snippets(library, "When is the rent due?", encoder=encoder, ranking=ranking)
    assert [asked for asked, _ in reader.asked] == ["When is it due?"]
    (odds,) = read.odds.values()
    assert list(odds) == sorted(odds, reverse=True)
    best = next(each for each in read.snippets[:2] if "deposit" in each.words)
    assert best.parts["reader"] == pytest.approx(4.0 * default_weights().unknown.reader)


def test_a_reader_stands_beside_the_encoder_that_it_was_weighed_with() -> None:
    assert reader_for(None) is None
    assert reader_for(HashEncoder(16)) is None
    reader = reader_for(default_encoder())
    assert reader is not None
    assert reader.name in default_weights().provenance
