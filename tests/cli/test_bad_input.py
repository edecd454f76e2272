"""Whatever is wrong with a file ends as one clear line with a remedy, and the others go on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

LOCKED = Path(__file__).parent / "files" / "locked.pdf"
GOOD = (
    "08-vantry-mutual-nda.txt",
    "10-aldous-maintenance-agreement.txt",
    "02-cordovan-supply-agreement.pdf",
)
AGREEMENT = """SERVICE AGREEMENT

1. Assignment

1.1 Neither party may assign this agreement without the consent of the other.

2. Governing law

2.1 This agreement is governed by the laws of Norway.
"""

# What is wrong, and what the summary must say of it and advise.
TOLD = {
    "empty.txt": ("the file is empty", "Supply the contract again"),
    "blank.docx": ("the file is empty", "Supply the contract again"),
    "truncated.pdf": ("truncated", "Fetch it again"),
    "locked.pdf": ("protected by a password", "save it without one"),
    "bomb.docx": ("unpacks to far more than any contract holds", ""),
    "gone.txt": ("this link leads to a file that is not there.", "Remove the link"),
    "loop": ("leads back to itself", "Remove it"),
    "scan.pdf": ("it needs OCR", "Switch text recognition on"),
    "picture.txt": ("it needs OCR", "Switch text recognition on"),
}


def inflating(path: Path, template: Path) -> None:
    """Write a .docx of a few MB whose main part inflates to 1 GiB."""
    block = b"x" * (1 << 20)
    with zipfile.ZipFile(template) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head, _, tail = parts.pop("word/document.xml").partition(b"</w:t>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
        with archive.open("word/document.xml", "w", force_zip64=True) as member:
            member.write(head)
            for _ in range(1 << 10):
                member.write(block)
            member.write(b"</w:t>" + tail)


def spoil(room: Path, dataroom: Path) -> None:
    """Put one file for each line of `TOLD` into the folder."""
    (room / "empty.txt").touch()
    (room / "blank.docx").write_bytes(b" \n \n")
    whole = (dataroom / "03-wexcombe-outsourcing-agreement.pdf").read_bytes()
    (room / "truncated.pdf").write_bytes(whole[: len(whole) // 2])
    shutil.copy(LOCKED, room / "locked.pdf")
    inflating(room / "bomb.docx", dataroom / "12-northmere-amendment-letter.docx")
    (room / "gone.txt").symlink_to(room / "nowhere.txt")
    (room / "loop").symlink_to(room / "loop")
    shutil.copy(dataroom / "14-sorrel-trade-mark-licence.pdf", room / "scan.pdf")
    (room / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)


@pytest.fixture
def room(program: Program, dataroom: Path) -> Path:
    folder = program.folder / "room"
    folder.mkdir()
    for name in GOOD:
        shutil.copy(dataroom / name, folder / name)
    return folder


def failures(told: Any) -> dict[str, tuple[str, str]]:
    return {Path(each["path"]).name: (each["reason"], each["remedy"]) for each in told}


@pytest.mark.slow
def test_bad_files_are_told_and_the_good_ones_are_added(
    program: Program, room: Path, dataroom: Path
) -> None:
    spoil(room, dataroom)
    (room / "text.pdf").write_text(AGREEMENT)
    (room / "huge.txt").write_text(AGREEMENT + "3. Words\n\n" + "Much is said here. " * 200_000)

    # On a busy machine no file is refused for its seconds.
    program = replace(program, environment={**program.environment, "FOURCORNERS_SECONDS": "600"})
    added = program("add", "room", "-l", "l.db", "--words-only")

    assert f"{len(GOOD) + 2 + len(TOLD)} files, {len(GOOD) + 2} added, {len(TOLD)} failed" in (
        added.out
    )
    assert "text.pdf: The file is named .pdf but holds plain text" in added.out
    lines = added.out.splitlines()
    flowed = " ".join(added.out.split())
    for name, (reason, remedy) in TOLD.items():
        assert f"✗ room/{name}" in lines
        assert reason in flowed
        assert remedy in flowed
    again = program("add", "room", "-l", "l.db", "--words-only", "--json").json
    assert (again["added"], again["already"]) == (0, len(GOOD) + 2)
    told = failures(again["failed"])
    assert told.keys() == TOLD.keys()
    for name, (reason, remedy) in TOLD.items():
        assert reason in told[name][0]
        assert remedy in told[name][1]
        assert told[name][1], f"{name} has no remedy"
    assert failures(program("status", "-l", "l.db", "--json").json["failures"]) == told

    grid = program("review", "-l", "l.db", "--words-only", "--json").json
    assert {each["name"] for each in grid["documents"]} == {*GOOD, "text.pdf", "huge.txt"}
    assert failures(grid["unread"]) == told
    states = {each["state"] for each in grid["findings"]}
    assert states <= {"found", "not_found", "not_applicable"}
    huge = next(each["id"] for each in grid["documents"] if each["name"] == "huge.txt")
    found = {
        each["provision"]
        for each in grid["findings"]
        if each["document"] == huge and each["state"] == "found"
    }
    assert found >= {"assignment", "governing-law"}
    shown = program("review", "-l", "l.db", "--words-only").out
    assert all(name in shown for name in TOLD)


def test_a_file_that_was_mended_is_no_failure_any_more(program: Program, room: Path) -> None:
    (room / "late.txt").touch()
    program("add", "room", "-l", "l.db", "--words-only")
    (room / "late.txt").write_text(AGREEMENT)
    mended = program("add", "room", "-l", "l.db", "--words-only", "--json").json
    assert (mended["added"], mended["failed"]) == (1, [])
    assert program("status", "-l", "l.db", "--json").json["failures"] == []


def test_only_bad_files_end_with_an_error(program: Program) -> None:
    (program.folder / "empty.txt").touch()
    ended = program("add", "empty.txt", "nowhere", "-l", "l.db", "--words-only", code=1)
    assert "2 files, 0 added, 2 failed" in ended.out
    shown = program("review", "-l", "l.db", "--words-only", code=1)
    assert "empty.txt" in shown.out
    assert "the file is empty" in " ".join(shown.out.split())


def test_a_folder_without_files_ends_with_an_error(program: Program) -> None:
    ended = program("add", ".", "-l", "elsewhere.db", "-c", "Deal", "--words-only", code=None)
    assert ended.code == 1
    assert "no file is there. Name files, or folders" in ended.out


def test_a_file_removed_after_it_was_listed(program: Program) -> None:
    room = program.folder / "room"
    room.mkdir()
    for number in range(8):
        (room / f"{number}.txt").write_text(f"{AGREEMENT}\n3. Lot\n\n3.1 It is lot {number}.\n")
    command = ["add", "room", "-l", "l.db", "--words-only", "--jobs", "1", "--json"]
    # The steps of the work are in the library before the first of them is taken up.
    report = program.when_a_worker_opens("0.txt", "os.unlink('room/7.txt')")(*command).json
    assert (report["found"], report["added"]) == (8, 7)
    told = program("status", "-l", "l.db", "--json").json
    assert failures(told["failures"]).keys() == {"7.txt"}
    assert "no such file (any more)" in told["failures"][0]["reason"]
    assert told["documents"] == 7


OBEY = """
import ctypes, os, sys
if os.geteuid() == 0:  # permissions do not bind root unless it gives up these two capabilities
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="gives up capabilities of Linux")
def test_without_permission(program: Program, room: Path) -> None:
    (room / "closed").mkdir()
    (room / "closed" / "x.txt").write_text(AGREEMENT)
    (room / "secret.txt").write_text(AGREEMENT)
    (room / "closed").chmod(0)
    (room / "secret.txt").chmod(0)
    bound = replace(program, before=(sys.executable, "-c", OBEY))
    probe = [*bound.before, sys.executable, "-c", "import os; os.listdir('room/closed')"]
    try:
        if subprocess.run(probe, cwd=program.folder, capture_output=True).returncode == 0:
            pytest.skip("permissions do not bind this user, and it cannot be bound")
        report = bound("add", "room", "-l", "l.db", "--words-only", "--json").json
        assert report["added"] == len(GOOD)
        told = failures(report["failed"])
        assert told.keys() == {"closed", "secret.txt"}
        for reason, remedy in told.values():
            assert reason == "no permission to read it."
            assert remedy == "Allow this program to read it, and add it again."

        (program.folder / "kept").mkdir(mode=0o500)
        for out in ("kept/grid.html", "room/closed/grid.html"):
            said = bound("review", "-l", "l.db", "--out", out, code=2).err
            assert "no permission" in said or "permission denied" in said
        said = bound("add", "room", "-l", "kept/l.db", "--words-only", code=1).err
        assert said.startswith("Error: kept/l.db")
        assert len(said.splitlines()) == 2
    finally:
        (room / "closed").chmod(0o700)


