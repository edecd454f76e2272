from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.review.values import find_amounts, find_dates, find_durations, parse_number
from fourcorners.text.span import Span


def whole(text: str) -> Span:
    return Span(0, len(text))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("30", 30),
        ("1,000,000", 1_000_000),
        ("250.000", 250_000),
        ("thirty", 30),
        ("twenty-four", 24),
        ("one hundred and twenty", 120),
        ("five million", 5_000_000),
        ("two hundred fifty thousand", 250_000),
        ("one million two hundred thousand", 1_200_000),
    ],
)
def test_numbers(words: str, value: int) -> None:
    assert parse_number(words) == value


def test_what_says_no_number() -> None:
    assert parse_number("several") is None
    assert parse_number("and") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("on thirty (30) days’ prior written notice", ["30 days"]),
        ("not less than six months’ written notice", ["6 months"]),
        ("an initial twelve-month term, then one (1) year", ["12 months", "1 year"]),
        ("within ten Business Days and for 2 years", ["10 business days", "2 years"]),
        ("for ninety days, and again ninety (90) days", ["90 days"]),
        ("twelve (12) months' fees", []),  # an amount
        ("a loan of $30 days after", []),
        ("fourteen days’ notice", ["14 days"]),
    ],
)
def test_durations(text: str, said: list[str]) -> None:
    assert [each.text for each in find_durations(text, whole(text))] == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shall not exceed $1,000,000 in any year", ["$1,000,000"]),
        ("five million pounds (£5,000,000) for each claim", ["£5,000,000"]),
        ("US$ 2.5 million or EUR 250.000", ["$2,500,000", "€250,000"]),
        ("one million dollars ($1,000,000)", ["$1,000,000"]),
        ("shall not exceed 125% of the Charges paid", ["125% of the Charges"]),
        ("fifteen per cent (15%) of the Price", ["15% of the Price"]),
        ("limited to twelve (12) months' fees", ["12 months’ fees"]),
        (
            "the fees paid or payable to it in the twelve (12) months before the claim",
            ["fees paid in 12 months"],
        ),
        ("CHF 100’000 a year", ["CHF 100,000"]),
        ("Section 4.1 and 30 days", []),
        ("not less than 18 pounds per square inch", []),
    ],
)
def test_amounts(text: str, said: list[str]) -> None:
    assert [each.text for each in find_amounts(text, whole(text))] == said


def test_dates_and_places() -> None:
    text = "means February 1, 2024, and later 1 March 2025"
    found = find_dates(text, whole(text))
    assert [each.text for each in found] == ["2024-02-01", "2025-03-01"]
    assert found[0].span.text_in(text) == "February 1, 2024"
    assert [each.text for each in find_dates(text, Span(22, len(text)))] == ["2025-03-01"]


@given(st.integers(0, 10**9), st.sampled_from(["day", "week", "month", "year"]))
def test_a_written_period_reads_back(count: int, unit: str) -> None:
    text = f"for {count:,} {unit}s from then"
    (found,) = find_durations(text, whole(text))
    assert found.text.replace(",", "").split()[0] == str(count)
    assert found.span.text_in(text) == f"{count:,} {unit}s"


@given(st.text(alphabet="0123456789 ,.%$£months’(yearsdof hundred)-\n", max_size=300))
def test_any_text_gives_places_inside_it(text: str) -> None:
    for each in (*find_durations(text, whole(text)), *find_amounts(text, whole(text))):
        assert 0 <= each.span.start < each.span.end <= len(text)
        assert each.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a fee of US$2 \n million", ["$2,000,000"]),
        ("a fee of 2 \n million dollars", ["$2,000,000"]),
        ("a fee of $2\n\nmetres of cable", ["$2"]),
        ("a fee of US$2 \n m", ["$2"]),
    ],
)
def test_a_number_and_its_unit_on_two_lines(text: str, said: list[str]) -> None:
    assert [each.text for each in find_amounts(text, whole(text))] == said


def test_the_number_of_a_clause_is_no_date() -> None:
    text = "11.1.10 Insurance. See 1.2.18, and from 31.12.2010 or 3/14/23 on."
    assert [each.text for each in find_dates(text, whole(text))] == ["2010-12-31", "2023-03-14"]
