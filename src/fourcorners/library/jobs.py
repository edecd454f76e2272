"""Jobs: work in steps that survives any failure of the process that does it.

A worker claims steps under a lease, and marks each as finished in the same transaction that stores
its result: so a step is done exactly when its result is stored. If the worker dies, its leases end
and the steps can be claimed again: at once where the process is known to be gone, by its start time
and the machine's, else when nobody has renewed them.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime

from fourcorners.errors import LibraryError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import Row, as_integer, as_string, in_transaction
from fourcorners.library.listing import storable_path
from fourcorners.library.store import Library
from fourcorners.system.processes import boot_id, is_running, start_time

MAX_ATTEMPTS = 20
"""How often a step is claimed before it counts as failed.

Steps tried before come last, so one that kills its worker is retried only after all others are
done; the number is large because a person may also stop a job many times.
"""

_BEATS = 4  # renewals in the time of a lease: three may fail
_JOBS = "SELECT row, kind, spec, created, finished FROM jobs WHERE"


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work; of one kind and spec at most one is unfinished."""

    id: int
    kind: str
    spec: Mapping[str, str]
    created: datetime
    finished: datetime | None


@dataclass(frozen=True, slots=True)
class Step:
    """A claimed part of a job; `attempts` counts this claim."""

    job: int
    key: str
    attempts: int


@dataclass(frozen=True, slots=True)
class JobProgress:
    """The progress of a job; `waiting` steps may be claimed, `claimed` ones are in progress."""

    total: int
    done: int
    failed: int
    claimed: int
    waiting: int


def worker_name() -> str:
    """Return a unique name of this process: a reused process id gives another name."""
    life = f"{boot_id()}.{start_time(os.getpid())}"
    return f"{socket.gethostname()}/{os.getpid()}/{life}.{uuid.uuid4().hex[:8]}"


