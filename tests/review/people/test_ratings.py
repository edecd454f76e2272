from __future__ import annotations

from fourcorners.precedents.learning.learn import RatedClause
from fourcorners.review.finding import CellState, Evidence, Finding, ReviewState
from fourcorners.review.people.confirmed import _rated_places
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span


def finding(review: ReviewState, place: Span | None = None) -> Finding:
    quote = Quote("capped", Span(12, 18), Match.EXACT)
    evidence = Evidence(quote, Span(10, 50), (), None, 0.9)
    return Finding("d", "cap", CellState.FOUND, (evidence,), review=review, place=place)


def test_what_was_confirmed_belongs_and_what_was_rejected_does_not() -> None:
    assert _rated_places(finding(ReviewState.CONFIRMED)) == [
        (Span(10, 50), RatedClause("", "").stars)
    ]
    assert _rated_places(finding(ReviewState.REJECTED)) == [(Span(10, 50), 1)]


def test_a_correction_elsewhere_says_that_the_clause_is_wrong_one_within_it_does_not() -> None:
    assert _rated_places(finding(ReviewState.CORRECTED, Span(60, 70))) == [
        (Span(60, 70), 3),
        (Span(10, 50), 1),
    ]
    assert _rated_places(finding(ReviewState.CORRECTED, Span(20, 30))) == [(Span(20, 30), 3)]
    assert _rated_places(finding(ReviewState.CORRECTED)) == []
