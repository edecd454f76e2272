"""`fourcorners playbook import`: a playbook of a table."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.errors import FourcornersError
from fourcorners.playbooks.load import load_playbook
from tests.documents.test_tables import workbook

ROWS = [("Topic", "Our position", "Owner"), ("Storage", "Dry and cool.", "Ada")]


def test_a_table_becomes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    workbook(tmp_path / "House rules.xlsx", ROWS)
    done = CliRunner().invoke(app, ["playbook", "import", "House rules.xlsx"])
    assert done.exit_code == 0, done.output
    assert "column 'Owner'" in done.stderr
    book = load_playbook("house-rules.yaml")
    assert book.name == "House rules"
    assert [each.text for each in book.provisions[0].positions] == ["Dry and cool."]
    again = CliRunner().invoke(app, ["playbook", "import", "House rules.xlsx"])
    assert "exists already" in str(again.exception)


def test_faults_are_told_and_the_file_is_there_to_correct(tmp_path: Path) -> None:
    path, out = workbook(tmp_path / "a.xlsx", [("Clause",), ("付款",)]), tmp_path / "a.yaml"
    done = CliRunner().invoke(app, ["playbook", "import", str(path), "--out", str(out)])
    assert done.exit_code == 1
    assert "line" in done.stderr
    assert out.is_file()


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.xlsx", workbook(tmp_path / "bare.xlsx", [("Clause",)])):
        done = CliRunner().invoke(app, ["playbook", "import", str(path)])
        assert isinstance(done.exception, FourcornersError)
