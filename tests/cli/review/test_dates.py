"""`fourcorners dates` as a user runs it."""

from __future__ import annotations

import pytest

from tests.cli.review.conftest import AddRoom
from tests.conftest import Program
from tests.review.dated import RENEWS, VAGUE, contract


@pytest.fixture(scope="module")
def added(add_room: AddRoom) -> Program:
    return add_room(
        {"renews.txt": contract(RENEWS), "vague.txt": contract(VAGUE, seller="Elm Mills")}
    )


def test_facts_and_what_is_to_be_read(added: Program) -> None:
    shown = added("dates", "--as-of", "2026-07-20", "--within", "120").out
    facts, to_read = shown.split("To be read by a person:")
    assert "2026-08-02  last day for notice (in 13 days)" in facts
    assert "2026-10-31  renewal, unless notice is given by 2026-08-02" in facts
    assert "(2.1 of renews.txt)" in facts
    assert "vague.txt" not in facts
    assert "is renewed by itself each year" in to_read
    assert "2 contracts: 2 dates within 120 days of 2026-07-20, 1 to be read" in to_read


def test_json_and_calendar(added: Program) -> None:
    given = ("--as-of", "2026-07-20", "--collection", "Room", "--ics", "room.ics", "--json")
    value = added("dates", *given).json
    assert [(each["day"], each["kind"]) for each in value["dates"]] == [
        ("2026-08-02", "last day for notice")
    ]
    words = value["dates"][0]["words"]
    text = contract(RENEWS)
    assert text[words["start"] : words["end"]] == words["text"]
    assert [each["name"] for each in value["to_be_read"]] == ["vague.txt"]
    assert {each["name"]: each["standing"] for each in value["contracts"]} == {
        "renews.txt": "running",
        "vague.txt": "unknown",
    }
    calendar = (added.folder / "room.ics").read_bytes()
    assert calendar.count(b"BEGIN:VEVENT\r\n") == 1
    assert b"DTSTART;VALUE=DATE:20260802\r\n" in calendar
    assert b"Elm" not in calendar


def test_a_renewal_is_not_said_to_have_ended(added: Program) -> None:
    value = added("dates", "--as-of", "2030-01-01", "--json").json
    (renews,) = (each for each in value["contracts"] if each["name"] == "renews.txt")
    assert renews["standing"] == "renewing"
    assert "In force unless terminated." in renews["sentence"]


def test_a_wrong_day(added: Program) -> None:
    assert "not a date" in added("dates", "--as-of", "soon", code=2).err


@pytest.mark.parametrize("command", [("dates",), ("obligations",), ("search", "rent")])
def test_a_collection_that_is_not_there_is_a_wrong_command(
    added: Program, command: tuple[str, ...]
) -> None:
    said = added(*command, "--collection", "Nowhere", code=2).err
    assert "collection 'Nowhere' not found" in said


SUMS = """BARGE HIRE AGREEMENT

This Barge Hire Agreement is made on 5 May 2025 (the "First Day") between Coot Barges Ltd ("Coot")
and Heron Freight Ltd ("Heron").

1. TERM
1.1 This Agreement lasts for fourteen months from the First Day, unless it ends sooner by clause 2.
1.2 It is then renewed for one year at a time, unless a party tells the other in writing, at least
twenty days before a period ends, that it does not want that.

2. END
2.1 A party may end this Agreement if the other does not pay.
"""


def test_sums_are_shown_with_the_words_behind_every_part(add_room: AddRoom) -> None:
    added = add_room({"barge.txt": SUMS})
    given = ("dates", "--as-of", "2026-06-01", "--within", "400")
    shown = added(*given).out
    assert "2026-06-15 = 2026-07-05 - 20 days" in shown
    assert "2026-07-05 = 2025-05-05 + 14 months" in shown
    first = added(*given, "--json").json["dates"][0]
    assert (first["day"], first["arithmetic"]) == ("2026-06-15", "2026-07-05 - 20 days")
    for words in (first["words"], *first["parts"]):
        assert SUMS[words["start"] : words["end"]] == words["text"]
    whole = " ".join(each["text"] for each in (first["words"], *first["parts"]))
    assert all(each in whole for each in ("twenty days", "fourteen months", "5 May 2025"))
    assert "Expires    2026-07-05 = 2025-05-05 + 14 months (unless renewed)" in (
        added("show", "barge.txt").out
    )


def test_both_readings_are_shown_and_none_is_a_fact(add_room: AddRoom) -> None:
    text = SUMS.replace("5 May 2025", "05/06/2025").replace("fourteen months", "two years")
    added = add_room({"barge.txt": text})
    shown = added("dates", "--as-of", "2027-01-01", "--within", "400").out
    facts, to_read = shown.split("To be read by a person:")
    assert "20" not in facts
    assert "2027-05-06" in to_read
    assert "2027-06-05" in to_read
    assert "2025-05-06 or 2025-06-05" in added("show", "barge.txt").out
