"""What the drivers of these tests do; run as `python driver.py TASK …`, each a process of its own.

The last line printed is JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.cluster import open_worker_pool
from fourcorners.errors import FourcornersError
from fourcorners.library.add_report import AddReport
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import Review
from fourcorners.review.run import ReviewProgress, Workers, review_library
from fourcorners.settings import Settings
from tests.cluster.machines import WORKER, Machines, netns_pids

if TYPE_CHECKING:
    from fourcorners.cluster.ray.worker_pool import RayWorkerPool

SETTINGS = Settings(ocr=False)
COLLECTION = "Larch"
_LOOK = 0.05  # seconds between looks at the processes
_LISTENS = "0A"  # in /proc/net/tcp


def hungry(item: str) -> int:
    """Take as much memory as said."""
    return len(bytearray(int(item)))


def slow_at_first(item: str) -> str:
    """Hang where nobody has tried before."""
    mark = Path(item)
    if not mark.exists():
        mark.touch()
        time.sleep(60)
    return "done"


def brief(item: int) -> int:
    """Take a moment."""
    time.sleep(0.05)
    return item


def lethal(item: int) -> int:
    """End the worker if the item is seven."""
    if item == 7:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return item


def coming_and_going() -> dict[str, object]:
    """Do items while a node joins, and is killed with items in hand; and one that kills workers."""
    from collections import Counter

    import ray
    from ray.cluster_utils import Cluster

    from fourcorners.cluster.ray.environment import set_environment
    from fourcorners.cluster.ray.worker_pool import RayWorkerPool

    set_environment("ray")
    started = {"num_cpus": 1, "include_dashboard": False}
    machines = Cluster(initialize_head=True, head_node_args=started)
    ray.init(machines.address, log_to_driver=False)
    pool = RayWorkerPool(elsewhere=False, jobs=None)
    sent: list[int] = []
    joined_did: list[int] = []

    with pool.start(brief, memory=200 << 20, seconds=60) as queue:

        def send(count: int) -> Iterator[int]:
            for _ in range(count):
                sent.append(len(sent))
                yield sent[-1]

        def source() -> Iterator[int]:
            yield from send(20)
            node = machines.add_node(num_cpus=1)
            until = time.monotonic() + 120
            while pool.report.done[node.node_id] < 20 and time.monotonic() < until:
                yield from send(1)
            machines.remove_node(node, allow_graceful=False)
            joined_did.append(pool.report.done[node.node_id])
            yield from send(20)

        back = Counter(item for item, outcome in queue.run(source()) if item == outcome)
    lost = pool.report.lost_workers
    with pool.start(lethal, memory=200 << 20, seconds=90) as queue:
        outcomes = {item: str(outcome) for item, outcome in queue.run(range(12))}
    ray.shutdown()
    machines.shutdown()  # type: ignore[no-untyped-call]
    return {
        "sent": len(sent),
        "back": sum(back.values()),
        "different": len(back),
        "joined_did": joined_did,
        "lost": lost,
        "outcomes": list(outcomes.items()),
        "lost_to_one": pool.report.lost_workers - lost,
    }


def local(folder: str, url: str) -> dict[str, object]:
    """Add and review on a Ray of this machine, a worker killed in the middle of each."""
    encoder = default_encoder(threads=1)
    with open_worker_pool("ray", jobs=2) as workers, Library.open(url) as library:
        report = add_files(
            library,
            [folder],
            collection=COLLECTION,
            encoder=encoder,
            settings=SETTINGS,
            worker_pool=workers,
            on_progress=_at(3, lambda: _kill(own_workers())),
        )
        lost_adding = workers.report.lost_workers
        steps: list[int] = []
        kill = _at(40, lambda: _kill(own_workers()))

        def hear(step: ReviewProgress) -> None:
            steps.append(step.done)
            kill(step)

        review_library(
            library,
            load_playbook("due-diligence"),
            encoder=encoder,
            on_progress=hear,
            workers=Workers(pool=workers),
        )
        lost = workers.report.lost_workers
        listening = listened_at(own_processes())
        from fourcorners.cluster.ray import task_queue, worker_pool

        with workers.start(hungry, memory=200 << 20, seconds=30) as hands:
            outcomes = dict(hands.run(["1000", str(1 << 30)]))
        task_queue._LATE = task_queue._MUCH = 1.0
        quick, late = (str(Path(url).with_name(name)) for name in ("quick", "late"))
        Path(quick).touch()
        with workers.start(slow_at_first, memory=200 << 20, seconds=90) as chased:
            slow = [outcome for each in (quick, late) for _, outcome in chased.run([each])]
        idle = _is_idle()
        setattr(worker_pool, "__version__", "9.9.9")  # noqa: B010 - a name that module imports
        try:
            workers.require_one_version()
            refusal = ""
        except FourcornersError as error:
            refusal = str(error)
    return {
        "added": report.added,
        "failed": len(report.failed),
        "lost_adding": lost_adding,
        "lost": lost,
        "steps": steps,
        "small": outcomes["1000"],
        "large": str(outcomes[str(1 << 30)]),
        "slow": slow,
        "chased": workers.report.duplicate_attempts,
        "idle": idle,
        "refusal": refusal,
        "listening": listening,
    }


def die(folder: str, url: str) -> dict[str, object]:
    """Be killed when some contracts are added."""
    with open_worker_pool("ray", jobs=2) as workers, Library.open(url) as library:
        add_files(
            library,
            [folder],
            collection=COLLECTION,
            encoder=None,
            settings=SETTINGS,
            worker_pool=workers,
            on_progress=_at(4, lambda: os.kill(os.getpid(), signal.SIGKILL)),
        )
    return {}


def nodes(
    address: str, source: str, url: str, first: str, second: str, wait: str = "0"
) -> dict[str, object]:
    """Add from a bucket and review on a cluster, with its second node killed in each.

    It is killed so many seconds after it began to work.
    """
    machines = Machines(first, second, {})
    with open_worker_pool(address, jobs=None) as workers, Library.open(url) as library:
        alive = [_alive()]
        with _killing(second, float(wait)) as killed:
            report = _add(library, source, workers)
        lost = [workers.report.lost_workers]
        again = _add(library, source, workers)
        faults = library.check()
        machines.begin_node()
        alive.append(_alive())
        with _killing(second, float(wait)) as killed_reviewing:
            grid = review_library(
                library, load_playbook("due-diligence"), encoder=None, workers=Workers(pool=workers)
            )
        lost.append(workers.report.lost_workers)
        return {
            "alive": alive,
            "killed": [len(killed), len(killed_reviewing)],
            "lost": lost,
            "added": report.added,
            "already": report.already,
            "failures": [each.path for each in library.failures()],
            "again": [again.added, again.already],
            "documents": contents(library),
            "paths": sorted(entry.path for entry in library.documents()),
            "faults": faults,
            "cells": cells(grid),
        }


def _add(library: Library, source: str, workers: RayWorkerPool) -> AddReport:
    return add_files(
        library,
        [source],
        collection=COLLECTION,
        encoder=None,
        settings=SETTINGS,
        worker_pool=workers,
    )


@contextmanager
def _killing(doomed: str, wait: float) -> Iterator[list[int]]:
    """Kill all of a machine soon after a worker there has an item in hand; yield what was killed.

    If none has one until the block ends, none is killed.
    """
    killed: list[int] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_LOOK):
            there = netns_pids(doomed)
            busy = {
                pid for pid, command in _commands() if command.startswith("ray::BatchWorker.run")
            }
            if set(there) & busy and not ended.wait(wait):
                killed.extend(netns_pids(doomed))
                _kill(killed)
                return

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield killed
    finally:
        ended.set()
        watching.join()


def contents(library: Library) -> list[list[object]]:
    """Return what tells one library's documents from another's, in the order of their ids."""
    return sorted(
        [
            entry.id,
            entry.passages,
            sha256(library.text(entry.id).encode()).hexdigest(),
            sha256(str(library.passages(entry.id)).encode()).hexdigest(),
        ]
        for entry in library.documents()
    )


def cells(grid: Review) -> list[str]:
    """Return what each cell says, by the contract's id, in order."""
    return sorted(
        f"{each.document} {each.provision} {each.state} {[q.quote.words for q in each.evidence]}"
        for each in grid.findings
    )


