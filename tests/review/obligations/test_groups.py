"""Duties of several: of both parties, of each, or of those that a contract defines as a group."""

from __future__ import annotations

import pytest

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.review.obligations.obligation import EACH, EITHER
from fourcorners.review.obligations.table import find_obligations
from fourcorners.text.span import Span
from fourcorners_bench.outline.references import text_document

LENDER, ELM, ASH, ROWE = "Tern Bank plc", "Elm Dairies Ltd", "Ash Creamery Ltd", "Ida Rowe"
CARD = Card(
    parties=tuple(
        Fact(Party(name, short, short), Span(0, 1), 1.0)
        for name, short in ((LENDER, "Lender"), (ELM, "Elm"), (ASH, "Ash"), (ROWE, "Guarantor"))
    )
)
DEFINITIONS = """1. DEFINITIONS
Borrowers: Elm and Ash.
"Obligors" means the Borrowers and the Guarantor.

2. DUTIES
"""


def _bound(sentence: str, text: str = DEFINITIONS, card: Card = CARD) -> list[tuple[set[str], str]]:
    document = text_document("loan.txt", text + sentence)
    made = find_obligations(document.text, build_outline(document), card)
    return [(set(each.actor.parties), each.kind.value) for each in made]


@pytest.mark.parametrize(
    ("sentence", "parties", "kind"),
    [
        ("The Borrowers shall repay the Loan.", {ELM, ASH}, "duty"),
        ("The Borrowers must, jointly and severally, pay interest.", {ELM, ASH}, "duty"),
        ("Each Borrower shall insure its stock.", {ELM, ASH}, "duty"),
        ("Every Obligor must tell the Lender of a Default.", {ELM, ASH, ROWE}, "duty"),
        ("Each of the Obligors undertakes to keep accounts.", {ELM, ASH, ROWE}, "duty"),
        ("No Obligor shall charge its assets.", {ELM, ASH, ROWE}, "prohibition"),
        ("Neither Borrower may sell a herd.", {ELM, ASH}, "prohibition"),
        ("None of the Obligors shall charge its assets.", {ELM, ASH, ROWE}, "prohibition"),
        ("Elm and Ash shall together keep a register.", {ELM, ASH}, "duty"),
        ("Elm and the Guarantor each undertake to sign.", {ELM, ROWE}, "duty"),
        ("Both parties must keep it secret.", {LENDER, ELM, ASH, ROWE}, "duty"),
        ("No party may assign it.", {LENDER, ELM, ASH, ROWE}, "prohibition"),
        ("The Lender shall release the charge to the Borrowers.", {LENDER}, "duty"),
        ("Reports shall be sent by the Borrowers in May.", {ELM, ASH}, "duty"),
    ],
)
def test_whom_a_group_is(sentence: str, parties: set[str], kind: str) -> None:
    assert _bound(sentence) == [(parties, kind)]


def test_those_that_a_contract_calls_by_one_name_are_each_bound() -> None:
    text = (
        'This agreement is made between ELM DAIRIES LTD ("Elm") and ASH CREAMERY LTD ("Ash"), '
        'each a "Member".\n\n1. Duties\n'
    )
    card = Card(parties=CARD.parties[1:3])
    for sentence in (
        "Each Member shall, severally and not jointly, pay in $500.",
        "The Members shall meet in May.",
        "Every Member must vote for it.",
    ):
        assert _bound(sentence, text, card) == [({ELM, ASH}, "duty")]
    assert _bound("Neither Member shall pledge its shares.", text, card) == [
        ({ELM, ASH}, "prohibition")
    ]


def test_a_group_that_is_all_parties_is_each_party() -> None:
    text = 'Elm and Ash (together the "Members") agree:\n\n1. Duties\nThe Members shall meet.'
    document = text_document("members.txt", text)
    card = Card(parties=CARD.parties[1:3])
    (made,) = find_obligations(text, build_outline(document), card)
    assert made.actor.name == EACH


@pytest.mark.parametrize(
    "sentence",
    [
        "A party that breaks clause 4 shall pay the other $100.",
        "The party which receives a claim must tell the other.",
        "Any party who leaves shall hand over its keys.",
        "The defaulting party shall bear the costs.",
    ],
)
def test_a_party_in_some_position_may_be_any(sentence: str) -> None:
    document = text_document("loan.txt", DEFINITIONS + sentence)
    (made,) = find_obligations(document.text, build_outline(document), CARD)
    assert made.actor.name == EITHER
