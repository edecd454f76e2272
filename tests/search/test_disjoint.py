from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.search.hit import MAX_LENGTH, FoundPassage, add_disjoint
from fourcorners.text.span import Span, covered_length

TEXT = "x" * 20_000


def found(start: int, end: int, *matched: tuple[int, int], document: str = "d") -> FoundPassage:
    return FoundPassage(
        document, start, None, Span(start, end), tuple(Span(*m) for m in matched), start
    )


def test_overlapping_passages_merge_into_the_better_one() -> None:
    placed: list[FoundPassage] = []
    for one in (found(100, 200, (110, 120)), found(150, 300, (150, 155), (210, 220))):
        add_disjoint(placed, one, TEXT)
    (only,) = placed
    assert only.row == 100
    assert only.span == Span(100, 300)
    assert only.matched == (Span(110, 120), Span(150, 155), Span(210, 220))


def test_what_lies_inside_adds_only_its_matches() -> None:
    placed = [found(0, 10_000)]
    add_disjoint(placed, found(50, 80, (60, 70)), TEXT)
    assert [one.span for one in placed] == [Span(0, 10_000)]
    assert placed[0].matched == (Span(60, 70),)


def test_what_would_grow_too_long_is_cut() -> None:
    placed = [found(0, MAX_LENGTH)]
    add_disjoint(
        placed, found(MAX_LENGTH - 100, MAX_LENGTH + 500, (MAX_LENGTH - 50, MAX_LENGTH + 5)), TEXT
    )
    assert [one.span for one in placed] == [Span(0, MAX_LENGTH), Span(MAX_LENGTH, MAX_LENGTH + 500)]
    assert placed[1].matched == ()


def test_other_documents_stay_apart() -> None:
    placed = [found(0, 100)]
    add_disjoint(placed, found(50, 150, document="e"), TEXT)
    assert len(placed) == 2


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 3_000)), min_size=1, max_size=15))
def test_no_character_is_placed_twice_and_none_is_invented(raw: list[tuple[int, int]]) -> None:
    spans = [Span(start, start + length) for start, length in raw]
    placed: list[FoundPassage] = []
    for span in spans:
        add_disjoint(placed, found(span.start, span.end), TEXT)
    got = [one.span for one in placed]
    assert covered_length(got) == sum(map(len, got))
    assert covered_length([*got, *spans]) == covered_length(spans)
    assert got[0].contains(spans[0])
