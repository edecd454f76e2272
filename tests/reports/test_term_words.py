"""What a report says of a contract's term on a day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from fourcorners.outline.card.card import Card, Fact, Renewal, RenewalManner, Value
from fourcorners.reports.chapters.term_words import term_phrases, term_runs
from fourcorners.review.finding import Review
from fourcorners.text.span import Span

TEXT = "It starts on 1 May 2020 and runs for five (5) years."
PERIOD = Span(TEXT.index("five"), TEXT.index("."))
START = Fact(date(2020, 5, 1), Span(13, 23), 0.98)
SURE = Value("end", "2025-05-01", PERIOD, 0.97, asserted=True)
LENGTH = Value("renewal", "P2Y", Span(0, 2), 0.98, asserted=True)
RENEWS = Renewal(RenewalManner.AUTOMATIC, None, Span(0, 9), asserted=True, again=True)
FROM, UNTIL = "5 years from 1 May 2020; ", "first term until 1 May 2025; "


def term(
    review: Review, end: Value | None, renewal: Renewal | None = None, day: str = "2026-11-01"
) -> str:
    values = tuple(each for each in (end, LENGTH if renewal else None) if each)
    card = Card(effective_date=START, values=values, renewal=renewal)
    document = replace(review.documents[0], text=TEXT, card=card)
    return "".join(run.text for run in term_runs(document, date.fromisoformat(day)))


@pytest.mark.parametrize(
    ("renewal", "wanted"),
    [
        (None, FROM + "ended on 1 May 2025"),
        (RENEWS, FROM + UNTIL + "renews by itself for 2 years"),
        (
            replace(RENEWS, times=1, again=False),
            FROM + UNTIL + "renews by itself for 2 years, once",
        ),
        (replace(RENEWS, asserted=False), FROM + UNTIL + "may be renewed"),
        (replace(RENEWS, manner=RenewalManner.UNCLEAR), FROM + UNTIL + "may be renewed"),
        (
            replace(RENEWS, manner=RenewalManner.CHOICE),
            FROM + "ended on 1 May 2025, unless renewed",
        ),
    ],
)
def test_a_contract_has_ended_only_if_a_further_document_alone_prolongs_it(
    review: Review, renewal: Renewal | None, wanted: str
) -> None:
    assert term(review, SURE, renewal) == wanted


def test_the_last_of_a_counted_number_of_renewals_ends_a_contract(review: Review) -> None:
    once = replace(RENEWS, times=1, again=False)
    assert term(review, SURE, once, "2027-05-02") == FROM + "ended on 1 May 2027, unless renewed"


@pytest.mark.parametrize(
    ("end", "wanted"),
    [
        (replace(SURE, asserted=False), "5 years from 1 May 2020 (to be read)"),
        (replace(SURE, asserted=False, confidence=0.2), "from 1 May 2020"),
        (
            replace(SURE, asserted=False, span=Span(0, 2)),
            "from 1 May 2020 until 1 May 2025 (to be read)",
        ),
        (
            replace(SURE, asserted=False, span=Span(0, 2), text="2025-05"),
            "from 1 May 2020 until May 2025 (to be read)",
        ),
        (
            replace(SURE, asserted=False, span=Span(0, 2), text="perpetual"),
            "from 1 May 2020; runs until terminated (to be read)",
        ),
        (
            replace(SURE, span=Span(0, 2), text="perpetual"),
            "from 1 May 2020; runs until terminated",
        ),
        (replace(SURE, span=Span(0, 2), text="2027-05-01"), "from 1 May 2020; ends on 1 May 2027"),
        (None, "from 1 May 2020"),
    ],
)
def test_a_likely_term_is_shown_and_marked(review: Review, end: Value | None, wanted: str) -> None:
    assert term(review, end) == wanted


def test_a_likely_end_is_no_fact_of_the_contracts_line(review: Review) -> None:
    card = Card(effective_date=START, values=(replace(SURE, asserted=False),))
    document = replace(review.documents[0], text=TEXT, card=card)
    assert [*term_phrases(document, date(2026, 11, 1))] == []


AGREED = Value("agreement", "2020-04-02", Span(0, 2), 0.97, asserted=True)
STARTS = Value("effective", "2020-05-01", Span(13, 23), 0.97, asserted=True)
UNSURE = replace(STARTS, confidence=0.6, asserted=False)
SUM = replace(SURE, text="2025-04-02", arithmetic="2020-04-02 + 5 years")


@pytest.mark.parametrize(
    ("start", "values", "wanted"),
    [
        (None, (), "from 2 April 2020 (to be read)"),
        (None, (AGREED,), "from 2 April 2020 (to be read)"),
        (None, (AGREED, SURE), "from 2 April 2020 (to be read); ended on 1 May 2025"),
        (
            None,
            (AGREED, replace(SURE, asserted=False)),
            "from 2 April 2020 until 1 May 2025 (to be read)",
        ),
        (None, (AGREED, SUM), "5 years from 2 April 2020; ended on 2 April 2025"),
        (START, (AGREED, STARTS), "from 1 May 2020"),
        (START, (AGREED, UNSURE), "from 1 May 2020 (to be read)"),
        (START, (UNSURE, SURE), "5 years from 1 May 2020 (to be read); ended on 1 May 2025"),
    ],
)
def test_a_first_day_that_no_words_say_is_to_be_read(
    review: Review, start: Fact[date] | None, values: tuple[Value, ...], wanted: str
) -> None:
    agreed = Fact(date(2020, 4, 2), Span(0, 2), 0.97)
    card = Card(agreement_date=agreed, effective_date=start, values=values)
    document = replace(review.documents[0], text=TEXT, card=card)
    runs = term_runs(document, date(2026, 11, 1))
    assert "".join(run.text for run in runs) == wanted


@pytest.mark.parametrize(
    ("end", "wanted"),
    [
        ("2025-04-30", "5 years from 1 May 2020; ends on 30 April 2025"),
        ("2027-05-01", "from 1 May 2020; ends on 1 May 2027"),
        ("2023-05-01", "from 1 May 2020; ends on 1 May 2023"),
    ],
)
def test_a_length_that_does_not_give_the_end_is_not_shown(
    review: Review, end: str, wanted: str
) -> None:
    assert term(review, replace(SURE, text=end), day="2021-01-01") == wanted
