"""What a task is given to do its work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fourcorners.library.store import Library
from fourcorners.server.engines import Engines
from fourcorners.server.tasks import Task
from fourcorners.server.telemetry import Silent, Telemetry
from fourcorners.settings import Settings


class Parked(BaseException):
    """The work must stop here: the server ends, or the task was cancelled.

    Not an `Exception`, as `KeyboardInterrupt` is none: nothing on the way may swallow it.
    """


@dataclass(frozen=True, slots=True)
class Work:
    """A task in hand.

    Attributes:
        library: The thread's own connection.
        tell: Called with done, total, failed and a note; it raises `Parked` where work must stop.
        telemetry: What is told of calls of a language model: wrap the ledger with it.
    """

    task: Task
    library: Library
    settings: Settings
    engines: Engines
    tell: Callable[[int, int, int, str], None]
    telemetry: Telemetry = field(default_factory=Silent)
