"""What statements compute, and from which figures."""

from __future__ import annotations

import pytest

from fourcorners.errors import InputError
from fourcorners.research.agents.calculations import calculate, compute
from fourcorners.research.agents.figures import find_figures


def problem(expression: str, words: str) -> str:
    return calculate(expression, find_figures(words, with_counts=True), [words]).problem


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("10 * £500", "£500 for each of the ten sites"),
        ("2 * USD640,000", "USD 640,000 in each of two years"),
        ("£7,450 * 104% * 104%", "£7,450, rising by four per cent each October"),
        ("€200 * 1.05", "€200, rising by 5%"),
        ("€200 * (1 - 5%)", "€200 less a discount of 5 per cent"),
        ("€200 * 5 / 100", "5 per cent of €200"),
        ("GBP 48,000 / 12", "GBP 48,000 a year, payable monthly"),
        ("4 * CHF 900", "CHF 900 a quarter; the annual fee"),
        ("7 * 24", "within 7 days, on any hour"),
        ("1 March 2024 + 90 days", "from 1 March 2024, for ninety (90) days"),
        ("2025-12-25 - 4 months - 1 day", "on 25 December 2025; four months; the day after"),
    ],
)
def test_what_is_computed_from_known_figures_is_accepted(expression: str, words: str) -> None:
    assert problem(expression, words) == ""


@pytest.mark.parametrize(
    ("expression", "words", "unknown"),
    [
        ("5 * £1,000,000", "not exceed £500,000", "5, £1,000,000"),
        ("3 * £500,000", "not exceed £500,000 for all claims", "3"),
        ("2 * USD 640,000", "USD460,000 in each of two years", "USD 640,000"),
        ("2 * $640,000", "€640,000 in each of two years", "$640,000"),
        ("£7,450 * 108%", "£7,450, rising by four per cent each October", "108%"),
        ("£7,450 * 1.5", "£7,450, rising by four per cent each October", "1.5"),
        ("12 * £500", "£500 a visit", "12"),
        ("4 * £500", "£500 a month", "4"),
        ("£900 / 100", "£900 a month", "100"),
        ("1 March 2024 + 90 days", "from 1 March 2024, for thirty (30) days", "90 days"),
        ("1 March 2024 + 30 days", "from 1 May 2024, for thirty (30) days", "1 March 2024"),
        ("2024-03-01 to 2025-03-31", "from 1 March 2024", "2025-03-31"),
        ("2024-03-01 + 10 business days", "from 1 March 2024, within 10 days", "10 business days"),
    ],
)
def test_what_is_computed_from_others_is_not(expression: str, words: str, unknown: str) -> None:
    assert f"computed from {unknown}, which" in problem(expression, words)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("2024-01-31 + 1 month", "2024-02-29"),
        ("2024-03-31 - 1 month", "2024-02-29"),
        ("2024-03-01 + 10 business days", "2024-03-15"),
        ("25 December 2025 - 4 months - 1 day", "= 2025-08-24 (Sunday)"),
        ("2024-01-01 to 2025-03-31", "455 days (14 whole months)"),
        ("12 * $4,500 * 110%", "= $59,400"),
        ("25 percent of EUR 3,000,000", "= EUR 750,000"),
        ("USD640,000 * 2", "= USD 1,280,000"),
        ("SEK 500 / 2", "= SEK 250"),
        ("3 * 1,000 Swiss francs", "= CHF 3,000"),
        ("12 x (£610 + £450)", "= £12,720"),
        ("1 March 2024 + 90 days", "2024-05-30 (Thursday)"),
        ("60 days before March 31, 2004", "2004-01-31"),
        ("1/3", "0.3333"),
        ("1.125 * 4", "= 4.5"),
        ("2 million * 3", "= 6,000,000"),
        ("half a million + 1", "= 500,001"),
        ("one third of £900", "= £300"),
        ("12 * EUR 4,000 a month", "= EUR 48,000 a year"),
        ("EUR 4,000 a month * 12", "= EUR 48,000 a year"),
        ("EUR 48,000 per annum / 12", "= EUR 4,000 a month"),
        ("5 * EUR 4,000 a month", "= EUR 20,000"),
        ("€40 (per month) * 12", "= €480 a year"),
        ("£900 (annually) / 12", "= £75 a month"),
        ("£40 p.c.m. * 12", "= £480 a year"),
        ("€300 * 5% p.a.", "= €15"),
        ("5% p.a. * (€100 + €200)", "= €15"),
        ("8 per cent. per annum * £50", "= £4"),
    ],
)
def test_compute(expression: str, result: str) -> None:
    assert result in compute(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "9**9**9",
        "__import__('os')",
        "2024-02-30 + 1 day",
        "1/0",
        "2024-01-01 + 99999 years",
        "$5 + €3",
        "SEK 5 + NOK 3",
    ],
)
def test_what_is_no_sum_is_refused(expression: str) -> None:
    with pytest.raises(InputError):
        compute(expression)
