"""Workers: results, limits, crashes, and no process left behind."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fourcorners.documents.read import read_document
from fourcorners.documents.workers import process_pool
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError

TASKS = """
import ctypes, os, time
from fourcorners.errors import InputError

def work(item):
    kind, _, rest = item.partition(":")
    if kind == "square":
        return int(rest) ** 2
    if kind == "who":
        return os.getpid()
    if kind == "print":
        print("noise"); os.write(1, b"more noise")
        return "quiet"
    if kind == "sleep":
        time.sleep(float(rest))
        return "slept"
    if kind == "steps":
        from fourcorners.documents.workers.process import extend_deadline
        for _ in range(int(rest)):
            extend_deadline(1.5)
            time.sleep(0.5)
        return "slept"
    if kind == "eat":
        return len(bytearray(int(rest) << 20)) >> 20
    if kind == "exit":
        os._exit(3)
    if kind == "crash":
        ctypes.string_at(0)
    if kind == "refuse":
        raise InputError(f"{rest}: no.", remedy="Try another.")
    if kind == "bug":
        raise KeyError(rest)
    if kind == "lambda":
        return lambda: None
    raise AssertionError(item)
"""
Outcome = int | str | FourcornersError


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], int | str]]:
    (tmp_path / "worker_tasks.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("worker_tasks").work
    del sys.modules["worker_tasks"]


def run(
    work: Callable[[str], int | str],
    *items: str,
    jobs: int = 1,
    seconds: float = 20,
    memory: int = 300 << 20,
) -> dict[str, Outcome]:
    with ProcessPool(work, jobs=jobs, memory=memory, seconds=seconds) as workers:
        return dict(workers.run(items))


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that keeps no process waiting, however busy this one is."""
    monkeypatch.setattr(process_pool, "waited_seconds", lambda _: 0.0)


def error(outcome: object) -> InputError:
    assert isinstance(outcome, InputError)
    assert outcome.remedy
    return outcome


def test_every_item_has_its_result(work: Callable[[str], int | str]) -> None:
    items = [f"square:{n}" for n in range(40)]
    assert run(work, *items, jobs=2) == {f"square:{n}": n * n for n in range(40)}


def test_a_process_serves_many_items(work: Callable[[str], int | str]) -> None:
    with ProcessPool(work, jobs=1, memory=1 << 28, seconds=20) as workers:
        (first,) = workers.run(["who:"])
        (second,) = workers.run(["who:"])
        assert first == second
        assert first[1] != os.getpid()


def test_what_a_task_prints_does_not_disturb(work: Callable[[str], int | str]) -> None:
    assert run(work, "print:", "square:2") == {"print:": "quiet", "square:2": 4}


@pytest.mark.usefixtures("calm")
def test_a_slow_item_is_stopped_and_the_rest_goes_on(work: Callable[[str], int | str]) -> None:
    start = time.monotonic()
    outcome = run(work, "sleep:60", "square:3", seconds=1)
    assert outcome["square:3"] == 9
    assert "sleep:60: stopped after 1 seconds" in error(outcome["sleep:60"]).message
    assert time.monotonic() - start < 15


