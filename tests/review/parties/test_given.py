"""The parties that a person gives a contract, in place of those that were read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.copy import copy_library
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.review.parties import find_sides, give_parties, set_side, side_in, write_party
from fourcorners.settings import Settings

LEASE = """EQUIPMENT HIRE

This hire is agreed on 2 May 2023 by the firms that sign below.

1. The Hirer shall collect the crane on Monday.
2. The Owner shall insure the crane. Brask & Sons Ltd may inspect it.

Signed: Brask & Sons Ltd        Signed: Ottley Cranes plc
"""
GIVEN = ["Brask & Sons Ltd (the Owner)", "Ottley Cranes plc (Hirer)"]


def add(library: Library, folder: Path) -> None:
    files = [folder / "hire.txt"]
    add_files(library, files, collection="Deal", settings=Settings(), encoder=None)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    (tmp_path / "hire.txt").write_text(LEASE)
    with Library.open(tmp_path / "parties.db") as library:
        add_files(
            library, [tmp_path / "hire.txt"], collection="Deal", settings=Settings(), encoder=None
        )
        yield library


def test_they_are_on_the_card_with_their_place_and_author(library: Library) -> None:
    (document,) = library.document_ids()
    give_parties(library, document, [*GIVEN, "Quill GmbH", "(Agent)"], by="ada")
    found = library.card(document).parties
    assert [write_party(each.value) for each in found] == [
        "Brask & Sons Ltd (the Owner)",
        "Ottley Cranes plc (Hirer)",
        "Quill GmbH",
        "(Agent)",
    ]
    assert {each.by for each in found} == {"ada"}
    assert [each.span.text_in(LEASE) for each in found] == [
        "Brask & Sons Ltd",
        "Ottley Cranes plc",
        "",
        "",
    ]


def test_they_last_and_are_taken_back(library: Library, tmp_path: Path) -> None:
    (document,) = library.document_ids()
    read = library.card(document)
    give_parties(library, document, GIVEN, by="ada")
    library.remove(document)
    add_files(
        library, [tmp_path / "hire.txt"], collection="Deal", settings=Settings(), encoder=None
    )
    assert len(library.card(document).parties) == 2
    with Library.open(tmp_path / "copy.db") as copy:
        copy_library(library, copy)
        assert copy.card(document) == library.card(document) != read
    give_parties(library, document, [], by="ada")
    assert library.card(document) == read
    events = [entry for entry in library.audit_trail() if entry.event == "parties"]
    assert [json.loads(entry.detail).get("names", "") for entry in events] == [
        "Brask & Sons Ltd; Ottley Cranes plc",
        "",
    ]
    assert json.loads(events[0].detail)["by"] == "ada"


def test_the_side_and_the_key_of_its_cells_follow_them(library: Library) -> None:
    (entry,) = library.documents("Deal")
    before = find_sides(library, [entry])[entry.id]
    assert before.key == ""
    give_parties(library, entry.id, GIVEN, by="ada")
    nobody = find_sides(library, [entry])[entry.id]
    assert nobody.names == ()
    assert nobody.key
    set_side(library, "Deal", ["Hirer"])
    side = find_sides(library, [entry])[entry.id]
    assert side.names == ("Ottley Cranes plc",)
    assert side.key != nobody.key
    give_parties(library, entry.id, [GIVEN[0], "Ottley Lifting plc (Hirer)"], by="ada")
    assert find_sides(library, [entry])[entry.id].key != side.key


def test_a_role_that_no_party_has_is_a_side_too(library: Library) -> None:
    (document,) = library.document_ids()
    side = side_in(library, document, ["the owner"])
    assert (side.names, side.roles) == (("Owner",), ("Owner",))


@pytest.mark.parametrize(
    "written",
    [
        ["Brask (Owner)", "Ottley (owner)"],
        ["Brask", "brask"],
        ["()"],
        [f"Party {n}" for n in range(13)],
        ["B" * 201],
    ],
)
def test_others_are_refused(library: Library, written: list[str]) -> None:
    (document,) = library.document_ids()
    with pytest.raises(ConfigError):
        give_parties(library, document, written, by="ada")
