"""Work on items in this very process, if to start another takes longer than the work itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from fourcorners.documents.discovery import UnreadPath, find_files
from fourcorners.documents.workers.worker_pool import TaskRunner
from fourcorners.errors import FourcornersError

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class OwnProcessPool:
    """A pool without limits: for few items of which none is a file that nobody has read yet."""

    is_remote: bool = False
    embeds_passages: bool = False

    def find_files(self, paths: Iterable[Path]) -> Iterator[Path | UnreadPath]:
        return find_files(paths)

    @contextmanager
    def start(
        self,
        task: Callable[[Item], Result],
        *,
        memory: int,  # noqa: ARG002 - no limit here
        seconds: float,  # noqa: ARG002
        name: Callable[[Item], str] = str,  # noqa: ARG002
        alive: Callable[[], None] = lambda: None,  # noqa: ARG002
        then: Callable[[Result], Result] | None = None,  # noqa: ARG002
    ) -> Iterator[TaskRunner[Item, Result]]:
        yield _Runner(task)


@dataclass(frozen=True)
class _Runner(Generic[Item, Result]):
    task: Callable[[Item], Result]

    def run(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result | FourcornersError]]:
        for item in items:
            try:
                outcome: Result | FourcornersError = self.task(item)
            except FourcornersError as error:
                outcome = error
            yield item, outcome
