"""Starts, instructs, watches and ends the separate process that does a server's tasks.

Reading contracts, reviews and questions would hold up the pages if they shared a process with them.
The supervisor runs in the server's process. It starts the workshop (`main.py`, a `TaskRunner` at
a lower priority) when there is a task, tells it of new ones, and restarts it when it dies. The
workshop parks its work and ends when the server says so or is gone for any reason; without tasks
it ends after a while and frees its memory.

They share only the library and a pipe: the library holds the tasks, their progress and their
results, with leases, so that neither process can lose or double a task when it ends.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from fourcorners.documents.workers import process as process_protocol
from fourcorners.errors import FourcornersError
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.queue import TaskQueue
from fourcorners.settings import Settings
from fourcorners.system.processes import background_flags

IDLE_SECONDS = 120.0
"""Seconds without a task after which a workshop closes, and its memory is free again."""
_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from fourcorners.server.tasks.process.main import main; main()"
)
_LOOK = 2.0  # seconds between looks for tasks that nobody announced
_STOP_SECONDS = 2.5  # seconds in which a workshop must end when asked to stop
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0  # seconds before one that died is restarted

_log = logging.getLogger("fourcorners.server")


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """What a workshop is given at its start.

    Attributes:
        idle: Seconds without a task after which it closes.
    """

    library: str | Path
    settings: Settings
    lanes: Sequence[str]
    server: int
    idle: float = IDLE_SECONDS


class ProcessSupervisor:
    """Has the tasks of a library done in a separate process.

    The process is there while there are tasks, and a while longer. One that dies is restarted
    as long as tasks are left; its unfinished work begins again there.

    Args:
        idle: Seconds without a task after which the process goes.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        url: str | Path,
        settings: Settings,
        lanes: Sequence[str],
        *,
        idle: float = IDLE_SECONDS,
    ) -> None:
        self._idle = idle
        self._pool, self._url, self._settings, self._lanes = pool, url, settings, tuple(lanes)
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._lock = threading.Lock()  # of the process and its pipe
        self._process: subprocess.Popen[bytes] | None = None
        self._pause, self._deaths = _FIRST_PAUSE, 0
        self._thread = threading.Thread(target=self._keep, name="workshop", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    @property
    def deaths(self) -> int:
        return self._deaths

    @property
    def process_id(self) -> int | None:
        with self._lock:
            return None if self._process is None else self._process.pid

    def wake(self) -> None:
        with self._lock:
            self._send("wake")
        self._wake.set()

    def stop(self) -> bool:
        """Have what is in hand parked, and end the process; tells whether it went by itself."""
        self._stopping.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        with self._lock:
            process = self._process
            if process is None:
                return True
            self._close_pipe(process)
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            _log.warning("the workshop does not stop, and is killed")
            process.kill()
            process.wait()
            return False
        return True

    def _keep(self) -> None:
        """Start the process whenever there is work and no process, until the server stops."""
        while not self._stopping.is_set():
            try:
                if self._process is None and self._is_work_waiting():
                    self._begin()
            except (FourcornersError, OSError) as error:
                _log.error("tasks cannot be done: %s", type(error).__name__)
            self._wake.wait(_LOOK)
            self._wake.clear()

    def _is_work_waiting(self) -> bool:
        with self._pool.library() as library:
            return TaskQueue(library).is_waiting(self._lanes)

    def _begin(self) -> None:
        orders = WorkerOptions(self._url, self._settings, self._lanes, os.getpid(), self._idle)
        process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, "-P", "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            creationflags=background_flags(),
        )
        with self._lock:
            self._process = process
            self._send(orders)
        threading.Thread(
            target=self._await, args=(process, time.monotonic()), name="workshop ends", daemon=True
        ).start()

    def _await(self, process: subprocess.Popen[bytes], began: float) -> None:
        """Wait until a process ends, and let the next one be started."""
        code = process.wait()
        if self._stopping.is_set():
            return
        if code != 0:
            self._deaths += 1
            _log.error("the workshop died, and is restarted", extra={"code": code})
            lasted = time.monotonic() - began
            self._pause = _FIRST_PAUSE if lasted > _LONGEST_PAUSE else self._pause * 2
            self._stopping.wait(min(self._pause, _LONGEST_PAUSE))
        with self._lock:
            self._close_pipe(process)
            self._process = None
        self._wake.set()

    def _send(self, message: object) -> None:
        pipe = None if self._process is None else self._process.stdin
        if pipe is None or pipe.closed:
            return
        with suppress(BrokenPipeError):  # it has ended: the next one finds the task by itself
            process_protocol.send(cast("BinaryIO", pipe), message)

    def _close_pipe(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
