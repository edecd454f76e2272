from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import LibraryError
from fourcorners.library.jobs import (
    Heartbeat,
    JobTable,
    Step,
    is_worker_lost,
    worker_name,
)
from fourcorners.library.store import Library

Make = Callable[..., Any]

ME = worker_name()
AFAR = "elsewhere/1/abcdef"


@pytest.fixture
def jobs(library: Library) -> JobTable:
    return JobTable(library, attempts=3)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, to be moved by hand."""
    now = [1000.0]
    monkeypatch.setattr("fourcorners.library.jobs.time.time", lambda: now[0])
    return now


def keys(steps: list[Step]) -> list[str]:
    return [step.key for step in steps]


def test_an_unfinished_job_of_the_same_spec_is_resumed(jobs: JobTable) -> None:
    first = jobs.start("add", {"collection": "Larch", "paths": "a"})
    assert jobs.start("add", {"paths": "a", "collection": "Larch"}) == first
    assert jobs.start("add", {"collection": "Oak", "paths": "a"}).id != first.id
    assert jobs.start("review", {"collection": "Larch", "paths": "a"}).id != first.id
    assert jobs.complete(first)
    again = jobs.start("add", {"collection": "Larch", "paths": "a"})
    assert again.id != first.id
    assert again.spec == {"collection": "Larch", "paths": "a"}


def test_steps_are_claimed_once_and_counted(jobs: JobTable) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["b", "a", "c"])
    jobs.add_steps(job, ["c", "d"])
    first, second = jobs.claim(job, ME, 60, 2), jobs.claim(job, ME, 60, 9)
    assert keys(first) == ["a", "b"]
    assert keys(second) == ["c", "d"]
    assert jobs.claim(job, ME, 60, 9) == []
    jobs.finish(first[0])
    jobs.fail(first[1], "no text", "Run OCR.")
    progress = jobs.progress(job)
    assert (progress.total, progress.done, progress.failed) == (4, 1, 1)
    assert (progress.claimed, progress.waiting) == (2, 0)
    assert jobs.done_keys(job) == ["a"]
    assert jobs.failed_steps(job) == [("b", "no text", "Run OCR.")]
    assert not jobs.complete(job)
    for step in second:
        jobs.finish(step)
    assert jobs.complete(job)
    assert jobs.progress(job).total == 4
    assert jobs.progress(job).failed == 1
    assert jobs.list(unfinished=True) == []
    assert [each.id for each in jobs.list()] == [job.id]
    assert jobs.list()[0].finished


def test_finishing_is_part_of_the_transaction_around_it(
    jobs: JobTable, library: Library, make: Make
) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["a"])
    (step,) = jobs.claim(job, ME, 60, 1)

    def store(stop: bool) -> None:
        with library.transaction():
            make().add(library)
            jobs.finish(step)
            if stop:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store(stop=True)
    assert (jobs.done_keys(job), library.documents()) == ([], [])
    store(stop=False)
    assert (jobs.done_keys(job), len(library.documents())) == (["a"], 1)


def test_a_lease_that_ended_can_be_claimed_again(jobs: JobTable, clock: list[float]) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["a", "b"])
    assert len(jobs.claim(job, AFAR, 10, 2)) == 2
    clock[0] += 9
    assert jobs.claim(job, ME, 10, 2) == []
    jobs.renew(job, AFAR, 10)
    clock[0] += 9
    assert jobs.claim(job, ME, 10, 2) == []
    clock[0] += 2
    again = jobs.claim(job, ME, 10, 2)
    assert [(step.key, step.attempts) for step in again] == [("a", 2), ("b", 2)]


def test_steps_tried_before_come_last_and_are_given_up(jobs: JobTable, clock: list[float]) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["a", "b", "c"])
    for _ in range(3):
        assert jobs.claim(job, AFAR, 10, 1) != []
        clock[0] += 11
    assert [step.attempts for step in jobs.claim(job, AFAR, 10, 9)] == [2, 2, 2]
    clock[0] += 11
    assert [step.attempts for step in jobs.claim(job, AFAR, 10, 9)] == [3, 3, 3]
    clock[0] += 11
    assert jobs.claim(job, ME, 10, 9) == []
    assert jobs.failed_steps(job)[0][1] == "given up after 3 attempts: the process ended each time"
    jobs.retry(job)
    assert [step.attempts for step in jobs.claim(job, ME, 10, 9)] == [1, 1, 1]


def test_what_is_released_is_not_an_attempt(jobs: JobTable) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["a", "b"])
    jobs.claim(job, ME, 60, 1)
    jobs.claim(job, AFAR, 60, 1)
    jobs.release(job, ME)
    assert [(step.key, step.attempts) for step in jobs.claim(job, ME, 60, 2)] == [("a", 1)]


def test_steps_can_be_reopened_by_key(jobs: JobTable) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["a", "b"])
    for step in jobs.claim(job, ME, 60, 2):
        jobs.finish(step)
    jobs.retry(job, ["b", "unknown"])
    assert keys(jobs.claim(job, ME, 60, 2)) == ["b"]


def test_a_step_done_by_another_does_not_fail_afterwards(jobs: JobTable) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["a"])
    (step,) = jobs.claim(job, ME, 60, 1)
    jobs.finish(step)
    jobs.fail(step, "too late")
    assert jobs.progress(job).done == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there a lease has to end by itself")
def test_the_steps_of_a_killed_process_are_free_at_once(jobs: JobTable, library: Library) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, ["a", "b", "c"])
    child = (
        "import os, signal, sys\n"
        "from fourcorners.library.jobs import JobTable, worker_name\n"
        "from fourcorners.library.store import Library\n"
        "jobs = JobTable(Library.open(sys.argv[1]))\n"
        "jobs.claim(jobs.start('add', {}), worker_name(), 3600, 2)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", child, str(library.path)], check=False)
    assert done.returncode == -9
    assert jobs.progress(job).claimed == 2
    assert keys(jobs.claim(job, ME, 60, 9)) == ["c", "a", "b"]


CLAIMER = """
import sys
import time
from fourcorners.errors import LibraryError
from fourcorners.library.jobs import JobTable, worker_name
from fourcorners.library.store import Library
library = Library.open(sys.argv[1])
jobs = JobTable(library)
job = jobs.start("count", {})
me = worker_name()
while steps := jobs.claim(job, me, 60, 3):
    for step in steps:
        print(step.key)
        jobs.finish(step)