def test_long_and_foreign_names(program: Program) -> None:
    room = program.folder / "room"
    names = ["契約書.txt", "Überlassungsvertrag Straße №5.txt", "договор 'х' \"y\".txt", "a\nb.txt"]
    names.append("n" * 251 + ".txt")  # the longest that Linux has: 255 bytes
    names.append("é" * 125 + ".txt")
    deep = "/".join(["a folder with a rather long name"] * 12)
    for name in [*names, f"{deep}/inside.txt"]:
        path = room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{AGREEMENT}\n3. Name\n\n3.1 It is number {len(path.name)} {name!r}.\n")
    assert len(str(room / deep)) > 300
    report = program("add", "room", "-l", "l.db", "--words-only", "--json").json
    assert (report["added"], report["failed"]) == (len(names) + 1, [])
    for name in names:
        shown = program("show", os.fspath(room / name), "-l", "l.db", "--json").json
        assert shown["name"] == name
    assert "governed by the laws of Norway" in program("show", "契約", "-l", "l.db").out
    assert (
        program("show", "inside", "-l", "l.db", "--json").json["path"].startswith("room/a folder")
    )
    program("search", "norway", "-l", "l.db", "-n", "20")
    program("status", "-l", "l.db")


def test_a_name_that_no_system_allows(program: Program) -> None:
    ended = program("add", "x" * 300, "-l", "l.db", "--words-only", code=1)
    assert "the name is longer than this system allows. Shorten its name." in " ".join(
        ended.out.split()
    )
