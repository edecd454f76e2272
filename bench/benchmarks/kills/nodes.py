"""Kill -9 of all that runs on a node of Ray, while it reads contracts and while it reviews them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.kills.commands import write_contracts
from benchmarks.kills.outcome import Outcome
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.run import Workers, review_library
from tests.cluster import driver
from tests.cluster.machines import ADDRESS, ROOT, cluster
from tests.cluster.postgres_server import find_binaries, postgres_server

_MAX_WAIT = 900.0  # seconds in which the work must end
_LONGEST = 6.0  # seconds of a node's work before it is killed
_CONTRACTS = 24


def kill_nodes(room: Path, rounds: int, chance: random.Random) -> tuple[Outcome, Outcome]:
    """Kill the second of two nodes once in reading and once in reviewing, so many times."""
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("there is no PostgreSQL here")
    folder = room / "nodes"
    folder.mkdir()
    write_contracts(folder, _CONTRACTS)
    reading, reviewing = Outcome("node, adding"), Outcome("node, reviewing")
    with Library.open(room / "alone.db") as library:
        add_files(
            library, [folder], collection=driver.COLLECTION, encoder=None, settings=driver.SETTINGS
        )
        grid = review_library(
            library, load_playbook("due-diligence"), encoder=None, workers=Workers(jobs=1)
        )
        expected = driver.contents(library), driver.cells(grid)
    with postgres_server(binaries) as server:
        for _ in range(rounds):
            made = _work(folder, server.new_library(), chance.uniform(0.0, _LONGEST))
            lost_reading, lost = made["lost"]
            for found, killed, workers, seen, right in (
                (reading, made["killed"][0], lost_reading, made["documents"], expected[0]),
                (reviewing, made["killed"][1], lost - lost_reading, made["cells"], expected[1]),
            ):
                found.kills += bool(killed)
                found.within += bool(killed and workers)
                _compare(seen, json.loads(json.dumps(right)), found)
            reading.lost += made["faults"]
            if made["again"] != [0, _CONTRACTS]:
                reading.lost.append(f"added again: {made['again']}")
    return reading, reviewing


def _work(folder: Path, url: str, wait: float) -> dict[str, Any]:
    with cluster(folder) as machines:
        machines.begin_node()
        done = subprocess.run(
            [
                *machines.inside(machines.first), sys.executable, driver.__file__, "nodes", ADDRESS,
                "s3://bucket/room", url, machines.first, machines.second, f"{wait:.2f}",
            ],
            env={**os.environ, **machines.environment}, cwd=ROOT, capture_output=True, text=True,
            timeout=_MAX_WAIT, check=False,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _compare(seen: list[Any], right: list[Any], found: Outcome) -> None:
    found.lost += [f"not there: {each}"[:200] for each in right if each not in seen][:3]
    more = [each for each in seen if each not in right]
    found.doubled += [f"besides: {each}"[:200] for each in more][:3]
    if len(seen) > len(right) + len(more):
        found.doubled.append(f"{len(seen)} for {len(right)}")
