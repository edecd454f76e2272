"""What a Ray worker does: one item at a time, in a separate process with the reader's limits."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
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
        version: Of the program where it was done; where that is another, nothing was done.
        outcome: The result, or an error of the item.
        fatal_error: An error that is not the item's: the job cannot go on.
    """

    version: str
    outcome: Result | FourcornersError | None = None
    fatal_error: FourcornersError | None = None


def run_item(version: str, key: str, orders: bytes, item: object) -> TaskResult[object]:
    """Do one item; `key` tells the orders of one job from those of another."""
    if version != __version__:
        return TaskResult(__version__)
    global _hand
    if _hand is None or _hand.key != key:
        if _hand is not None:
            _hand.close()
        _hand = _Hand(key, pickle.loads(orders))  # noqa: S301 - from the job's own start
    return _hand.do(item)


@dataclass(slots=True)
class _Hand:
    """The orders of one job in this process, and the process under limits that follows them."""

    key: str
    orders: TaskSetup[object, object]
    _workers: ProcessPool[object, object] | None = None
    _stage: Path | None = None
    _fetched: Path | None = None
    _folder: Path | None = field(default=None)

    def do(self, item: object) -> TaskResult[object]:
        try:
            folder = self._folder_of(item)
        except FourcornersError as error:
            return TaskResult(__version__, error)
        [(_, outcome)] = list(self._workers_in(folder).run([item]))
        if isinstance(outcome, FourcornersError) or self.orders.then is None:
            return TaskResult(__version__, outcome)
        try:
            return TaskResult(__version__, self.orders.then(outcome))
        except FourcornersError as error:
            return TaskResult(__version__, fatal_error=error)

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        if self._stage is not None:
            shutil.rmtree(self._stage, ignore_errors=True)

    def _workers_in(self, folder: Path | None) -> ProcessPool[object, object]:
        if self._workers is None or self._folder != folder:
            if self._workers is not None:
                self._workers.close()
            self._folder = folder
            self._workers = ProcessPool(
                self.orders.task,
                jobs=1,
                memory=self.orders.memory,
                seconds=self.orders.seconds,
                name=self.orders.name,
                folder=folder,
            )
        return self._workers

    def _folder_of(self, item: object) -> Path | None:
        """Return where an item's path is meant from; an object is fetched to there."""
        if not isinstance(item, Path):
            return None
        if is_bucket_object(item):
            return self._stage_object(item)
        folder = Path(self.orders.folder)
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


_hand: _Hand | None = None


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
