"""What a task is given to do its work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fourcorners.library.store import Library
from fourcorners.server.models import LocalModels
from fourcorners.server.tasks.queue import Task
from fourcorners.server.telemetry import NoTelemetry, Telemetry
from fourcorners.settings import Settings


class TaskParked(BaseException):
    """The work must stop here: the server ends, or the task was cancelled.

    Not an `Exception`, as `KeyboardInterrupt` is none: nothing on the way may swallow it.
    """


@dataclass(frozen=True, slots=True)
class TaskContext:
    """A task in hand.

    Attributes:
        library: The thread's own connection.
        report_progress: Called with done, total, failed and a note; raises `TaskParked` where work
            must stop.
        telemetry: What is told of calls of a language model: wrap the ledger with it.
    """

    task: Task
    library: Library
    settings: Settings
    engines: LocalModels
    report_progress: Callable[[int, int, int, str], None]
    telemetry: Telemetry = field(default_factory=NoTelemetry)
