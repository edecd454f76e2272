"""Names of parties that begin with a number or a small letter, and numbers before names."""

from __future__ import annotations

import pytest

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners_bench.outline.references import text_document


def _names(preamble: str) -> list[str]:
    text = f"SUPPLY AGREEMENT\n\n{preamble}\n\n1. PRICE\nBuyer shall pay the price to Seller.\n"
    document = text_document("supply.txt", text)
    card = read_card(document, build_outline(document))
    return [fact.value.name for fact in card.parties]


@pytest.mark.parametrize(
    ("preamble", "names"),
    [
        ('Made by and between 417 QZ Pear Associates, LLC ("Seller") and Elm, Inc. ("Buyer").',
         ["417 QZ Pear Associates, LLC", "Elm, Inc."]),
        ('Made between Elm Foods, Inc. ("Seller") and 88 Pears Stores LLC, an Ohio LLC ("Buyer").',
         ["Elm Foods, Inc.", "88 Pears Stores LLC"]),
        ('Made between 5 Beeches Funding, LLC ("Seller") and 1 Oak Lane, Inc. ("Buyer").',
         ["5 Beeches Funding, LLC", "1 Oak Lane, Inc."]),
        ('BETWEEN\n\n(1) Alder Mills Ltd ("Seller"); and\n\n(2) 3 Becks Yards plc ("Buyer").',
         ["Alder Mills Ltd", "3 Becks Yards plc"]),
        ('BETWEEN\n\n1. 21 Elm Row Ltd ("Seller"); and\n\n2. Birch Yards plc ("Buyer").',
         ["21 Elm Row Ltd", "Birch Yards plc"]),
        ('88 Pears Only Stores LLC ("Buyer") and 36 Hour Swim, Inc. ("Seller") agree:',
         ["88 Pears Only Stores LLC", "36 Hour Swim, Inc."]),
        ('Parties\n\nName: 42 Elms Pty Ltd\nTerm: Buyer\n\nName: Oak Works Pty Ltd\nTerm: Seller',
         ["42 Elms Pty Ltd", "Oak Works Pty Ltd"]),
    ],
)  # fmt: skip
def test_a_number_may_begin_a_name(preamble: str, names: list[str]) -> None:
    assert _names(preamble) == names


@pytest.mark.parametrize(
    "preamble",
    [
        'BETWEEN\n\n1 Alder Mills Ltd ("Seller"); and\n\n2 Birch Yards plc ("Buyer").',
        'BETWEEN\n\n(1) Alder Mills Ltd ("Seller"); and\n\n(2) Birch Yards plc ("Buyer").',
        'Made May 3 between Alder Mills Ltd ("Seller"), Suite 12, and Birch Yards plc ("Buyer").',
    ],
)
def test_a_number_of_a_list_or_an_address_is_no_part_of_a_name(preamble: str) -> None:
    assert _names(preamble) == ["Alder Mills Ltd", "Birch Yards plc"]


@pytest.mark.parametrize(
    "name",
    ["b.q. kjær holding A/S", "l.k. fennel group Ltd.", "d.lamp shop, Inc.", "o.a.k. Soap, Inc."],
)
def test_a_name_may_begin_with_small_letters_and_dots(name: str) -> None:
    preamble = f'This agreement is made between {name}, a company ("Seller"), and Elm AG ("Buyer").'
    assert sorted(_names(preamble)) == sorted([name, "Elm AG"])


def test_what_is_abbreviated_before_a_name_is_no_part_of_it() -> None:
    preamble = (
        'This agreement is made between i.e. Elm AG ("Buyer") and a.k.a. Oak Inc. ("Seller").'
    )
    assert not any(name.startswith(("i.e.", "a.k.a.")) for name in _names(preamble))
