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
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from fourcorners.cluster import open_crew
from fourcorners.errors import FourcornersError
from fourcorners.library.ingest import add
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load
from fourcorners.review.finding import Review
from fourcorners.review.run import Progress, review
from fourcorners.settings import Settings

SETTINGS = Settings(ocr=False)
COLLECTION = "Larch"


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


def local(folder: str, url: str) -> dict[str, object]:
    """Add and review on a Ray of this machine, a worker killed in the middle of each."""
    encoder = default_encoder(threads=1)
    with open_crew("ray", jobs=2) as crew, Library.open(url) as library:
        report = add(
            library,
            [folder],
            collection=COLLECTION,
            encoder=encoder,
            settings=SETTINGS,
            crew=crew,
            on_progress=_at(3, lambda: _kill(own_workers())),
        )
        lost_adding = crew.told.lost
        steps: list[int] = []
        kill = _at(40, lambda: _kill(own_workers()))

        def hear(step: Progress) -> None:
            steps.append(step.done)
            kill(step)

        review(
            library,
            load("due-diligence"),
            encoder=encoder,
            crew=crew,
            on_progress=hear,
        )
        lost = crew.told.lost
        from fourcorners.cluster import crew as crews  # Ray is imported by now, with its token
        from fourcorners.cluster import flights

        flights._LATE = 1.0
        with crew.workers(hungry, memory=200 << 20, seconds=30) as hands:
            outcomes = dict(hands.run(["1000", str(1 << 30)]))
        items = [str(Path(url).with_name(name)) for name in ("a", "b", "c")]
        for quick in items[:2]:
            Path(quick).touch()
        with crew.workers(slow_at_first, memory=200 << 20, seconds=90) as chased:
            slow = [outcome for _, outcome in chased.run(items)]
        idle = _is_idle()
        setattr(crews, "__version__", "9.9.9")  # noqa: B010 - a name that module imports
        try:
            crew.require_one_version()
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
        "chased": crew.told.chased,
        "idle": idle,
        "refusal": refusal,
    }


def die(folder: str, url: str) -> dict[str, object]:
    """Be killed when some contracts are added."""
    with open_crew("ray", jobs=2) as crew, Library.open(url) as library:
        add(
            library,
            [folder],
            collection=COLLECTION,
            encoder=None,
            settings=SETTINGS,
            crew=crew,
            on_progress=_at(4, lambda: os.kill(os.getpid(), signal.SIGKILL)),
        )
    return {}


def nodes(address: str, source: str, url: str, doomed: str) -> dict[str, object]:
    """Add from a bucket and review on a cluster, with a node killed in the middle."""
    with open_crew(address, jobs=None) as crew, Library.open(url) as library:
        report = add(
            library,
            [source],
            collection=COLLECTION,
            encoder=None,
            settings=SETTINGS,
            crew=crew,
        )
        both = len(_busy_nodes())
        killed: list[int] = []

        def kill_at_work(_: Progress) -> None:
            """Kill the node as soon as it has an item in hand."""
            there = {int(pid) for pid in netns_pids(doomed)}
            busy = {pid for pid, command in _commands() if command.startswith("ray::do")}
            if busy & there and not killed:
                killed.extend(there)
                _kill(killed)

        grid = review(
            library,
            load("due-diligence"),
            encoder=None,
            crew=crew,
            on_progress=kill_at_work,
        )
    return {
        "added": report.added,
        "failed": len(report.failed),
        "already": report.already,
        "cells": cells(grid),
        "nodes": both,
        "killed": len(killed),
        "lost": crew.told.lost,
    }


def nodes_add(address: str, source: str, url: str, doomed: str) -> dict[str, object]:
    """Add from a bucket on a cluster, with a node killed while it reads."""
    killed: list[int] = []

    def watch() -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until and not killed:
            there = {int(pid) for pid in netns_pids(doomed)}
            if there & {pid for pid, command in _commands() if command.startswith("ray::do")}:
                killed.extend(there)
                _kill(killed)

    with open_crew(address, jobs=None) as crew, Library.open(url) as library:
        both = len(_busy_nodes())
        watching = threading.Thread(target=watch)
        watching.start()
        report = add(
            library,
            [source],
            collection=COLLECTION,
            encoder=None,
            settings=SETTINGS,
            crew=crew,
        )
        watching.join()
        lost = crew.told.lost
        again = add(
            library,
            [source],
            collection=COLLECTION,
            encoder=None,
            settings=SETTINGS,
            crew=crew,
        )
        return {
            "nodes": both,
            "killed": len(killed),
            "lost": lost,
            "added": report.added,
            "failures": [each.path for each in library.failures()],
            "again": [again.added, again.already],
            "documents": contents(library),
            "paths": sorted(entry.path for entry in library.documents()),
            "faults": library.check(),
        }


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


def _busy_nodes() -> list[str]:
    import ray

    nodes = ray.nodes()  # type: ignore[no-untyped-call]
    return [node["NodeManagerAddress"] for node in nodes if node["Alive"]]


def netns_pids(name: str) -> list[str]:
    """Return the processes of a network namespace."""
    inode = Path(f"/run/netns/{name}").stat().st_ino
    return [
        each.name
        for each in Path("/proc").iterdir()
        if each.name.isdecimal() and _inode(each / "ns/net") == inode
    ]


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def own_workers() -> list[int]:
    """Return one worker of this process's Ray that has an item in hand."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        for pid, command in _commands():
            if command.startswith("ray::do") and _parent(_parent(pid)) == os.getpid():
                return [pid]
        time.sleep(0.01)
    return []


def _is_idle() -> bool:
    """Tell whether no worker of this process's Ray has an item in hand, within a while."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        if not any(
            command.startswith("ray::do") and _parent(_parent(pid)) == os.getpid()
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
    "die": die,
    "nodes": nodes,
    "nodes_add": nodes_add,
}

if __name__ == "__main__":
    from tests.cluster import driver  # so that tasks are of an importable module

    sys.stdout.write(json.dumps(driver.TASKS[sys.argv[1]](*sys.argv[2:])) + "\n")
