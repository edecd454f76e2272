"""Lists of duties: under a lead-in that obliges or forbids, under a heading, or of instalments."""

from __future__ import annotations

import pytest

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.read import read_card
from fourcorners.review.obligations.table import find_obligations
from fourcorners_bench.outline.references import text_document
from tests.review.obligations.test_find import BUYER, CARD, SUPPLIER, read

DUTY, PROHIBITION = "duty", "prohibition"
PARTIES = """HOSTING AGREEMENT

This Agreement is made between Alder Mills, Inc. ("Supplier") and Birch Foods LLC ("Buyer").

"""


def _read_whole(text: str, card: Card | None = None) -> list[tuple[str, str, str, list[str]]]:
    document = text_document("hosting.txt", PARTIES + text)
    outline = build_outline(document)
    made = find_obligations(document.text, outline, card or read_card(document, outline))
    return [
        (
            each.actor.name.split()[0],
            each.kind.value,
            " ".join(each.action.text_in(document.text).split()),
            [time.day.isoformat() for time in each.times if time.day],
        )
        for each in made
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Supplier shall not: (a) copy the plans; or (b) lend them.", [PROHIBITION] * 2),
        ("Buyer must never:\n\n(a) open the meter;\n\n(b) paint it.", [PROHIBITION] * 2),
        ("Supplier agrees not to: (i) copy them; (ii) lend them.", [PROHIBITION] * 2),
        ("Supplier must not do any of the following:\n- copy them\n- lend them", [PROHIBITION] * 2),
        ("Neither party may: (a) film the other; (b) name it.", [PROHIBITION] * 2),
        ("In no event shall Buyer: (a) resell it; (b) lend it.", [PROHIBITION] * 2),
        ("Buyer is prohibited from: (a) selling it; (b) lending it.", [PROHIBITION] * 2),
        ("Buyer must: (a) sweep the yard; (b) not burn waste; and (c) lock it.",
         [DUTY, PROHIBITION, DUTY]),
        ("Supplier shall:\n- paint the hall\n- sweep the yard", [DUTY] * 2),
        ("Buyer covenants with Supplier as follows:\n(a) To pay the rent.\n(b) Not to keep a dog.",
         [DUTY, PROHIBITION]),
        ("Buyer is required to: 1. sweep the yard; 2. lock the gate.", [DUTY] * 2),
    ],
)  # fmt: skip
def test_the_lead_in_says_whether_points_oblige_or_forbid(text: str, kinds: list[str]) -> None:
    assert [each[1] for each in read(text)] == kinds


def test_a_lead_in_that_permits_makes_no_duties() -> None:
    assert not read("Buyer may: (a) inspect the mill; and (b) copy the plans.")


def test_points_under_a_heading_that_gives_them_to_a_party() -> None:
    made = _read_whole(
        """1. Each party shall do what Schedule 1 asks of it.

Signed: A. Alder, B. Birch

SCHEDULE 1

Part A: Obligations of Supplier

1. Keep the servers at two sites.

2. No server to be moved without a backup.

3. Alarm contact: a phone, to be staffed at all hours.

Part B: Buyer's responsibilities

1. To test each release within ten days.

2. Not to share passwords.

Part C: Particulars

1. Sites: Reading and Slough.
"""
    )
    assert made[1:] == [
        ("Supplier", DUTY, "Keep the servers at two sites", []),
        ("Supplier", PROHIBITION, "No server to be moved without a backup", []),
        ("Supplier", DUTY, "Alarm contact: a phone, to be staffed at all hours", []),
        ("Buyer", DUTY, "test each release within ten days", []),
        ("Buyer", PROHIBITION, "share passwords", []),
    ]


def test_a_heading_does_not_bind_where_sentences_have_their_own_subjects() -> None:
    made = _read_whole(
        """1. Obligations of the Supplier

1.1 The Supplier shall keep two servers.

1.2 The servers are described in Annex 1.

1.3 The Buyer may inspect them.

1.4 The Buyer must not enter the cage.
"""
    )
    assert [each[:2] for each in made] == [("Supplier", DUTY), ("Buyer", PROHIBITION)]


@pytest.mark.parametrize(
    "text",
    [
        "1. Buyer shall pay $100 on June 1, 2025, $250 on July 1, 2025 and $400 on August 1, 2025.",
        (
            "1. Buyer shall pay as follows:\n\n(a) $100 on June 1, 2025;\n\n"
            "(b) $250 on July 1, 2025; and\n\n(c) $400 on August 1, 2025."
        ),
        (
            "1. The price is payable by Buyer in parts:\n\n   $100 on June 1, 2025\n"
            "   $250 on July 1, 2025\n   $400 on August 1, 2025\n"
        ),
        (
            "1. Buyer will pay in three parts: June 1, 2025: $100; July 1, 2025: $250; "
            "August 1, 2025: $400."
        ),
    ],
)
def test_each_instalment_has_its_day(text: str) -> None:
    made = _read_whole(text)
    assert [each[3] for each in made] == [["2025-06-01"], ["2025-07-01"], ["2025-08-01"]]
    for each, amount in zip(made, ("$100", "$250", "$400"), strict=True):
        assert each[:2] == ("Buyer", DUTY)
        assert amount in each[2]


def test_the_parties_of_these_tests() -> None:
    assert [fact.value.short for fact in CARD.parties] == ["Supplier", "Buyer"]
    assert (SUPPLIER.split()[0], BUYER.split()[0]) == ("Supplier", "Buyer")


@pytest.mark.parametrize(
    "rest",
    [
        "Buyer warrants that: (a) it is solvent; (b) it has a yard; (c) it is dry; (d) it is old.",
        "This applies to no plan (a) which is public; (b) known to Buyer; or (c) of oak.",
    ],
)
def test_a_list_ends_where_another_begins(rest: str) -> None:
    assert read(f"Supplier shall: (a) test the goods; (b) keep records. {rest}") == [
        (SUPPLIER, DUTY, "test the goods"),
        (SUPPLIER, DUTY, "keep records"),
    ]


def test_a_reference_to_a_point_begins_no_list() -> None:
    text = "Supplier shall: (a) test it; (b) note what it does under (a); and (c) report."
    assert [each[2] for each in read(text)] == ["test it", "note what it does under (a)", "report"]


def test_a_list_after_an_aside() -> None:
    text = "Supplier shall (and shall cause its agents to): (a) sweep the yard; (b) lock the gate."
    assert [each[2] for each in read(text)] == [
        "cause its agents to",
        "sweep the yard",
        "lock the gate",
    ]
