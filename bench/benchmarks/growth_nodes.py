"""Measure what a second node gains: the same work on one Ray node, and on two.

    python -m benchmarks.growth_nodes --data ../shared/data/cuad/contracts --documents 40

Each node gets a part of a core (`--cores .25`) from a control group, and never more; the command,
Ray's head and PostgreSQL have the rest of this machine. So two nodes of a machine with two cores
can be compared with one although other programs run; it needs root and Linux. Contracts are read,
outlined, encoded by the encoder that is shipped, stored in PostgreSQL, and reviewed against a
built-in playbook. Turns of one node and of two alternate, each with a new cluster and schema.

Reported of each turn are seconds by the clock, and CPU seconds of the command, Ray's head, the
database and each node, which come from the control groups and so include processes that ended.
A node that had less than its part was held up by something else.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fourcorners.cluster import open_worker_pool
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.run import Workers, fill_review
from fourcorners.settings import Settings
from tests.cluster.postgres_server import PostgresServer, find_binaries, postgres_server

PLAYBOOK = "due-diligence"
STEPS = "add", "review"
_GROUPS = Path("/sys/fs/cgroup")
_PERIOD = 100_000  # microseconds
_SHARES = 200_000  # of the processor, against 1,024 of others: so the limit is what holds a node


@dataclass(frozen=True)
class ControlGroup:
    """Processes whose CPU time is counted, and perhaps limited."""

    name: str

    @property
    def _folders(self) -> list[Path]:
        controllers = ("",) if (_GROUPS / "cgroup.controllers").exists() else ("cpu", "cpuacct")
        return [_GROUPS / controller / self.name for controller in controllers]

    def make(self, cores: float | None) -> None:
        """Make the group; `cores` is what its processes get together at most."""
        for folder in self._folders:
            folder.mkdir()
        first = self._folders[0]
        quota = str(round(cores * _PERIOD)) if cores else ""
        if len(self._folders) > 1:
            (first / "cpu.shares").write_text(str(_SHARES))
            if quota:
                (first / "cpu.cfs_quota_us").write_text(quota)
        elif quota:
            (first / "cpu.max").write_text(f"{quota} {_PERIOD}")

    def enter(self, pid: int) -> None:
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def seconds(self) -> float:
        """Return the CPU seconds of all processes so far, also of those that have ended."""
        last = self._folders[-1]
        if last.parent.name == "cpuacct":
            return int((last / "cpuacct.usage").read_text()) / 1e9
        return int((last / "cpu.stat").read_text().split()[1]) / 1e6

    def close(self) -> None:
        """End what is in the group, and remove it."""
        for folder in self._folders:
            until = time.monotonic() + 30
            while pids := (folder / "cgroup.procs").read_text().split():
                for pid in map(int, pids):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.1)
                if time.monotonic() > until:
                    raise RuntimeError(f"processes of {folder} do not end: {pids}")
            folder.rmdir()


@contextmanager
def control_group(name: str, cores: float | None = None) -> Iterator[ControlGroup]:
    made = ControlGroup(f"fourcorners-{name}-{os.getpid()}")
    made.make(cores)
    try:
        yield made
    finally:
        made.close()


def work(room: str, url: str, address: str, steps: str) -> None:
    """Add and review; print a line before and after each."""
    encoder, settings = default_encoder(threads=1), Settings(ocr=False)
    with open_worker_pool(address, jobs=None) as workers, Library.open(url) as library:
        _report("ready")

        report = add_files(
            library,
            [room],
            collection="Growth",
            encoder=encoder,
            settings=settings,
            worker_pool=workers,
        )
        _report("add", documents=report.added, passages=report.passages)
        if steps == "both":
            pool = Workers(pool=workers)
            fill_review(library, load_playbook(PLAYBOOK), encoder=encoder, workers=pool)
            _report("review")
        sent_twice = workers.report.duplicate_attempts
        _report("end", lost=workers.report.lost_workers, sent_twice=sent_twice)


def _report(step: str, **figures: int) -> None:
    # not to sys.stdout, which goes to standard error while the workers are there
    print(json.dumps({"step": step, **figures}), file=sys.__stdout__, flush=True)


@contextmanager
def cluster(
    nodes: Sequence[ControlGroup], head: ControlGroup
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Start Ray's head, which does no work, and a node in each group; yield its address."""
    folder = Path(tempfile.mkdtemp(prefix="fc", dir="/tmp"))  # Ray's sockets have short paths
    ports = [_free_port() for _ in range(2)]
    environment = {
        **os.environ,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
        "FOURCORNERS_OCR": "0",
    }  # fmt: skip
    try:
        _ray_start(
            head, environment, "--num-cpus", "0", "--head", "--port", str(ports[0]),
            "--ray-client-server-port", str(ports[1]), "--include-dashboard=false",
            "--temp-dir", str(folder),
        )  # fmt: skip
        for node in nodes:
            _ray_start(node, environment, "--num-cpus", "1", "--address", f"127.0.0.1:{ports[0]}")
        yield f"ray://127.0.0.1:{ports[1]}", environment
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ray_start(group: ControlGroup, environment: Mapping[str, str], *arguments: str) -> None:
    ray = str(Path(sys.executable).with_name("ray"))
    subprocess.run(
        [ray, "start", "--disable-usage-stats", "--node-ip-address", "127.0.0.1", *arguments],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: group.enter(os.getpid()),
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def measure(
    room: Path, server: PostgresServer, database: ControlGroup, cores: list[float], steps: str
) -> dict[str, object]:
    """Let so many nodes work, each with its part of a core; return what it took."""
    with ExitStack() as stack:
        driver, head = (stack.enter_context(control_group(name)) for name in ("command", "head"))
        nodes = [
            stack.enter_context(control_group(f"node{at}", part)) for at, part in enumerate(cores)
        ]
        address, environment = stack.enter_context(cluster(nodes, head))
        groups = {"command": driver, "head": head, "database": database}
        groups |= {f"node{at}": node for at, node in enumerate(nodes, 1)}
        inside = str(room), server.new_library(), address, steps
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, __file__, "--inside", *inside],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: driver.enter(os.getpid()),
            )
        )
        figures: dict[str, object] = {"nodes": len(nodes)}
        clock, before = time.monotonic(), {name: each.seconds() for name, each in groups.items()}
        for line in process.stdout or ():
            step = json.loads(line)
            now, after = time.monotonic(), {name: each.seconds() for name, each in groups.items()}
            name = step.pop("step")
            if name in STEPS:
                spent = {each: round(after[each] - before[each], 2) for each in groups}
                figures[name] = {"seconds": round(now - clock, 1), "cpu": spent}
            figures |= step
            clock, before = now, after
        if process.wait():
            raise RuntimeError("the command failed")
        return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, help="a folder of contracts as text")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--characters", type=int, help="of each contract; by default all")
    parser.add_argument("--cores", type=float, default=0.5, help="the part of a core of each node")
    parser.add_argument("--steps", choices=("add", "both"), default="both")
    parser.add_argument("--times", type=int, default=3, help="turns of each")
    parser.add_argument("--inside", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        work(*arguments.inside)
        return
    if arguments.data is None:
        parser.error("--data names the contracts")
    binaries = find_binaries()
    if binaries is None:
        parser.error("there is no PostgreSQL on this machine")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing remains
    with (
        tempfile.TemporaryDirectory() as folder,
        control_group("database") as database,
        postgres_server(binaries) as server,
    ):
        database.enter(int((server.folder / "data/postmaster.pid").read_text().split()[0]))
        room = Path(folder) / "room"
        room.mkdir()
        for path in sorted(arguments.data.glob("*.txt"))[: arguments.documents]:
            text = path.read_text("utf-8")[: arguments.characters]
            (room / path.name).write_text(text, "utf-8")
        turns = []
        for turn in range(2 * arguments.times):
            cores = [arguments.cores] * (1 + turn % 2)
            turns.append(measure(room, server, database, cores, arguments.steps))
            print(json.dumps(turns[-1]), file=sys.stderr, flush=True)
    print(json.dumps(gain(turns), indent=2))


def gain(turns: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return how many times as fast two nodes were, for each pair of turns, and its median."""
    found: dict[str, object] = {}
    for step in (step for step in STEPS if step in turns[0]):
        ratios = [
            round(one[step]["seconds"] / two[step]["seconds"], 2)  # type: ignore[index]
            for one, two in zip(turns[::2], turns[1::2], strict=True)
        ]
        found[step] = {"median": median(ratios), "pairs": ratios}
    return found


if __name__ == "__main__":
    main()
