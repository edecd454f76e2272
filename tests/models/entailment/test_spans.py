from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.models.entailment.spans import split_items
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span


def cut(text: str) -> list[str]:
    return [span.text_in(text) for span in split_items(text, [Span(0, len(text))])]


def test_items_and_lead_ins_are_apart() -> None:
    text = "Excluded is what:\n(a) is public;\n(b) was known before; or\n(c) is found out later."
    assert cut(text) == [
        "Excluded is what:",
        "(a) is public;",
        "(b) was known before; or",
        "(c) is found out later.",
    ]


def test_items_within_a_sentence_are_apart() -> None:
    text = "Excluded is what (a) is public; (b) was known before, or (c) is found out later."
    assert cut(text) == [
        "Excluded is what",
        "(a) is public;",
        "(b) was known before, or",
        "(c) is found out later.",
    ]


def test_headings_are_apart_and_wrapped_lines_are_not() -> None:
    text = "2.07 Return of papers\nThe Recipient shall return\nall papers, and every copy."
    assert cut(text) == [
        "2.07 Return of papers",
        "The Recipient shall return\nall papers, and every copy.",
    ]


def test_a_reference_is_no_item() -> None:
    text = (
        "The duties of section 4(a) and clause 3.2 last for two years, notwithstanding section 5."
    )
    assert cut(text) == [text]


@given(st.text(alphabet="ab (1).;:\n-and", max_size=120))
def test_pieces_are_in_order_and_lose_no_words_but_lone_ones(text: str) -> None:
    spans = split_sentences(text)
    found = split_items(text, spans)
    for before, after in pairwise(found):
        assert before.end <= after.start
    for piece in found:
        assert any(span.contains(piece) for span in spans)
        assert piece.text_in(text).strip() == piece.text_in(text)
        assert len(piece.text_in(text).split()) >= 2
