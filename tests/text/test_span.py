"""Spans and their algebra, against sets of characters."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.span import (
    Span,
    covered_length,
    intersect_spans,
    merge_spans,
    subtract_spans,
)

spans = st.builds(
    lambda start, length: Span(start, start + length), st.integers(0, 60), st.integers(0, 20)
)


def characters(several: list[Span]) -> set[int]:
    return {i for span in several for i in range(span.start, span.end)}


def test_a_span_that_runs_backwards_is_refused() -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(5, 4)
    with pytest.raises(ValueError, match="not a span"):
        Span(-1, 4)


def test_strip_leaves_the_words() -> None:
    text = "a  \n the fee \u00a0 b"
    assert Span(1, 15).strip(text).text_in(text) == "the fee"
    assert not Span(1, 4).strip(text)


@given(st.lists(spans))
def test_union_covers_the_same_characters_once(several: list[Span]) -> None:
    merged = merge_spans(several)
    assert characters(merged) == characters(several)
    assert covered_length(several) == len(characters(several))
    assert all(a.end < b.start for a, b in pairwise(merged))


@given(st.lists(spans), st.lists(spans))
def test_common_is_the_intersection(left: list[Span], right: list[Span]) -> None:
    assert characters(intersect_spans(left, right)) == characters(left) & characters(right)


@given(spans, spans)
def test_overlap_and_intersection_agree(a: Span, b: Span) -> None:
    assert a.overlaps(b) == (a.intersection(b) is not None) or not a or not b


@given(st.lists(spans), st.lists(spans))
def test_what_is_subtracted_is_gone_and_nothing_else(left: list[Span], right: list[Span]) -> None:
    rest = subtract_spans(left, right)
    assert characters(rest) == characters(left) - characters(right)
    assert covered_length(rest) == sum(map(len, rest))
