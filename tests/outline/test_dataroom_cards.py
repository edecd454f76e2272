"""The cards of the example contracts, against what their authors wrote down of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from fourcorners.documents.read import read_document
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.contract_titles import contract_types
from fourcorners.outline.card.read import read_card
from fourcorners_bench.cards.truth import normal_law, normal_name, normal_party

EXAMPLES = Path(__file__).parents[2] / "examples"
EXPECTED: list[dict[str, Any]] = yaml.safe_load((EXAMPLES / "expected.yaml").read_text("utf-8"))[
    "documents"
]
READABLE = [each for each in EXPECTED if not each["needs_ocr"]]


@pytest.fixture(scope="module")
def cards() -> dict[str, Card]:
    read_cards = {}
    for each in READABLE:
        document = read_document(EXAMPLES / "dataroom" / each["file"])
        read_cards[each["file"]] = read_card(document, build_outline(document))
    return read_cards


@pytest.mark.parametrize("expected", READABLE, ids=lambda each: each["file"][:2])
class TestCard:
    def test_title(self, cards: dict[str, Card], expected: dict[str, Any]) -> None:
        title = cards[expected["file"]].title
        assert title is not None
        assert normal_name(title.value) == normal_name(expected["title"])

    def test_type(self, cards: dict[str, Card], expected: dict[str, Any]) -> None:
        kind = cards[expected["file"]].type
        assert kind is not None
        assert kind.value in contract_types(expected["type"])

    def test_parties(self, cards: dict[str, Card], expected: dict[str, Any]) -> None:
        names = {normal_party(fact.value.name) for fact in cards[expected["file"]].parties}
        assert names == {normal_party(name) for name in expected["parties"]}

    def test_agreement_date(self, cards: dict[str, Card], expected: dict[str, Any]) -> None:
        assert _value(cards[expected["file"]].agreement_date) == expected["agreement_date"]

    def test_governing_law(self, cards: dict[str, Card], expected: dict[str, Any]) -> None:
        law = _value(cards[expected["file"]].governing_law)
        wanted = expected["governing_law"]
        assert (law and normal_law(str(law))) == (wanted and normal_law(wanted))

    def test_expiry(self, cards: dict[str, Card], expected: dict[str, Any]) -> None:
        card = cards[expected["file"]]
        if expected["expires"] is None and card.renewal is not None:
            return  # the end of a first term that renews without end
        assert _value(card.expiry_date) in (expected["expires"], None)
        end = card.value("end")
        if card.expiry_date is None and end is not None:
            assert not end.asserted or end.text == "perpetual"


def _value(fact: Any) -> date | str | None:
    return fact.value if fact else None
