"""Measure what a second node gains: the same work on one Ray node of one core, and on two.

    python -m benchmarks.growth_nodes --data ../shared/data/cuad/contracts --documents 40 \
        --library "postgresql:///firm?host=/run/postgresql"

Two network namespaces of this host stand for two machines, so it needs root, Linux and two cores.
All of the first, which are the command, Ray's head and a node, runs on the first core; the second
is a node on the second core, or is not there. Contracts are read, outlined, encoded by the encoder
that is shipped, stored in PostgreSQL, and reviewed against a built-in playbook. Where nothing is
lost to the second node's distance, two take half the seconds of one. The server is reached by its
Unix socket; each turn has its own schema in the database.

Reported are seconds by the clock, CPU seconds of each machine, and those that all other programs
took of the two cores meanwhile: where these are not few, the seconds are no measure of the nodes.
Turns of one node and of two alternate.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fourcorners.cluster import open_worker_pool
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.run import Workers, review_library
from fourcorners.settings import Settings
from tests.cluster.machines import ADDRESS, Machines, netns_pids, two_machines

PLAYBOOK = "due-diligence"
CORES = 0, 1
_TICK = 0.2  # seconds between looks at the processes
_HERTZ = os.sysconf("SC_CLK_TCK")


class Spending(threading.Thread):
    """CPU seconds of the processes of machines, ended ones as they were last seen."""

    def __init__(self, machines: list[str]) -> None:
        super().__init__(daemon=True)
        self._machines = machines
        self._spent: dict[str, dict[tuple[int, str], float]] = {name: {} for name in machines}
        self._turn = threading.Lock()

    def run(self) -> None:
        """Look again and again."""
        while True:
            self.now()
            time.sleep(_TICK)

    def now(self) -> dict[str, float]:
        """Look, and return the seconds of each machine so far."""
        with self._turn:
            for name, spent in self._spent.items():
                for pid in netns_pids(name):
                    try:
                        figures = Path(f"/proc/{pid}/stat").read_text()
                    except OSError:
                        continue
                    stat = figures.rpartition(")")[2].split()
                    spent[pid, stat[19]] = (int(stat[11]) + int(stat[12])) / _HERTZ
            return {name: sum(spent.values()) for name, spent in self._spent.items()}


def busy() -> float:
    """Return the seconds for which the two cores have been at work, whatever at."""
    lines = Path("/proc/stat").read_text().splitlines()
    cores = [line.split() for line in lines if line.split()[0] in {f"cpu{each}" for each in CORES}]
    return sum(sum(map(int, core[1:4] + core[6:8])) for core in cores) / _HERTZ


def work(room: str, url: str, machines: list[str]) -> dict[str, object]:
    """Add and review, within the first machine, and return what each of the two took."""
    spending = Spending(machines)
    spending.start()
    figures: dict[str, object] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        clock, before, cores = time.monotonic(), spending.now(), busy()
        yield
        seconds, after = time.monotonic() - clock, spending.now()
        own = [round(after[each] - before[each], 1) for each in machines]
        others = max(0.0, busy() - cores - sum(own))
        figures[name] = {
            "seconds": round(seconds, 1),
            "cpu_s_of_each": own,
            "cpu_s_of_others": round(others, 1),
        }

    encoder = default_encoder(threads=1)
    settings = Settings(ocr=False)
    with open_worker_pool(ADDRESS, jobs=None) as workers, Library.open(url) as library:
        with timed("add"):
            report = add_files(
                library,
                [room],
                collection="Growth",
                encoder=encoder,
                settings=settings,
                worker_pool=workers,
            )
        with timed("review"):
            grid = review_library(
                library, load_playbook(PLAYBOOK), encoder=encoder, workers=Workers(pool=workers)
            )
        return {
            "documents": report.added,
            "passages": report.passages,
            "cells": len(grid.findings),
            "lost": workers.report.lost_workers,
            **figures,
        }


def measure(room: Path, url: str, nodes: int) -> dict[str, object]:
    """Make the machines, let them work, and return what it took."""
    first, second = (("taskset", "-c", str(core)) for core in CORES)
    short = Path(tempfile.mkdtemp(prefix="fc", dir="/tmp"))  # Ray's sockets have short paths
    try:
        with two_machines() as machines:
            machines.begin_head(short, first)
            if nodes > 1:
                machines.begin_node(second)
            return _worked(machines, first, room, url, nodes)
    finally:
        shutil.rmtree(short, ignore_errors=True)


def _worked(
    machines: Machines, before: tuple[str, ...], room: Path, url: str, nodes: int
) -> dict[str, object]:
    names = [machines.first, machines.second][:nodes]
    command = [sys.executable, __file__, "--inside", str(room), url, *names]
    done = subprocess.run(
        [*before, *machines.inside(machines.first), *command],
        env={**os.environ, **machines.environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    figures: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return {"nodes": nodes, **figures}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, help="a folder of contracts as text")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--library", help="the URL of a database, with one `?` at least")
    parser.add_argument("--times", type=int, default=2, help="turns of each")
    parser.add_argument("--inside", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        room, url, *machines = arguments.inside
        print(json.dumps(work(room, url, machines)))
        return
    if arguments.data is None or arguments.library is None:
        parser.error("--data names the contracts, --library the database")
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder) / "room"
        room.mkdir()
        for path in sorted(arguments.data.glob("*.txt"))[: arguments.documents]:
            shutil.copy(path, room)
        turns = []
        for turn in range(2 * arguments.times):
            schema = f"turn{os.getpid()}x{turn}"
            with psycopg.connect(arguments.library) as database:
                database.execute(f"CREATE SCHEMA {schema}".encode())
            url = f"{arguments.library}&options=-csearch_path%3D{schema}"
            turns.append(measure(room, url, 1 + turn % 2))
            print(json.dumps(turns[-1]), file=sys.stderr, flush=True)
        print(json.dumps(turns, indent=2))


if __name__ == "__main__":
    main()
