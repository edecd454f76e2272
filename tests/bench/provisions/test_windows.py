from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.playbooks.passages.ranking import tile_spans
from fourcorners.text.span import Span
from fourcorners_bench.provisions.windows import choose_windows

LONGEST = 12


def laid(lengths: list[int]) -> list[Span]:
    parts, at = [], 0
    for length in lengths:
        parts.append(Span(at, at + length))
        at += length
    return parts


def best_of_all(parts: list[Span], worth: list[float], most: int) -> float:
    runs = [
        (first, beyond)
        for first in range(len(parts))
        for beyond in range(first + 1, len(parts) + 1)
        if parts[beyond - 1].end - parts[first].start <= LONGEST
    ]
    return max(
        (
            sum(sum(worth[first:beyond]) for first, beyond in chosen)
            for count in range(1, most + 1)
            for chosen in combinations(runs, count)
            if all(left[1] <= right[0] for left, right in pairwise(chosen))
        ),
        default=0.0,
    )


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=1, max_size=7),
    st.integers(1, 3),
)
def test_no_other_windows_are_worth_more(parts: list[tuple[int, int]], most: int) -> None:
    spans, worth = laid([length for length, _ in parts]), [float(value) for _, value in parts]
    windows = choose_windows(spans, worth, most=most, longest=LONGEST)
    assert sum(window.weight for window in windows) == best_of_all(spans, worth, most)
    assert len(windows) <= most
    assert all(len(window.span) <= LONGEST for window in windows)
    assert [window.weight for window in windows] == sorted(
        (window.weight for window in windows), reverse=True
    )
    ordered = sorted(window.span for window in windows)
    assert all(a.end <= b.start for a, b in pairwise(ordered))


def test_a_part_longer_than_a_window_is_refused() -> None:
    with pytest.raises(ValueError, match="fit in a window"):
        choose_windows([Span(0, 20)], [1.0], most=1, longest=LONGEST)


def test_nothing_to_choose_from_gives_nothing() -> None:
    assert choose_windows([], [], most=3) == []
    assert choose_windows([Span(0, 5)], [1.0], most=0) == []


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), max_size=8), st.integers(0, 40), st.integers(1, 10))
def test_tiles_cover_the_text_without_gaps(lengths: list[int], more: int, longest: int) -> None:
    spans = [Span(span.start + 1, span.end + 1) for span in laid(lengths)]
    length = (spans[-1].end if spans else 0) + more
    found = tile_spans(spans, length, longest=longest)
    assert [span.start for span in found] == [0, *(span.end for span in found[:-1])][: len(found)]
    assert (found[-1].end if found else 0) == length
    assert all(0 < len(span) <= longest for span in found)
