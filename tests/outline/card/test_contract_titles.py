"""What contracts are called: told apart by parties, date and at last by their files."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

import pytest

from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.card.contract_titles import ContractTitle, in_letters, title_contracts
from fourcorners.text.span import Span

AT = Span(0, 1)
DAY = date(2010, 9, 1)


@dataclass(frozen=True)
class File:
    id: str
    name: str


def card(title: str = "", *parties: str, dated: date | None = None) -> Card:
    return Card(
        title=Fact(title, AT, 1.0) if title else None,
        parties=tuple(Fact(Party(each), AT, 1.0) for each in parties),
        agreement_date=Fact(dated, AT, 1.0) if dated else None,
    )


def called(*cards: Card, unnamed: Collection[str] = ()) -> list[ContractTitle]:
    own = {str(at): each for at, each in enumerate(cards)}
    files = [File(each, f"{each}.pdf") for each in own]
    titles = title_contracts(files, own.__getitem__, unnamed=dict.fromkeys(own, unnamed))
    return list(titles.values())


def test_a_contract_is_called_by_its_title_its_parties_and_its_date() -> None:
    parties = ("ACME INCORPORATED", "Bolt Medical, Inc.", "Third Party Ltd.")
    (made,) = called(card("DISTRIBUTOR AGREEMENT", *parties, dated=DAY))
    assert str(made) == "Distributor Agreement (ACME / Bolt Medical / …, 1 September 2010)"
    assert made.whole == "\n".join([made.title, made.detail, "0.pdf"])
    (ours,) = called(card("Lease", *parties[:2], dated=DAY), unnamed=parties[1:])
    assert str(ours) == "Lease (ACME, 1 September 2010)"
    (alone,) = called(card("Lease", parties[1]), unnamed=parties[1:])
    assert str(alone) == "Lease (Bolt Medical)"
    (bare,) = called(card("Side letter dated 1 September 2010", dated=DAY))
    assert str(bare) == "Side letter dated 1 September 2010"


def test_parties_and_date_tell_contracts_of_one_title_apart() -> None:
    title = "Services Agreement"
    made = called(
        card(title, "Larch Ltd", "Ash plc", dated=DAY),
        card(title, "Larch Ltd", "Elm plc", dated=DAY),
        card(title, "Larch Ltd"),
    )
    assert [each.detail for each in made] == [
        "Larch / Ash, 1 September 2010", "Larch / Elm, 1 September 2010", "Larch"
    ]  # fmt: skip


def test_the_file_is_named_where_two_are_the_same_or_nothing_else_is_known() -> None:
    made = called(card("Lease", "Ash plc"), card("LEASE", "Ash plc"), card("Deed"), card())
    assert [str(each) for each in made] == [
        "Lease (Ash, 0.pdf)", "Lease (Ash, 1.pdf)", "Deed", "3.pdf"
    ]  # fmt: skip


def test_a_party_is_named_as_the_contract_prints_it() -> None:
    (made,) = called(card("ABC TRADING SUPPLY AGREEMENT", "ABC TRADING LIMITED", "de Vries Ltd"))
    assert str(made) == "ABC TRADING Supply Agreement (ABC TRADING / de Vries)"
    (printed,) = called(card("LEASE OF THE BOLT MEDICAL PREMISES", "Bolt Medical, Inc."))
    assert printed.title == "Lease of the Bolt Medical Premises"
    (within,) = called(card("TRADINGS ACT NOTICE", "TRADING LIMITED"))
    assert within.title == "Tradings Act Notice"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("TERMS OF SALE AND SUPPLY", "Terms of Sale and Supply"),
        ("THE SELLER’S LICENCE", "The Seller’s Licence"),
        ("HPS MEZZANINE PARTNERS II", "HPS Mezzanine Partners II"),
        ("IntriCon Corporation", "IntriCon Corporation"),
    ],
)
def test_capitals_are_set_in_letters(written: str, shown: str) -> None:
    assert in_letters(written) == shown
