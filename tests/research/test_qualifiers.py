from __future__ import annotations

import pytest

from fourcorners.research.companions import find_qualifiers
from fourcorners.text.span import Span

WORDS = (
    "Either party may terminate upon thirty (30) days' prior written notice, provided that fees of "
    "$5,000.00 (ten percent (10%)) are paid by March 1, 2024; except as set forth in Section 3."
)
WHOLE = Span(0, len(WORDS))


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
