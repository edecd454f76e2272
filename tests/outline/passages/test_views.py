"""PAKTON's views and the recursive splitter: spans, and nothing twice without a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError
from fourcorners.outline.build import build_outline
from fourcorners.outline.passages.cut import cut_passages, split_recursively
from fourcorners.outline.tree import Passage, View

TEXT = """SUPPLY AGREEMENT

1. Supply

1.1 The Supplier shall sell the Goods to the Customer on these terms.

1.2 The Customer shall:

(a) pay for the Goods within thirty days of the invoice; and

(b) take delivery of the Goods at the Depot.

2. Term

2.1 This Agreement lasts for three years from its date.

2.2 Either party may end it on notice of six months.
"""


@pytest.fixture(scope="module")
def document() -> Document:
    return Document("0" * 16, "a.txt", "a.txt", "0" * 64, "text/plain", "plain/1", TEXT)


@pytest.fixture(scope="module")
def shown(document: Document) -> list[Passage]:
    return cut_passages(document, build_outline(document), strategy="views")


def of(shown: list[Passage], view: View, start: str) -> list[Passage]:
    return [
        each for each in shown if each.view is view and each.span.text_in(TEXT).startswith(start)
    ]


def test_a_clause_has_its_own_words_its_headings_and_its_parts(shown: list[Passage]) -> None:
    (own,) = of(shown, View.NODE, "1.2 The Customer")
    assert own.span.text_in(TEXT) == "1.2 The Customer shall:"
    assert own.context == ""
    (under,) = of(shown, View.ANCESTOR, "1.2 The Customer")
    assert under.span == own.span
    assert under.context == "1 Supply"
    (whole,) = of(shown, View.DESCENDANT, "1.2 The Customer")
    assert whole.span.text_in(TEXT).endswith("at the Depot.")


def test_what_adds_nothing_is_left_out(shown: list[Passage]) -> None:
    assert not of(shown, View.DESCENDANT, "2.1")  # a leaf
    assert not of(shown, View.ANCESTOR, "1. Supply")  # a top node
    assert len({(each.span, each.view, each.context) for each in shown}) == len(shown)


def test_views_are_numbered_in_order_and_lose_nothing(
    shown: list[Passage], document: Document
) -> None:
    assert [each.ordinal for each in shown] == list(range(len(shown)))
    assert [each.span.start for each in shown] == sorted(each.span.start for each in shown)
    covered = {i for each in shown for i in range(each.span.start, each.span.end)}
    start = min(each.span.start for each in shown)
    assert {i for i, c in enumerate(document.text) if c.strip() and i >= start} <= covered


def test_without_an_outline_views_are_windows(document: Document) -> None:
    from dataclasses import replace

    flat = replace(document, text="Nothing here is numbered. " * 30)
    assert {each.view for each in cut_passages(flat, build_outline(flat), strategy="views")} == {
        View.WINDOW
    }


def test_the_recursive_splitter_prefers_paragraphs(document: Document) -> None:
    cut = [span.text_in(TEXT) for span in split_recursively(TEXT, 80)]
    assert cut[0] == "SUPPLY AGREEMENT\n\n1. Supply"
    assert cut[1] == "1.1 The Supplier shall sell the Goods to the Customer on these terms."
    found = cut_passages(document, build_outline(document), strategy="recursive-80")
    assert [each.span.text_in(TEXT) for each in found] == cut


@given(st.text(alphabet="ab \n", max_size=200), st.integers(1, 40))
def test_no_piece_is_too_long_and_no_word_is_lost(text: str, size: int) -> None:
    cut = split_recursively(text, size)
    assert all(len(span) <= size for span in cut)
    assert "".join("".join(span.text_in(text).split()) for span in cut) == "".join(text.split())


def test_an_unknown_strategy_is_refused(document: Document) -> None:
    with pytest.raises(ConfigError, match="recursive"):
        cut_passages(document, build_outline(document), strategy="recursive")
    with pytest.raises(ValueError, match="size"):
        split_recursively("a", 0)
