"""The threads that do tasks: one a lane, parked when the server stops, resumed by the next start.

A task of a process that was killed is taken up again as soon as that is known to be gone. Under
`fourcorners serve` the threads are those of another process than the pages' (`process/`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from math import inf
from typing import Protocol, TypeVar

from fourcorners.errors import FourcornersError, LibraryUnreachable
from fourcorners.library.database import (
    WAIT_FOR_SERVER,
    retry_lost,
    transact,
    waiting_for_server,
)
from fourcorners.library.jobs import JobTable, Step, worker_name
from fourcorners.library.store import Library
from fourcorners.operations.local_models import LocalModels
from fourcorners.server.errors import error_for_caller
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.handlers import KINDS, TaskContext, TaskParked, add
from fourcorners.server.tasks.queue import LANES, Task, TaskQueue, TaskState
from fourcorners.server.telemetry import Telemetry

TResult = TypeVar("TResult")
_HANDLERS = "fourcorners.server.tasks.handlers"
_LEASE = 60.0  # seconds; renewed while a task reports progress
_LOOK = 2.0  # seconds between looks for tasks that nobody announced
_KEEP = 0.5  # seconds between writes of how far a task is
_STOP_SECONDS = 1.5  # seconds in which a thread must have stopped, or is cut with the process

_log = logging.getLogger("fourcorners.server")


class TaskWorkers(Protocol):
    """Who does the tasks, in this process (`TaskRunner`) or in another (`ProcessSupervisor`)."""

    @property
    def is_stopping(self) -> bool: ...

    @property
    def deaths(self) -> int:
        """How often their process died, and was restarted."""

    def start(self) -> None: ...

    def wake(self) -> None: ...

    def stop(self) -> bool: ...


class TaskRunner:
    def __init__(
        self,
        pool: ConnectionPool,
        engines: LocalModels,
        telemetry: Telemetry,
        lanes: Sequence[str] = LANES,
    ) -> None:
        self._pool, self._engines, self._telemetry = pool, engines, telemetry
        self._me = worker_name()
        self._stopping = threading.Event()
        self._wake = {lane: threading.Event() for lane in lanes}
        self._threads: list[threading.Thread] = []
        self._interrupted: set[str] = set()  # lanes that lost the library in the midst of a task
        # Since when; not yet for a lane at work, or for one that has not looked for tasks so far.
        self._quiet = dict.fromkeys(lanes, inf)

    def start(self) -> None:
        for lane in self._wake:
            thread = threading.Thread(target=self._run, args=(lane,), name=lane, daemon=True)
            thread.start()
            self._threads.append(thread)

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    @property
    def deaths(self) -> int:
        return 0  # it would be this process

    def idle_seconds(self) -> float:
        """Return for how long there has been no task; not above 0 while there is one."""
        return time.monotonic() - max(self._quiet.values())

    def wake(self) -> None:
        for event in self._wake.values():
            event.set()

    def stop(self) -> bool:
        """Park what is in hand and end the threads; tells whether all have ended.

        One that does not stop ends with the process, and what it holds is free again then.
        """
        self._stopping.set()
        self.wake()
        until = time.monotonic() + _STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self, lane: str) -> None:
        WAIT_FOR_SERVER.set(False)  # who waits holds a connection, which pages need
        while not self._stopping.is_set():
            try:
                with self._pool.library() as library:
                    for step in self._steps(library, lane):
                        with waiting_for_server():
                            self._do(library, step)
            except FourcornersError as error:  # the library is locked, or full: try again
                _log.error("tasks cannot be done: %s", error.message)
            self._wake[lane].wait(_LOOK)
            self._wake[lane].clear()

    def _steps(self, library: Library, lane: str) -> Iterator[Step]:
        tasks, jobs = TaskQueue(library), JobTable(library)
        if not tasks.is_waiting([lane]):
            if self._quiet[lane] == inf:
                self._quiet[lane] = time.monotonic()
            return
        self._quiet[lane] = inf
        job = tasks.job(lane)
        if lane in self._interrupted:
            jobs.release(job, self._me)
            self._interrupted.discard(lane)
        while not self._stopping.is_set():
            steps = jobs.claim(job, self._me, _LEASE, 1)
            for key, reason, remedy in jobs.failed_steps(job):  # given up
                if not tasks.find(key).state.is_final:
                    tasks.set_state(key, TaskState.FAILED, reason=reason, remedy=remedy)
            if not steps:
                break
            yield steps[0]
        jobs.complete(job)

    def _do(self, library: Library, step: Step) -> None:
        tasks, jobs = TaskQueue(library), JobTable(library)
        task = tasks.find(step.key)
        if task.state.is_final:
            jobs.finish(step)
            return
        with self._telemetry.task(task.kind, task.id) as traced:
            tasks.set_state(task.id, TaskState.RUNNING)
            _log.info("task %s begins", task.id, extra={"task": task.id, "kind": task.kind})
            self._work(library, step, task)
            traced.set_state(tasks.find(task.id).state.value)

    def _work(self, library: Library, step: Step, task: Task) -> None:
        tasks, jobs = TaskQueue(library), JobTable(library)
        began = time.monotonic()
        try:
            result = retry_lost(partial(_retry_import, partial(self._result, library, task)))
        except TaskParked:
            self._park(tasks, jobs, task)
            return
        except LibraryUnreachable:  # the task is none the worse, and done once it is back
            self._interrupted.add(task.lane)
            raise
        except Exception as error:  # noqa: BLE001 - a defect of ours ends one task, not the thread
            if isinstance(error, FourcornersError):
                shown_error = error_for_caller(error)
                _log.warning("task %s failed: %s", task.id, type(error).__name__)
            else:
                shown_error = FourcornersError(
                    f"the server failed at it: {type(error).__name__}.",
                    remedy="Look into the server's log, and report what it says.",
                )
                _log.exception("task %s failed", task.id)
            reason, remedy = shown_error.message, shown_error.remedy

            def fail() -> None:
                jobs.fail(step, reason, remedy)
                tasks.set_state(task.id, TaskState.FAILED, reason=reason, remedy=remedy)
                add.list_unread(library, task, reason, remedy)

            transact(library, fail)
            return

        def finish() -> None:
            jobs.finish(step)
            tasks.set_state(task.id, TaskState.DONE, result=result)

        transact(library, finish)
        took = round(time.monotonic() - began, 1)
        _log.info("task %s done", task.id, extra={"task": task.id, "seconds": took})

    def _result(self, library: Library, task: Task) -> Mapping[str, str | int]:
        tasks, jobs = TaskQueue(library), JobTable(library)
        last_renewal, renewed = 0.0, time.monotonic()

        def report_progress(done: int, total: int, failed: int, note: str) -> None:
            nonlocal last_renewal, renewed
            now = time.monotonic()
            if self._stopping.is_set():
                raise TaskParked
            if now - last_renewal >= _KEEP or done == total:
                last_renewal = now
                if tasks.find(task.id).state is TaskState.CANCELLED:
                    raise TaskParked
                tasks.progress(task.id, done, total, failed, note)
            if now - renewed > _LEASE / 4:
                renewed = now
                for job in jobs.list(unfinished=True):  # of all lanes, none of which it opens
                    jobs.renew(job, self._me, _LEASE)

        if task.kind not in KINDS:
            raise KeyError(task.kind)
        module = import_module(f"{_HANDLERS}.{task.kind}")
        engines = self._engines
        work = TaskContext(
            task, library, engines.settings, engines, report_progress, self._telemetry
        )
        found: Mapping[str, str | int] = module.run(work)
        return found

    def _park(self, tasks: TaskQueue, jobs: JobTable, task: Task) -> None:
        job = tasks.job(task.lane)
        if tasks.find(task.id).state is TaskState.CANCELLED:
            jobs.release(job, self._me)
            jobs.mark_finished(job, [task.id])
            return
        tasks.set_state(task.id, TaskState.PARKED)
        jobs.release(job, self._me)
        _log.info("task %s parked", task.id, extra={"task": task.id})


def _retry_import(work: Callable[[], TResult]) -> TResult:
    """Do work again in which a module could not be imported since another thread imported it, too.

    What two threads import at once and needs each other is in one of them a deadlock, which Python
    breaks, or a module that is only half there.
    """
    try:
        return work()
    except (ImportError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "_ModuleLock" not in str(error):
            raise
        _log.warning("a module could not be imported, and is once more: %s", error)
    return work()
