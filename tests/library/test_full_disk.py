"""A disk that is really full: a small one in memory, which goes when the process that has it ends.

Mounting needs no administrator where the system lets a user have a namespace of their own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.conformance.test_processes import ROOT, TASKS

UNSHARE = shutil.which("unshare")
_MOUNT = 'mount -t tmpfs -o size="$0" none "$1" && cd "$1" && shift && exec "$@"'


def on_a_small_disk(place: Path, size: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder that is a disk of its own, seen by the command alone."""
    assert UNSHARE
    apart = (UNSHARE, "--user", "--map-root-user", "--mount", "sh", "-c", _MOUNT)
    folders = {name: str(place) for name in ("TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME")}
    return subprocess.run(
        [*apart, size, str(place), *command],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **folders, "PYTHONPATH": str(ROOT)},
        check=False,
    )


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """Where a small disk may be mounted; elsewhere there is nothing to test."""
    if UNSHARE is None:
        pytest.skip("this system has no `unshare`")
    place = tmp_path / "disk"
    place.mkdir()
    tried = on_a_small_disk(place, "1m", "true")
    if tried.returncode:
        pytest.skip(f"no disk may be mounted here: {tried.stderr.strip()}")
    return place


@pytest.mark.slow
def test_nothing_is_lost_or_half_there_on_a_full_disk(disk: Path) -> None:
    url = f"sqlite:{disk / 'firm'}"
    told = on_a_small_disk(disk, "12m", sys.executable, str(TASKS), "crowd", url)
    assert told.returncode == 0, told.stdout + told.stderr
    full, kept, after, end = told.stdout.splitlines()
    assert full.startswith("full: ")
    assert re.search("Make room|Free space|Check the disk", full), full
    assert kept == "lost [], half there []"
    before = re.fullmatch(r"(\d+) before, then \['\w+'\]", after)
    assert before, after
    assert int(before[1]) > 0
    assert end == "at the end []"
    assert not any(disk.iterdir())  # the disk went with the process
