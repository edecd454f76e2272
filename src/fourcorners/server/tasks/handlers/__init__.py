"""What tasks do: one module a kind, named for it, with the kind as its `KIND`.

The modules are imported where a task is done, which is in another process than the pages': they
bring half of the program with them. What they say at their top (`KIND`, `LANE`) pages may ask for.

`run` does a task as far as it can, and returns the result. At least every few seconds it calls
`work.report_progress`, which raises `TaskParked` where the server stops or the task was cancelled:
what was done until then must be kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.library.store import Library
from fourcorners.operations.local_models import LocalModels
from fourcorners.server.tasks.queue import Task
from fourcorners.server.telemetry import Telemetry
from fourcorners.settings import Settings

if TYPE_CHECKING:
    from fourcorners.llm import Port
    from fourcorners.models import Encoder

KINDS = frozenset(
    {"add", "ask", "column", "deletion", "export", "health", "markup", "obligations", "review"}
)


class TaskParked(BaseException):
    """The work must stop here: the server ends, or the task was cancelled.

    Not an `Exception`, as `KeyboardInterrupt` is none: nothing on the way may swallow it.
    """


@dataclass(frozen=True, slots=True)
class TaskContext:
    """A task in hand.

    Attributes:
        report_progress: Called with done, total, failed and a note; raises `TaskParked` where work
            must stop.
    """

    task: Task
    library: Library
    settings: Settings
    engines: LocalModels
    report_progress: Callable[[int, int, int, str], None]
    telemetry: Telemetry = field(default_factory=Telemetry)

    @property
    def encoder(self) -> Encoder | None:
        return self.engines.encoder if self.library.encoder is not None else None

    def open_port(self, job: str) -> AbstractContextManager[Port]:
        from fourcorners.library.llm_store import library_port

        return library_port(self.library, self.settings.llm, job, self.telemetry.ledger)
