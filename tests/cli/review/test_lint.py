"""`fourcorners lint` as a user runs it."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Program
from tests.review.lint.test_checks import CLEAN

SLIP = CLEAN.replace("ended under Section 3.2", "ended under Section 3.9")


def test_a_file_without_a_library(program: Program, tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text(CLEAN)
    assert "Nothing to look at" in program("lint", "clean.txt").out
    assert not (tmp_path / "fourcorners.db").exists()


def test_a_slip_ends_with_one(program: Program, tmp_path: Path) -> None:
    (tmp_path / "slip.txt").write_text(SLIP)
    shown = program("lint", "slip.txt", code=1).out
    assert "high" in shown
    assert "Section 3.9 is referred to" in shown
    assert "1 thing to look at" in shown


def test_json(program: Program, tmp_path: Path) -> None:
    (tmp_path / "slip.txt").write_text(SLIP)
    value = program("lint", "slip.txt", "--json", code=1).json
    (slip,) = value["slips"]
    assert slip["check"] == "dangling-reference"
    assert slip["severity"] == "high"
    assert SLIP[slip["start"] : slip["end"]] == slip["words"] == "Section 3.9"
    assert slip["words"] in slip["around"]
    assert slip["page"] is None
    assert value["unchecked"] == []


def test_only_what_is_grave(program: Program, tmp_path: Path) -> None:
    (tmp_path / "unused.txt").write_text(CLEAN.replace("to the Mill Gate", "to the yard"))
    assert "not used" in program("lint", "unused.txt", code=1).out
    assert "Nothing to look at" in program("lint", "unused.txt", "--least", "medium").out


def test_a_contract_of_the_library(larch: Program) -> None:
    assert "Nothing to look at" in larch("lint", "Northmere Master").out


def test_what_cannot_be_read(program: Program, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    assert "empty" in program("lint", "empty.txt", code=2).err
    assert "no library" in program("lint", "no such contract", code=2).err
    assert "none" in program("lint", "empty.txt", "--least", "none", code=2).err
