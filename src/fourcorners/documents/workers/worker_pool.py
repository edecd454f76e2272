"""Worker pools, which run a task on many items; here processes of this machine, or its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from fourcorners.documents.discovery import UnreadPath, find_files, is_bucket_object
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError

Item = TypeVar("Item")
Result = TypeVar("Result")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result", covariant=True)


class TaskRunner(Protocol[_Item, _Result]):
    def run(self, items: Iterable[_Item]) -> Iterator[tuple[_Item, _Result | FourcornersError]]:
        """Yield each item once, with its result or error, as they finish."""
        ...


class WorkerPool(Protocol):
    @property
    def is_remote(self) -> bool:
        """Whether workers may be on other machines, without access to files of this one."""
        ...

    @property
    def embeds_passages(self) -> bool:
        """Whether to compute vectors where documents are read."""
        ...

    def find_files(self, paths: Iterable[Path]) -> Iterator[Path | UnreadPath]: ...

    def start(
        self,
        task: Callable[[Item], Result],
        *,
        memory: int,
        seconds: float,
        name: Callable[[Item], str] = str,
        alive: Callable[[], None] = lambda: None,
        then: Callable[[Result], Result] | None = None,
    ) -> AbstractContextManager[TaskRunner[Item, Result]]:
        """Return the runner of a task; `then` is applied to each result, without the limits."""
        ...


@dataclass(frozen=True, slots=True)
class LocalWorkerPool:
    jobs: int
    is_remote: bool = False
    embeds_passages: bool = False

    def find_files(self, paths: Iterable[Path]) -> Iterator[Path | UnreadPath]:
        files: list[Path] = []
        for path in paths:
            if is_bucket_object(path):
                why = "objects of a bucket are read by jobs on Ray."
                yield UnreadPath(path, why, "Say `--on ray`.")
            else:
                files.append(path)
        yield from find_files(files)

    def start(
        self,
        task: Callable[[Item], Result],
        *,
        memory: int,
        seconds: float,
        name: Callable[[Item], str] = str,
        alive: Callable[[], None] = lambda: None,
        then: Callable[[Result], Result] | None = None,
    ) -> ProcessPool[Item, Result]:
        """Return processes that run a task within limits; nothing can run outside them."""
        if then is not None:
            raise ValueError("this pool does nothing without limits")
        return ProcessPool(
            task, jobs=self.jobs, memory=memory, seconds=seconds, name=name, alive=alive
        )


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class _Runner(Generic[Item, Result]):
    task: Callable[[Item], Result]

    def run(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result | FourcornersError]]:
        for item in items:
            try:
                outcome: Result | FourcornersError = self.task(item)
            except FourcornersError as error:
                outcome = error
            yield item, outcome
