"""Folders to work in: those of killed processes are removed, and no others."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fourcorners.cli import main
from fourcorners.errors import ConfigError
from fourcorners.work_folder import (
    make_temporary_folder,
    make_work_folder,
    replace_file,
    replace_text,
)

COMMANDS = Path(main.__file__).parent
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


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    def write_half(scratch: Path) -> None:
        scratch.write_text("ha")
        raise OSError(28, "No space left on device")

    path = tmp_path / "labels.jsonl"
    replace_text(path, "one\r\n")
    with pytest.raises(ConfigError, match=r"labels\.jsonl cannot be written: No space left"):
        replace_file(path, write_half)
    assert path.read_bytes() == b"one\r\n"
    assert [each.name for each in tmp_path.iterdir()] == ["labels.jsonl"]
    with pytest.raises(ConfigError, match="cannot be written"):
        replace_text(tmp_path / "missing" / "labels.jsonl", "two")
    assert not (tmp_path / "missing").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no links and pipes there")
def test_a_link_stays_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    path, link, pipe = tmp_path / "labels.jsonl", tmp_path / "link", tmp_path / "pipe"
    path.touch()
    link.symlink_to(path)
    replace_text(link, "two")
    assert link.is_symlink()
    assert path.read_text() == "two"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    replace_text(pipe, "three")
    assert os.read(reading, 99) == b"three"
    os.close(reading)


@pytest.mark.parametrize("path", sorted(COMMANDS.rglob("*.py")), ids=lambda path: path.stem)
def test_no_command_writes_in_place(path: Path) -> None:
    written = re.findall(r"(\w+)\.write_(?:text|bytes)\(", path.read_text("utf-8"))
    assert set(written) <= {"scratch"}
