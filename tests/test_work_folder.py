"""Folders to work in: those of killed processes are removed, and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fourcorners.work_folder import make_temporary_folder, make_work_folder

KILLED = """
import os, signal
from fourcorners.work_folder import make_temporary_folder
with make_temporary_folder() as folder:
    (folder / "contract.txt").write_text("secret")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def partial(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if each.name.endswith(".partial")]


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    (left,) = partial(tmp_path)
    with make_temporary_folder() as folder:
        assert partial(tmp_path) == [folder.name] != [left]
    assert partial(tmp_path) == []


def test_two_work_side_by_side(tmp_path: Path) -> None:
    with make_temporary_folder() as one, make_temporary_folder() as other:
        assert one.is_dir()
        assert other.is_dir()
        assert one != other
        with make_work_folder(tmp_path / "report.docx", alone=False) as third:
            assert third.is_dir()
    assert partial(tmp_path) == []
