"""`ClusterWorkers`: an actor for each processor of a cluster, on nodes that come and go."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from fourcorners.cluster.ray.worker import BatchWorker, TaskResult
from fourcorners.errors import ConfigError
from fourcorners.version import __version__

if TYPE_CHECKING:
    from ray import ObjectRef

    Ref = ObjectRef[list[TaskResult[object]]]

_LOOK = 2.0  # seconds between looks at the nodes
_STARTS = 4  # that may fail on a node, after which it gets no more


@dataclass(slots=True, eq=False)
class LiveWorker:
    """An actor, with what it has been sent and not returned, in order."""

    actor: Any  # Ray's types know nothing of an actor's methods
    node: str
    refs: list[Ref] = field(default_factory=list)

    def send(self, items: Sequence[object]) -> Ref:
        ref: Ref = self.actor.run.remote(list(items))
        self.refs.append(ref)
        return ref

    def kill(self) -> None:
        """End it, whatever it does: it reads, and would not hear."""
        with suppress(ConnectionError, RayError):  # then it ends with the connection
            ray.kill(self.actor)


class ClusterWorkers:
    """Workers of one job; each holds what it has loaded until the job ends.

    They are no claim to a processor of Ray's, so that two jobs share a cluster, as two commands
    share a machine, instead of one waiting for the other's end.

    Args:
        setup: The pickled setup, in Ray's store.
        most: How many there may be; None for one for each processor.
        require_one_version: Raises if a node has another version of the program.
    """

    def __init__(
        self,
        setup: ObjectRef[bytes],
        *,
        most: int | None,
        require_one_version: Callable[[str], None],
    ) -> None:
        self._setup, self._most, self._require_one_version = setup, most, require_one_version
        self._class = ray.remote(num_cpus=0, max_restarts=0)(BatchWorker)
        self._started: list[LiveWorker] = []
        self._starting: dict[ObjectRef[str], LiveWorker] = {}
        self._failed: Counter[str] = Counter()  # starts, by node
        self._last_look = 0.0
        self.keep()

    def __iter__(self) -> Iterator[LiveWorker]:
        """Those that can be sent something."""
        return iter(self._started)

    @property
    def starting(self) -> list[ObjectRef[str]]:
        """What is ready when a worker can be sent something, or could not start."""
        return list(self._starting)

    def keep(self) -> None:
        """Now and then, give nodes that joined their workers, and forget nodes that are gone.

        Raises:
            ConfigError: If no worker can be started.
        """
        now = time.monotonic()
        if now - self._last_look < _LOOK:
            return
        self._last_look = now
        there = {
            node["NodeID"]: int(node["Resources"].get("CPU", 0))
            for node in ray.nodes()  # type: ignore[no-untyped-call]
            if node["Alive"]
        }
        self._started = [each for each in self._started if each.refs or each.node in there]
        usable = {node: cores for node, cores in there.items() if self._failed[node] < _STARTS}
        has = Counter(each.node for each in (*self._started, *self._starting.values()))
        if any(there.values()) and not any(usable.values()) and not has:
            raise ConfigError(
                "the nodes of the cluster start no worker.",
                remedy="See Ray's logs on a node (/tmp/ray/session_latest/logs).",
            )
        for slot in range(max(usable.values(), default=0)):
            for node, cores in usable.items():
                if has[node] <= slot < cores and (not self._most or has.total() < self._most):
                    has[node] += 1
                    self._start(node)

    def _start(self, node: str) -> None:
        place = NodeAffinitySchedulingStrategy(node, soft=False)
        actor: Any = self._class.options(scheduling_strategy=place).remote(self._setup)
        self._starting[actor.start.remote(__version__)] = LiveWorker(actor, node)

    def note_start(self, ref: ObjectRef[str]) -> None:
        """Note that a worker has started, or could not.

        Raises:
            ConfigError: If its node has another version of the program, or none.
        """
        worker = self._starting.pop(ref)
        try:
            version = ray.get(ref)
        except RayError as error:
            self._failed[worker.node] += 1
            is_own_fault = isinstance(error, RayTaskError)
            if is_own_fault or self._failed[worker.node] >= _STARTS:
                self._require_one_version("")  # one that came later may have another, or none
            if is_own_fault:
                raise
            return
        if version != __version__:
            self._require_one_version(version)
        self._failed[worker.node] = 0
        self._started.append(worker)

    def end(self, worker: LiveWorker) -> None:
        """End a worker that is lost, or does what nobody waits for; another takes its place."""
        worker.kill()
        self._started.remove(worker)
        worker.refs.clear()

    def close(self) -> None:
        for each in (*self._started, *self._starting.values()):
            each.kill()
        self._started, self._starting = [], {}
