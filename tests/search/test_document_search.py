from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from fourcorners.outline.tree import Passage, View
from fourcorners.search.query import Node, Query, parse_query
from fourcorners.search.query.match import is_match
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from fourcorners_bench.provisions.document_search import rank_passages
from tests.models.fake import HashEncoder

CLAUSES = (
    "Either party may terminate on a change of control of the other.",
    "The tenant shall not assign this lease without consent of the landlord.",
    "The laws of Norway govern this lease. This change is final.",
    "Control of the heating stays with the landlord.",
)


def cut(clauses: tuple[str, ...] | list[str]) -> tuple[str, list[Passage]]:
    text, passages = "", []
    for at, clause in enumerate(clauses):
        passages.append(Passage(at, Span(len(text), len(text) + len(clause)), View.NODE))
        text += clause + "\n"
    return text, passages


def test_passages_that_satisfy_the_query_with_their_places() -> None:
    text, passages = cut(CLAUSES)
    (first,) = rank_passages(WordIndex(text), passages, parse_query('"change control"~5^5'))
    assert first.passage.ordinal == 0
    assert [span.text_in(text) for span in first.matched] == ["change", "control"]
    assert first.lexical > 0
    assert first.cosine is None


def test_a_proximity_does_not_reach_into_the_next_passage() -> None:
    text, passages = cut(CLAUSES)
    index = WordIndex(text)
    assert is_match(parse_query('"change final control"~3'), index)
    assert rank_passages(index, passages, parse_query('"change final control"~3')) == []
    assert rank_passages(index, passages, parse_query("norway AND heating")) == []


def test_boost_multiplies_the_lexical_score() -> None:
    text, passages = cut(CLAUSES)
    index = WordIndex(text)
    (plain,) = rank_passages(index, passages, parse_query('"assign consent"~9'))
    (boosted,) = rank_passages(index, passages, parse_query('("assign consent"~9^2)^2.5'))
    assert boosted.lexical == pytest.approx(5 * plain.lexical)
    law, assign = "laws", '"assign consent"~9'
    for query, first in ((f"{law}^9 OR {assign}", 2), (f"{law} OR {assign}^9", 1)):
        assert rank_passages(index, passages, parse_query(query))[0].passage.ordinal == first


def test_meaning_ranks_every_passage_and_words_lead() -> None:
    text, passages = cut(CLAUSES)
    encoder = HashEncoder(256)
    vectors = encoder.encode([passage.span.text_in(text) for passage in passages])
    like = encoder.encode(["control of heating stays"])[0]
    found = rank_passages(
        WordIndex(text), passages, parse_query("assign*"), vectors=vectors, like=like
    )
    assert len(found) == len(passages)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found[0].passage.ordinal == 1
    assert found[1].passage.ordinal == 3
    assert found[1].lexical == 0
    assert found[1].matched == ()
    for one in found:
        assert one.cosine == pytest.approx(float(vectors[one.passage.ordinal] @ like))
    assert len(rank_passages(WordIndex(text), passages, parse_query("lease"), limit=1)) == 1


def test_overlapping_passages_are_each_ranked() -> None:
    text, passages = cut(CLAUSES)
    both = Passage(4, Span(passages[0].span.start, passages[1].span.end), View.DESCENDANT)
    found = rank_passages(WordIndex(text), [*passages, both], parse_query("terminate"))
    assert [one.passage.ordinal for one in found] == [0, 4]


def test_wrong_shapes_are_errors() -> None:
    text, passages = cut(CLAUSES)
    index, query = WordIndex(text), parse_query("lease")
    with pytest.raises(ValueError, match="both vectors and like"):
        rank_passages(index, passages, query, vectors=np.zeros((4, 3), np.float32))
    with pytest.raises(ValueError, match="do not fit 4 passages"):
        rank_passages(
            index,
            passages,
            query,
            vectors=np.zeros((3, 3), np.float32),
            like=np.zeros(3, np.float32),
        )
    assert rank_passages(index, [], query) == []
    assert rank_passages(WordIndex(""), [Passage(0, Span(0, 0), View.WINDOW)], query) == []


@pytest.mark.parametrize("seed", range(4))
def test_a_passage_is_found_as_if_it_stood_alone(
    seed: int,
    random_tree: Callable[[random.Random], Node],
    random_text: Callable[[random.Random], str],
) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        text, passages = cut([random_text(rng) for _ in range(30)])
        index = WordIndex(text)
        for _ in range(5):
            tree = random_tree(rng)
            found = rank_passages(index, passages, Query("", tree))
            expected = {
                passage.ordinal
                for passage in passages
                if is_match(tree, WordIndex(passage.span.text_in(text)))
            }
            assert {one.passage.ordinal for one in found} == expected, str(Query("", tree))
            for one in found:
                assert one.matched
                assert one.lexical > 0
                assert all(one.passage.span.contains(spot) for spot in one.matched)
