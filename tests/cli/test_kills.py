"""One kill of each command of `bench/benchmarks/kills`: nothing lost, doubled or left behind."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from benchmarks.kills.commands import TASKS, Task, kill_task

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the time of processes is read from /proc"),
]


@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_a_kill_leaves_what_the_next_run_completes(task: Task, tmp_path: Path) -> None:
    found = kill_task(task, tmp_path, 1, random.Random(3))
    assert (found.lost, found.doubled, found.left) == ([], [], [])
    assert found.kills == 1
