"""What a clause mentions: parties by card, role and capitals, periods, sums and dates."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fourcorners.models.verdict_reader.clause import Mention, MentionKind
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.review.mentions import (
    MOST_ACTS,
    MentionFinder,
    fold_party,
    party_keys,
)
from fourcorners.text.span import Span

ALDER = Party("Alder Components Limited", "Alder", "Supplier")
BIRCH = Party("Birch Retail Limited", "", "Customer")
CARD = Card(parties=tuple(Fact(party, Span(0, 1), 1.0) for party in (ALDER, BIRCH)))


def mentions(text: str, card: Card = CARD, clause: Span | None = None) -> tuple[Mention, ...]:
    return MentionFinder(text, card).find(clause or Span(0, len(text)))


def keys(text: str, kind: MentionKind, card: Card = CARD) -> list[tuple[str, str]]:
    """Return what a text mentions of a kind: key and words."""
    found = [each for each in mentions(text, card) if each.kind is kind]
    return [(each.key, each.span.text_in(text)) for each in found]


def test_a_party_of_the_card_goes_by_one_key_however_it_is_called() -> None:
    text = "Alder Components Limited shall pay. The Supplier's plant is Alder's own."
    assert keys(text, MentionKind.PARTY) == [
        ("alder", "Alder Components Limited"),
        ("alder", "Supplier"),
        ("alder", "Alder"),
    ]
    assert all(each.known for each in mentions(text) if each.kind is MentionKind.PARTY)


def test_a_name_that_the_card_missed_is_a_party_where_it_acts() -> None:
    text = "Orchard Foods shall deliver. Orchard Foods may refuse. Kent is a county."
    found = [each for each in mentions(text, Card()) if each.kind is MentionKind.PARTY]
    assert [(each.key, each.known, each.acts) for each in found] == [
        ("orchard foods", False, 2)
    ] * 2


def test_acts_are_counted_up_to_a_limit() -> None:
    text = "The Supplier shall act. " * (MOST_ACTS + 2)
    assert {each.acts for each in mentions(text)} == {MOST_ACTS}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Your deposit is kept.", "you"),
        ("We keep it.", "we"),
        ("The Receiving Party shall return it.", "receiving party"),
        ("It passes to the Assignor.", "assignor"),
        ("Rent is due to the landlord.", "landlord"),
    ],
)
def test_parties_by_pronoun_description_and_role(text: str, key: str) -> None:
    assert key in [found for found, _ in keys(text, MentionKind.PARTY, Card())]


def test_a_role_in_small_letters_without_an_article_is_none() -> None:
    assert keys("It has landlord insurance.", MentionKind.PARTY, Card()) == []


@pytest.mark.parametrize(
    "words", ["Neither party", "Either of us", "the parties", "each of the parties"]
)
def test_parties_together_are_a_group(words: str) -> None:
    text = f"{words} may assign it."
    assert keys(text, MentionKind.GROUP) == [(fold_party(words), words)]
    assert keys(text, MentionKind.PARTY) == []


def test_figures_are_mentioned_in_a_form_to_compare() -> None:
    text = "On 3 May 2024 it pays $1,000 within thirty (30) days in each calendar quarter."
    assert keys(text, MentionKind.DATE) == [("2024-05-03", "3 May 2024")]
    assert [key for key, _ in keys(text, MentionKind.AMOUNT)] == ["$1,000"]
    assert [key for key, _ in keys(text, MentionKind.DURATION)] == ["P30D", "P3M"]


def test_only_the_clause_is_looked_at_in_order_and_parties_do_not_overlap() -> None:
    text = "The Customer pays. Alder Components Limited shall ship in 5 days. Birch Retail Limited."
    clause = Span(text.index("Alder"), text.index(" Birch"))
    found = mentions(text, clause=clause)
    assert [each.key for each in found] == ["alder", "P5D"]
    assert all(clause.contains(each.span) for each in found)
    everything = [each.span for each in mentions(text) if each.kind is MentionKind.PARTY]
    assert everything == sorted(everything)
    assert not any(a.overlaps(b) for a, b in pairwise(everything))


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("The  Supplier’s,", "supplier"),
        ("Licensees'", "licensees"),
        ("“Alder”", "alder"),
        ("your", "you"),
        ("Our", "we"),
        ("Theodore Ltd.", "theodore ltd"),
    ],
)
def test_names_are_folded(name: str, folded: str) -> None:
    assert fold_party(name) == folded


def test_a_name_that_two_parties_bear_goes_by_itself() -> None:
    others = [Party("Alder Limited", "A", "Member"), Party("Birch Limited", "B", "Member")]
    assert party_keys(others) == {
        **dict.fromkeys(("alder limited", "a"), "a"),
        **dict.fromkeys(("birch limited", "b"), "b"),
        "member": "member",
    }
