from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.passages.cut import MAX_PASSAGE, cut_passages, cut_span
from fourcorners.outline.tree import Outline, Passage, View
from fourcorners.text.span import Span

Make = Callable[..., Document]
WINDOWS = Outline(nodes=(), confidence=0.0, windows=True)


def check(found: list[Passage], text: str) -> None:
    """Passages tile the words of the text, in order, none too long."""
    end = 0
    for ordinal, passage in enumerate(found):
        assert passage.ordinal == ordinal
        assert passage.span.start >= end
        assert not text[end : passage.span.start].strip()
        assert 0 < len(passage.span) <= MAX_PASSAGE
        end = passage.span.end
    assert not text[end:].strip()


def test_clauses_with_their_headings(document: Make, supply: str) -> None:
    read = document(supply)
    found = cut_passages(read, build_outline(read))
    check(found, supply)
    by_start = {passage.span.text_in(supply)[:3]: passage for passage in found}
    delivery = by_start["2.2"]
    assert delivery.span.text_in(supply).endswith("(c) tell Buyer when they leave.")
    assert delivery.context == "2 SUPPLY"
    assert delivery.view is View.NODE
    convenience = by_start["3.2"]
    assert convenience.context == "3 TERM AND TERMINATION"
    assert "Termination for Convenience" in convenience.span.text_in(supply)


def test_long_clause_is_cut_at_sentences(document: Make, supply: str) -> None:
    long = "Each order binds both parties once Supplier has confirmed it in writing. " * 40
    text = supply.replace("2.3 Shortage. ", f"2.3 Shortage. {long}")
    read = document(text)
    found = cut_passages(read, build_outline(read))
    check(found, text)
    parts = [passage for passage in found if "Each order binds" in passage.span.text_in(text)]
    assert len(parts) >= 3
    assert all(part.span.text_in(text).endswith(".") for part in parts)
    assert parts[1].context == "2 SUPPLY > 2.3 Shortage"


def test_windows(document: Make) -> None:
    text = "The oats are milled and then they are sold. " * 120
    found = cut_passages(document(text), WINDOWS)
    check(found, text)
    assert {passage.view for passage in found} == {View.WINDOW}
    assert {passage.node for passage in found} == {None}
    assert all(passage.span.text_in(text).endswith(".") for passage in found)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=4_000), st.integers(50, 1_000))
def test_cut_tiles(text: str, longest: int) -> None:
    end = 0
    for span in cut_span(text, Span(0, len(text)), longest=longest):
        assert span.start >= end
        assert not text[end : span.start].strip()
        assert 0 < len(span) <= longest
        end = span.end
    assert not text[end:].strip()


NUMBER = st.sampled_from(
    ["1. ", "2. ", "1.1 ", "1.2 ", "2.1 ", "(a) ", "(b) ", "(i) ", "", "EXHIBIT A\n"]
)
WORDS = st.sampled_from(
    ["Fees. ", "the oats; ", "Buyer pays what it owes. " * 12, "x" * 1_500, "é\xa0\n"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(NUMBER, WORDS), max_size=30))
def test_passages_tile(document: Make, parts: list[tuple[str, str]]) -> None:
    text = "\n".join(number + words for number, words in parts)
    read = document(text)
    check(cut_passages(read, build_outline(read)), text)


@pytest.mark.corpus
def test_corpus_passages_tile(document: Make, corpus: Path) -> None:
    for file in sorted((corpus / "cuad" / "contracts").glob("*.txt"))[::20]:
        read = document(file.read_text(encoding="utf-8"))
        check(cut_passages(read, build_outline(read)), read.text)


def test_headings_stand_with_their_text(document: Make, supply: str) -> None:
    long = "Buyer shall order the Goods in writing and at the times that the plan lays down, "
    text = supply.replace("2.1 Orders. ", f"2.1 Orders. {long * 15}")
    read = document(text)
    found = cut_passages(read, build_outline(read))
    check(found, text)
    first = next(p for p in found if p.span.text_in(text).startswith("2. SUPPLY"))
    assert "2.1 Orders. Buyer shall order" in first.span.text_in(text)
    assert first.context == ""
