"""What runs in the workshop's process."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
from importlib import import_module
from typing import BinaryIO

from fourcorners.documents.workers.process import receive
from fourcorners.operations.local_models import LocalModels
from fourcorners.server import logs
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.handlers import KINDS
from fourcorners.server.tasks.process.supervisor import WorkerOptions
from fourcorners.server.tasks.runner import TaskRunner
from fourcorners.server.telemetry import open_telemetry
from fourcorners.system.processes import has_parent, lower_priority

_NICE = 10  # pages come first, and other processes do not starve the work
_LOOK = 1.0  # seconds between looks whether there is still a server and a task

# What tasks import as they begin, of which parts need each other: two threads that did so at once
# would wait for each other, or find one of them half there.
_USED = (
    "fourcorners.library.ingest",
    "fourcorners.search.graph",
    "fourcorners.review.run",
    "fourcorners.review.health",
    "fourcorners.research.run",
    "fourcorners.operations.markup.proposals",
    "fourcorners.operations.reviewing.exports",
    "fourcorners.operations.contracts.obligations",
    "fourcorners.server.tasks.arrivals",
    *(f"fourcorners.server.tasks.handlers.{kind}" for kind in sorted(KINDS)),
)

_log = logging.getLogger("fourcorners.server")


def main() -> None:
    """Do tasks until the server says to stop or is gone, or there have been none for a while."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
    closing = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: closing.set())
    lower_priority(_NICE)
    # Not `sys.stdin`, which Python locks as it ends: the thread that waits for messages holds it.
    commands = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    first = receive(commands)
    if first is None:
        return
    orders: WorkerOptions = pickle.loads(first)  # noqa: S301 - written by our own process
    logs.configure_logging()
    ended = _work(orders, commands, closing)
    logging.shutdown()
    if not ended:
        os._exit(0)  # what a thread still holds is free again once the process is gone


def _work(orders: WorkerOptions, commands: BinaryIO, closing: threading.Event) -> bool:
    """Do tasks until it is time to close; tells whether all threads have ended."""
    # Metrics are the server's, which reads of tasks in the library.
    telemetry = open_telemetry(orders.settings.telemetry.model_copy(update={"metrics": ""}))
    pool = ConnectionPool(orders.library)
    for each in _USED:
        import_module(each)
    runner = TaskRunner(pool, LocalModels(orders.settings), telemetry, orders.lanes)
    runner.start()
    threading.Thread(target=_obey_commands, args=(commands, runner, closing), daemon=True).start()
    _log.info("the workshop is open", extra={"pid": os.getpid()})
    why = "it was told to"
    while not closing.wait(_LOOK):
        if not has_parent(orders.server):
            why = "the server is gone"
            break
        if runner.idle_seconds() > orders.idle:
            why = "there was nothing to do"
            break
    ended = runner.stop()
    telemetry.close()
    pool.close()
    _log.info("the workshop is closed", extra={"pid": os.getpid(), "why": why})
    return ended


def _obey_commands(commands: BinaryIO, runner: TaskRunner, closing: threading.Event) -> None:
    """Wake the runner at each message; the end of the pipe is the server's."""
    while receive(commands) is not None:
        runner.wake()
    closing.set()
