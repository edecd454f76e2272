"""Terms on a day: what is a fact, what renews, what has ended, and when notice is due."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from fourcorners.outline.card.card import Card, Renewal, RenewalManner, Value
from fourcorners.outline.card.term import (
    EventKind,
    Standing,
    Term,
    TermChange,
    changes_term,
    find_events,
    find_final_end,
    find_status,
    read_term,
)
from fourcorners.text.span import Span

END = Value("end", "2024-10-31", Span(10, 20), 0.98, asserted=True)
LENGTH = Value("renewal", "P1Y", Span(30, 38), 0.97, asserted=True)
NOTICE = Value("notice", "P90D", Span(50, 57), 0.98, asserted=True)
RENEWS = Renewal(RenewalManner.AUTOMATIC, None, Span(30, 60), asserted=True, again=True)
YEARLY = Term(end=END, renewal=RENEWS, length=LENGTH, notice=NOTICE)
DAY = date(2026, 6, 1)


def falls_due(term: Term, start: str, end: str) -> list[tuple[str, str, bool]]:
    events = find_events(term, date.fromisoformat(start), date.fromisoformat(end))
    return [(each.kind.value, each.day.isoformat(), each.asserted) for each in events]


def test_a_term_that_renews_each_year() -> None:
    assert falls_due(YEARLY, "2026-06-01", "2026-12-31") == [
        ("last day for notice", "2026-08-02", True),
        ("renewal", "2026-10-31", True),
    ]
    _, renewal = find_events(YEARLY, DAY, date(2026, 12, 31))
    assert renewal.unless == "notice is given by 2026-08-02"


def test_notice_for_a_renewal_beyond_the_days_asked_for() -> None:
    assert falls_due(YEARLY, "2026-07-01", "2026-09-01") == [
        ("last day for notice", "2026-08-02", True)
    ]


def test_a_first_term_that_is_over_and_renews_is_not_ended() -> None:
    status = find_status(YEARLY, DAY)
    assert status.standing is Standing.RENEWING
    assert status.asserted
    assert status.sentence == (
        "Its first term ended on 2024-10-31. It renews by itself for 1 year at a time unless "
        "notice is given 90 days before. In force unless terminated."
    )


@pytest.mark.parametrize("manner", RenewalManner)
def test_no_words_of_renewal_leave_it_ended(manner: RenewalManner) -> None:
    renewal = Renewal(manner, None, Span(30, 60), asserted=False)
    status = find_status(replace(YEARLY, renewal=renewal), DAY)
    assert status.standing in (Standing.RENEWING, Standing.UNCERTAIN)
    takes_a_document = manner in (RenewalManner.CHOICE, RenewalManner.AGREEMENT)
    card = Card(values=(END,), renewal=renewal)
    assert find_final_end(card) == (date(2024, 10, 31) if takes_a_document else None)


def test_without_renewal_it_has_ended() -> None:
    term = Term(end=END)
    assert find_status(term, DAY) == replace(
        find_status(term, DAY),
        standing=Standing.ENDED,
        sentence="It ended on 2024-10-31.",
        asserted=True,
    )
    assert falls_due(term, "2024-10-01", "2024-10-31") == [("end", "2024-10-31", True)]
    assert find_final_end(Card(values=(END,))) == date(2024, 10, 31)


def test_renewals_are_counted() -> None:
    twice = replace(YEARLY, renewal=replace(RENEWS, times=2))
    assert falls_due(twice, "2024-10-01", "2030-01-01") == [
        ("renewal", "2024-10-31", True),
        ("last day for notice", "2025-08-02", True),
        ("renewal", "2025-10-31", True),
        ("end", "2026-10-31", True),
    ]
    assert find_status(twice, date(2026, 11, 1)).standing is Standing.UNCERTAIN
    assert twice.renewal is not None
    card = Card(values=(END, LENGTH), renewal=twice.renewal)
    assert find_final_end(card) == date(2026, 10, 31)
    assert find_final_end(replace(card, renewal=RENEWS)) is None
    assert find_final_end(replace(card, values=(END, replace(LENGTH, asserted=False)))) is None


def test_a_choice_to_renew_is_no_renewal() -> None:
    term = replace(YEARLY, renewal=replace(RENEWS, manner=RenewalManner.CHOICE))
    (event,) = find_events(term, date(2024, 10, 1), date(2025, 12, 31))
    assert (event.kind, event.unless) == (EventKind.END, "it is renewed")


@pytest.mark.parametrize(
    "doubtful",
    [
        replace(YEARLY, end=replace(END, asserted=False)),
        replace(YEARLY, renewal=replace(RENEWS, asserted=False)),
        replace(YEARLY, length=replace(LENGTH, asserted=False)),
        replace(YEARLY, end=replace(END, confidence=0.9), length=replace(LENGTH, confidence=0.9)),
        replace(YEARLY, changes=(TermChange("other", "Amendment", Span(0, 5)),)),
    ],
)
def test_a_renewal_of_doubtful_values_is_no_fact(doubtful: Term) -> None:
    assert ("renewal", "2026-10-31", False) in falls_due(doubtful, "2026-06-01", "2026-12-31")
    assert not any(sure for _, _, sure in falls_due(doubtful, "2026-06-01", "2026-12-31"))


def test_a_doubtful_notice_leaves_the_renewal_a_fact() -> None:
    term = replace(YEARLY, notice=replace(NOTICE, asserted=False))
    assert falls_due(term, "2026-06-01", "2026-12-31") == [
        ("last day for notice", "2026-08-02", False),
        ("renewal", "2026-10-31", True),
    ]


def test_terms_without_an_end() -> None:
    endless = Term(end=replace(END, text="perpetual"))
    assert find_status(endless, DAY).standing is Standing.ENDLESS
    for term in (endless, Term(), Term(end=replace(END, text="2026-10"))):
        assert find_events(term, DAY, date(2030, 1, 1)) == []
    assert find_status(Term(renewal=RENEWS), DAY).sentence == (
        "When it ends is for a person to read. It renews by itself."
    )


def test_a_doubtful_end_is_not_named() -> None:
    for term in (
        replace(YEARLY, end=replace(END, asserted=False)),
        replace(YEARLY, changes=(TermChange("other", "Amendment", Span(0, 5)),)),
    ):
        status = find_status(term, DAY)
        assert (status.standing, status.asserted) == (Standing.UNKNOWN, False)
        assert "2024" not in status.sentence


def test_the_term_of_a_card() -> None:
    effective = Value("effective", "2023-11-01", Span(0, 4), 0.99, asserted=True)
    term = read_term(Card(values=(effective, END, LENGTH, NOTICE), renewal=RENEWS))
    assert term == replace(YEARLY, start=effective)
    assert find_status(term, date(2024, 10, 31)).standing is Standing.RUNNING


def test_what_changes_a_term() -> None:
    assert changes_term("The Expiry Date in clause 2 is changed to 31 May 2027.")
    assert not changes_term("The price in clause 4 is changed to £5.")


def test_only_the_first_renewal_is_a_fact_where_their_number_is_not_understood() -> None:
    once = replace(YEARLY, renewal=replace(RENEWS, again=False))
    found = find_events(once, date(2024, 1, 1), date(2026, 12, 31))
    renewals = [each for each in found if each.kind is EventKind.RENEWAL]
    assert [each.asserted for each in renewals] == [True, False, False]


@pytest.mark.parametrize(
    ("written", "last"),
    [("--10-31", "2025-10-31"), ("--10-30", "2025-10-30"), ("--11-01", "2024-11-01")],
)
def test_a_day_of_each_year_is_the_last_up_to_the_end(written: str, last: str) -> None:
    end = replace(END, text="2025-10-31")
    term = replace(YEARLY, end=end, notice=replace(NOTICE, text=written))
    (event,) = (
        each
        for each in find_events(term, date(2024, 1, 1), date(2025, 12, 31))
        if each.kind is EventKind.NOTICE and each.day.isoformat() == last
    )
    assert event.arithmetic.endswith(" by 2025-10-31")
