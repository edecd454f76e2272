"""Columns by one's own question, from the terminal: asked, filled, sent, read back, taken out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.research.columns import store as kept

QUESTION = "On what notice may the Tenant end this lease?"
OTHER = "Which law governs this lease?"
ROOM = ("--library", "a.db", "--collection", "Mill", "--playbook", "small.yaml")
LAW = "This lease is governed by the laws of England and Wales."
END = "The Tenant may end this lease on six months' notice to the Landlord."
SUPPLY = "SUPPLY OF GRAIN\n\nOats Ltd shall deliver ten tonnes of oats to B Ltd each month.\n"
SMALL = """\
id: small
name: Small
version: "1"
provisions:
  - id: law
    name: Governing law
    definition: The law that governs the contract.
    query: governed OR laws
"""


def lease(number: int) -> str:
    return (
        f"LEASE OF MILL {number}\n\nmade on {number} May 2024 between Alder Estates Ltd (the "
        "“Landlord”) and Birch Milling Ltd (the “Tenant”).\n\n1. Letting\n\nThe Landlord lets the "
        f"mill to the Tenant for seven years.\n\n2. Ending\n\n{END}\n\n3. Law\n\n{LAW}\n"
    )


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a library of two contracts, a.db."""
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(SMALL, "utf-8")
    Path("room").mkdir()
    Path("room/lease-1.txt").write_text(lease(1), "utf-8")
    Path("room/supply.txt").write_text(SUPPLY, "utf-8")
    invoke("add", "room", "--words-only", *ROOM[:4])


