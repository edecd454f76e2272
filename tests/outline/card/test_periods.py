"""Periods as contracts write them."""

from __future__ import annotations

from datetime import date

import pytest

from fourcorners.outline.card.periods import Period, find_periods, parse_period
from fourcorners.text.span import Span


@pytest.mark.parametrize(
    ("words", "iso"),
    [
        ("two (2) years", "P2Y"),
        ("a thirty-day period", "P30D"),
        ("eighteen (18) months", "P18M"),
        ("twelve months", "P1Y"),
        ("one hundred and eighty (180) days", "P180D"),
        ("one hundred twenty days", "P120D"),
        ("2 calendar quarters", "P6M"),
        ("six weeks", "P42D"),
        ("the fifth anniversary", "P5Y"),
        ("half a year", "P6M"),
        ("from year to year", "P1Y"),
        ("another year", "P1Y"),
    ],
)
def test_periods(words: str, iso: str) -> None:
    (found,) = find_periods(words, Span(0, len(words)))
    assert found.value.iso == iso
    assert parse_period(iso) == found.value


@pytest.mark.parametrize("words", ["ten business days", "$30 day", "0 days", "500 years", "May"])
def test_what_is_no_period(words: str) -> None:
    assert [*find_periods(words, Span(0, len(words)))] == []


def test_shifted_days() -> None:
    assert Period(months=12).shift(date(2024, 2, 29)) == date(2025, 2, 28)
    assert Period(days=90).shift(date(2026, 10, 31), back=True) == date(2026, 8, 2)
    assert Period(months=1).shift(date(2026, 3, 31), back=True) == date(2026, 2, 28)
