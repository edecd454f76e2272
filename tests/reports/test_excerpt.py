"""Clauses cut into runs by their quotes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.reports.excerpt import CONTEXT_LENGTH, MAX_LENGTH, cut_excerpt
from fourcorners.text.span import Span, covered_length, intersect_spans

TEXT = "".join(f"{i} word{'.' if i % 9 == 0 else ''} " for i in range(4_000))


@st.composite
def cuts(draw: st.DrawFn) -> tuple[Span, dict[int, list[Span]]]:
    start = draw(st.integers(0, len(TEXT) - 10))
    clause = Span(start, draw(st.integers(start + 1, min(len(TEXT), start + 20_000))))
    quotes: dict[int, list[Span]] = {}
    for column in draw(st.lists(st.integers(0, 4), max_size=4)):
        at = draw(st.integers(clause.start, clause.end - 1))
        quotes.setdefault(column, []).append(
            Span(at, min(clause.end, at + draw(st.integers(1, 400))))
        )
    return clause, quotes


@given(cuts())
def test_the_runs_are_the_clause_and_the_marks_are_the_quotes(
    cut: tuple[Span, dict[int, list[Span]]],
) -> None:
    clause, quotes = cut
    shown = cut_excerpt(TEXT, clause, quotes)
    at = shown.span.start
    marked: dict[int, list[Span]] = {}
    for run in shown.runs:
        end = at + (run.left_out or len(run.words))
        assert bool(run.left_out) != bool(run.words)
        assert run.left_out or TEXT[at:end] == run.words
        for column in run.quoted:
            marked.setdefault(column, []).append(Span(at, end))
        at = end
    assert at == shown.span.end
    for column, spans in quotes.items():
        assert covered_length(intersect_spans(spans, marked[column])) == covered_length(spans)
        assert covered_length(marked[column]) == covered_length(spans)
    if len(clause) <= MAX_LENGTH:
        assert not any(run.left_out for run in shown.runs)
    else:
        assert sum(len(run.words) for run in shown.runs) < max(MAX_LENGTH + 1, 4 * 3_400 * 2)


@given(cuts())
def test_the_neighbours_are_the_texts_own(cut: tuple[Span, dict[int, list[Span]]]) -> None:
    shown = cut_excerpt(TEXT, *cut)
    assert TEXT[: shown.span.start].endswith(shown.before)
    assert TEXT[shown.span.end :].startswith(shown.after)
    assert max(len(shown.before), len(shown.after)) <= CONTEXT_LENGTH


def test_a_quote_that_sticks_out_of_its_clause_is_shown_whole() -> None:
    shown = cut_excerpt(TEXT, Span(100, 200), {0: [Span(150, 260)]})
    assert shown.span == Span(100, 260)
    assert [run.words for run in shown.runs if run.quoted] == [TEXT[150:260]]
