from __future__ import annotations

import pytest

from fourcorners.errors import InputError
from fourcorners.research.amounts import compute
from fourcorners.research.companions import find_qualifiers
from fourcorners.text.span import Span

WORDS = (
    "Either party may terminate upon thirty (30) days' prior written notice, provided that fees of "
    "$5,000.00 (ten percent (10%)) are paid by March 1, 2024; except as set forth in Section 3."
)
WHOLE = Span(0, len(WORDS))


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
    ],
)
def test_reckoning(expression: str, result: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "cues"),
    [
        ("Supplier may end this agreement if Charges remain unpaid.", ["if"]),
        ("Supplier shall act as if it were the owner.", []),
        ("The fee and tax, if any, are due at once.", []),
    ],
)
def test_if_is_a_condition_where_it_makes_one(text: str, cues: list[str]) -> None:
    assert [each.cue for each in find_qualifiers(text, Span(0, len(text)))] == cues


def test_conditions_and_exceptions_are_told_apart() -> None:
    found = find_qualifiers(WORDS, WHOLE)
    assert [(each.kind, each.cue) for each in found] == [
        ("condition", "provided that"),
        ("exception", "except as"),
    ]
    assert found[0].span.text_in(WORDS).endswith("March 1, 2024")
