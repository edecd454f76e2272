"""People check a review: by command, by Excel, with a record that can be proved."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest

from fourcorners.reports.json import review_schema

if TYPE_CHECKING:
    from tests.conftest import Program

LAW = "This Agreement is governed by the laws of England and Wales."
AUDIT = "The Supplier shall keep records and the Customer may audit them."
LIBRARY = ("--library", "a.db")


def contract(number: int) -> str:
    return (
        f"SUPPLY AGREEMENT NUMBER {number}\n\nmade on {number} May 2024 between A{number} Ltd and "
        "B Ltd.\n\n1. Neither party may assign this Agreement without the prior written consent of "
        f"the other.\n\n2. {LAW}\n\n3. {AUDIT}\n"
    )


@pytest.fixture(scope="module")
def reviewed(
    tmp_path_factory: pytest.TempPathFactory, make_program: Callable[[Path], Program]
) -> Program:
    """The program in a folder with a reviewed library, a.db, and nothing said of it."""
    program = make_program(tmp_path_factory.mktemp("reviewed"))
    (program.folder / "room").mkdir()
    for number in range(1, 4):
        (program.folder / "room" / f"supply-{number}.txt").write_text(contract(number), "utf-8")
    program("add", "room", "--words-only", *LIBRARY)
    program("review", "--words-only", "--json", *LIBRARY)
    return program


@pytest.fixture
def room(reviewed: Program, tmp_path: Path, make_program: Callable[[Path], Program]) -> Program:
    """The program in a folder of the test's own, with a copy of that library."""
    program = make_program(tmp_path)
    source = sqlite3.connect(reviewed.folder / "a.db")
    target = sqlite3.connect(tmp_path / "a.db")
    source.backup(target)
    source.close()
    target.close()
    return program


def mark(room: Program, *words: str) -> Any:
    return room("mark", *words, *LIBRARY, "--json").json


def test_marks_are_kept_and_printed(room: Program) -> None:
    said = mark(room, "supply-1", "governing law", "confirm", "--by", "Ann", "--comment", "fine")
    assert (said["review"], said["remarks"][0]["by"], said["remarks"][0]["comment"]) == (
        *("confirmed", "Ann", "fine"),
    )
    said = mark(room, "supply-1", "audit-rights", "correct", "--value", AUDIT, "--by", "Ann")
    text = contract(1)
    assert text[said["place"]["start"] : said["place"]["end"]] == said["value"] == AUDIT
    start = text.index(LAW)
    at = f"{start}-{start + len(LAW)}"
    assert mark(room, "supply-2", "insurance", "correct", "--at", at, "--by", "B")["value"] == LAW
    told = room("mark", "supply-1", "audit-rights", *LIBRARY).out
    assert "supply-1.txt, Audit rights: corrected" in told
    assert f"Ann: corrected, “{AUDIT}”." in " ".join(told.split())
    shown = room("show", "supply-1", "--provision", "audit-rights", *LIBRARY).out
    shown = " ".join(shown.split())
    assert "Corrected to the contract’s words" in shown
    assert AUDIT in shown
    mark(room, "supply-1", "audit-rights", "undo", "--by", "Ann")
    assert "taken back" in room("mark", "supply-1", "audit-rights", *LIBRARY).out
    assert "No remarks yet." in room("mark", "supply-3", "insurance", *LIBRARY).out


def test_answers_and_severities_are_marked(room: Program) -> None:
    law = ("supply-1", "governing law")
    said = mark(room, *law, "--severity", "high", "--comment", "Foreign law.")
    assert (said["severity"], said["review"]) == ("high", "corrected")
    told = room("mark", *law, *LIBRARY).out
    assert "High: Foreign law." in told
    wrong = room("mark", *law, "--answer", "nothing", *LIBRARY, code=2)
    assert "answers no question" in wrong.err


def test_who_says_it_is_the_option_the_setting_or_the_user(room: Program) -> None:
    (room.folder / "fourcorners.toml").write_text('reviewer = "Cy of Larch"\n', "utf-8")
    law = ("supply-1", "governing-law")
    assert mark(room, *law, "confirm")["remarks"][-1]["by"] == "Cy of Larch"
    assert mark(room, *law, "flag", "--by", "Ann")["remarks"][-1]["by"] == "Ann"
    (room.folder / "fourcorners.toml").unlink()
    assert mark(room, *law, "confirm")["remarks"][-1]["by"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("supply-1", "insurance", "reject"), "nothing was found here"),
        (("supply-1", "insurance", "correct"), "a correction needs other wording"),
        (("supply-1", "nothing", "confirm"), "no provision"),
        (("supply-9", "insurance", "confirm"), "no document is called"),
        (("supply-1", "insurance", "correct", "--at", "9"), "is no place"),
        (("supply-1", "insurance", "confirm", "--by", " "), "needs the name of its author"),
    ],
)
def test_what_cannot_be_said_is_explained(room: Program, words: tuple[str, ...], told: str) -> None:
    assert told in room("mark", *words, *LIBRARY, code=2).err


