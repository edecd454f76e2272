"""What a Ray worker does: items one by one, in a separate process with the reader's limits."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from fourcorners.documents.discovery import is_bucket_object
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError
from fourcorners.system import processes
from fourcorners.version import __version__

Item = TypeVar("Item")
Result = TypeVar("Result")
_STAGES = "fourcorners-fetched"


@dataclass(frozen=True, slots=True)
class TaskSetup(Generic[Item, Result]):
    """What is the same for all items: the task, its limits, and what follows it without them.

    `folder` is where the job was started: relative paths are meant from there.
    """

    task: Callable[[Item], Result]
    memory: int
    seconds: float
    name: Callable[[Item], str]
    then: Callable[[Result], Result] | None
    folder: str


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[Result]):
    """What became of an item.

    Attributes:
        outcome: The result, or an error of the item.
        seconds: How long it took.
        fatal_error: An error that is not the item's: the job cannot go on.
    """

    outcome: Result | FourcornersError | None = None
    seconds: float = 0.0
    fatal_error: FourcornersError | None = None


class BatchWorker:
    """An actor of Ray, which does the items of one job, with models and a process that stay loaded.

    Args:
        setup: A pickled `TaskSetup`, which `start` reads: what goes wrong there is reported, while
            Ray tells nothing of an actor that could not be made.
    """

    def __init__(self, setup: bytes) -> None:
        self._pickled = setup
        self._setup: TaskSetup[object, object]
        self._workers: ProcessPool[object, object] | None = None
        self._stage: Path | None = None
        self._fetched: Path | None = None
        self._folder: Path | None = None

    def start(self, version: str) -> str:
        """Get ready if this is the version of the program; return the one that it is."""
        if version == __version__:
            self._setup = pickle.loads(self._pickled)  # noqa: S301 - from the job's own start
        return __version__

    def run(self, items: Sequence[object]) -> list[TaskResult[object]]:
        """Do items one by one; after a fatal error no others."""
        results: list[TaskResult[object]] = []
        for item in items:
            began = time.monotonic()
            result = self._do(item)
            results.append(replace(result, seconds=time.monotonic() - began))
            if result.fatal_error is not None:
                break
        return results

    def _do(self, item: object) -> TaskResult[object]:
        try:
            folder = self._folder_of(item)
        except FourcornersError as error:
            return TaskResult(error)
        [(_, outcome)] = list(self._workers_in(folder).run([item]))
        if isinstance(outcome, FourcornersError) or self._setup.then is None:
            return TaskResult(outcome)
        try:
            return TaskResult(self._setup.then(outcome))
        except FourcornersError as error:
            return TaskResult(fatal_error=error)

    def _workers_in(self, folder: Path | None) -> ProcessPool[object, object]:
        if self._workers is None or self._folder != folder:
            if self._workers is not None:
                self._workers.close()
            self._folder = folder
            self._workers = ProcessPool(
                self._setup.task,
                jobs=1,
                memory=self._setup.memory,
                seconds=self._setup.seconds,
                name=self._setup.name,
                folder=folder,
            )
        return self._workers

    def _folder_of(self, item: object) -> Path | None:
        """Return where an item's path is meant from; an object is fetched to there."""
        if not isinstance(item, Path):
            return None
        if is_bucket_object(item):
            return self._stage_object(item)
        folder = Path(self._setup.folder)
        if item.is_absolute() or folder.is_dir():
            return folder if folder.is_dir() else None
        raise InputError(
            f"{item}: a node does not see the folder {folder}.",
            remedy="Put the contracts into a bucket (s3://…), or into a folder of all nodes.",
        )

    def _stage_object(self, item: Path) -> Path:
        """Fetch an object, and keep it until another is wanted: what it holds may come next."""
        from fourcorners.cluster.bucket import fetch_object

        if self._stage is None:
            self._stage = _new_stage()
        if self._fetched is not None and self._fetched not in (item, *item.parents):
            (self._stage / self._fetched).unlink(missing_ok=True)
            self._fetched = None
        self._fetched = fetch_object(item, self._stage)
        return self._stage


def _new_stage() -> Path:
    """Make a folder of this process's own; those of processes that were killed go."""
    above = Path(tempfile.gettempdir()) / f"{_STAGES}-{processes.user_id()}"
    above.mkdir(mode=0o700, exist_ok=True)
    if not processes.belongs_to_user(above):
        raise PermissionError(f"{above} belongs to somebody else")
    for other in above.iterdir():
        with suppress(ValueError, PermissionError):
            if not processes.is_running(int(other.name)):
                shutil.rmtree(other, ignore_errors=True)
    stage = above / str(os.getpid())
    shutil.rmtree(stage, ignore_errors=True)  # of a process with this number before
    stage.mkdir(mode=0o700)
    return stage