class JobTable:
    """The job table of a library.

    Args:
        library: Where the jobs and their results are kept.
        attempts: How often a step may be claimed.
    """

    def __init__(self, library: Library, *, attempts: int = MAX_ATTEMPTS) -> None:
        self._library = library
        self._attempts = attempts

    def transaction(self) -> AbstractContextManager[None]:
        return self._library.transaction()

    @in_transaction
    def start(self, kind: str, spec: Mapping[str, str]) -> Job:
        serialized = json.dumps(dict(spec), sort_keys=True)
        self._library.execute(
            "INSERT INTO jobs(kind, spec, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (kind, serialized, utc_now()),
        )
        return _job(
            self._library.execute(
                f"{_JOBS} kind = ? AND spec = ? AND finished IS NULL",
                (kind, serialized),
            )[0]
        )

    @in_transaction
    def add_steps(self, job: Job, keys: Collection[str]) -> None:
        """Add these steps to the job; existing ones are unchanged."""
        self._library.execute_many(
            "INSERT INTO steps VALUES (?, ?, 'waiting', '', 0, 0, '', '') ON CONFLICT DO NOTHING",
            ((job.id, storable_path(key)) for key in keys),
        )

    @in_transaction
    def retry(self, job: Job, keys: Collection[str] | None = None) -> None:
        """Let steps be claimed again: the ones given, or all that failed."""
        if keys is None:
            self._library.execute(
                "UPDATE steps SET state = 'waiting', attempts = 0 "
                "WHERE job = ? AND state = 'failed'",
                (job.id,),
            )
            return
        self._library.execute_many(
            "UPDATE steps SET state = 'waiting', attempts = 0 "
            "WHERE job = ? AND key = ? AND state IN ('done', 'failed')",
            ((job.id, storable_path(key)) for key in keys),
        )

    @in_transaction
    def claim(self, job: Job, worker: str, lease_seconds: float, n: int) -> list[Step]:
        """Take up to `n` steps that no living worker holds, those tried least often first."""
        at = time.time()
        self._free_the_dead(job)
        self._give_up(job, at)
        rows = self._library.execute(
            "SELECT key, attempts FROM steps WHERE job = ?1 AND "
            "(state = 'waiting' OR (state = 'claimed' AND lease < ?2)) "
            "ORDER BY attempts, key LIMIT ?3",
            (job.id, at, n),
        )
        steps = [Step(job.id, as_string(key), as_integer(count) + 1) for key, count in rows]
        self._library.execute_many(
            "UPDATE steps SET state = 'claimed', worker = ?, lease = ?, attempts = ? "
            "WHERE job = ? AND key = ?",
            ((worker, at + lease_seconds, s.attempts, s.job, s.key) for s in steps),
        )
        return steps

    def renew(self, job: Job, worker: str, lease_seconds: float) -> None:
        self._library.execute(
            "UPDATE steps SET lease = ? WHERE job = ? AND state = 'claimed' AND worker = ?",
            (time.time() + lease_seconds, job.id, worker),
        )

    def release(self, job: Job, worker: str) -> None:
        """Release the steps of a worker that it will not do; they do not count as attempts."""
        self._library.execute(
            "UPDATE steps SET state = 'waiting', attempts = attempts - 1 "
            "WHERE job = ? AND state = 'claimed' AND worker = ?",
            (job.id, worker),
        )

    def finish(self, step: Step) -> None:
        """Mark a step as done; call it in the transaction that stores the step's result."""
        self._library.execute(
            "UPDATE steps SET state = 'done', reason = '', remedy = '' WHERE job = ? AND key = ?",
            (step.job, step.key),
        )

    @in_transaction
    def mark_finished(self, job: Job, keys: Collection[str]) -> None:
        """Mark steps as done that nobody holds, and whose result is already stored."""
        at = time.time()
        self._free_the_dead(job)
        self._library.execute_many(
            "UPDATE steps SET state = 'done', reason = '', remedy = '' WHERE job = ?1 AND "
            "key = ?2 AND (state != 'claimed' OR lease < ?3)",
            ((job.id, storable_path(key), at) for key in keys),
        )

    def fail(self, step: Step, reason: str, remedy: str = "") -> None:
        """Mark a step as failed, unless another worker has done it meanwhile."""
        self._library.execute(
            "UPDATE steps SET state = 'failed', reason = ?, remedy = ? "
            "WHERE job = ? AND key = ? AND state != 'done'",
            (reason, remedy, step.job, step.key),
        )

    def failed_steps(self, job: Job) -> list[tuple[str, str, str]]:
        rows = self._library.execute(
            "SELECT key, reason, remedy FROM steps WHERE job = ? AND state = 'failed' ORDER BY key",
            (job.id,),
        )
        return [(as_string(key), as_string(why), as_string(remedy)) for key, why, remedy in rows]

    def done_keys(self, job: Job) -> list[str]:
        rows = self._library.execute(
            "SELECT key FROM steps WHERE job = ? AND state = 'done' ORDER BY key", (job.id,)
        )
        return [as_string(row[0]) for row in rows]

    def progress(self, job: Job) -> JobProgress:
        """Count the steps of a job, also of one that is complete."""
        done, failed = self._library.execute(
            "SELECT done, failed FROM jobs WHERE row = ?", (job.id,)
        )[0]
        counts = {"claimed": 0, "waiting": 0}
        counts |= {"done": as_integer(done), "failed": as_integer(failed)}
        for state, count in self._library.execute(
            "SELECT state, count(*) FROM steps WHERE job = ? GROUP BY state", (job.id,)
        ):
            counts[as_string(state)] += as_integer(count)
        return JobProgress(total=sum(counts.values()), **counts)

    @in_transaction
    def complete(self, job: Job) -> bool:
        """Close the job if nothing is left to do; only the count of its steps is kept."""
        progress = self.progress(job)
        if progress.claimed or progress.waiting:
            return False
        self._end(job, progress)
        return True

    def find(self, number: int) -> Job | None:
        rows = self._library.execute(f"{_JOBS} row = ?", (number,))
        return _job(rows[0]) if rows else None

    def workers(self, job: Job) -> tuple[str, ...]:
        rows = self._library.execute(
            "SELECT DISTINCT worker FROM steps WHERE job = ? AND state = 'claimed' AND lease >= ? "
            "ORDER BY worker",
            (job.id, time.time()),
        )
        return tuple(as_string(row[0]) for row in rows if not is_worker_lost(as_string(row[0])))

    @in_transaction
    def cancel(self, job: Job, *, force: bool = False) -> JobProgress:
        """Close a job whose remaining steps nobody will do; return its progress.

        Args:
            job: The job.
            force: Whether to close it even if a process seems to be working on it.

        Raises:
            LibraryError: If a process is working on it.
        """
        if not force and (working := self.workers(job)):
            host, process, _ = working[0].split("/")
            raise LibraryError(
                f"job {job.id} is running: process {process} on {host}.",
                remedy="Stop that process first (Ctrl-C), or wait until it is done. "
                "If it is stuck: `fourcorners jobs --cancel ID --force`.",
            )
        progress = self.progress(job)
        self._end(job, progress)
        self._library.record("cancel", {"job": job.id, "kind": job.kind})
        return progress

    def list(self, *, unfinished: bool = False) -> list[Job]:
        rows = self._library.execute(
            f"{_JOBS} finished IS NULL OR NOT ? ORDER BY row DESC", (unfinished,)
        )
        return [_job(row) for row in rows]

    def _end(self, job: Job, progress: JobProgress) -> None:
        self._library.execute(
            "UPDATE jobs SET finished = ?, done = ?, failed = ? WHERE row = ? AND finished IS NULL",
            (utc_now(), progress.done, progress.failed, job.id),
        )
        self._library.execute("DELETE FROM steps WHERE job = ?", (job.id,))

    def _free_the_dead(self, job: Job) -> None:
        """End the leases of workers on this machine whose process is gone."""
        holders = self._library.execute(
            "SELECT DISTINCT worker FROM steps WHERE job = ? AND state = 'claimed'", (job.id,)
        )
        for (worker,) in holders:
            if is_worker_lost(as_string(worker)):
                self._library.execute(
                    "UPDATE steps SET state = 'waiting' "
                    "WHERE job = ? AND state = 'claimed' AND worker = ?",
                    (job.id, worker),
                )

    def _give_up(self, job: Job, at: float) -> None:
        self._library.execute(
            "UPDATE steps SET state = 'failed', reason = ?1, remedy = ?2 "
            "WHERE job = ?3 AND attempts >= ?4 AND "
            "(state = 'waiting' OR (state = 'claimed' AND lease < ?5))",
            (
                f"given up after {self._attempts} attempts: the process ended each time",
                "Remove it and run the command again.",
                job.id,
                self._attempts,
                at,
            ),
        )


