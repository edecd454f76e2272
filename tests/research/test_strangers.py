"""Who is said to be no party to a contract, and who only not to be recognised."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.research.companions import describe_parties
from fourcorners.research.context import build_context
from tests.review.conftest import TEXT, document


@pytest.mark.parametrize(
    ("asking", "is_empty", "expected"),
    [
        ("Hazelgrove", False, "Hazelgrove is no party to “Supply Agreement”; the parties are"),
        ("Hazelgrove", True, "Hazelgrove is not identified among the parties"),
        ("Goods", False, "Goods is not identified among the parties"),
        ("Customer", True, "Asked for: Customer."),
    ],
)
def test_nobody_is_a_stranger_to_an_empty_card(
    tmp_path: Path, asking: str, *, is_empty: bool, expected: str
) -> None:
    added = document(TEXT, "supply.txt")
    outline = build_outline(added)
    card = Card(title=read_card(added, outline).title) if is_empty else read_card(added, outline)
    with Library.open(tmp_path / "firm.db") as library:
        library.add(added, outline, card, cut_passages(added, outline), None, collection="Room")
        context = build_context(library, read_for=[asking])
        (sentence,) = describe_parties(context, "May we end it?", added.id)
    assert sentence.startswith(expected)
