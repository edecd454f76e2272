from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.search.hit import MAX_SNIPPET, snippet_span
from fourcorners.text.span import Span

TEXT = " ".join(f"word{at:04}" for at in range(400))


def test_a_short_passage_is_its_own_snippet() -> None:
    assert snippet_span(TEXT, Span(0, 90), []) == Span(0, 90)


def test_a_snippet_shows_where_most_matches_are() -> None:
    lonely, dense = Span(0, 8), [Span(1800, 1808), Span(1818, 1826), Span(1836, 1844)]
    shown = snippet_span(TEXT, Span(0, len(TEXT)), [lonely, *dense])
    assert all(shown.contains(one) for one in dense)


@given(st.data())
def test_a_snippet_is_inside_and_of_whole_words(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, 200)) * 9
    end = data.draw(st.integers(start // 9 + 1, 400)) * 9 - 1
    span = Span(start, end)
    places = st.integers(start // 9, (end + 1) // 9 - 1).map(lambda at: Span(at * 9, at * 9 + 8))
    matched = sorted(data.draw(st.lists(places, max_size=5, unique=True)))
    shown = snippet_span(TEXT, span, matched)
    assert span.contains(shown)
    assert 0 < len(shown) <= MAX_SNIPPET or shown == span
    assert all(word in TEXT.split() for word in shown.text_in(TEXT).split())
    if matched:
        assert any(shown.contains(one) for one in matched)


def test_text_without_spaces_is_cut_anywhere() -> None:
    text = "字" * 1000
    shown = snippet_span(text, Span(0, 1000), [Span(500, 501)])
    assert len(shown) == MAX_SNIPPET
    assert shown.contains(Span(500, 501))
