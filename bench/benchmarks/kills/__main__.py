"""Kill -9 of commands and of a server, and a table of what came of it.

    python -m benchmarks.kills [--kills 10] [--rounds 2] [--only redline serve] [--json FILE]

The commands are `redline`, `library copy`, `backup`, `restore` and the migration of an older
library. Each is run once as it is, to know the CPU time that it takes and what it makes. Then it is
killed, with all that it started, after a random part of that time, and run again. `serve` is killed
at each of its steps (`benchmarks/kills/server.py`), once a round. `database` is a server of
PostgreSQL, which is killed while commands use it, and comes back; `node` is one of two of
Ray, in network namespaces (Linux, root). It prints for each how many kills
fell into the work, and how often anything was lost, doubled or left behind; the exit code is 1 if
anything was.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.kills.commands import TASKS, kill_task
from benchmarks.kills.database import kill_database
from benchmarks.kills.nodes import kill_nodes
from benchmarks.kills.outcome import FAULTS, Outcome
from benchmarks.kills.server import kill_server


def main() -> None:
    names = [*(task.name for task in TASKS), "serve", "database", "node"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=10, help="in each command")
    parser.add_argument("--rounds", type=int, default=2, help="of serve and node")
    parser.add_argument("--only", nargs="*", default=names, choices=names)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print("| | kills | within the work | lost | doubled | left behind |")
    print("| --- | --- | --- | --- | --- | --- |")
    outcomes = []
    with tempfile.TemporaryDirectory() as room:
        for each in _outcomes(given, Path(room)):
            outcomes.append(each)
            print(each.row(), flush=True)
            for name in FAULTS:
                for fault in getattr(each, name):
                    print(f"{each.task}: {name}: {fault}", file=sys.stderr, flush=True)
    total = Outcome(
        "all",
        sum(each.kills for each in outcomes),
        sum(each.within for each in outcomes),
        *([fault for each in outcomes for fault in getattr(each, name)] for name in FAULTS),
    )
    print(total.row())
    if given.json:
        given.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1) + "\n")
    sys.exit(bool(total.lost or total.doubled or total.left))


def _outcomes(given: argparse.Namespace, room: Path) -> Iterator[Outcome]:
    chance = random.Random(given.seed)  # noqa: S311 - moments, not secrets
    for task in TASKS:
        if task.name in given.only:
            yield kill_task(task, room, given.kills, chance)
    if "serve" in given.only:
        yield from kill_server(room, given.rounds, chance)
    if "database" in given.only:
        yield from kill_database(room, given.kills, chance)
    if "node" in given.only:
        yield from kill_nodes(room, given.rounds, chance)


if __name__ == "__main__":
    main()
