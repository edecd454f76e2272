"""How a term goes on after its end, in words of invented contracts."""

from __future__ import annotations

import pytest

from fourcorners.outline.card.card import RenewalManner, Value
from fourcorners.outline.card.read import find_renewal
from fourcorners.text.span import Span

AUTOMATIC, CHOICE = RenewalManner.AUTOMATIC, RenewalManner.CHOICE
AGREEMENT, UNCLEAR = RenewalManner.AGREEMENT, RenewalManner.UNCLEAR


@pytest.mark.parametrize(
    ("words", "manner", "times"),
    [
        (
            "This Agreement shall automatically renew for successive one-year terms.",
            AUTOMATIC,
            None,
        ),
        ("The term renews automatically for an additional two (2) years.", AUTOMATIC, 1),
        ("This Agreement will automatically be renewed for two further terms.", AUTOMATIC, 2),
        ("The term shall be renewed for a year unless either party gives notice.", AUTOMATIC, None),
        ("Thereafter this Agreement continues from year to year.", AUTOMATIC, None),
        ("The Agreement is deemed to be renewed each year.", AUTOMATIC, None),
        ("The Buyer has the option to extend the term for another year.", CHOICE, 1),
        ("The Buyer may renew this Agreement for up to 3 additional periods.", CHOICE, 3),
        ("The term may be extended by mutual written consent.", CHOICE, None),
        ("On extension of the term by agreement, prices are reviewed.", AGREEMENT, None),
        ("On expiry of the extended term the goods return.", UNCLEAR, None),
    ],
)
def test_the_manner_of_renewal(words: str, manner: RenewalManner, times: int | None) -> None:
    found = find_renewal(words)
    assert found is not None
    assert (found.manner, found.times) == (manner, times)
    assert found.span.text_in(words) == words
    assert not found.asserted


@pytest.mark.parametrize(
    "words",
    [
        "This Agreement ends on 31 May 2027.",
        "This Agreement shall not renew automatically.",
        "There is no renewal of this Agreement.",
        "The warranty is extended by the time of repair.",
    ],
)
def test_nothing_renews(words: str) -> None:
    assert find_renewal(words) is None


def test_what_renews_by_itself_stands_above_a_choice() -> None:
    text = "The Buyer may extend the term.\n\nThis Agreement renews automatically each year."
    found = find_renewal(text)
    assert found is not None
    assert found.manner is AUTOMATIC


def test_the_statement_of_a_sure_length_says_how() -> None:
    text = "The lease renews automatically.\n\nThe Buyer may renew this Agreement for one year."
    at = text.index("one year")
    value = Value("renewal", "P1Y", Span(at, at + 8), 0.99, asserted=True)
    found = find_renewal(text, value)
    assert found is not None
    assert (found.manner, found.asserted) == (CHOICE, True)
    assert found.span.text_in(text) == "The Buyer may renew this Agreement for one year."
