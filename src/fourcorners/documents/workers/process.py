"""The worker's side: a process that runs one task on item after item until its parent is gone.

Messages are length-prefixed pickles, received on standard input and sent on standard output.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import struct
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from queue import SimpleQueue
from typing import BinaryIO

from fourcorners.errors import FourcornersError
from fourcorners.system.processes import limit_memory

_LENGTH = struct.Struct("!Q")
MOST_WAITED = 4.0  # times its limit that an item may last where the machine is busy
GRACE_SECONDS = 5.0  # seconds after which a worker that its parent should have ended exits


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    task: Callable[..., object]
    memory: int
    seconds: float


class Answer(StrEnum):
    """A worker's messages; the comment says what each contains."""

    READY = "ready"  # why it cannot run the task, if it cannot
    DONE = "done"  # the task's result, pickled
    REJECTED = "rejected"  # an error of ours: a finding about the item
    MORE_TIME = "more time"  # how many seconds it needs from now
    OUT_OF_MEMORY = "out of memory"  # nothing; the worker ends after this
    FAILED = "failed"  # another error, as a line and as its trace


_request_time: Callable[[float], None] | None = None  # how the current task requests more time


def extend_deadline(seconds: float) -> None:
    """Request this many seconds from now, from within a task; elsewhere, do nothing.

    For long work made of short steps with separate limits.
    """
    if _request_time is not None:
        _request_time(seconds)


def send(pipe: BinaryIO, message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes | None:
    """Return the next message, still pickled, or None if the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size: int = _LENGTH.unpack(head)[0]
    data = pipe.read(size)
    return data if len(data) == size else None


def main() -> None:
    """Serve until standard input ends, which happens whenever the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    commands, answers = _take_standard_streams()
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read_commands, args=(commands, inbox), daemon=True).start()
    try:
        setup = pickle.loads(inbox.get())  # noqa: S301 - written by the parent process
    except Exception as error:  # noqa: BLE001 - whatever importing the task raises, the parent says
        send(answers, (Answer.READY, f"{type(error).__name__}: {error}"))
        return
    send(answers, (Answer.READY, ""))
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - not a path of the user's

        def extend_limit(seconds: float) -> None:
            # Ends the process even if the task holds the interpreter and the parent is gone.
            latest = MOST_WAITED * seconds + GRACE_SECONDS
            faulthandler.dump_traceback_later(latest, exit=True, file=nowhere)

        def request_time(seconds: float) -> None:
            send(answers, (Answer.MORE_TIME, float(seconds)))
            extend_limit(max(seconds, setup.seconds))

        global _request_time
        _request_time = request_time
        while True:
            item = inbox.get()
            extend_limit(setup.seconds)
            answer = _run_task(setup, item)
            faulthandler.cancel_dump_traceback_later()
            send(answers, answer)
            if answer[0] is Answer.OUT_OF_MEMORY:
                return


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Reserve the pipes for messages, whatever a task or a library prints."""
    commands, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    return commands, answers


def _read_commands(commands: BinaryIO, inbox: SimpleQueue[bytes]) -> None:
    while (data := receive(commands)) is not None:
        inbox.put(data)
    os._exit(0)


def _run_task(setup: WorkerSetup, item: bytes) -> tuple[Answer, object]:
    limit_memory(setup.memory)
    try:
        result = setup.task(pickle.loads(item))  # noqa: S301 - written by the parent process
        return Answer.DONE, pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
    except FourcornersError as error:
        return Answer.REJECTED, error
    except MemoryError:
        return Answer.OUT_OF_MEMORY, None
    except Exception as error:  # noqa: BLE001 - reported, with its trace, as the item's outcome
        return Answer.FAILED, (f"{type(error).__name__}: {error}", traceback.format_exc())
    finally:
        limit_memory(None)
