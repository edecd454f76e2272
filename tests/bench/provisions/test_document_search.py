"""Chunks of one document, ranked by words and by meaning."""

from __future__ import annotations

import numpy as np

from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from fourcorners_bench.provisions.document_search import rank_chunks

CLAUSES = (
    "Either party may terminate on a change of control of the other.",
    "The tenant shall not assign this lease without consent of the landlord.",
    "The laws of Norway govern this lease. This change is final.",
    "Control of the heating stays with the landlord.",
)
TEXT = "\n".join(CLAUSES)
CHUNKS = [Span(at, at + len(each)) for each in CLAUSES for at in [TEXT.index(each)]]


def ranked(words: list[str], cosines: list[float]) -> list[int]:
    found = rank_chunks(WordIndex(TEXT), CHUNKS, words, np.array(cosines, np.float32))
    return [CHUNKS.index(each) for each in found]


def test_words_and_meaning_each_count_by_their_ranks() -> None:
    assert ranked([], [0.1, 0.4, 0.2, 0.3]) == [1, 3, 2, 0], "by meaning alone"
    assert ranked(["norway"], [0.1, 0.4, 0.2, 0.3])[0] == 2, "a word leads"
    assert ranked(["lease"], [0.0, 0.0, 0.0, 0.0])[:2] == [2, 1], "the shorter of two"
    assert ranked(["nowhere"], [0.4, 0.3, 0.2, 0.1]) == [0, 1, 2, 3]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    order = ranked(["landlord", "norway"], [0.0] * 4)
    assert order[0] == 2
    assert set(order[1:3]) == {1, 3}
