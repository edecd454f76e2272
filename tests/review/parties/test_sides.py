"""For whom contracts are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.review.parties import (
    MAX_NAMES,
    UNKNOWN_SIDE,
    Side,
    collection_parties,
    count_parties,
    display_name,
    find_sides,
    set_side,
    side_for,
)
from fourcorners.settings import Settings
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
LARCH = Side(("Larch Supply Limited",))


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (["Larch Supply Limited"], ["Larch Supply Limited", "", "", "Larch Supply Limited"]),
        (["larch supply ltd"], ["Larch Supply Limited", "", "", "Larch Supply Limited"]),
        (["Larch Supply Inc"], ["", "LARCH SUPPLY, INC.", "", ""]),
        (["Buyer (Larch Supply, Inc.)"], ["", "LARCH SUPPLY, INC.", "", ""]),
        (["LARCH SUPPLY, INC. (Buyer)"], ["", "LARCH SUPPLY, INC.", "", ""]),
        (
            ["Larch Supply"],
            ["Larch Supply Limited", "LARCH SUPPLY, INC.", "", "Larch Supply Limited"],
        ),
        (
            ["LARCH"],
            [
                "Larch Supply Limited",
                "LARCH SUPPLY, INC.",
                "Larch Filtration GmbH",
                "Larch Supply Limited",
            ],
        ),
        (["Customer"], ["Northmere Water plc", "", "", "Northmere Water plc"]),
        (["the Licensor", "Buyer"], ["", "LARCH SUPPLY, INC.", "The Quillon Company", ""]),
        (["Quillon"], ["", "", "The Quillon Company", ""]),
        (["Lar", "Supply", ""], ["", "", "", ""]),
        ([], ["", "", "", ""]),
    ],
)
def test_a_name_means_a_party_by_its_name_its_role_or_its_group(
    names: list[str], meant: list[str]
) -> None:
    assert ["".join(side_for(each, names).names) for each in ROOM] == meant


def test_a_role_goes_before_a_group_of_its_name() -> None:
    bank = card(("Bank of Aldermoor", "Lender"), ("Larch Supply Limited", "Bank"))
    assert side_for(bank, ["Bank"]).names == ("Larch Supply Limited",)


def test_a_party_is_ours_or_theirs_as_soon_as_a_party_is_named() -> None:
    supplier, customer = (fact.value for fact in ROOM[0].parties)
    assert (LARCH.whose(supplier), LARCH.whose(customer)) == ("ours", "theirs")
    assert (UNKNOWN_SIDE.whose(supplier), UNKNOWN_SIDE.whose(customer)) == ("", "")
    assert UNKNOWN_SIDE.key == ""
    assert len({LARCH.key, Side(("Larch Filtration GmbH",)).key, ""}) == 3


def test_parties_are_counted_however_they_are_written() -> None:
    again = card(("LARCH SUPPLY LTD", "Supplier"), ("Larch Supply Limited", "Supplier"))
    assert count_parties([*ROOM, again])[:2] == [
        ("Larch Supply Limited", 3),
        ("Northmere Water plc", 2),
    ]


AGREEMENT = """SERVICES AGREEMENT

This Agreement is made on 3 May 2024 between {} ("Supplier") and {} ("Customer").

1. The Supplier shall perform the Services. Neither party may assign this Agreement.
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "l.db") as opened:
        for collection, name, parties in (
            ("Deal", "a.txt", ("Alder Works Limited", "Birch Retail Limited")),
            ("Deal", "b.txt", ("Cedar Haulage Limited", "Alder Holdings Inc.")),
            ("Deal", "c.txt", ("Cedar Haulage Limited", "Birch Retail Limited")),
        ):
            path = tmp_path / name
            path.write_text(AGREEMENT.format(*parties), encoding="utf-8")
            add_files(
                opened, [path], collection=collection, encoder=None, settings=Settings(jobs=1)
            )
        yield opened


def sides(library: Library) -> list[tuple[str, ...]]:
    entries = library.documents()
    found = find_sides(library, entries)
    return [found[each.id].names for each in sorted(entries, key=lambda each: each.name)]


def test_a_collection_remembers_for_whom_it_is_read(library: Library) -> None:
    assert sides(library) == [(), (), ()]  # nothing is guessed
    assert set_side(library, None, ["Alder Works  Limited", "Alder Holdings Inc"])
    assert library.read_for("deal") == ("Alder Works Limited", "Alder Holdings Inc")
    assert sides(library) == [("Alder Works Limited",), ("Alder Holdings Inc.",), ()]
    assert not set_side(library, "Deal", ["Alder Holdings Inc", "Alder Works Limited"])
    assert set_side(library, "Deal", ["Customer"], by="Ada")
    assert sides(library)[2] == ("Birch Retail Limited",)
    assert set_side(library, "Deal", [])
    assert sides(library) == [(), (), ()]
    trail = [each.detail for each in library.audit_trail() if each.event == "read for"]
    assert len(trail) == 3
    assert '"by": "Ada"' in trail[1]


def test_a_name_that_no_contract_knows_is_refused_with_those_there_are(library: Library) -> None:
    with pytest.raises(ConfigError, match="no contract of the collection 'Deal'") as refused:
        set_side(library, "Deal", ["Alder", "Dogwood"])
    assert "'Dogwood'" in refused.value.message
    assert refused.value.remedy == (
        "There are: Birch Retail Limited (Customer); Cedar Haulage Limited (Supplier); "
        "Alder Holdings Inc. (Customer); Alder Works Limited (Supplier)."
    )
    assert library.read_for("Deal") == ()
    with pytest.raises(ConfigError, match="at most"):
        set_side(library, "Deal", [f"Alder {number}" for number in range(MAX_NAMES + 1)])


def test_each_collection_is_read_for_whom_it_says(library: Library, tmp_path: Path) -> None:
    add_files(library, [tmp_path / "a.txt"], collection="Bank", encoder=None, settings=Settings())
    with pytest.raises(ConfigError, match="is set per collection") as refused:
        set_side(library, None, ["Alder"])
    assert "Bank, Deal" in refused.value.remedy
    set_side(library, "Deal", ["Alder"])
    alder, holdings = ("Alder Works Limited",), ("Alder Holdings Inc.",)
    assert sorted(sides(library)) == [(), (), holdings, alder]
    set_side(library, "Bank", ["Birch"])
    assert sorted(sides(library)) == [(), holdings, alder, ("Birch Retail Limited",)]
    assert collection_parties(library, "Bank") == [
        ("Alder Works Limited", 1),
        ("Birch Retail Limited", 1),
    ]


@pytest.mark.parametrize(
    ("party", "shown"),
    [
        (Party("Larch Supply Limited", "Larch", "Supplier"), "Larch (Larch Supply Limited)"),
        (Party("Larch Supply Limited", "", "Supplier"), "Supplier (Larch Supply Limited)"),
        (Party("Larch Supply Limited", "larch  supply limited", ""), "Larch Supply Limited"),
        (Party("Larch Supply Limited", "you", "Customer"), "Larch Supply Limited"),
        (Party("Larch Supply Limited", "", ""), "Larch Supply Limited"),
    ],
)
def test_a_party_is_shown_as_the_contract_calls_it(party: Party, shown: str) -> None:
    assert display_name(party) == shown
