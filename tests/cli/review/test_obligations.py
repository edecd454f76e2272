"""`fourcorners obligations` as a user runs it."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.review.conftest import AddRoom
from tests.conftest import Program
from tests.review.obligations.contracts import CONTRACT

FORMULA = (
    "2.9 Odd. Buyer shall =HYPERLINK(1) [bold]pay[/bold] \x1b[31mon June 1, 2025.\n\n3. PAYMENT"
)


@pytest.fixture(scope="module")
def added(add_room: AddRoom) -> Program:
    return add_room({"supply.txt": CONTRACT})


def test_by_party_in_the_terminal(added: Program) -> None:
    shown = added("obligations", "--for", "Alder").out
    ours, theirs = shown.split("Birch Foods LLC")
    assert ours.startswith("Alder Mills, Inc. (ours)")
    assert "2025-03-31" in ours
    assert "must not sell Panels to others in the Territory" in ours
    assert "must give its comments" in theirs
    assert "Not said" in theirs
    assert "1 contract: 15 obligations (12 duties, 3 prohibitions), 3 with a day." in shown
    assert "All invoices shall be paid within thirty" in theirs
    assert "The party receiving notice of a claim must inform" in " ".join(theirs.split())
    assert "read by hand" in shown


def test_json_has_places(added: Program) -> None:
    value = added("obligations", "--in", "supply", "--json").json
    assert value["contracts"] == 1
    first = value["obligations"][0]
    assert (first["party"], first["kind"], first["day"]) == (
        "Alder Mills, Inc.", "duty", "2025-03-31",
    )  # fmt: skip
    assert [each["day"] for each in first["times"]] == ["2025-03-31"]
    for each in value["obligations"]:
        for words in (each["action"], each["quote"], *each["conditions"], *each["times"]):
            assert CONTRACT[words["start"] : words["end"]] == words["text"]


def test_workbook_and_calendar(added: Program) -> None:
    added("obligations", "--out", "o.xlsx", "--out", "o.ics")
    calendar = (added.folder / "o.ics").read_bytes()
    assert calendar.count(b"BEGIN:VEVENT\r\n") == 3
    assert b"DTSTART;VALUE=DATE:20250331\r\n" in calendar
    assert b"SUMMARY:Alder Mills\\, Inc.: must deliver a plan of supply\r\n" in calendar
    with ZipFile(added.folder / "o.xlsx") as book:
        words = book.read("xl/sharedStrings.xml").decode()
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "deliver a plan of supply" in words
    assert sheet.count("<row ") == 16
    assert "<v>45747</v>" in sheet  # March 31, 2025, as a date


def test_words_of_a_contract_are_only_words(program: Program, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text(CONTRACT.replace("3. PAYMENT", FORMULA, 1))
    program("add", "odd.txt", "--collection", "Odd", "--words-only")
    shown = program("obligations", "--collection", "Odd", "--out", "odd.xlsx").out
    assert "[bold]pay[/bold]" in shown
    assert "\x1b[31m" not in shown
    with ZipFile(tmp_path / "odd.xlsx") as book:
        assert "<f>" not in book.read("xl/worksheets/sheet1.xml").decode()


def test_what_is_wrong_is_said(added: Program) -> None:
    assert ".xlsx, .docx, .pdf, .html, .ics" in added("obligations", "--out", "o.txt", code=2).err
    assert "has a party called 'Cedar'" in added("obligations", "--for", "Cedar", code=2).err
    assert added("obligations", "--in", "nothing", code=2).err
