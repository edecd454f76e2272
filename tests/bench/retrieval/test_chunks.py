"""PAKTON's views and the recursive splitter: spans, and nothing twice without a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import Outline, Passage, View
from fourcorners_bench.retrieval.chunks import STRUCTURAL, chunk_document

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
    return chunk_document(document, build_outline(document), STRUCTURAL)


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
    flat = replace(document, text="Nothing here is numbered. " * 30)
    assert {each.view for each in chunk_document(flat, build_outline(flat), STRUCTURAL)} == {
        View.WINDOW
    }


def cut_text(document: Document, text: str, chunks: str) -> list[str]:
    flat = replace(document, text=text)
    found = chunk_document(flat, Outline((), confidence=0.0, windows=True), chunks)
    return [each.span.text_in(text) for each in found]


def test_the_recursive_splitter_prefers_paragraphs(document: Document) -> None:
    cut = cut_text(document, TEXT, "recursive-80")
    assert cut[0] == "SUPPLY AGREEMENT\n\n1. Supply"
    assert cut[1] == "1.1 The Supplier shall sell the Goods to the Customer on these terms."


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="ab \n", max_size=200), st.integers(1, 40))
def test_no_piece_is_too_long_and_no_word_is_lost(document: Document, text: str, size: int) -> None:
    cut = cut_text(document, text, f"recursive-{size}")
    assert all(len(each) <= size for each in cut)
    assert "".join("".join(each.split()) for each in cut) == "".join(text.split())


def test_fixed_chunks_are_plain_windows(document: Document) -> None:
    cut = cut_text(document, "abcdefghij" * 1_000, "fixed-450")
    assert {len(each) for each in cut[:-1]} == {450}
    assert "".join(cut) == "abcdefghij" * 1_000
