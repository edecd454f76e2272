"""Values of the built-in playbooks that the contract card gives, where it is sure of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fourcorners.library.contract import Contract
from fourcorners.outline.card.card import Value
from fourcorners.playbooks import load_playbook
from fourcorners.review.finding import CellState, Evidence, Finding
from fourcorners.review.risk.assessment import RiskAssessor
from fourcorners.text import evidence
from fourcorners.text.span import Span
from tests.review.conftest import prepared

TERM = "This Agreement starts on 1 May 2024 and continues for three years"
RENEWS = "It renews for one year unless a party gives sixty days' notice before the end"
CONTRACT = f"SUPPLY AGREEMENT\n\n1. TERM\n\n1.1 {TERM}.\n\n1.2 {RENEWS}.\n"


def headline(provision: str, kind: str, value: str, *, asserted: bool = True) -> str:
    reading = prepared(CONTRACT)
    text = reading.text
    words = Span(text.index(TERM), text.index(TERM) + len(TERM))
    values = (Value(kind, value, words, 0.97, asserted),)
    card = replace(reading.card, values=values)
    reading = Contract.build(reading.document, reading.outline, card, reading.passages)
    found = Evidence(evidence.quote_span(text, words), words, (), None, 0.9)
    cell = Finding(reading.id, provision, CellState.FOUND, (found,))
    asked = load_playbook("commercial-terms").provision(provision)
    told = RiskAssessor(reading).assess(cell, asked)
    assert all(each.quotes[0].verified for each in told.answers if each.value)
    return told.headline


@pytest.mark.parametrize(
    ("provision", "kind", "value", "said"),
    [
        ("agreement-date", "agreement", "2024-05-01", "1 May 2024"),
        ("agreement-date", "agreement", "2024-05", ""),
        ("agreement-date", "effective", "2024-05-01", ""),
        ("expiration-date", "end", "2027-04-30", "Until 30 April 2027"),
        ("expiration-date", "end", "P3Y", "3 years"),
        ("expiration-date", "end", "perpetual", ""),
        ("renewal-term", "renewal", "P1Y", "Renewal for 1 year"),
        ("renewal-notice", "notice", "P60D", "60 days before the end"),
    ],
)
def test_a_cell_says_what_the_card_is_sure_of(
    provision: str, kind: str, value: str, said: str
) -> None:
    assert headline(provision, kind, value) == said
    assert headline(provision, kind, value, asserted=False) == ""
