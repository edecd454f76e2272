"""A point of a list is read behind the words that lead to it."""

from __future__ import annotations

import pytest

from fourcorners.playbooks.load import load_playbook
from fourcorners.review.risk.clauses import CLAUSE, ClauseMarker, is_contrary
from fourcorners.text.span import Span
from tests.review.conftest import prepared

FILLER = "the other fails to deliver what it has promised in any month of any year"
LIST = """CARRIAGE AGREEMENT

This Agreement is made between Ostler Ferries Limited ("Carrier") and Tallow Quarries Limited \
("Customer").

1. SERVICES

1.1 The Carrier carries crates.

2. ENDING

2.1 {lead}

{points}

3. GENERAL

3.1 Notices are given in writing.
"""


def mark(lead: str, points: list[str], words: str) -> tuple[str, str]:
    """Return what leads to words, and all that is read."""
    written = [f"({chr(97 + at)}) {point};" for at, point in enumerate(points)]
    text = LIST.format(lead=lead, points="\n\n".join(written))
    contract = prepared(text, "list.txt")
    start = text.index(words)
    found = ClauseMarker(contract).mark(Span(start, start + len(words)))
    read = " ".join(found.marked.clause.text_in(found.marked.text).split())
    assert found.marked.marked.text_in(found.marked.text) == words
    for each in found.marked.mentions:
        assert each.span.text_in(found.marked.text) == each.span.text_in(text)
    return " / ".join(each.text_in(text) for each in found.leads), read


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        (
            "The Customer may end this Agreement at once if:",
            "The Customer may end this Agreement at once if",
        ),
        (
            "Either party owes notice. The Carrier may suspend carriage where —",
            "The Carrier may suspend carriage where",
        ),
        (
            "The Carrier may end this Agreement on any of the following",
            "The Carrier may end this Agreement on any of the following",
        ),
        ("The parties value each other. They say so below.", ""),
        ("Events:", ""),
    ],
)
def test_what_leads_to_a_point_is_read_before_it(lead: str, expected: str) -> None:
    point = "control of the Carrier changes"
    found, read = mark(lead, [f"{FILLER} {at}" for at in range(12)] + [point], point)
    assert found == expected
    assert read.startswith(expected)
    assert point in read
    assert expected == "" or f"{FILLER} 0" not in read


def test_a_lead_that_is_around_the_words_is_read_as_it_stands() -> None:
    lead, points = "The Customer may end this Agreement if", ["control changes", "it is sold"]
    text = LIST.format(lead=f"{lead}\n(a) {points[0]};\n(b) {points[1]}.", points="")
    contract = prepared(text, "short.txt")
    start = text.index(points[1])
    found = ClauseMarker(contract).mark(Span(start, start + len(points[1])))
    assert found.leads == ()
    assert found.marked.text == text
    assert lead in found.marked.clause.text_in(text)
    assert len(found.marked.clause) <= CLAUSE


def test_the_party_of_the_lead_is_mentioned() -> None:
    lead = "The Customer may end this Agreement at once if:"
    points = [f"{FILLER} {at}" for at in range(12)]
    text = LIST.format(
        lead=lead,
        points="\n\n".join(f"({chr(97 + at)}) {point};" for at, point in enumerate(points)),
    )
    contract = prepared(text, "party.txt")
    start = text.index(points[-1])
    marked = ClauseMarker(contract).mark(Span(start, start + len(points[-1]))).marked
    assert "Customer" in {each.span.text_in(text) for each in marked.mentions}


@pytest.mark.parametrize(
    ("value", "words", "contrary"),
    [
        ("consent", "Either party may assign this Agreement without the other's consent.", True),
        ("free", "Either party may assign this Agreement without the other's consent.", False),
        ("consent", "Neither party may assign this Agreement without the other's consent.", False),
        ("free", "Neither party may assign this Agreement without the other's consent.", True),
        ("consent_reasonable", "No party may assign it without consent, not to be refused.", False),
    ],
)
def test_an_answer_that_the_words_contradict_is_left_open(
    value: str, words: str, contrary: bool
) -> None:
    asked = next(
        each
        for each in load_playbook("due-diligence").provision("assignment").questions
        if each.id == "effect"
    )
    assert is_contrary(asked, value, words) is contrary


@pytest.mark.parametrize("is_denied", [True, False])
def test_a_right_to_end_on_a_change_of_control_may_be_denied(is_denied: bool) -> None:
    provision = load_playbook("due-diligence").provision("change-of-control")
    asked = next(each for each in provision.questions if each.id == "termination")
    words = (
        f"The Customer may {'not ' if is_denied else ''}terminate this Agreement by reason of a "
        "change of control of the Carrier."
    )
    assert is_contrary(asked, "yes", words) is is_denied
