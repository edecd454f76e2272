"""`TaskQueue`: items out with the workers of a Ray cluster, each coming back exactly once.

Items go out in batches that keep a worker busy for a second or two, and each worker has a batch
more than it works on, so that none waits while results are stored; what is stored slowly is read
slowly. What a lost worker or node had is sent again. When nothing is left to send, idle workers
take over what waits elsewhere; what takes much longer than the others is sent a second time, and
the first to come back counts: the other's worker is ended.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean, median
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import ray
from ray.exceptions import RayError, RayTaskError

from fourcorners.cluster.ray.worker import TaskResult
from fourcorners.cluster.ray.workers import ClusterWorkers, LiveWorker
from fourcorners.errors import FourcornersError, InputError, LibraryError

if TYPE_CHECKING:
    from ray import ObjectRef

    Ref = ObjectRef[list[TaskResult[object]]]

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_LOSSES = 4  # after which an item is no more sent: it may be what ends its workers
_TICK = 0.5  # seconds
_MUCH = 4.0  # times the median that an item takes longer than others
_LATE = 30.0  # seconds below which nothing is late
_BATCH_SECONDS = 2.0  # that a batch may take, going by the items before it
_MOST_ITEMS = 64  # in a batch: their results are in memory together
_RECENT = 1000  # items from which the time of others is estimated
_AHEAD = 2  # batches out with each worker, so that none waits for the next
_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Batch(Generic[Item]):
    """Items that are out together, perhaps twice, by what will have their results."""

    items: list[Item]
    losses: int = 0
    started: float = 0.0
    out: dict[Ref, LiveWorker] = field(default_factory=dict)


@dataclass(slots=True)
class QueueReport:
    """What was done where, and what went otherwise than planned.

    Attributes:
        done: Items that came back, by the id of the node that did them.
        duplicate_attempts: Batches that were sent a second time because they were late.
    """

    done: Counter[str] = field(default_factory=Counter)
    lost_workers: int = 0
    duplicate_attempts: int = 0


class TaskQueue(Generic[Item, Result]):
    """Those who do one task, somewhere in a cluster.

    Args:
        workers: The workers, each with the task.
        name: What an item is called in messages.
        alive: Called again and again while items are out.
        report: Where to count what went otherwise.
    """

    def __init__(
        self,
        workers: ClusterWorkers,
        *,
        name: Callable[[Item], str],
        alive: Callable[[], None],
        report: QueueReport,
    ) -> None:
        self._workers, self._name, self._alive, self._report = workers, name, alive, report
        self._out: dict[Ref, _Batch[Item]] = {}
        self._waiting: deque[_Batch[Item]] = deque()
        self._took: deque[float] = deque(maxlen=_RECENT)  # seconds of items

    def __enter__(self) -> TaskQueue[Item, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()

    def run(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result | FourcornersError]]:
        """Yield each item once, with its result or the error that became of it, as they finish.

        Raises:
            ConfigError: If a node has another version of the program, or none starts a worker.
            LibraryError: If the cluster is lost.
        """
        source = iter(items)
        try:
            while self._out or self._waiting or self._take(source):
                self._workers.keep()
                is_all_sent = self._send(source)
                yield from self._back()
                if is_all_sent:
                    self._rebalance()
        except ConnectionError as error:  # of Ray's client
            raise LibraryError(
                "the connection to the cluster was lost.",
                remedy="What was stored is there; run the same command again.",
            ) from error
        finally:
            self._recall()

    def _take(self, source: Iterator[Item]) -> bool:
        """Take items for one more batch from the source; return whether it had any."""
        each = fmean(self._took) if self._took else _BATCH_SECONDS
        items = list(islice(source, min(_MOST_ITEMS, int(_BATCH_SECONDS / max(each, 1e-3)) or 1)))
        if items:
            self._waiting.append(_Batch(items))
        return bool(items)

    def _send(self, source: Iterator[Item]) -> bool:
        """Give each worker as much as it may have; return whether nothing more is to be sent."""
        for depth in range(_AHEAD):  # none has a second batch before each has one
            for worker in self._workers:
                if len(worker.refs) > depth:
                    continue
                if not self._waiting and not self._take(source):
                    return True
                self._dispatch(self._waiting.popleft(), worker)
        return False

    def _dispatch(self, batch: _Batch[Item], worker: LiveWorker) -> None:
        if not worker.refs:
            batch.started = time.monotonic()
        ref = worker.send(batch.items)
        batch.out[ref] = worker
        self._out[ref] = batch

    def _back(self) -> Iterator[tuple[Item, Result | FourcornersError]]:
        starting = self._workers.starting
        if self._out or starting:
            ready, _ = ray.wait([*self._out, *starting], num_returns=1, timeout=_TICK)
        else:  # until a node joins
            time.sleep(_TICK)
            ready = []
        self._alive()
        for ref in ready:
            if ref in self._out:
                yield from self._results(ref)
            else:
                self._workers.note_start(ref)

    def _results(self, ref: Ref) -> Sequence[tuple[Item, Result | FourcornersError]]:
        """Return what became of a batch; nothing where that was lost and it is sent again."""
        batch = self._out[ref]
        worker = batch.out[ref]
        try:
            results = cast("list[TaskResult[Result]]", ray.get(ref))
        except RayTaskError:
            raise
        except RayError as error:
            return self._lose(worker, type(error).__name__)
        self._forget(ref)
        worker.refs.remove(ref)
        if worker.refs:
            self._out[worker.refs[0]].started = time.monotonic()
        for other in list(batch.out):  # the slower of two
            self._withdraw(other)
        for each in results:
            if each.fatal_error is not None:
                raise each.fatal_error
        self._report.done[worker.node] += len(results)
        self._took.extend(each.seconds for each in results)
        outcomes = (cast("Result | FourcornersError", each.outcome) for each in results)
        return list(zip(batch.items, outcomes, strict=True))

    def _lose(self, worker: LiveWorker, reason: str) -> Sequence[tuple[Item, InputError]]:
        """Send again what a lost worker had; return items that may be what ends their workers.

        Suspect is what it worked on: the items of that batch are sent one by one.
        """
        self._report.lost_workers += 1
        suspect = self._out[worker.refs[0]]
        _log.info("%s: lost: %s", self._name(suspect.items[0]), reason)
        self._end_worker(worker)
        if suspect not in self._waiting:  # it is out with another
            return []
        self._waiting.remove(suspect)
        losses = suspect.losses + 1
        if losses < MAX_LOSSES:
            self._waiting.extend(_Batch([item], losses) for item in suspect.items)
            return []
        [item] = suspect.items
        message = f"{self._name(item)}: its worker was lost {losses} times ({reason})."
        remedy = "Add it by itself on one machine; or give the nodes more memory."
        return [(item, InputError(message, remedy=remedy))]

    def _end_worker(self, worker: LiveWorker) -> None:
        """End a worker; what nobody else has is to be sent again."""
        for ref in worker.refs:
            batch = self._forget(ref)
            if not batch.out:
                self._waiting.append(batch)
        self._workers.end(worker)

    def _forget(self, ref: Ref) -> _Batch[Item]:
        batch = self._out.pop(ref)
        del batch.out[ref]
        return batch

    def _withdraw(self, ref: Ref) -> None:
        """Take back a batch from a worker, which is ended if it works on it."""
        worker = self._out[ref].out[ref]
        if worker.refs[0] == ref:
            del worker.refs[0]
            self._forget(ref)
            self._end_worker(worker)
        else:
            worker.refs.remove(ref)
            self._forget(ref)
            with suppress(RayError):
                ray.cancel(ref)

    def _rebalance(self) -> None:
        """Give idle workers what others have not begun, or are late with; all else is out."""
        workers = list(self._workers)
        unbegun = [ref for worker in workers for ref in worker.refs[1:]]
        for worker in workers:
            if worker.refs:
                continue
            if unbegun:
                ref = unbegun.pop()
                batch = self._out[ref]
                self._withdraw(ref)
            elif (late := self._slow_batch()) is not None:
                batch = late
                self._report.duplicate_attempts += 1
            else:
                return
            self._dispatch(batch, worker)

    def _slow_batch(self) -> _Batch[Item] | None:
        """Return a batch that takes much longer than others did, and is out once."""
        each = median(self._took) if self._took else float("inf")
        now = time.monotonic()
        for batch in self._out.values():
            allowed = max(_LATE, _MUCH * each * len(batch.items))
            if len(batch.out) == 1 and now - batch.started > allowed:
                return batch
        return None

    def _recall(self) -> None:
        """Wait no more for what is out, and end the workers that have it."""
        for worker in {worker for batch in self._out.values() for worker in batch.out.values()}:
            self._end_worker(worker)
        self._waiting.clear()
