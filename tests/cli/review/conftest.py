from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.conftest import Program

AddRoom: TypeAlias = Callable[[Mapping[str, str]], Program]


@pytest.fixture(scope="module")
def add_room(
    make_program: Callable[[Path], Program], tmp_path_factory: pytest.TempPathFactory
) -> AddRoom:
    """Add contracts by file name to the collection Room of a library, by words alone."""

    def add(contracts: Mapping[str, str]) -> Program:
        program = make_program(tmp_path_factory.mktemp("added"))
        room = program.folder / "room"
        room.mkdir()
        for name, text in contracts.items():
            (room / name).write_text(text)
        program("add", "room", "--collection", "Room", "--words-only")
        return program

    return add
