"""What contracts are called: told apart by parties, date and at last by their files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.server.titles import title_contracts
from fourcorners.text.span import Span


@dataclass(frozen=True)
class Listed:
    id: str
    name: str
    title: str


def card(*parties: str, dated: date | None = None) -> Card:
    facts = tuple(Fact(Party(each), Span(0, 1), 1.0) for each in parties)
    return Card(parties=facts, agreement_date=Fact(dated, Span(0, 1), 1.0) if dated else None)


def test_parties_and_date_tell_contracts_of_one_title_apart() -> None:
    listed = [Listed(each, f"{each}.pdf", "Services Agreement") for each in "abc"]
    cards = {
        "a": card("Larch Ltd", "Ash plc", dated=date(2024, 5, 1)),
        "b": card("Larch Ltd", "Elm plc", "Fir plc", dated=date(2024, 5, 1)),
        "c": card("Larch Ltd"),
    }
    called = title_contracts(listed, cards.__getitem__)
    assert [each.detail for each in called.values()] == [
        "Larch Ltd and Ash plc, 1 May 2024",
        "Larch Ltd, Elm plc and 1 other, 1 May 2024",
        "Larch Ltd",
    ]
    assert str(called["a"]) == "Services Agreement, Larch Ltd and Ash plc, 1 May 2024"
    assert called["c"].whole == "Services Agreement\nLarch Ltd\nc.pdf"


def test_the_file_is_named_where_two_are_the_same_or_nothing_else_is_known() -> None:
    listed = [
        Listed("a", "a.pdf", "Lease"), Listed("b", "b.pdf", "LEASE"), Listed("c", "c.pdf", "c.pdf")
    ]  # fmt: skip
    called = title_contracts(listed, lambda _: Card())
    assert [str(each) for each in called.values()] == ["Lease, a.pdf", "LEASE, b.pdf", "c.pdf"]
