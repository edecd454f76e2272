"""What a sentence says of an act that a question asks about: allowed, required, forbidden."""

from __future__ import annotations

import pytest

from fourcorners.research.verdict.polarity import (
    ModalQuestion,
    Polarity,
    answer_to,
    find_polarities,
    is_hedged,
    parse_modal_statement,
)


@pytest.mark.parametrize(
    ("statement", "asks"),
    [
        ("The Tenant may assign the Lease.", ModalQuestion.ALLOWED),
        ("The Tenant has to insure the Premises.", ModalQuestion.REQUIRED),
        ("The Tenant is obliged to insure the Premises.", ModalQuestion.REQUIRED),
        ("The Tenant is free to sublet.", ModalQuestion.ALLOWED),
    ],
)
def test_a_statement_of_what_may_or_must_be_done_is_known(
    statement: str, asks: ModalQuestion
) -> None:
    told = parse_modal_statement(statement, statement, "")
    assert told is not None
    assert told.asks is asks


def test_a_statement_of_fact_is_none() -> None:
    assert parse_modal_statement("The liability is capped.", "The liability is capped.", "") is None


@pytest.mark.parametrize(
    ("statement", "sentence", "stance"),
    [
        ("The Tenant may assign it.", "The Tenant shall not assign this Lease.", Polarity.FORBIDS),
        ("The Tenant may assign it.", "Neither party may assign this Lease.", Polarity.FORBIDS),
        ("The Tenant may assign it.", "The Tenant is free to assign this Lease.", Polarity.ALLOWS),
        ("The Tenant must insure it.", "The Tenant shall insure the Premises.", Polarity.REQUIRES),
        (
            "The Tenant must insure it.",
            "The Tenant is not obliged to insure the Premises.",
            Polarity.SPARES,
        ),
        ("The Tenant may assign it.", "The Landlord may assign this Lease.", None),
        ("The Tenant may assign it.", "The Tenant may paint the walls.", None),
        ("The Tenant may copy the plans.", "The plans shall not be copied.", Polarity.FORBIDS),
    ],
)
def test_only_the_one_who_is_asked_about_and_only_that_act_counts(
    statement: str, sentence: str, stance: Polarity | None
) -> None:
    asked = parse_modal_statement(statement, statement, "")
    assert asked is not None
    assert {told for told, _ in find_polarities(sentence, asked)} == ({stance} if stance else set())


def test_the_laws_word_for_an_act_counts_as_the_act() -> None:
    asked = parse_modal_statement(
        "A party may poach an engineer.", "A party may poach an engineer.", "solicit"
    )
    assert asked is not None
    told = list(find_polarities("Neither party shall solicit the other's staff.", asked))
    assert [stance for stance, _ in told] == [Polarity.FORBIDS]


@pytest.mark.parametrize(
    ("stance", "asks", "so"),
    [
        (Polarity.ALLOWS, ModalQuestion.ALLOWED, True),
        (Polarity.FORBIDS, ModalQuestion.ALLOWED, False),
        (Polarity.SPARES, ModalQuestion.ALLOWED, None),
        (Polarity.SPARES, ModalQuestion.REQUIRED, False),
        (Polarity.ALLOWS, ModalQuestion.REQUIRED, None),
    ],
)
def test_what_a_stance_answers(stance: Polarity, asks: ModalQuestion, so: bool | None) -> None:
    assert answer_to(stance, asks) is so


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
