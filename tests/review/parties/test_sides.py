"""Whose contracts a room holds, and who acts in a sentence."""

from __future__ import annotations

import pytest

from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.review.parties import UNKNOWN_SIDE, ActorIndex, Side, combine_actors, side_of
from fourcorners.text.span import Span


def card(*parties: tuple[str, str]) -> Card:
    return Card(
        parties=tuple(Fact(Party(name, short, short), Span(0, 1), 1.0) for name, short in parties)
    )


ROOM = [
    card(("Larch Supply Limited", "Supplier"), ("Northmere Water plc", "Customer")),
    card(("LARCH SUPPLY, INC.", "Buyer"), ("Cordovan Polymers Corporation", "Seller")),
    card(("The Quillon Company", "Licensor"), ("Larch Filtration GmbH", "Licensee")),
    card(("Northmere Water plc", "Customer"), ("Larch Supply Limited", "Supplier")),
]


def test_the_group_that_is_a_party_to_nearly_all_is_ours() -> None:
    side = side_of(ROOM)
    assert side.word == "larch"
    assert [side.is_member(fact.value) for fact in ROOM[1].parties] == [True, False]


@pytest.mark.parametrize(
    "room",
    [
        ROOM[:1] + ROOM[3:],  # of two with the same parties nobody knows
        [ROOM[0]] * 5,  # nor of five
        [card((f"Firm{n} Ltd", ""), (f"Other{n} Inc", "")) for n in range(9)],
        [card(("First Bank", ""), (f"Other{n} Inc", "")) for n in range(9)][:2],
        [card(("The Bank", ""))] * 4,
        [],
    ],
)
def test_where_no_group_stands_out_nothing_is_ours(room: list[Card]) -> None:
    assert side_of(room) == UNKNOWN_SIDE


@pytest.mark.parametrize(
    ("sentence", "near", "who"),
    [
        ("The Supplier shall not sell to anyone else.", "sell", "ours"),
        ("The Customer shall not sell to anyone else.", "sell", "theirs"),
        ("Neither party may assign this agreement.", "assign", "mutual"),
        ("Either of us may end it on notice.", "end", "mutual"),
        ("The liability of the Supplier to the Customer has no limit.", "no limit", "ours"),
        ("The Customer’s total liability is unlimited.", "unlimited", "theirs"),
        ("If the Customer asks, the Supplier shall reduce the Price.", "reduce", "ours"),
        ("The quantity purchased by the Customer is never fewer than ten.", "fewer", "theirs"),
        ("It may not be assigned unless the Customer agrees.", "assigned", ""),
        ("If the price paid by the Customer falls, the Supplier shall pay it.", None, "ours"),
        ("The parties’ addresses are below.", None, ""),
        ("Northmere Water plc grants a licence.", None, "theirs"),
        ("What is due to the Supplier for a day shall not be more than ten.", None, ""),
        ("The Supplier shall show it to the Customer, who may copy it.", "may copy", "theirs"),
        (
            "The Supplier shall show it to the Customer and to its bank, who may copy it.",
            "may copy",
            "theirs",
        ),
        (
            "The Supplier shall insure the Customer, and the Customer shall insure the Supplier.",
            "insure",
            "mutual",
        ),
        ("The Supplier shall pay if asked, and the Customer shall give a receipt.", "pay", "ours"),
    ],
)
def test_who_acts(sentence: str, near: str | None, who: str) -> None:
    actors = ActorIndex(ROOM[0], Side("larch"))
    at = None if near is None else sentence.index(near) + len(near)
    assert actors.acting_side(sentence, Span(0, len(sentence)), at) == who


def test_within_one_group_and_without_a_side_nobody_is_the_other() -> None:
    text = "The Supplier shall pay."
    whole = Span(0, len(text))
    assert ActorIndex(ROOM[0]).acting_side(text, whole) == ""
    inside = card(("Larch Supply Limited", "Supplier"), ("Larch Holdings", "Customer"))
    assert ActorIndex(inside, Side("larch")).acting_side(text, whole) == ""


def test_several_sentences_add_up() -> None:
    assert combine_actors(["ours", "", "ours"]) == "ours"
    assert combine_actors(["ours", "theirs"]) == "mutual"
    assert combine_actors(["", ""]) == ""
