"""`RayWorkerPool`: the workers of a Ray cluster, which reads, encodes and reviews.

Ray makes the connections, to the cluster that was named and to no other.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TypeVar

import ray
from ray import cloudpickle
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from fourcorners.cluster.ray.environment import LOCAL_ADDRESS
from fourcorners.cluster.ray.task_queue import QueueReport, TaskQueue
from fourcorners.cluster.ray.worker import TaskSetup
from fourcorners.cluster.ray.workers import ClusterWorkers
from fourcorners.documents.discovery import UnreadPath, find_files, is_bucket_object
from fourcorners.errors import ConfigError
from fourcorners.system.processes import usable_cores
from fourcorners.version import __version__

Item = TypeVar("Item")
Result = TypeVar("Result")

_CLIENT = re.compile(r"^ray://[^\s/@]+:\d+$")
_STORE = 256 << 20  # bytes of shared memory for a local Ray: results that were not fetched yet
_SECONDS = 60.0  # in which a node must tell its version
_TRIES = 3  # to be let in by a head that answers


class RayWorkerPool:
    """The workers of the cluster that this process is connected to.

    Args:
        elsewhere: Whether they may be on other machines.
        jobs: How many workers there may be; None for one for each processor.
    """

    embeds_passages = True

    def __init__(self, *, elsewhere: bool, jobs: int | None) -> None:
        self.is_remote = elsewhere
        self.report = QueueReport()
        self._jobs = jobs
        self.require_one_version()

    def find_files(self, paths: Iterable[Path]) -> Iterator[Path | UnreadPath]:
        """Yield the files and objects at and under the paths, each once."""
        files: list[Path] = []
        seen: set[Path] = set()
        for path in paths:
            if not is_bucket_object(path):
                files.append(path)
                continue
            from fourcorners.cluster.bucket import list_objects

            for found in list_objects(path):
                if isinstance(found, UnreadPath) or found not in seen:
                    yield found
                if not isinstance(found, UnreadPath):
                    seen.add(found)
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
    ) -> TaskQueue[Item, Result]:
        """Return those who do a task; the limits hold on each node."""
        setup = TaskSetup(task, memory, seconds, name, then, str(Path.cwd()))
        data: bytes = cloudpickle.dumps(setup)  # type: ignore[no-untyped-call]
        workers = ClusterWorkers(
            ray.put(data), most=self._jobs, require_one_version=self.require_one_version
        )
        return TaskQueue(workers, name=name, alive=alive, report=self.report)

    def require_one_version(self, found: str = "") -> None:
        """Refuse a cluster in which a node has another version of the program, or none.

        Args:
            found: Another version that a worker had.

        Raises:
            ConfigError: If there is such a node.
        """
        others = {node: its for node, its in _versions().items() if its != __version__}
        if found:
            others.setdefault("a node", found)
        if others:
            listed = "; ".join(
                f"{node} has {its or 'none'}" for node, its in sorted(others.items())
            )
            raise ConfigError(
                f"the nodes must have fourcorners {__version__}, as here: {listed}.",
                remedy="Install that version on every node, and restart those nodes.",
            )


def _versions() -> Mapping[str, str]:
    """Return the version on each node that works, by its address; empty where there is none."""

    def describe() -> str:  # within this function, so that Ray sends it whole
        from importlib.util import find_spec

        if find_spec("fourcorners") is None:
            return ""
        from fourcorners.version import __version__

        return __version__

    task = ray.remote(num_cpus=0, max_retries=2)(describe)
    asked = {
        node["NodeManagerAddress"]: task.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        ).remote()
        for node in ray.nodes()  # type: ignore[no-untyped-call]
        if node["Alive"] and node["Resources"].get("CPU")
    }
    found: dict[str, str] = {}
    for node, ref in asked.items():
        try:
            found[node] = ray.get(ref, timeout=_SECONDS)
        except RayError:
            continue  # it died meanwhile, and does no harm
    return found


@contextmanager
def ray_worker_pool(address: str, *, jobs: int | None) -> Iterator[RayWorkerPool]:
    """Connect to a cluster, or start one on this machine; it ends with the block.

    Within it, what is printed goes to standard error.

    Args:
        address: `ray` for one on this machine, else `ray://HOST:PORT` of a cluster's client server.
        jobs: How many workers there may be; by default one for each processor.

    Raises:
        ConfigError: If there is none at the address, or a node has another version.
    """
    if address != LOCAL_ADDRESS and not _CLIENT.match(address):
        raise ConfigError(
            f"{address} names no Ray cluster.", remedy="Write ray, or ray://HOST:10001."
        )
    try:
        if address == LOCAL_ADDRESS:
            _start(jobs or usable_cores())
        else:
            _join(address)
    except Exception as error:  # not a specific class, if a part of Ray does not start in time
        ray.shutdown()
        message = " ".join(str(error).split())[:240]
        if address == LOCAL_ADDRESS:
            raise ConfigError(
                f"Ray did not start on this machine: {message}",
                remedy="Run the command again when the machine has less to do, or without --on.",
            ) from error
        raise ConfigError(
            f"no Ray cluster answers at {address}: {message}",
            remedy="Start one with `ray start --head`; this machine needs its version of Ray and "
            "Python, and its token (RAY_AUTH_TOKEN) if it has one.",
        ) from error
    try:
        with redirect_stdout(sys.stderr):  # where Ray tells of lost workers; answers come later
            yield RayWorkerPool(
                elsewhere=address != LOCAL_ADDRESS, jobs=None if address == LOCAL_ADDRESS else jobs
            )
    finally:
        ray.shutdown()


def _join(address: str) -> None:
    """Connect to a cluster; a busy head may make room for a client later than Ray waits."""
    for left in reversed(range(_TRIES)):
        try:
            ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
        except ConnectionAbortedError:
            ray.shutdown()
            if not left:
                raise
        else:
            return


def _start(jobs: int) -> None:
    ray.init(
        address="local",
        num_cpus=jobs,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=_STORE,
        _node_ip_address="127.0.0.1",
    )
