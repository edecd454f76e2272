"""A pool of processes that run one task, with limits on memory and time.

A file can crash the library that reads it, fill the memory or never end. Each of those ends one
process and is the outcome of one item; the others continue.

The processes are started with the interpreter's command, not forked (threads would not survive it)
and without running the caller's `__main__` again, so a plain script may use this.
"""

from __future__ import annotations

import json
import logging
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar, cast

from fourcorners.documents.workers.process import MOST_WAITED, Answer, WorkerSetup, receive, send
from fourcorners.errors import ConfigError, FourcornersError, InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

_START_SECONDS = 300.0  # seconds in which a process must be ready for its first item
_SHORTEST = 0.1  # seconds that are worth waiting for
_BOOT_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from fourcorners.documents.workers.process import main; main()"
)
_log = logging.getLogger(__name__)


class ProcessPool(Generic[Item, Result]):
    """Processes that run `task` on items; a context manager that leaves no process behind.

    Args:
        task: A function at the top level of an importable module, so not of `__main__`.
        jobs: Maximum processes; they start when there is work for them.
        memory: By how many bytes of address space a process may grow during one item
            (enforced on Linux).
        seconds: How long one item may take.
        name: Returns the name of an item for messages.
        alive: Called whenever a long task reports that it continues.
        folder: Working folder of the processes; by default that of this process.
    """

    def __init__(
        self,
        task: Callable[[Item], Result],
        *,
        jobs: int,
        memory: int,
        seconds: float,
        name: Callable[[Item], str] = str,
        alive: Callable[[], None] = lambda: None,
        folder: Path | None = None,
    ) -> None:
        if jobs < 1 or memory < 1 or seconds <= 0:
            raise ValueError(f"not limits: jobs {jobs}, memory {memory}, seconds {seconds}")
        self._setup = WorkerSetup(task, memory, seconds)
        if b"__main__" in pickle.dumps(self._setup):
            raise ValueError("the task must live in an importable module, not in __main__")
        self._jobs, self._name, self._alive, self._folder = jobs, name, alive, folder
        self._inbox: queue.Queue[tuple[_WorkerProcess[Item], object]] = queue.Queue()
        self._all: list[_WorkerProcess[Item]] = []
        self._running = self._closed = False

    def __enter__(self) -> ProcessPool[Item, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed = True
        for process in list(self._all):
            self._kill(process)

    def run(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result | FourcornersError]]:
        """Yield each item with its result or error, as they finish.

        Items are taken as processes become free: of an endless supply at most `jobs` are in
        progress.
        """
        if self._running or self._closed:
            raise RuntimeError("one run at a time, and none after closing")
        self._running = True
        source = iter(items)
        busy: list[_WorkerProcess[Item]] = []
        try:
            self._assign_items(source, busy)
            while busy:
                for process, outcome in self._wait_for_results(busy):
                    item = process.item
                    busy.remove(process)
                    self._assign_items(source, busy)
                    yield item, outcome
        finally:
            for process in busy:
                self._kill(process)
            self._running = False

    def _assign_items(self, source: Iterator[Item], busy: list[_WorkerProcess[Item]]) -> None:
        for item in islice(source, self._jobs - len(busy)):
            process = next((each for each in self._all if each not in busy), None)
            if process is None:
                process = _WorkerProcess(self._setup, self._inbox, self._folder)
                self._all.append(process)
            busy.append(process)
            process.assign(item)

    def _wait_for_results(
        self, busy: list[_WorkerProcess[Item]]
    ) -> list[tuple[_WorkerProcess[Item], Result | FourcornersError]]:
        seconds_left = min(process.deadline for process in busy) - time.monotonic()
        try:
            process, message = self._inbox.get(timeout=max(0.0, seconds_left))
        except queue.Empty:
            now = time.monotonic()
            late = [each for each in busy if each.deadline <= now and not each.is_held_up()]
            return [(process, self._timeout_error(process)) for process in late]
        if process not in busy:  # the last message of one that was ended, or that died idle
            if message is None and process in self._all:
                self._kill(process)
            return []
        match message:
            case Answer.READY, problem:
                if problem:
                    raise RuntimeError(f"a worker cannot load its task: {problem}")
                process.start_clock()
            case Answer.MORE_TIME, float(seconds):
                process.extend_deadline(seconds)
                self._alive()
            case _:
                return [(process, self._outcome(process, message))]
        return []

    def _timeout_error(self, process: _WorkerProcess[Item]) -> InputError:
        self._kill(process)
        if not process.ready:
            raise ConfigError(
                "the machine is too busy: a process to read files did not start within "
                f"{process.elapsed:.0f} seconds.",
                remedy="Try again when other programs have ended, or with fewer files at once.",
            )
        if process.is_slowed:
            return InputError(
                f"{self._name(process.item)}: the machine was too busy to read it within "
                f"{process.elapsed:.0f} seconds.",
                remedy="Try again when other programs have ended.",
            )
        return InputError(
            f"{self._name(process.item)}: stopped after {self._setup.seconds:g} seconds.",
            remedy="Split the file, or print it to a new PDF if it is small; or allow more time.",
        )

    def _outcome(self, process: _WorkerProcess[Item], message: object) -> Result | FourcornersError:
        name = self._name(process.item)
        match message:
            case Answer.DONE, bytes(result):
                return cast("Result", pickle.loads(result))  # noqa: S301 - our own process
            case Answer.REJECTED, FourcornersError() as error:
                return error
            case Answer.FAILED, (summary, trace):
                _log.info("%s: %s", name, trace)
                return InputError(
                    f"{name}: it could not be processed: {summary}.",
                    remedy="Save it in another format (DOCX or PDF) and add that; "
                    "please report this.",
                )
        died = self._kill(process, grace=2.0)
        if message is not None:  # it reported that it is out of memory
            return InputError(
                f"{name}: it needs more than {self._setup.memory >> 20} MB of memory.",
                remedy="Split the file or reduce its pictures; or allow more memory.",
            )
        if not process.ready:
            raise RuntimeError(f"a worker died before it was ready ({died})")
        return InputError(
            f"{name}: the process that read it died ({died}): the file is damaged, "
            f"or needs more than {self._setup.memory >> 20} MB of memory.",
            remedy="Print it to a new PDF from a viewer that opens it; or allow more memory.",
        )

    def _kill(self, process: _WorkerProcess[Item], *, grace: float = 0.0) -> str:
        if process in self._all:
            self._all.remove(process)
        return process.kill(grace)


