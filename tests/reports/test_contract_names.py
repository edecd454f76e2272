"""Contracts are called as their parties would call them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.reports.contract_names import contract_names, in_letters
from fourcorners.review.finding import Review, ReviewedDocument
from fourcorners.text.span import Span

AT = Span(0, 1)


def contract(
    like: ReviewedDocument, title: str = "", parties: tuple[str, ...] = (), day: date | None = None,
    read_for: tuple[str, ...] = (), name: str = "scan.pdf",
) -> ReviewedDocument:  # fmt: skip
    card = Card(
        title=Fact(title, AT, 0.9) if title else None,
        parties=tuple(Fact(Party(each, "", ""), AT, 0.9) for each in parties),
        agreement_date=Fact(day, AT, 0.9) if day else None,
    )
    return replace(like, id=f"{title}{name}", name=name, card=card, read_for=read_for)


def test_a_contract_is_called_by_its_title_its_parties_and_its_date(review: Review) -> None:
    like, day = review.documents[0], date(2010, 9, 1)
    parties = ("ACME INCORPORATED", "Bolt Medical, Inc.", "Third Party Ltd.")
    made = contract(like, "DISTRIBUTOR AGREEMENT", parties, day)
    assert contract_names([made]) == {
        made.id: "Distributor Agreement (Acme / Bolt Medical / …, 1 September 2010)"
    }
    ours = contract(like, "Lease", parties[:2], day, read_for=("Bolt Medical, Inc.",))
    assert contract_names([ours])[ours.id] == "Lease (Acme, 1 September 2010)"
    bare = contract(like, "Side letter dated 1 September 2010", (), day)
    assert contract_names([bare])[bare.id] == "Side letter dated 1 September 2010"


def test_the_file_names_what_has_no_title_or_none_of_its_own(review: Review) -> None:
    like = review.documents[0]
    untitled = contract(like, name="a/old.txt")
    twins = [contract(like, "NDA", name="one.pdf"), contract(like, "NDA", name="two.pdf")]
    assert list(contract_names([untitled, *twins]).values()) == ["old", "one", "two"]
    same = [replace(each, name="one.pdf") for each in twins]
    assert set(contract_names(same).values()) == {"one.pdf"}


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
