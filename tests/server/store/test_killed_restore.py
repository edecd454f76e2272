"""A restore or backup that is killed, at any point, leaves nothing that the next one trips over."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.server.store.backup import restore_backup, write_backup
from fourcorners.work_folder import make_work_folder
from tests.server.conftest import LEASE, SUPPLY, Room

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
# Kills itself at the n-th call of the system that puts a part in place, or that makes one.
KILLED = """
import os, pathlib, signal, sys
from fourcorners.server.store import backup
left = int(sys.argv[1])

def counted(name, owner):
    before = getattr(owner, name)
    def call(*given, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return before(*given, **named)
    setattr(owner, name, call)

for name in ("rename", "touch", "replace"):
    counted(name, pathlib.Path)
for name in ("_copied", "_copy", "_move", "_write"):
    counted(name, backup)
getattr(backup, sys.argv[2])(pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]))
"""


def killed(call: int, task: str, source: Path, target: Path) -> bool:
    """Run a task that is killed at a call; tell whether it came so far."""
    command = [sys.executable, "-c", KILLED, str(call), task, str(source), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


@pytest.fixture
def archive(room: Room) -> Path:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    target = room.folder / "backup.zip"
    write_backup(room.folder / "library.db", target)
    return target


@pytest.mark.slow
def test_the_next_restore_cleans_up_and_is_whole(archive: Path, tmp_path: Path) -> None:
    calls = 0
    while killed(calls + 1, "restore_backup", archive, tmp_path / str(calls) / "firm.db"):
        place = tmp_path / str(calls) / "firm.db"
        if not place.exists():
            restore_backup(archive, place)
        else:  # it was killed when all was done
            with pytest.raises(ConfigError, match="already exists"):
                restore_backup(archive, place)
        assert {each.name for each in place.parent.iterdir()} == {"firm.db", "firm.db-files"}
        with Library.open(place) as library:
            assert len(library.documents()) == 2
            assert library.check() == []
            assert all(Path(library.path_of(e.id)).is_file() for e in library.documents())
        calls += 1
    assert calls >= 6  # each part that is unpacked, and each that is put in place


@pytest.mark.slow
@pytest.mark.usefixtures("archive")
def test_the_next_backup_cleans_up(room: Room, tmp_path: Path) -> None:
    calls = 0
    while killed(calls + 1, "write_backup", room.folder / "library.db", tmp_path / "b" / "a.zip"):
        assert not (tmp_path / "b" / "a.zip").exists()
        calls += 1
    assert [each.name for each in (tmp_path / "b").iterdir()] == ["a.zip"]
    assert calls >= 4


def test_two_at_once_do_not_meet(archive: Path, tmp_path: Path) -> None:
    place = tmp_path / "firm.db"
    with make_work_folder(place), pytest.raises(ConfigError, match="another process"):
        restore_backup(archive, place)
    restore_backup(archive, tmp_path / "firm.db")


def test_what_others_put_there_stays(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "firm.db-files").mkdir()
    (tmp_path / "firm.db-files" / "deed.txt").write_text("A DEED")
    with pytest.raises(ConfigError, match="already exists"):
        restore_backup(archive, tmp_path / "firm.db")
    assert (tmp_path / "firm.db-files" / "deed.txt").read_text() == "A DEED"
