"""Figures in digits and in words, and which are known."""

from __future__ import annotations

import pytest

from fourcorners.research.agents.figures import find_figures, unknown_figures


@pytest.mark.parametrize(
    ("named", "known"),
    [
        ("90 days", "ninety (90) days"),
        ("ninety days", "90 days"),
        ("a 90-day period", "ninety days"),
        ("180 days", "one hundred and eighty days"),
        ("two years", "twenty-four (24) months"),
        ("10 per cent", "10%"),
        ("£7,450", "GBP 7,450.00"),
        ("about $1.2 million", "$1,234,567"),
        ("33.3%", "33.33 percent"),
        ("1 March 2024", "2024-03-01"),
        ("clause 12.4 applies to two parties", "nothing"),
    ],
)
def test_the_same_figure_is_known(named: str, known: str) -> None:
    assert unknown_figures(named, find_figures(known)) == []


@pytest.mark.parametrize(
    ("named", "known", "words"),
    [
        ("90 days", "ninety (90) months", ["90 days"]),
        ("10 days", "10 business days", ["10 days"]),
        ("30 days", "31 days", ["30 days"]),
        ("$5,000", "€5,000", ["$5,000"]),
        ("$100", "$104", ["$100"]),
        ("2 March 2024", "1 March 2024", ["2 March 2024"]),
    ],
)
def test_another_figure_is_not(named: str, known: str, words: list[str]) -> None:
    assert unknown_figures(named, find_figures(known)) == words


def test_labels_are_figures_only_where_they_are_asked_for() -> None:
    assert find_figures("under clause 12.4") == []
    assert [str(each.value) for each in find_figures("clause 12.4", with_labels=True)] == ["12.4"]
