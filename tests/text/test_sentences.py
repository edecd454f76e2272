"""Sentences: exact places, nothing lost, paragraphs kept apart."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span


def cut(text: str) -> list[str]:
    return [" ".join(span.text_in(text).split()) for span in split_sentences(text)]


def test_abbreviations_of_the_law_end_no_sentence() -> None:
    text = "Acme Inc. and Sec. 7.1.4 of 17 C.F.R. 230.405 apply. Notice shall be given."
    assert cut(text) == [
        "Acme Inc. and Sec. 7.1.4 of 17 C.F.R. 230.405 apply.",
        "Notice shall be given.",
    ]


def test_a_heading_is_no_part_of_the_sentence_below_it() -> None:
    text = "Governing law\n\nEnglish law applies to this agreement.\n\n**Term**\n\nOne year."
    assert cut(text) == [
        "Governing law",
        "English law applies to this agreement.",
        "**Term**",
        "One year.",
    ]


def test_a_sentence_runs_on_over_a_page() -> None:
    first = "The Supplier shall at all times during the term and for as long after it as the"
    text = f"{first} Customer and\n\n\nthe Regulator may require keep records."
    assert len(cut(text)) == 1
    capital = f"{first} books of the\n\nCustomer are kept, keep records."
    assert len(cut(capital)) == 1


def test_only_the_part_asked_for_is_cut() -> None:
    text = "One is here. Two is here. Three is here."
    assert [span.text_in(text) for span in split_sentences(text, Span(13, 25))] == ["Two is here."]


@given(st.text(alphabet="aB. \n;:)", max_size=120))
def test_nothing_is_lost_and_nothing_stands_twice(text: str) -> None:
    spans = split_sentences(text)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    covered = {i for span in spans for i in range(span.start, span.end)}
    assert {i for i, c in enumerate(text) if c.strip()} <= covered
    assert all(span.text_in(text) == span.text_in(text).strip() for span in spans)