def test_the_reports_show_what_people_said(room: Program) -> None:
    import jsonschema

    mark(room, "supply-1", "governing-law", "confirm", "--by", "Ann")
    mark(room, "supply-2", "governing-law", "reject", "--by", "Ann")
    mark(room, "supply-3", "governing-law", "correct", "--value", "English law", "--by", "Ann")
    mark(room, "supply-3", "insurance", "flag", "--comment", "ask the client", "--by", "Ann")
    run = room("review", "--words-only", "--out", "r.json", "--out", "r.html", *LIBRARY)
    for words in ("✓ confirmed", "✎ corrected", "✗ rejected", "? needs a second look"):
        assert words in run.out
    assert "Ann: ask the client" in run.out
    report = json.loads((room.folder / "r.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(json.loads(review_schema())).validate(report)
    law = [each for each in report["findings"] if each["provision"] == "governing-law"]
    assert [each["review"] for each in law] == ["confirmed", "rejected", "corrected"]
    assert (law[2]["value"], law[2]["place"]) == ("English law", None)
    assert law[0]["remarks"][0]["author"] == "person"


def edit(path: Path, rows: dict[tuple[str, str], dict[str, str]]) -> None:
    """Change the review columns of cells, named by contract and provision, as a person does."""
    book = openpyxl.load_workbook(path)
    sheet = book["Findings"]
    heads = {str(cell.value): cell.column or 0 for cell in sheet[1]}
    left = dict(rows)
    for number in range(2, sheet.max_row + 1):
        name = tuple(
            str(sheet.cell(number, heads[head]).value) for head in ("Document", "Provision")
        )
        for head, value in left.pop((name[0], name[1]), {}).items():
            sheet.cell(number, heads[head]).value = value
    assert not left
    book.save(path)


def test_an_edited_report_is_read_back(room: Program) -> None:
    room("review", "--words-only", "--json", "--out", "r.xlsx", *LIBRARY)
    edit(
        room.folder / "r.xlsx",
        {
            ("supply-1.txt", "Governing law"): {"Review state": "Confirmed"},
            ("supply-2.txt", "Governing law"): {"Review state": "Rejected", "Reviewer": "Bob"},
            ("supply-3.txt", "Audit rights"): {"Corrected value": AUDIT, "New comment": "clause 3"},
            ("supply-3.txt", "Insurance"): {"Review state": "Corrected"},
        },
    )
    mark(room, "supply-2", "governing-law", "confirm", "--by", "Cy")
    read = ("review", "import", "r.xlsx", "--by", "Ann", *LIBRARY)
    tried = room(*read, "--dry-run", "--json", code=1).json
    assert tried["dry_run"]
    assert mark(room, "supply-1", "governing-law")["review"] == "proposed"
    done = room(*read, "--json", code=1).json
    assert {**done, "dry_run": True} == tried
    assert [(each["document"], each["state"], each["by"]) for each in done["applied"]] == [
        ("supply-1.txt", "confirmed", "Ann"),
        ("supply-3.txt", "corrected", "Ann"),
    ]
    reasons = {each["document"]: each["reason"] for each in done["problems"]}
    assert reasons["supply-2.txt"].startswith("Cy has said something of it since (confirmed)")
    assert "no corrected value" in reasons["supply-3.txt"]
    assert mark(room, "supply-1", "governing-law")["review"] == "confirmed"
    corrected = mark(room, "supply-3", "audit-rights")
    assert (corrected["value"], corrected["remarks"][0]["comment"]) == (AUDIT, "clause 3")
    assert corrected["place"]
    again = room(*read, code=1).out
    assert "0 remarks applied, 2 not applied, 2 known already; 47 cells untouched." in again
    event = room("audit", "list", "--event", "review-import", "--json", *LIBRARY).json
    assert [(each["detail"]["applied"], each["detail"]["by"]) for each in event] == [(2, "Ann")]
    book = openpyxl.load_workbook(room.folder / "r.xlsx")
    book.remove(book["Fourcorners"])
    book.save(room.folder / "r.xlsx")
    assert "no report that can be read back" in room(*read, code=2).err


def saved_by_calc(path: Path, suffix: str, folder: Path) -> Path:
    """Open a file in LibreOffice Calc and save it as another format; skip where it is not there."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")
    # Of CSV: commas, quotes, UTF-8, values as they are shown, each sheet as a file of its own.
    how = {"csv": "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"}
    subprocess.run(
        [office, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless",
         "--convert-to", how.get(suffix, suffix), "--outdir", str(folder), str(path)],
        check=True, capture_output=True, timeout=180,
    )  # fmt: skip
    sheet = "-Findings" if suffix == "csv" else ""
    saved = folder / f"{path.stem}{sheet}.{suffix}"
    if not saved.exists():
        pytest.skip("LibreOffice is installed without Calc")
    return saved


def test_a_report_that_libreoffice_saved_is_read_back(room: Program, tmp_path: Path) -> None:
    room("review", "--words-only", "--json", "--out", "calc.xlsx", *LIBRARY)
    edit(
        room.folder / "calc.xlsx",
        {
            ("supply-1.txt", "Governing law"): {"Review state": "Confirmed", "Reviewer": "Bob"},
            ("supply-2.txt", "Governing law"): {
                "Review state": "Rejected",
                "New comment": "No.\nNo",
            },
            ("supply-3.txt", "Audit rights"): {"Corrected value": AUDIT},
        },
    )
    folder = tmp_path / "saved"
    folder.mkdir()
    sheet = openpyxl.load_workbook(room.folder / "calc.xlsx")["Findings"]
    with saved_by_calc(room.folder / "calc.xlsx", "csv", folder).open(encoding="utf-8") as file:
        shown = list(csv.reader(file))
    assert shown[0] == [str(cell.value) for cell in sheet[1]]
    quotes = [str(cell.value or "") for cell in sheet["F"]][1:]
    assert [row[5] for row in shown[1:]] == quotes
    assert any(quotes)
    # To another program's own format and back: what it does not know of a workbook is lost by then.
    there = saved_by_calc(room.folder / "calc.xlsx", "ods", folder)
    back = saved_by_calc(there, "xlsx", folder)
    done = room("review", "import", str(back), "--by", "Ann", "--json", *LIBRARY).json
    assert done["problems"] == []
    assert [(each["document"], each["state"], each["by"]) for each in done["applied"]] == [
        ("supply-1.txt", "confirmed", "Bob"),
        ("supply-2.txt", "rejected", "Ann"),
        ("supply-3.txt", "corrected", "Ann"),
    ]
    assert mark(room, "supply-2", "governing-law")["remarks"][0]["comment"] == "No.\nNo"
    assert mark(room, "supply-3", "audit-rights")["value"] == AUDIT


def test_options_before_the_import_are_not_left_out_silently(room: Program) -> None:
    told = room("review", *LIBRARY, "import", "r.xlsx", code=2).err
    assert "options of `import` must follow its name" in told


def test_the_record_is_proved_and_damage_is_named(room: Program) -> None:
    whole = room("audit", "verify", "--json", *LIBRARY).json
    assert (whole["whole"], whole["entries"], whole["proven_up_to"]) == (True, 3, None)
    head = whole["head"]
    assert head in room("audit", "verify", *LIBRARY).out
    mark(room, "supply-1", "governing-law", "confirm", "--by", "Ann", "--comment", "secret words")
    proven = room("audit", "verify", "--head", head, "--json", *LIBRARY).json
    assert (proven["whole"], proven["proven_up_to"], proven["entries"]) == (True, 3, 4)
    assert "Nothing up to entry 3" in room("audit", "verify", "--head", head, *LIBRARY).out
    assert "no entry" in room("audit", "verify", "--head", "0" * 64, *LIBRARY, code=1).out.lower()
    assert "is no head" in room("audit", "verify", "--head", "xyz", *LIBRARY, code=2).err
    assert "End the name in .jsonl" in room("audit", "list", "--out", "a.csv", *LIBRARY, code=2).err
    room("audit", "list", "--out", "audit.jsonl", *LIBRARY)
    exported = (room.folder / "audit.jsonl").read_text("utf-8")
    assert len(exported.splitlines()) == 4
    assert "secret words" not in exported
    assert LAW not in exported
    database = sqlite3.connect(room.folder / "a.db")
    database.execute("DROP TRIGGER remarks_refuse_update")
    database.execute("UPDATE remarks SET comment = 'other words'")
    database.commit()
    told = room("audit", "verify", "--json", *LIBRARY, code=1).json
    assert (told["first_broken"], told["faults"]) == (None, ["remark 1 was changed"])
    database.execute("DROP TRIGGER audit_refuses_update")
    database.execute("UPDATE audit SET detail = '{}' WHERE seq = 2")
    database.commit()
    database.close()
    told = room("audit", "verify", "--head", head, "--json", *LIBRARY, code=1).json
    assert (told["first_broken"], told["proven_up_to"]) == (2, None)
    assert "Audit entry 2 was changed." in room("audit", "verify", *LIBRARY, code=1).out


def test_confirmed_findings_are_collected(room: Program) -> None:
    mark(room, "supply-1", "governing-law", "confirm", "--by", "Ann")
    mark(room, "supply-2", "governing-law", "confirm", "--by", "Ann")
    collect = ("bank", "collect", "--bank", "ours", "--json", *LIBRARY)
    assert room(*collect).json == {"bank": "ours", "added": 1, "known": 1}  # the same words
    assert room(*collect).json == {"bank": "ours", "added": 0, "known": 2}
    (clause,) = room("bank", "list", "--bank", "ours", "--json", *LIBRARY).json
    assert LAW in clause["text"]
    assert clause["source"] == "supply-1.txt"
    assert clause["tags"][0] == "confirmed by Ann"


def test_unfinished_jobs_say_how_to_go_on(room: Program) -> None:
    assert room("jobs", *LIBRARY).out == "Nothing is unfinished.\n"
    database = sqlite3.connect(room.folder / "a.db")
    spec = json.dumps({"playbook": "due-diligence", "hash": "x", "collection": "Project Larch"})
    database.execute(
        "INSERT INTO jobs(kind, spec, created) VALUES ('review', ?, '2024-01-01T00:00:00+00:00')",
        (spec,),
    )
    (number,) = database.execute("SELECT max(row) FROM jobs").fetchone()
    database.execute("INSERT INTO steps VALUES (?, 'a', 'waiting', '', 0, 1, '', '')", (number,))
    database.commit()
    database.close()
    shown = " ".join(room("jobs", *LIBRARY).out.split())
    assert "review of Project Larch: 0 of 1 done, stopped, begun" in shown
    assert "days ago" in shown
    (job,) = room("jobs", "--json", *LIBRARY).json
    assert job["go_on"] == (
        "fourcorners review --playbook due-diligence --collection 'Project Larch' --library a.db"
    )
    assert "1 left undone" in room("jobs", "--cancel", str(number), *LIBRARY).out
    assert "is finished" in room("jobs", "--cancel", str(number), *LIBRARY, code=2).err
    assert "is not there" in room("jobs", "--cancel", "99", *LIBRARY, code=2).err
    assert len(room("jobs", "--all", "--json", *LIBRARY).json) >= 2


def test_a_job_says_from_anywhere_which_machine_works_and_what_failed(room: Program) -> None:
    with closing(sqlite3.connect(room.folder / "a.db")) as database, database:
        database.execute(
            "INSERT INTO jobs(row, kind, spec, created) "
            "VALUES (90, 'add', '{\"collection\": \"Birch\"}', '2024-01-01T00:00:00+00:00')"
        )
        database.executemany(
            "INSERT INTO steps VALUES (90, ?, ?, ?, ?, 1, ?, '')",
            [
                ("a.pdf", "claimed", "far.example/7/boot.1.x", 4e9, ""),
                ("b.pdf", "failed", "", 0, "it holds no words"),
            ],
        )
    told = " ".join(room("jobs", *LIBRARY).out.split())
    assert "add of Birch: 0 of 2 done, 1 failed, at work on far.example, begun" in told
    assert "b.pdf: it holds no words" in told
    (job,) = room("jobs", "--json", *LIBRARY).json
    assert job["machines"] == ["far.example"]
    assert job["failures"] == [{"key": "b.pdf", "reason": "it holds no words", "remedy": ""}]


def test_only_failed_cells_are_tried_again(room: Program) -> None:
    said = room("review", "--words-only", "--only", "failed", "--json", *LIBRARY).json
    assert "failed" not in said["counts"]["states"]
    assert (
        "Give only one of the two"
        in room("review", "--only", "failed", "--again", *LIBRARY, code=2).err
    )
