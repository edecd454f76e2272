"""What the shipped verdict reader never asserts: the contrary of what invented contracts say."""

from __future__ import annotations

import pytest

from fourcorners.playbooks import load_playbook
from fourcorners.review.finding import CellState, Evidence, Finding
from fourcorners.review.risk.assessment import RiskAssessor
from fourcorners.text import evidence
from fourcorners.text.span import Span
from tests.review.conftest import prepared

OPENING = """SUPPLY AGREEMENT

This Supply Agreement is dated 4 March 2024 and made between Alder Components Limited
("Supplier") and Birch Retail Limited ("Customer").

1. TERMS

1.1 """
PERMISSIONS = [
    "The Supplier may assign this Agreement freely and without the consent of the Customer.",
    "Either party may transfer its rights to any person at any time.",
    "Nothing in this Agreement prevents the Customer from assigning it.",
    "The Customer is at liberty to assign the benefit of this Agreement without leave.",
]
NOT_EXCLUSIVE = [
    "The appointment of the Customer is nonexclusive.",
    "The Supplier appoints the Customer as its non-exclusive distributor in Kent.",
    "The Supplier remains free to sell the Goods to others, and nothing here is exclusive.",
    "The rights granted to the Customer are non exclusive.",
]


def answers(provision: str, sentence: str) -> dict[str, str]:
    """Return what is asserted of a sentence, by question."""
    contract = prepared(f"{OPENING}{sentence}\n")
    text = contract.document.text
    start = text.index(sentence)
    quote = evidence.quote_span(text, Span(start, start + len(sentence)))
    cell = Finding(
        contract.document.id,
        provision,
        CellState.FOUND,
        (Evidence(quote, Span(start, start + len(sentence)), (), None, 0.9),),
    )
    asked = load_playbook("due-diligence").provision(provision)
    return {each.id: each.value for each in RiskAssessor(contract).assess(cell, asked).answers}


@pytest.mark.parametrize("sentence", PERMISSIONS)
def test_a_permission_is_never_asserted_as_a_prohibition(sentence: str) -> None:
    found = answers("assignment", sentence)
    assert found["effect"] not in ("forbidden", "consent", "consent_reasonable")


@pytest.mark.parametrize("sentence", NOT_EXCLUSIVE)
def test_what_is_not_exclusive_is_never_asserted_as_exclusive(sentence: str) -> None:
    assert answers("exclusivity", sentence)["kind"] in ("", "none")
    assert answers("licence-grant", sentence)["exclusive"] != "exclusive"


def test_a_prohibition_is_asserted() -> None:
    sentence = (
        "Neither party may assign this Agreement without the prior written consent of the other "
        "party, and any assignment without such consent is void."
    )
    assert answers("assignment", sentence)["effect"] == "consent"


IN_TURN = [
    (
        "The Supplier may end this Agreement by notice where control of the Customer is acquired,"
        " and the Customer may do so where control of the Supplier is acquired."
    ),
    (
        "The Customer may terminate this Agreement if there is a change of control of the Supplier,"
        " and the Supplier shall have the same right if there is one of the Customer."
    ),
]
ALONE = (
    "The Customer may terminate this Agreement by notice if there is a change of control of the"
    " Supplier, and the Supplier may not terminate it."
)


@pytest.mark.parametrize("sentence", IN_TURN)
def test_a_right_of_each_party_in_turn_is_never_asserted_as_the_right_of_one(sentence: str) -> None:
    assert answers("change-of-control", sentence)["may-act"] in ("", "each party")


def test_a_right_of_one_party_alone_is_asserted() -> None:
    assert answers("change-of-control", ALONE)["may-act"] == "Customer"
