"""`fourcorners review` of more contracts than a terminal can show: their cells are counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourcorners.cli.review import commands
from fourcorners.library.store import Library
from tests.library.conftest import contract


def test_cells_of_many_contracts_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "l.db"
    with Library.open(path) as library:
        library.set_encoder("hash", 16)
        for number in range(2):
            contract(f"{number}.txt", [f"LEASE {number}", "1. A", "1.1 B", "2. C"]).add(library)
    monkeypatch.setattr(commands, "MOST_SHOWN", 1)
    options = ["-l", str(path), "-p", "nda-review", "--words-only", "-j", "1"]
    counted = CliRunner().invoke(commands.app, options)
    assert counted.exit_code == 0, counted.output
    assert "2 contracts: " in counted.stderr
    assert " cells not found" in counted.stderr
    assert "fourcorners serve" in counted.stderr
    assert counted.stdout == ""
