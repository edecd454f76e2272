"""Points of two readers are paired, and what the program says is held against them."""

from __future__ import annotations

import pytest

from benchmarks.markups import PointPair, ProgramPoint, ReaderPoint, fold, judge, pair_points, place
from fourcorners.redline.proposal import Draft, OpenPoint
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

CLAUSE = (Span(100, 300),)


def point(topic: str, *spans: Span, kind: str = "replace", weight: str = "must") -> ReaderPoint:
    return ReaderPoint(topic, kind, weight, spans, CLAUSE if spans else ())


def said(
    name: str, *spans: Span, is_missing: bool = False, offered: Draft | None = None
) -> ProgramPoint:
    quotes = tuple(Quote("words", span, Match.EXACT) for span in spans)
    point = OpenPoint(name.lower(), name, "It is open.", quotes, (), offered=offered)
    return ProgramPoint(point, is_missing)


@pytest.mark.parametrize(
    ("words", "topics"),
    [
        ("cap on liability", {"liability cap"}),
        ("Limitation of liability", {"liability cap", "consequential loss"}),
        ("missing clause: IP indemnity", {"indemnity", "infringement"}),
        ("revenue share", {"payment"}),
        ("venue", {"law and forum"}),
        ("Termination for convenience", {"termination for convenience"}),
        ("demurrage", set()),
    ],
)
def test_topics_are_folded(words: str, topics: set[str]) -> None:
    assert fold(words) == topics


def test_points_are_one_if_their_words_overlap_or_their_clause_and_topic_are_the_same() -> None:
    warranty, interest = point("warranty", Span(110, 150)), point("interest", Span(200, 220))
    remedy, payment = point("warranty remedy", Span(140, 190)), point("payment", Span(250, 280))

    assert pair_points([warranty, interest], [payment, remedy]) == [
        PointPair(warranty, remedy),
        PointPair(interest, payment),
    ]
    assert pair_points([warranty], [point("audit", Span(200, 220))]) == []


def test_each_point_is_paired_once_with_the_one_that_shares_most_words() -> None:
    audit = point("audit", Span(110, 200))
    near, far = point("audit", Span(110, 190)), point("audit", Span(190, 240))

    assert pair_points([audit], [far, near]) == [PointPair(audit, near)]


def test_missing_clauses_are_one_by_topic_and_never_words() -> None:
    cap = point("missing clause: cap on liability", kind="insert")

    assert pair_points([cap], [point("cap on liability", kind="insert")])
    assert not pair_points([cap], [point("insurance", kind="insert")])
    assert not pair_points([cap], [point("cap on liability", Span(110, 150))])


def test_a_pair_is_a_must_if_it_is_to_both() -> None:
    must, should = point("audit", Span(110, 150)), point("audit", Span(110, 150), weight="should")

    assert PointPair(must, must).weight == "must"
    assert PointPair(must, should).weight == "should"


def test_a_statement_names_a_pair_in_its_clause_with_its_topic() -> None:
    pair = PointPair(point("assignment", Span(110, 150)), point("assignment", Span(110, 150)))
    there, other = said("Assignment", Span(250, 290)), said("Insurance", Span(250, 290))
    elsewhere = said("Assignment", Span(400, 450))

    assert judge(pair, [elsewhere, other, there]) == ("listed only", [there])
    worded = said("Assignment", Span(250, 290), offered=Draft("Nobody may assign.", ()))
    assert judge(pair, [there, worded]) == ("with wording", [there, worded])
    assert judge(pair, [elsewhere, other]) == ("other topic", [other])
    assert judge(pair, [elsewhere]) == ("not named", [])
    points = [pair.first]
    assert place(there, points) == "on a listed point"
    assert place(other, points) == "on a listed clause, other topic"
    assert place(elsewhere, points) == "on none"


def test_a_missing_clause_is_named_only_where_none_was_found() -> None:
    pair = PointPair(point("insurance", kind="insert"), point("insurance", kind="insert"))
    missing, found = said("Insurance", is_missing=True), said("Insurance", Span(110, 150))

    assert judge(pair, [missing])[0] == "listed only"
    assert judge(pair, [found]) == ("not named", [])
    assert place(missing, [pair.first]) == "on a listed point"
    assert place(missing, [point("insurance", Span(110, 150))]) == "on none"
