from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.library.contract import read_contract
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.precedents import clause as gather
from fourcorners.precedents.clause import Clause, ClausePlace
from fourcorners.precedents.references import (
    MAX_LENGTH,
    ReferencedKind,
    find_references,
    joined_sections,
)
from fourcorners.settings import Settings
from tests.conftest import Program

LEASE = f"""MILL LEASE

1. Definitions.

1.1 "Grain Year" means the twelve months from the first day of August.

1.2 "Mill Race" means the channel that feeds the wheel.

2. Rent. The miller pays the rent of a Grain Year under Section 3, as Section 4 has it.

3. Days. Rent is due on the first day of each month and the miller bears what a transfer costs.

4. Amounts. {"The rent is counted in silver and in nothing else. " * 20}

5. Water. The miller keeps the Mill Race clear of weeds and stones at every time of the year.
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "lease.txt").write_text(LEASE)
    library = Library.open(tmp_path / "l.db")
    add_files(
        library, [tmp_path / "lease.txt"], collection="Mill", encoder=None, settings=Settings()
    )
    return library


def clause(library: Library, word: str) -> Clause:
    return next(each for each in gather.library_clauses(library) if each.text.startswith(word))


def test_a_clause_brings_the_sections_and_terms_that_it_refers_to(library: Library) -> None:
    with library:
        place = clause(library, "2. Rent").places[0]
        found = find_references(library, place)
        text = library.text(place.document)
    assert [(each.kind, each.raw) for each in found] == [
        (ReferencedKind.SECTION, "Section 3"),
        (ReferencedKind.SECTION, "Section 4"),
        (ReferencedKind.DEFINITION, "Grain Year"),
    ]
    assert all(each.span.text_in(text) == each.text for each in found)
    assert [each.is_whole for each in found] == [True, False, True]
    assert found[0].path == ("3 Days",)
    assert len(found[1].text) <= MAX_LENGTH
    assert found[2].text.startswith('1.1 "Grain Year" means')
    assert "Mill Race" not in found[2].text


def test_a_clause_of_a_bank_refers_to_nothing_that_is_known(library: Library) -> None:
    with library:
        assert find_references(library, ClausePlace("a bank")) == []


def test_what_is_brought_stands_outside_the_clause(larch: Program) -> None:
    with Library.open(larch.folder / "fourcorners.db", create=False) as library:
        kinds = set()
        for each in gather.library_clauses(library, "Project Larch"):
            place = each.places[0]
            for one in find_references(library, place):
                kinds.add(one.kind)
                assert place.span is not None
                assert not place.span.contains(one.span)
                assert one.span.text_in(library.text(one.document)) == one.text
        assert kinds == set(ReferencedKind)


def test_a_clause_is_joined_with_the_sections_that_it_refers_to(library: Library) -> None:
    with library:
        place = clause(library, "2. Rent").places[0]
        assert place.span is not None
        reading = read_contract(library, place.document)
        parts = joined_sections(reading, place.span).split(" <omitted> ")
        water = clause(library, "5. Water").places[0].span
        assert water is not None
        assert joined_sections(reading, water) == water.text_in(reading.text)
    assert all(part in reading.text for part in parts)
    words = " ".join(parts)
    assert words.index("2. Rent") < words.index("3. Days") < words.index("4. Amounts")
    assert "5. Water" not in words
