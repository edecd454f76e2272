"""`links`, `find` and `search --expand`: what a person asks of many contracts at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.search.graph.conftest import AMENDMENT, OTHER, SUPPLY

if TYPE_CHECKING:
    from tests.conftest import Program

LAW = "6. LAW\n\n6.1 This Agreement is governed by the laws of England and Wales.\n\nSCHEDULE 1"
VALVES = SUPPLY.replace("SCHEDULE 1", LAW)


@pytest.fixture(scope="module")
def room(
    tmp_path_factory: pytest.TempPathFactory, make_program: Callable[[Path], Program]
) -> Program:
    """A folder where ./fourcorners.db holds two supply agreements and an amendment."""
    program = make_program(tmp_path_factory.mktemp("room"))
    folder = program.folder / "contracts"
    folder.mkdir()
    for name, text in (("valves", VALVES), ("amendment", AMENDMENT), ("flour", OTHER)):
        (folder / f"{name}.txt").write_text(text)
    program("add", "contracts", "-c", "Birch", "-l", "fourcorners.db", "--words-only")
    return program


def test_links(room: Program) -> None:
    told = room("links", "amendment").out
    assert "Amends      valves.txt (confidence 1.00: the same parties, the title, the date)" in told
    assert "by the words “Supply Agreement dated 4 March 2021”" in told
    assert "Birch Retail Limited: flour.txt, valves.txt" in told
    other = room("links", "valves", "--json").json
    assert [each["name"] for each in other["amended_by"]] == ["amendment.txt"]
    assert other["amends"] == []
    assert "It says of no other contract" in room("links", "flour").out


def test_links_of_the_whole_library(room: Program) -> None:
    told = room("links").out
    assert told.startswith("amendment.txt\nAmends      valves.txt (confidence 1.00")
    assert "1 statement that another contract is changed, 1 resolved." in told
    [one] = room("links", "--json").json["amends"]
    assert (one["name"], one["target_name"]) == ("amendment.txt", "valves.txt")
    assert one["dated"] == "2021-03-04"


def test_an_amendment_of_what_is_not_there(program: Program, tmp_path: Path) -> None:
    (tmp_path / "amendment.txt").write_text(AMENDMENT)
    program("add", "amendment.txt", "-l", "l.db", "--words-only")
    told = program("links", "amendment", "-l", "l.db").out
    assert "Amends      not resolved" in told
    assert "no document of the library" in " ".join(told.split())


def test_search_shows_what_came_by_the_graph(room: Program) -> None:
    shown = room("search", '"nine pounds"', "--words-only", "--expand").out
    assert "By the graph:" in shown
    assert "+ amendment.txt, characters" in shown
    assert "replaces Clause 5.1 of valves.txt" in shown
    assert "eleven pounds" in shown
    assert "By the graph" not in room("search", '"nine pounds"', "--words-only").out
    [hit] = room("search", '"nine pounds"', "--words-only", "--expand", "--json").json
    [linked] = hit["linked"]
    assert linked["tie"] == "amendment"
    start, end = linked["span"]
    assert AMENDMENT[start:end] == linked["words"]
    [plain] = room("search", '"nine pounds"', "--words-only", "--json").json
    assert "linked" not in plain


def test_find_before_and_after_the_review(room: Program) -> None:
    question = "which suppliers have a choice of law?"
    before = room("find", question).out
    assert "Understood: governing-law, by the review with due-diligence" in before
    assert "0 contracts of 0 reviewed." in before
    assert "3 contracts not reviewed" in before
    assert "fourcorners review" in before
    room("review", "--words-only")
    after = room("find", question).out
    assert "1. valves.txt" in after
    assert "supplier: Alder Components Limited" in after
    assert "Governing law: England and Wales" in after
    assert "1 contract of 3 reviewed." in after
    assert "not reviewed" not in after
    told = room("find", "governing-law NOT insurance", "--json", "--party", "Alder").json
    assert told["understood"]["condition"] == "governing-law NOT insurance"
    [found] = told["found"]
    assert found["name"] == "valves.txt"
    law, insurance = found["findings"]
    assert law["quotes"]
    for quote in law["quotes"]:
        assert VALVES[slice(*quote["span"])] == quote["words"]
    assert insurance["state"] == "not_found"
    assert insurance["passages_searched"] > 0


def test_find_says_what_is_wrong(room: Program) -> None:
    assert "names no provision" in room("find", "what is the weather", code=2).err
    assert "not closed" in room("find", "(exclusivity", code=2).err
    assert (
        "no contract has a party named" in room("find", "insurance", "--party", "Oak", code=2).err
    )