def _alive() -> list[str]:
    """Return the nodes that work, once the second of two is among them."""
    import ray

    until = time.monotonic() + 60
    while True:
        nodes = ray.nodes()  # type: ignore[no-untyped-call]
        alive = sorted({node["NodeManagerAddress"] for node in nodes if node["Alive"]})
        if WORKER in alive or time.monotonic() > until:
            return alive
        time.sleep(_LOOK)


def own_workers() -> list[int]:
    """Return one worker of this process's Ray that has an item in hand."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        for pid, command in _commands():
            if command.startswith("ray::BatchWorker.run") and _parent(_parent(pid)) == os.getpid():
                return [pid]
        time.sleep(_LOOK)
    return []


def own_processes() -> list[int]:
    """Return this process and all that descend from it."""
    own = [os.getpid()]
    parents = {pid: _parent(pid) for pid, _ in _commands()}
    for each in own:  # it grows
        own += [pid for pid, parent in parents.items() if parent == each]
    return own


def listened_at(pids: Iterable[int]) -> list[str]:
    """Return the addresses at which processes listen, without ports."""
    own = {target for pid in pids for target in _opened(pid)}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            place, state, inode = (line.split()[at] for at in (1, 3, 9))
            if state == _LISTENS and f"socket:[{inode}]" in own:
                words = bytes.fromhex(place.partition(":")[0])
                turned = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
                address = ip_address(turned)
                found.add(str(getattr(address, "ipv4_mapped", None) or address))
    return sorted(found)


def _opened(pid: int) -> Iterator[str]:
    with suppress(OSError):  # it ended
        for each in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):  # it was closed
                yield str(each.readlink())


def _is_idle() -> bool:
    """Tell whether no worker of this process's Ray has an item in hand, within a while."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        if not any(
            command.startswith("ray::BatchWorker.run") and _parent(_parent(pid)) == os.getpid()
            for pid, command in _commands()
        ):
            return True
        time.sleep(0.1)
    return False


def _commands() -> Iterator[tuple[int, str]]:
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                yield int(each.name), (each / "cmdline").read_text()
            except OSError:
                continue


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _at(count: int, act: Callable[[], None]) -> Callable[[object], None]:
    """Return a hearer of progress that acts once, when so much is done."""
    acted: list[bool] = []

    def hear(step: object) -> None:
        if getattr(step, "done", 0) >= count and not acted:
            acted.append(True)
            act()

    return hear


TASKS: dict[str, Callable[..., dict[str, object]]] = {
    "local": local,
    "coming_and_going": coming_and_going,
    "die": die,
    "nodes": nodes,
}

if __name__ == "__main__":
    from tests.cluster import driver  # so that tasks are of an importable module

    sys.stdout.write(json.dumps(driver.TASKS[sys.argv[1]](*sys.argv[2:])) + "\n")