def test_an_item_on_a_busy_machine_has_the_time_that_it_lost(
    work: Callable[[str], int | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "waited_seconds", lambda _: 0.8 * time.monotonic())
    outcome = run(work, "sleep:2", "sleep:60", "square:3", seconds=1)
    assert (outcome["sleep:2"], outcome["square:3"]) == ("slept", 9)
    failed = error(outcome["sleep:60"])
    assert "sleep:60: the machine was too busy to read it within 4 seconds." in failed.message
    assert failed.remedy == "Try again when other programs have ended."


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts it")
def test_the_time_that_a_process_waits_for_others_is_counted() -> None:
    burn = [sys.executable, "-c", "import os; os.sched_setaffinity(0, {CPU})\nwhile True: pass"]
    cpu = str(min(os.sched_getaffinity(0)))
    burn[-1] = burn[-1].replace("CPU", cpu)
    with subprocess.Popen(burn) as one, subprocess.Popen(burn) as other:
        try:
            time.sleep(2)
            assert process_pool.waited_seconds(one.pid) > 0.2
        finally:
            one.kill()
            other.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the memory limit")
def test_a_greedy_item_is_stopped_and_the_rest_goes_on(work: Callable[[str], int | str]) -> None:
    outcome = run(work, "eat:100", "eat:900", "eat:101", memory=300 << 20)
    assert (outcome["eat:100"], outcome["eat:101"]) == (100, 101)
    assert "needs more than 300 MB of memory" in error(outcome["eat:900"]).message


def test_a_crash_is_an_outcome_and_the_rest_goes_on(work: Callable[[str], int | str]) -> None:
    outcome = run(work, "crash:", "exit:", "square:4")
    assert outcome["square:4"] == 16
    assert "crash:: the process that read it died (SIGSEGV)" in error(outcome["crash:"]).message
    assert "(exit code 3)" in error(outcome["exit:"]).message


def test_errors_of_the_task_are_outcomes(work: Callable[[str], int | str]) -> None:
    outcome = run(work, "refuse:deed.pdf", "bug:colour", "lambda:", "square:5")
    assert str(outcome["refuse:deed.pdf"]) == "deed.pdf: no. Try another."
    assert "could not be processed: KeyError: 'colour'" in error(outcome["bug:colour"]).message
    assert "could not be processed" in error(outcome["lambda:"]).message
    assert outcome["square:5"] == 25


def test_items_are_taken_only_as_they_are_needed(work: Callable[[str], int | str]) -> None:
    taken = []

    def endless() -> Iterator[str]:
        for n in range(10**9):
            taken.append(n)
            yield f"square:{n}"

    with ProcessPool(work, jobs=2, memory=1 << 28, seconds=20) as workers:
        outcomes = workers.run(endless())
        for _ in range(5):
            next(outcomes)
        assert len(taken) <= 5 + 2
        outcomes.close()  # type: ignore[attr-defined]
        assert dict(workers.run(["square:6"])) == {"square:6": 36}


def test_a_task_that_cannot_be_imported_is_a_defect_and_no_outcome(
    work: Callable[[str], int | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", sys.path[1:])
    with (
        ProcessPool(work, jobs=1, memory=1 << 28, seconds=20) as workers,
        pytest.raises(RuntimeError, match="cannot load its task: ModuleNotFoundError"),
    ):
        list(workers.run(["square:1"]))


def test_limits_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="not limits"):
        ProcessPool(read_document, jobs=0, memory=1, seconds=1)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process whose parent has not looked yet is dead all the same.
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def test_leaving_the_context_ends_the_processes(work: Callable[[str], int | str]) -> None:
    with ProcessPool(work, jobs=1, memory=1 << 28, seconds=20) as workers:
        ((_, pid),) = workers.run(["who:"])
        assert isinstance(pid, int)
        assert alive(pid)
    with pytest.raises(ProcessLookupError):  # not even a zombie
        os.kill(pid, 0)


# A program that a shell starts in the background ignores interrupts; so would its children.
PARENT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, sys.argv[1])
from fourcorners.documents.workers.process_pool import ProcessPool
import worker_tasks
try:
    with ProcessPool(worker_tasks.work, jobs=2, memory=1 << 28, seconds=600) as workers:
        for item, outcome in workers.run(["who:", "sleep:500", "sleep:501"]):
            print(outcome, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_processes_do_not_outlive_their_parent(
    work: Callable[[str], int | str], tmp_path: Path, end: signal.Signals
) -> None:
    del work
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.send_signal(end)
        rest = parent.stdout.read()
    assert rest == ("interrupted\n" if end is signal.SIGINT else "")
    deadline = time.monotonic() + 30
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)


@pytest.mark.usefixtures("calm")
def test_a_task_that_says_it_goes_on_has_more_time(work: Callable[[str], int | str]) -> None:
    told: list[float] = []
    with ProcessPool(
        work, jobs=1, memory=1 << 28, seconds=1, alive=lambda: told.append(time.monotonic())
    ) as workers:
        outcome = dict(workers.run(["steps:6", "sleep:30"]))
    assert outcome["steps:6"] == "slept"
    assert len(told) == 6
    assert "stopped after 1 seconds" in error(outcome["sleep:30"]).message


def test_files_are_read_in_workers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("This Deed is made today.")
    (tmp_path / "b.txt").write_bytes(b"")
    with ProcessPool(read_document, jobs=2, memory=1 << 30, seconds=30) as workers:
        outcome = dict(workers.run([tmp_path / "a.txt", tmp_path / "b.txt"]))
    assert outcome[tmp_path / "a.txt"] == read_document(tmp_path / "a.txt")
    assert "the file is empty" in str(outcome[tmp_path / "b.txt"])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the memory limit")
def test_a_pdf_that_inflates_to_a_gigabyte_ends_as_one_line(
    make_pdf: Callable[..., Path], tmp_path: Path
) -> None:
    engine, block = zlib.compressobj(1), b"q Q\n" * (1 << 18)
    packed = b"".join(engine.compress(block) for _ in range(1024)) + engine.flush()
    path = make_pdf(packed, name="bomb.pdf", packed=True)
    assert path.stat().st_size < 8 << 20
    (tmp_path / "a.txt").write_text("This Deed is made today.")
    with ProcessPool(read_document, jobs=1, memory=512 << 20, seconds=60) as workers:
        outcome = dict(workers.run([path, tmp_path / "a.txt"]))
    assert "bomb.pdf" in error(outcome[path]).message
    assert outcome[tmp_path / "a.txt"] == read_document(tmp_path / "a.txt")