def waited_seconds(pid: int) -> float:
    """Return how long a process was ready to run while others had the processor.

    Only Linux counts this; elsewhere it is 0.
    """
    try:
        counts = Path(f"/proc/{pid}/schedstat").read_text("ascii")
    except OSError:
        return 0.0
    return int(counts.split()[1]) / 1e9


class _WorkerProcess(Generic[Item]):
    def __init__(
        self,
        setup: WorkerSetup,
        inbox: queue.Queue[tuple[_WorkerProcess[Item], object]],
        folder: Path | None,
    ) -> None:
        self.item: Item
        self.ready = False
        self.is_slowed = False
        self._seconds = setup.seconds
        self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, "-P", "-c", _BOOT_CODE, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        answers = cast("BinaryIO", self._process.stdout)
        self._thread = threading.Thread(
            target=self._read_answers, args=(answers, inbox), daemon=True
        )
        self._thread.start()
        self._begin(_START_SECONDS)
        self._send(setup)

    def assign(self, item: Item) -> None:
        """Send an item; if the process is still starting, its time begins later."""
        self.item = item
        if self.ready:
            self.start_clock()
        self._send(item)

    def start_clock(self) -> None:
        self.ready = True
        self._begin(self._seconds)

    def _begin(self, seconds: float) -> None:
        self._began, self._waited = time.monotonic(), waited_seconds(self._process.pid)
        self.deadline, self._latest = self._began + seconds, self._began + MOST_WAITED * seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the item, or the start of the process, began."""
        return time.monotonic() - self._began

    def is_held_up(self) -> bool:
        """Return whether it was kept from its work, and allow it the time that it has lost."""
        waited = waited_seconds(self._process.pid)
        lost, self._waited = waited - self._waited, waited
        self.is_slowed = self.is_slowed or lost > self.elapsed / 2
        until = min(self._latest, self.deadline + lost)
        if until - time.monotonic() < _SHORTEST:
            return False
        self.deadline = until
        return True

    def extend_deadline(self, seconds: float) -> None:
        """Allow the item this long from now; never less than before."""
        self.deadline = max(self.deadline, time.monotonic() + seconds)
        self._latest = max(self._latest, self.deadline)

    def kill(self, grace: float) -> str:
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
        code = self._process.wait()
        self._thread.join()
        for pipe in filter(None, (self._process.stdin, self._process.stdout)):
            with suppress(BrokenPipeError):  # an item it never received
                pipe.close()
        if code >= 0:
            return f"exit code {code}"
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"

    def _send(self, message: object) -> None:
        with suppress(BrokenPipeError):  # it died: its thread notices and reports that
            send(cast("BinaryIO", self._process.stdin), message)

    def _read_answers(
        self, answers: BinaryIO, inbox: queue.Queue[tuple[_WorkerProcess[Item], object]]
    ) -> None:
        while (data := receive(answers)) is not None:
            inbox.put((self, pickle.loads(data)))  # noqa: S301 - written by our own process
        inbox.put((self, None))
