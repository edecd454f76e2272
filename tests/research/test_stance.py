"""What a sentence says of an act that a question asks about: allowed, required, forbidden."""

from __future__ import annotations

import pytest

from fourcorners.research.stance import (
    Asks,
    Stance,
    is_hedged,
    is_so,
    stances,
    taken_apart,
)


@pytest.mark.parametrize(
    ("statement", "asks"),
    [
        ("The Tenant may assign the Lease.", Asks.ALLOWED),
        ("The Tenant has to insure the Premises.", Asks.REQUIRED),
        ("The Tenant is obliged to insure the Premises.", Asks.REQUIRED),
        ("The Tenant is free to sublet.", Asks.ALLOWED),
    ],
)
def test_a_statement_of_what_may_or_must_be_done_is_known(statement: str, asks: Asks) -> None:
    told = taken_apart(statement, statement, "")
    assert told is not None
    assert told.asks is asks


def test_a_statement_of_fact_is_none() -> None:
    assert taken_apart("The liability is capped.", "The liability is capped.", "") is None


@pytest.mark.parametrize(
    ("statement", "sentence", "stance"),
    [
        ("The Tenant may assign it.", "The Tenant shall not assign this Lease.", Stance.FORBIDS),
        ("The Tenant may assign it.", "Neither party may assign this Lease.", Stance.FORBIDS),
        ("The Tenant may assign it.", "The Tenant is free to assign this Lease.", Stance.ALLOWS),
        ("The Tenant must insure it.", "The Tenant shall insure the Premises.", Stance.REQUIRES),
        (
            "The Tenant must insure it.",
            "The Tenant is not obliged to insure the Premises.",
            Stance.SPARES,
        ),
        ("The Tenant may assign it.", "The Landlord may assign this Lease.", None),
        ("The Tenant may assign it.", "The Tenant may paint the walls.", None),
        ("The Tenant may copy the plans.", "The plans shall not be copied.", Stance.FORBIDS),
    ],
)
def test_only_the_one_who_is_asked_about_and_only_that_act_counts(
    statement: str, sentence: str, stance: Stance | None
) -> None:
    asked = taken_apart(statement, statement, "")
    assert asked is not None
    assert {told for told, _ in stances(sentence, asked)} == ({stance} if stance else set())


def test_the_laws_word_for_an_act_counts_as_the_act() -> None:
    asked = taken_apart(
        "A party may poach an engineer.", "A party may poach an engineer.", "solicit"
    )
    assert asked is not None
    told = list(stances("Neither party shall solicit the other's staff.", asked))
    assert [stance for stance, _ in told] == [Stance.FORBIDS]


@pytest.mark.parametrize(
    ("stance", "asks", "so"),
    [
        (Stance.ALLOWS, Asks.ALLOWED, True),
        (Stance.FORBIDS, Asks.ALLOWED, False),
        (Stance.SPARES, Asks.ALLOWED, None),
        (Stance.SPARES, Asks.REQUIRED, False),
        (Stance.ALLOWS, Asks.REQUIRED, None),
    ],
)
def test_what_a_stance_answers(stance: Stance, asks: Asks, so: bool | None) -> None:
    assert is_so(stance, asks) is so


@pytest.mark.parametrize(
    ("piece", "question", "hedged"),
    [
        ("Goods may be sold only after approval.", "May goods be sold?", True),
        ("The plans shall not be copied without the Owner's consent.", "May we copy them?", True),
        ("It may sell non-competing goods.", "May it sell goods that compete?", True),
        ("It may sell other goods.", "May it sell other goods?", False),
    ],
)
def test_a_piece_that_is_narrower_than_it_begins_is_known(
    piece: str, question: str, hedged: bool
) -> None:
    assert is_hedged(piece, question) is hedged
