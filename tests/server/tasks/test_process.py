"""The workshop: tasks in a process of their own, which may die, and goes with its server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.handlers import add as adding
from fourcorners.server.tasks.process import supervisor
from fourcorners.server.tasks.process.supervisor import ProcessSupervisor
from fourcorners.server.tasks.queue import LANES, Task, TaskQueue, TaskState
from fourcorners.settings import Settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there"),
]
COUNT = 6
_PATIENCE = 400.0
# The workshop as it is, but that it writes how far a task is after each contract, and takes its
# time to stop: how busy the machine is says nothing of the program.
_BOOT = f"""
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from fourcorners.server.tasks import runner
runner._KEEP, runner._STOP_SECONDS = 0.0, {_PATIENCE}
from fourcorners.server.tasks.process.main import main
"""
# It goes no further than the first contract until there is a file of that name.
_GATE = """
import time
from pathlib import Path
from fourcorners.server.tasks.queue import TaskQueue
progress = TaskQueue.progress
def waits_at_the_gate(self, task, done, *others):
    progress(self, task, done, *others)
    while done and not Path({gate!r}).exists():
        time.sleep(0.05)
TaskQueue.progress = waits_at_the_gate
"""
_OWNER = """
import sys, time
from fourcorners.server.tasks.process import supervisor
supervisor._BOOT = sys.argv[3]
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.queue import LANES
from fourcorners.server.tasks.process.supervisor import ProcessSupervisor
from fourcorners.settings import Settings
library = sys.argv[1]
workshop = ProcessSupervisor(
    ConnectionPool(library),
    library,
    Settings(library=library, jobs=1, ocr=False),
    [*LANES, sys.argv[2]],
)
workshop.start()
while workshop.process_id is None:
    time.sleep(0.05)
print(workshop.process_id, flush=True)
time.sleep(600)
"""


def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + _PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    """Tell whether a process runs; one that has ended and is not missed yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_STOP_SECONDS", _PATIENCE)
    monkeypatch.setattr(supervisor, "_BOOT", f"{_BOOT}main()")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library that is asked to add a few contracts."""
    path = tmp_path / "firm.db"
    for number in range(COUNT):
        clauses = "\n\n".join(
            f"{clause}. Delivery\n\n{clause}.1 Lot {number}-{clause} is due in {clause} days."
            for clause in range(1, 30)
        )
        file = tmp_path / "files" / f"{number}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"SUPPLY AGREEMENT {number}\n\n{clauses}\n")
    return path


def ask(shelf: ConnectionPool, folder: Path, lane: str = "") -> str:
    """Ask for the contracts to be added; returns the task's id."""
    lane = lane or adding.lane(is_shared=False)
    with shelf.library() as opened:
        return (
            TaskQueue(opened).start(adding.KIND, lane, "Lots", {"folder": str(folder)}, by="Ada").id
        )


def found(shelf: ConnectionPool, task: str) -> Task:
    """Return a task as it stands in the library."""
    with shelf.library() as opened:
        return TaskQueue(opened).find(task)


@contextmanager
def keeping(
    library: Path, shelf: ConnectionPool, idle: float = 60.0
) -> Iterator[ProcessSupervisor]:
    """Keep a workshop while the block lasts."""
    settings = Settings(library=str(library), jobs=1, ocr=False)
    lanes = [*LANES, adding.lane(is_shared=False)]
    workshop = ProcessSupervisor(shelf, library, settings, lanes, idle=idle)
    workshop.start()
    try:
        yield workshop
    finally:
        workshop.stop()


def added_once(library: Path) -> None:
    """Check that each contract was added, and none twice."""
    with Library.open(library) as opened:
        names = [entry.name for entry in opened.documents()]
        assert sorted(names) == sorted(f"{number}.txt" for number in range(COUNT))
        assert [each.event for each in opened.audit_trail()].count("add") == COUNT
        assert opened.check() == []


def test_a_killed_workshop_is_started_anew_and_goes_on(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = library.with_name("gate")
    boot = f"{_BOOT}{_GATE.format(gate=str(gate))}main()"
    monkeypatch.setattr(supervisor, "_BOOT", boot)
    shelf = ConnectionPool(library)
    with keeping(library, shelf, idle=0.5) as workshop:
        task = ask(shelf, library.parent / "files")
        workshop.wake()
        until(lambda: found(shelf, task).done >= 1)
        first = workshop.process_id
        assert first is not None
        assert found(shelf, task).done < COUNT
        os.kill(first, signal.SIGKILL)
        gate.touch()  # the next one passes
        until(lambda: workshop.process_id not in (None, first))
        until(lambda: found(shelf, task).state is TaskState.DONE)
        until(lambda: workshop.process_id is None)  # nothing is left to do: its memory is free
    added_once(library)
    shelf.close()


def test_a_task_is_parked_when_the_server_stops_and_taken_up_by_the_next(library: Path) -> None:
    shelf = ConnectionPool(library)
    task = ask(shelf, library.parent / "files")
    with keeping(library, shelf) as workshop:  # nobody wakes it: it looks by itself
        until(lambda: found(shelf, task).done >= 1)
        process = workshop.process_id
        assert process is not None
        assert os.getpriority(os.PRIO_PROCESS, process) > os.getpriority(os.PRIO_PROCESS, 0)
        assert workshop.stop()
        assert workshop.is_stopping
    assert not is_alive(process)
    assert found(shelf, task).state in (TaskState.PARKED, TaskState.DONE)
    with keeping(library, shelf):
        until(lambda: found(shelf, task).state is TaskState.DONE)
    added_once(library)
    shelf.close()


def test_a_workshop_goes_when_its_server_is_killed(library: Path) -> None:
    shelf = ConnectionPool(library)
    task = ask(shelf, library.parent / "files")
    lane = adding.lane(is_shared=False)
    command = [sys.executable, "-c", _OWNER, str(library), lane, f"{_BOOT}main()"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    process = int(server.stdout.readline())
    until(lambda: found(shelf, task).done >= 1)
    assert is_alive(process)
    server.kill()
    server.wait()
    server.stdout.close()
    until(lambda: not is_alive(process))
    assert found(shelf, task).state in (TaskState.PARKED, TaskState.DONE)
    shelf.close()
    shelf = ConnectionPool(library)
    with keeping(library, shelf):
        until(lambda: found(shelf, task).state is TaskState.DONE)
    added_once(library)
    shelf.close()


def test_a_workshop_without_tasks_is_never_opened(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_LOOK", 0.01)
    shelf = ConnectionPool(library)
    ask(shelf, library.parent / "files", "reading on another machine")
    looks: list[bool] = []
    look = ProcessSupervisor._is_work_waiting

    def noted(self: ProcessSupervisor) -> bool:
        looks.append(look(self))
        return looks[-1]

    monkeypatch.setattr(ProcessSupervisor, "_is_work_waiting", noted)
    with keeping(library, shelf) as workshop:
        until(lambda: len(looks) > 2)
        assert workshop.process_id is None
    assert not any(looks)
    shelf.close()
