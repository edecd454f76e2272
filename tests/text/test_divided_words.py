"""Words that a line's end divided are one; compounds are not; places are the contract's own."""

from __future__ import annotations

import pytest

from fourcorners.text.divided_words import join_words
from fourcorners.text.tokenization import WordIndex, tokenize

ONE = [
    "indem-\nnify",
    "Indem- \r\n  nify",
    "indem\u2010\nnify",
    "indem\u00adnify",
    "indem\u00ad\nnify",
    "in\u00addem\u00adnify",
    "indem\u200bnify",
    "indem\ufeffnify",
    "indem-nify",
]


@pytest.mark.parametrize("written", ONE)
def test_a_divided_word_is_one_word_with_its_own_characters(written: str) -> None:
    text = f"§ The é Supplier shall {written} the Buyer."
    found = tokenize(text)
    assert list(found.tokens) == ["the", "e", "supplier", "shall", "indemnify", "the", "buyer"]
    index = WordIndex(text)
    (position,) = index.positions("indemnify")
    assert index.word_span(position).text_in(text) == written
    assert index.span_between(position - 1, position + 1).text_in(text) == f"shall {written} the"


@pytest.mark.parametrize(
    "written",
    [
        "third-\nparty",
        "non-\nexclusive",
        "long-term",
        "co-operate",
        "re-\nBuyer",
        "A-\nb",
    ],
)
def test_a_compound_stays_two_words(written: str) -> None:
    assert join_words(f"a {written} licence") is None


def test_a_text_without_divided_words_is_left_as_it_is() -> None:
    assert join_words("The Supplier shall indemnify the Buyer - always.\n") is None
    assert join_words("") is None
