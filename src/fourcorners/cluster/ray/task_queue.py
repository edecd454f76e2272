"""`TaskQueue`: items out with the workers of a Ray cluster, each coming back exactly once.

So many are out at a time, and no more: what is stored slowly is read slowly. One whose worker or
node was lost is sent again; of the last ones, what takes much longer than the others is sent a
second time, and the first to come back counts: the other is ended.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import ray
from ray.exceptions import RayError, RayTaskError

from fourcorners.cluster.ray.worker import TaskResult
from fourcorners.errors import FourcornersError, InputError, LibraryError

if TYPE_CHECKING:
    from ray import ObjectRef

    Ref = ObjectRef[TaskResult[object]]

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_LOSSES = 4  # after which an item is no more sent: it may be what ends its workers
_TICK = 0.5  # seconds
_MUCH = 4.0  # times the median that an item takes longer than others
_LATE = 30.0  # seconds below which nothing is late
_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _QueuedTask(Generic[Item]):
    """An item that is out, perhaps twice."""

    item: Item
    sent: float
    refs: set[Ref] = field(default_factory=set)
    losses: int = 0


@dataclass(slots=True)
class QueueReport:
    """What went otherwise than planned: workers that were lost, and items sent a second time."""

    lost_workers: int = 0
    duplicate_attempts: int = 0


class TaskQueue(Generic[Item, Result]):
    """Those who do one task, somewhere in a cluster.

    Args:
        send: Hands an item to the cluster.
        most: How many items may be out, by now.
        name: What an item is called in messages.
        alive: Called again and again while items are out.
        on_lost_worker: Raises if the worker that took its place has another version.
        report: Where to count what went otherwise.
    """

    def __init__(
        self,
        send: Callable[[Item], Ref],
        *,
        most: Callable[[], int],
        name: Callable[[Item], str],
        alive: Callable[[], None],
        on_lost_worker: Callable[[str], None],
        report: QueueReport,
    ) -> None:
        self._send, self._most, self._name = send, most, name
        self._alive, self._on_lost_worker, self._report = alive, on_lost_worker, report
        self._out: dict[Ref, _QueuedTask[Item]] = {}
        self._took: list[float] = []

    def __enter__(self) -> TaskQueue[Item, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self._recall()

    def run(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result | FourcornersError]]:
        """Yield each item once, with its result or the error that became of it, as they finish.

        Raises:
            ConfigError: If a node has another version of the program.
            LibraryError: If the cluster is lost.
        """
        source, left = iter(items), True
        try:
            while True:
                while left and len(self._out) < self._most():
                    try:
                        item = next(source)
                    except StopIteration:
                        left = False
                        break
                    self._dispatch(_QueuedTask(item, time.monotonic()))
                if not self._out:
                    return
                yield from self._back()
                if not left:
                    self._chase()
        except ConnectionError as error:  # of Ray's client
            raise LibraryError(
                "the connection to the cluster was lost.",
                remedy="What was stored is there; run the same command again.",
            ) from error
        finally:
            self._recall()

    def _dispatch(self, task: _QueuedTask[Item]) -> None:
        ref = self._send(task.item)
        task.refs.add(ref)
        self._out[ref] = task

    def _back(self) -> Iterator[tuple[Item, Result | FourcornersError]]:
        ready, _ = ray.wait(list(self._out), num_returns=1, timeout=_TICK)
        self._alive()
        for ref in ready:
            task = self._out.pop(ref, None)
            if task is None:  # it was ended
                continue
            task.refs.discard(ref)
            outcome = self._outcome(ref, task)
            if outcome is None:
                continue
            self._end(task.refs)
            self._took.append(time.monotonic() - task.sent)
            yield task.item, outcome

    def _outcome(self, ref: Ref, task: _QueuedTask[Item]) -> Result | FourcornersError | None:
        """Return what became of an item; None where that was lost and it is out again."""
        try:
            answer = cast("TaskResult[Result]", ray.get(ref))
        except RayTaskError:
            self._on_lost_worker("")  # a node that came later may have another version, or none
            raise
        except RayError as error:
            _log.info("%s: lost: %s", self._name(task.item), type(error).__name__)
            return self._retry_lost_task(task, type(error).__name__)
        if answer.fatal_error is not None:
            raise answer.fatal_error
        if answer.outcome is None:
            self._on_lost_worker(answer.version)
        return answer.outcome

    def _retry_lost_task(self, task: _QueuedTask[Item], reason: str) -> FourcornersError | None:
        self._report.lost_workers += 1
        task.losses += 1
        if task.refs:
            return None
        if task.losses >= MAX_LOSSES:
            return InputError(
                f"{self._name(task.item)}: its worker was lost {task.losses} times ({reason}).",
                remedy="Add it by itself on one machine; or give the nodes more memory.",
            )
        task.sent = time.monotonic()
        self._dispatch(task)
        return None

    def _chase(self) -> None:
        """Send a second time what is late, now that nothing else is to be sent."""
        if not self._took:
            return
        late = time.monotonic() - max(_LATE, _MUCH * median(self._took[-1000:]))
        for task in list(self._out.values()):
            again = len(task.refs) > 1
            if not again and task.sent < late and len(self._out) < self._most():
                self._report.duplicate_attempts += 1
                self._dispatch(task)

    def _recall(self) -> None:
        """Wait no more for what is out, and end it."""
        self._end(set(self._out))

    def _end(self, refs: set[Ref]) -> None:
        """End what nobody waits for, with its worker: that one reads, and would not hear."""
        for ref in list(refs):
            self._out.pop(ref, None)
            with suppress(ConnectionError, RayError):  # then it ends with the connection
                ray.cancel(ref, force=True)
        refs.clear()