class Heartbeat:
    """Renews a worker's leases from a separate thread, as long as the process lives.

    So a lease can be short, however long a step takes.
    """

    def __init__(self, library: Library, job: Job, worker: str, lease_seconds: float) -> None:
        self._url, self._job, self._worker = library.url, job, worker
        self._lease = lease_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._lease / _BEATS):
            with (
                suppress(LibraryError),  # locked, or the disk is full: the next beat tries again
                Library.open(self._url, create=False) as library,
            ):
                jobs = JobTable(library)
                jobs.renew(self._job, self._worker, self._lease)
                while not self._stopping.wait(self._lease / _BEATS):
                    jobs.renew(self._job, self._worker, self._lease)


def _job(row: Row) -> Job:
    number, kind, spec, created, finished = row
    return Job(
        id=as_integer(number),
        kind=as_string(kind),
        spec=json.loads(as_string(spec)),
        created=datetime.fromisoformat(as_string(created)),
        finished=None if finished is None else datetime.fromisoformat(as_string(finished)),
    )


def is_worker_lost(worker: str) -> bool:
    """Return whether a worker is known to be dead; if that is unknown, its lease decides."""
    host, pid, rest = worker.split("/")
    if host != socket.gethostname():
        return False
    boot, _, start = rest.rpartition(".")[0].partition(".")
    if boot and boot != boot_id():
        return True
    if not is_running(int(pid)):
        return True
    now = start_time(int(pid))
    return bool(start and now) and start != now