"""


def test_two_processes_never_do_one_step(tmp_path: Path) -> None:
    path = tmp_path / "firm.db"
    every = [f"{number:03d}" for number in range(120)]
    with Library.open(path) as library:
        jobs = JobTable(library)
        jobs.add_steps(jobs.start("count", {}), every)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMER, str(path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    did = [child.communicate()[0].split() for child in children]
    assert sorted(did[0] + did[1]) == every


def test_a_cancelled_job_keeps_what_was_done(jobs: JobTable, library: Library) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, "abcd")
    done, failed, *_ = jobs.claim(job, ME, 60.0, 2)
    jobs.finish(done)
    jobs.fail(failed, "damaged")
    progress = jobs.cancel(job)
    assert (progress.total, progress.done, progress.failed) == (4, 1, 1)
    kept = jobs.find(job.id)
    assert kept is not None
    assert kept.finished is not None
    assert jobs.progress(job).done == 1
    assert jobs.list(unfinished=True) == []
    assert [each.event for each in library.audit_trail()] == ["cancel"]
    assert jobs.start("add", {}).id != job.id
    assert jobs.find(99) is None


def test_a_job_at_work_is_not_cancelled(jobs: JobTable, clock: list[float]) -> None:
    job = jobs.start("add", {})
    jobs.add_steps(job, "ab")
    jobs.claim(job, AFAR, 60.0, 1)
    assert jobs.workers(job) == (AFAR,)
    with pytest.raises(LibraryError, match="is running: process 1 on elsewhere"):
        jobs.cancel(job)
    clock[0] += 61
    assert jobs.workers(job) == ()
    assert jobs.cancel(job).waiting + jobs.progress(job).claimed == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells")
def test_a_process_number_in_use_again_is_another_process(jobs: JobTable) -> None:
    job = jobs.start("review", {})
    jobs.add_steps(job, ["a", "b"])
    host, pid, rest = ME.split("/")
    boot, start, mark = rest.split(".")
    assert jobs.claim(job, f"{host}/{pid}/{boot}.{int(start) - 1}.{mark}", 3600, 1)
    assert jobs.claim(job, f"{host}/{pid}/00000000.{start}.{mark}", 3600, 1)
    assert jobs.workers(job) == ()
    assert keys(jobs.claim(job, ME, 3600, 9)) == ["a", "b"]
    assert jobs.workers(job) == (ME,)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells")
def test_a_process_that_ended_unseen_by_its_parent_is_lost() -> None:
    child = subprocess.Popen([sys.executable, "-c", "print()"], stdout=subprocess.PIPE)
    assert child.stdout is not None
    name = f"{ME.split('/')[0]}/{child.pid}/{_life(child.pid)}.0"
    child.stdout.read()
    while not is_worker_lost(name):
        time.sleep(0.01)
    child.communicate()


def _life(pid: int) -> str:
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return f"{ME.split('/')[2].split('.')[0]}.{stat[19]}"


def test_a_heartbeat_keeps_a_short_lease(library: Library, jobs: JobTable) -> None:
    job = jobs.start("review", {})
    jobs.add_steps(job, ["a"])
    jobs.claim(job, AFAR, 0.8, 1)
    heartbeat = Heartbeat(library, job, AFAR, 0.8)
    until = time.monotonic() + 2.0
    while time.monotonic() < until:
        assert jobs.workers(job) == (AFAR,)
        time.sleep(0.1)
    heartbeat.stop()
    time.sleep(0.9)
    assert jobs.workers(job) == ()


def test_a_stuck_job_can_be_cancelled(jobs: JobTable) -> None:
    job = jobs.start("review", {})
    jobs.add_steps(job, "ab")
    (step,) = jobs.claim(job, ME, 60.0, 1)
    with pytest.raises(LibraryError, match="--force"):
        jobs.cancel(job)
    jobs.cancel(job, force=True)
    assert jobs.list(unfinished=True) == []
    jobs.finish(step)  # the process goes on after all
    assert jobs.list(unfinished=True) == []
