"""What a person does: add, review, search, show, status; every answer as words and as JSON."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

SCAN = "14-sorrel-trade-mark-licence.pdf"


def test_what_is_there_is_not_added_again(larch: Program, dataroom: Path) -> None:
    again = larch("add", dataroom, "-c", "Project Larch")
    assert again.out.startswith("Project Larch: 14 files, 13 there already, 1 failed. Library: ")
    assert f"✗ {dataroom / SCAN}" in again.out
    assert "Switch text recognition on" in again.out
    assert again.err == ""


def test_a_copy_and_a_change_are_told(program: Program, dataroom: Path) -> None:
    room = program.folder / "room"
    room.mkdir()
    name = "08-vantry-mutual-nda.txt"
    shutil.copy(dataroom / name, room / name)
    shutil.copy(dataroom / name, room / "copy.txt")
    told = program("add", "room", "-l", "l.db", "--words-only")
    assert "2 files, 1 added, 1 there already" in told.out
    assert "kept once" in told.out
    (room / name).write_text((room / name).read_text() + "\nP.S. It was changed.\n")
    told = program("add", "room", "-l", "l.db", "--words-only")
    assert f"{name}: changed since it was added; the earlier version stays" in told.out


def test_vectors_can_come_later(program: Program, dataroom: Path) -> None:
    contract = dataroom / "08-vantry-mutual-nda.txt"
    program("add", contract, "-l", "l.db", "--words-only")
    assert program("status", "-l", "l.db", "--json").json["vectors"] == 0
    assert "search goes by words alone" in program("status", "-l", "l.db").out
    program("add", contract, "-l", "l.db")
    told = program("status", "-l", "l.db", "--json").json
    assert told["vectors"] == told["passages"] > 0
    assert told["encoder"].startswith("fourcorners-encoder/")


def test_status(larch: Program) -> None:
    shown = larch("status").out
    assert shown.startswith("fourcorners.db\n13 contracts, ")
    assert "Project Larch         13" in shown
    assert SCAN in shown
    told = larch("status", "--json").json
    assert [each["name"] for each in told["collections"]] == ["Project Larch"]
    assert told["documents"] == 13
    assert told["jobs"] == []
    assert larch("status", "-c", "project larch", "--json").json == told
    assert "There are: Project Larch." in larch("status", "-c", "Oak", code=2).err


def test_search(larch: Program) -> None:
    found = larch("search", '"assign consent"~30', "-c", "Project Larch", "-n", "2")
    assert found.out.startswith("1. ")
    assert "2. " in found.out
    assert "3. " not in found.out
    told = larch("search", '"assign consent"~30', "-n", "2", "--json").json
    for number, hit in enumerate(told, start=1):
        start, end = hit["span"]
        assert f"{number}. {hit['name']}" in found.out
        assert f"characters {start}-{end}" in found.out
        text = larch("show", hit["document"], "--json").json["text"]
        assert text[start:end] == hit["words"]
        for first, last in hit["matched"]:
            assert text[first:last].casefold().startswith(("assign", "consent"))
    parts = larch("search", '"assign consent"~30', "-n", "1", "--explain").out
    assert 'term "assign consent"~30 ' in parts
    assert "lexical_rank 1: " in parts


def test_search_is_narrowed(larch: Program) -> None:
    def names(*options: str) -> set[str]:
        told = larch("search", "agreement", "-n", "100", "--json", *options).json
        return {hit["name"] for hit in told}

    assert names("--in", "vantry") == {"08-vantry-mutual-nda.txt"}
    assert names("--in", "vantry", "--in", "Aldous Maintenance") == {
        "08-vantry-mutual-nda.txt",
        "10-aldous-maintenance-agreement.txt",
    }
    assert names("--type", "nda") == {"08-vantry-mutual-nda.txt"}
    assert "NDA" in larch("search", "agreement", "--type", "x", code=2).err
    label = larch("search", "control", "--label", "22.3", "--json").json
    assert label
    assert all("22.3" in hit["path"][-1] for hit in label)
    assert larch("search", "control", "--label", "99.9").out == "No passage matches.\n"


def test_show(larch: Program, dataroom: Path) -> None:
    text = (dataroom / "08-vantry-mutual-nda.txt").read_text("utf-8")
    shown = larch("show", "Vantry mutual")
    assert shown.out.startswith("Contract   MUTUAL NON-DISCLOSURE AGREEMENT\nType       NDA\n")
    assert text.strip() in shown.out
    told = larch("show", "vantry", "--json").json
    assert told["name"] == "08-vantry-mutual-nda.txt"
    assert told["text"].strip() == text.strip()
    outline = larch("show", "vantry", "--outline").out
    assert "Outline, confidence" in outline
    nodes = larch("show", "vantry", "--outline", "--json").json["nodes"]
    for node in nodes:
        assert told["text"][node["start"] : node["end"]].strip()
        assert node["heading"] in outline
    assert "matches 2 documents" in larch("show", "northmere", code=2).err
    assert "The nearest names are" in larch("show", "nothing", code=2).err


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_no_line_is_wider_than_the_terminal(larch: Program, columns: int) -> None:
    for command in (
        ["search", "agreement", "-n", "30", "--explain"],
        ["show", "northmere master", "--outline"],
        ["show", "halden", "--provision", "Change of control"],
        ["show", "vantry", "--provision", "Source code escrow"],
        ["playbook", "show"],
    ):
        lines = larch(*command, columns=columns).out.splitlines()
        wide = [line for line in lines if len(line) > columns and not line.startswith("File")]
        assert not wide
        assert not [line for line in lines if line.endswith(" ") and "│" not in line]


def test_show_a_provision(larch: Program) -> None:
    shown = larch("show", "halden", "--provision", "change of control").out
    assert "\nChange of control: Change of control of each party (to be read)\n" in shown
    told = larch("show", "halden", "--provision", "Change of control", "--json").json
    text = larch("show", "halden", "--json").json["text"]
    (finding,) = told["findings"]
    assert finding["state"] == "found"
    quotes = [each["quote"] for each in finding["evidence"]]
    assert quotes
    for quote in quotes:
        start, end = quote["start"], quote["end"]
        assert text[start:end] == quote["text"]
        assert f"{start}-{end}" in shown
    whole = larch("show", "halden", "--provision", "Change of control", "--whole").out
    assert text.strip() in whole
    absent = larch("show", "vantry", "--provision", "Exclusivity").out
    assert "Exclusivity: not found" in absent
    assert "passages were searched for" in absent
    assert "Insurance: not asked" in larch("show", "vantry", "--provision", "Insurance").out
    assert "has no provision" in larch("show", "vantry", "--provision", "x", code=2).err


@pytest.mark.slow
def test_review(larch: Program) -> None:
    reports = ["--out", "grid [x].html", "--out", "grid.xlsx", "--out", "grid.json"]
    shown = larch("review", "-c", "Project Larch", *reports, "--as-of", "2025-01-31")
    assert "terms judged as of 31 January 2025" in shown.out
    assert SCAN.removesuffix(".pdf")[:20] in shown.out
    assert shown.err.splitlines() == ["Wrote grid [x].html", "Wrote grid.xlsx", "Wrote grid.json"]
    assert "Change of control" in (larch.folder / "grid [x].html").read_text("utf-8")
    assert zipfile.is_zipfile(larch.folder / "grid.xlsx")
    told = larch("review", "-c", "Project Larch", "--as-of", "2025-01-31", "--json").json
    assert len(told["findings"]) == 13 * 17
    assert [Path(each["path"]).name for each in told["unread"]] == [SCAN]
    asked = ("--as-of", "2025-01-31", "--again", "--json")
    again = larch("review", "-c", "Project Larch", *asked).json
    assert again["findings"] == told["findings"]
    assert "There are: Project Larch." in larch("review", "-c", "Oak", code=2).err


def test_playbooks(program: Program) -> None:
    shown = program("playbook", "show").out
    told = program("playbook", "show", "--json").json
    for book in told:
        assert f"{book['id']}  {book['name']}, {len(book['provisions'])} provisions" in shown
    checked = program("playbook", "check", "due-diligence").out
    version = next(each["version"] for each in told if each["id"] == "due-diligence")
    valid = f"due-diligence: a valid playbook of 17 provisions, version {version}, hash "
    assert checked.startswith(valid)
    (program.folder / "mine.yaml").write_text("id: mine\nname: [Mine\n")
    assert "mine.yaml, line 3" in program("playbook", "check", "mine.yaml", code=2).err


def test_bench_score(program: Program) -> None:
    (program.folder / "run.jsonl").write_text("{}\n")
    said = program("bench", "score", "run.jsonl", "--data", ".", code=2).err
    assert "run.jsonl, line 1: not a line of an extraction run" in said
    (program.folder / "run.jsonl").write_text("")
    said = program("bench", "score", "run.jsonl", "--data", ".", code=2).err
    assert "Give the folder of the CUAD data with --data." in said
