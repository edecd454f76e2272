"""`fourcorners health` as a user runs it."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Program
from tests.review.health.test_check import BLANK, contract


def test_grave_things_end_with_one(program: Program, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "supply.txt").write_text(contract(signed=BLANK))
    (room / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    program("add", "room", "--collection", "Room", "--words-only")
    shown = program("health", "--collection", "Room", "--as-of", "2026-11-01", code=1).out
    assert "broken.pdf" in shown
    assert "signature line" in shown
    assert "2 things to look at" in shown
    assert "17 cells" in shown


def test_json_of_a_sound_room(program: Program, tmp_path: Path) -> None:
    (tmp_path / "supply.txt").write_text(contract())
    program("add", "supply.txt", "--words-only")
    value = program("health", "--as-of", "2026-11-01", "--json").json
    assert value["symptoms"] == []
    assert value["documents"] == 1
    assert value["review"]["cells"] == 17
    assert 0 < value["review"]["tokens"] <= 17 * value["tokens"] + 17


def test_a_wrong_day(program: Program, tmp_path: Path) -> None:
    (tmp_path / "supply.txt").write_text(contract())
    program("add", "supply.txt", "--words-only")
    assert "not a date" in program("health", "--as-of", "soon", code=2).err