def invoke(*words: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == code, (done.output, done.exception)
    return done


def review(*more: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        invoke("review", "--words-only", "--json", *ROOM, *more).stdout
    )
    return told


def columns() -> Any:
    return json.loads(invoke("review", "columns", *ROOM, "--json").stdout)


def of_column(told: dict[str, Any], question: str) -> dict[str, dict[str, Any]]:
    """Return the cells of a question by the name of the contract."""
    (column,) = [each["id"] for each in told["provisions"] if each["definition"] == question]
    names = {each["id"]: each["name"] for each in told["documents"]}
    return {
        names[each["document"]]: each for each in told["findings"] if each["provision"] == column
    }


def edit(question: str, state: str, comment: str) -> None:
    """Say something of the found cell of a question in the workbook."""
    book = openpyxl.load_workbook("grid.xlsx")
    sheet = book["Findings"]
    heads = {str(cell.value): at for at, cell in enumerate(sheet[1], start=1)}
    rows = [
        row
        for row in range(2, sheet.max_row + 1)
        if str(sheet.cell(row, heads["Provision"]).value).startswith(question[:20])
        and sheet.cell(row, heads["Document"]).value == "lease-1.txt"
    ]
    assert rows
    sheet.cell(rows[0], heads["Review state"]).value = state
    sheet.cell(rows[0], heads["New comment"]).value = comment
    book.save("grid.xlsx")


def read_back(*more: str, code: int = 0) -> Any:
    words = ("--by", "Ann", "--library", "a.db", "--playbook", "small.yaml", "--json")
    return json.loads(invoke("review", "import", "grid.xlsx", *words, *more, code=code).stdout)


def test_a_question_is_asked_sent_judged_and_read_back() -> None:
    told = review("--ask", QUESTION, "--out", "grid.html", "--out", "grid.xlsx")
    cells = of_column(told, QUESTION)
    assert {name: each["state"] for name, each in cells.items()} == {
        "lease-1.txt": "found",
        "supply.txt": "not_found",
    }
    assert END in json.dumps(cells["lease-1.txt"]["evidence"])
    assert cells["supply.txt"]["reason"]
    assert "On what notice may" in Path("grid.html").read_text("utf-8")
    sheet = openpyxl.load_workbook("grid.xlsx")["Grid"]
    assert any(str(cell.value).startswith("On what notice may") for cell in sheet[1])
    invoke("report", *ROOM, "--out", "report.html")
    assert "On what notice may" in Path("report.html").read_text("utf-8")
    edit(QUESTION, "Confirmed", "as agreed")
    assert len(read_back("--dry-run")["applied"]) == 1
    done = read_back()
    assert [(each["state"], each["by"]) for each in done["applied"]] == [("confirmed", "Ann")]
    assert read_back()["known"] == 1
    cell = of_column(review(), QUESTION)["lease-1.txt"]
    assert cell["review"] == "confirmed"
    assert [(each["by"], each["comment"]) for each in cell["remarks"]] == [("Ann", "as agreed")]


def test_the_same_question_is_one_column_and_later_contracts_are_asked() -> None:
    review("--ask", QUESTION)
    Path("room/lease-2.txt").write_text(lease(2), "utf-8")
    invoke("add", "room", "--words-only", *ROOM[:4])
    assert [(each["question"], each["open"]) for each in columns()] == [(QUESTION, 1)]
    again = review("--ask", QUESTION, "--ask", OTHER, "--out", "grid.xlsx")
    assert of_column(again, QUESTION)["lease-2.txt"]["state"] == "found"
    assert LAW in json.dumps(of_column(again, OTHER)["lease-1.txt"]["evidence"])
    first, second = columns()
    assert [(each["question"], each["open"]) for each in (first, second)] == [
        (QUESTION, 0),
        (OTHER, 0),
    ]
    assert first["id"] in invoke("review", "columns", *ROOM).stdout
    edit(QUESTION, "Confirmed", "")
    edit(OTHER, "Confirmed", "")
    invoke("review", "columns", *ROOM, "--remove", first["id"])
    with Library.open("a.db", create=False) as library:
        kept.update_column(
            library, second["id"], "Who is the Landlord?", with_model=False, by="Ann"
        )
    told = read_back(code=1)
    assert told["applied"] == []
    assert sorted(each["reason"] for each in told["problems"]) == [
        "The question of this column has changed since the report was written.",
        "This column was removed from its review since the report was written.",
    ]
    assert told["untouched"] > 0
    gone = invoke("review", "columns", *ROOM, "--remove", first["id"], code=1).exception
    assert isinstance(gone, ConfigError)


def test_a_column_needs_a_collection_and_a_question() -> None:
    bare = ("review", "--words-only", "--library", "a.db", "--playbook", "small.yaml")
    told = invoke(*bare, "--ask", QUESTION, code=1).exception
    assert isinstance(told, ConfigError)
    assert "Name it with --collection." in told.remedy
    nothing = invoke(*bare, "--collection", "Mill", "--ask", " ", code=1).exception
    assert isinstance(nothing, ConfigError)
    assert "the question is empty" in nothing.message


def test_a_column_for_the_model_stays_as_it_is_without_one() -> None:
    with Library.open("a.db", create=False) as library:
        kept.add_column(library, "Mill", "small", OTHER, with_model=True, by="Ada")
    cells = of_column(review(), OTHER).values()
    assert {each["error"] for each in cells} == {"It is not filled yet."}
    assert all("--with-model" in each["remedy"] for each in cells)


def test_its_cells_are_judged_by_command() -> None:
    review("--ask", QUESTION, "--ask", OTHER)
    first, _ = columns()
    mark = ("mark", "lease-1", "on what NOTICE", "--library", "a.db", "--playbook", "small.yaml")
    told = invoke(*mark, "confirm", "--by", "Ann", "--comment", "as agreed").stdout
    assert "On what notice may the Tenant end this lease?: confirmed" in told
    assert "as agreed" in invoke(*mark).stdout
    by_id = ("mark", "lease-1", first["id"], "--library", "a.db", "--playbook", "small.yaml")
    said = json.loads(invoke(*by_id, "correct", "--value", END, "--by", "Ann", "--json").stdout)
    assert said["provision"] == f"{first['id']}-v1"
    assert (said["review"], said["value"]) == ("corrected", END)
    cell = of_column(review(), QUESTION)["lease-1.txt"]
    assert [each["comment"] for each in cell["remarks"]] == ["as agreed", None]
    own = invoke("mark", "lease-1", "Governing law", "confirm", "--by", "Ann", *ROOM).stdout
    assert "Governing law: confirmed" in own


def test_a_question_that_may_be_several_is_asked_back() -> None:
    review("--ask", QUESTION, "--ask", OTHER)
    with pytest.raises(ConfigError, match="may mean 2 columns"):
        CliRunner().invoke(app, ["mark", "lease-1", "this lease?", *ROOM], catch_exceptions=False)
    with pytest.raises(ConfigError, match="no provision 'zeppelin'"):
        CliRunner().invoke(app, ["mark", "lease-1", "zeppelin", *ROOM], catch_exceptions=False)
