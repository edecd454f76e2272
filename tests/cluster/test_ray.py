"""Jobs on Ray: the same library and grid as one machine makes, whatever is killed on the way."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourcorners.library.ingest import add
from fourcorners.library.jobs import Jobs
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load
from fourcorners.review import store
from fourcorners.review.run import review
from tests.cluster.driver import COLLECTION, SETTINGS, cells, contents

pytest.importorskip("ray")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc"),
]

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.py")


def drive(
    *arguments: object, environment: Mapping[str, str], code: int = 0, before: tuple[str, ...] = ()
) -> Any:
    """Run a driver to its end and return what it tells."""
    done = subprocess.run(
        [*before, sys.executable, str(DRIVER), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "FOURCORNERS_OCR": "0", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == code, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]) if code == 0 else None


@dataclass(frozen=True)
class Both:
    """The same contracts, worked on by one machine and by Ray."""

    alone: Path
    spread: Path
    told: Any


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, dataroom: Path) -> Both:
    folder = tmp_path_factory.mktemp("ray")
    alone, spread = folder / "alone.db", folder / "spread.db"
    told = drive("local", dataroom, spread, environment={})
    encoder = default_encoder(threads=1)
    with Library.open(alone) as library:
        add(library, [dataroom], collection=COLLECTION, encoder=encoder, settings=SETTINGS)
        review(library, load("due-diligence"), encoder=encoder, jobs=2)
    return Both(alone, spread, told)


def test_documents_are_those_of_one_machine(both: Both) -> None:
    with Library.open(both.alone) as alone, Library.open(both.spread) as spread:
        ids = sorted(entry.id for entry in alone.documents())
        assert sorted(entry.id for entry in spread.documents()) == ids
        assert both.told["added"] == len(ids)
        assert [each.path for each in spread.failures()] == [each.path for each in alone.failures()]
        for each in ids:
            assert spread.document(each) == alone.document(each)
            assert spread.outline(each) == alone.outline(each)
            assert spread.card(each) == alone.card(each)
            assert spread.passages(each) == alone.passages(each)
            ours, theirs = spread.vectors(document=each), alone.vectors(document=each)
            np.testing.assert_allclose(ours.matrix, theirs.matrix, atol=1e-3)
        assert spread.check() == []


def test_cells_are_those_of_one_machine(both: Both) -> None:
    book = load("due-diligence")
    with Library.open(both.alone) as alone, Library.open(both.spread) as spread:
        for entry in alone.documents():
            assert store.load(spread, book, entry.id) == store.load(alone, book, entry.id)
    steps = both.told["steps"]
    assert steps == [len(book.provisions) * n for n in range(1, both.told["added"] + 1)]


def test_killed_workers_lost_nothing(both: Both) -> None:
    assert both.told["lost_adding"] >= 1
    assert both.told["lost"] > both.told["lost_adding"]


def test_memory_is_limited_in_workers(both: Both) -> None:
    assert both.told["small"] == 1000
    assert "needs more than 200 MB of memory" in both.told["large"]


def test_what_is_late_is_sent_again(both: Both) -> None:
    assert both.told["slow"] == ["done"] * 3
    assert both.told["chased"] == 1
    assert both.told["idle"]  # the slower of the two was ended, which would go on for a minute


def test_a_node_with_another_version_is_refused(both: Both) -> None:
    assert "the nodes must have fourcorners 9.9.9" in both.told["refusal"]
    assert "Install that version on every node" in both.told["refusal"]


def test_a_killed_driver_is_gone_on_with(tmp_path: Path, dataroom: Path) -> None:
    url = tmp_path / "firm.db"
    drive("die", dataroom, url, environment={}, code=-signal.SIGKILL)
    with Library.open(url) as library:
        there = {entry.id for entry in library.documents()}
        [job] = Jobs(library).list(unfinished=True)
        assert 3 <= len(there) < 13
        report = add(library, [dataroom], collection=COLLECTION, encoder=None, settings=SETTINGS)
        assert [each.id for each in Jobs(library).list()] == [job.id]
        assert report.added == 13 - len(there)
        assert len(library.documents()) == 13
        assert library.check() == []


HEAD, WORKER = "10.77.31.1", "10.77.31.2"
S3 = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ENDPOINT_URL": f"http://{HEAD}:9000",
}
RAY = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "ab" * 32,
    "RAY_USAGE_STATS_ENABLED": "0",
    "PYTHONPATH": str(ROOT),
    "FOURCORNERS_OCR": "0",
}


@dataclass(frozen=True)
class Machines:
    """Two network namespaces: an object store and Ray's head in one, a worker in the other."""

    first: str
    second: str
    environment: Mapping[str, str]

    def inside(self, name: str) -> tuple[str, ...]:
        return ("ip", "netns", "exec", name)


@pytest.fixture
def machines(tmp_path: Path, dataroom: Path) -> Iterator[Machines]:
    pytest.importorskip("moto")
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces need root and iproute2")
    first, second = f"fc-head-{os.getpid()}", f"fc-node-{os.getpid()}"
    if _run("ip", "netns", "add", first, check=False):
        pytest.skip("network namespaces are not allowed here")
    short = Path(tempfile.mkdtemp(prefix="fc", dir="/tmp"))  # Ray's sockets have short paths
    try:
        _run("ip", "netns", "add", second)
        ends = f"fca{os.getpid()}"[:14], f"fcb{os.getpid()}"[:14]
        _run("ip", "link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for name, end, address in ((first, ends[0], HEAD), (second, ends[1], WORKER)):
            _run("ip", "link", "set", end, "netns", name)
            _run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", end)
            _run("ip", "-n", name, "link", "set", end, "up")
            _run("ip", "-n", name, "link", "set", "lo", "up")
        made = Machines(first, second, {**S3, **RAY, "XDG_CACHE_HOME": str(tmp_path / "cache")})
        with _store(made) as store:
            try:
                _begin(made, short, dataroom)
                yield made
            finally:
                store.kill()
    finally:
        from tests.cluster.driver import netns_pids

        for name in (first, second):
            for pid in netns_pids(name):
                os.kill(int(pid), signal.SIGKILL)
            _run("ip", "netns", "delete", name, check=False)
        shutil.rmtree(short, ignore_errors=True)


def _run(*command: str, check: bool = True) -> int:
    return subprocess.run(command, check=check, capture_output=True, timeout=60).returncode


def _store(made: Machines) -> subprocess.Popen[bytes]:
    """Start the object store."""
    server = [sys.executable, "-m", "moto.server", "-H", "0.0.0.0", "-p", "9000"]  # noqa: S104
    return subprocess.Popen(
        [*made.inside(made.first), *server],
        env={**os.environ, **made.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _begin(made: Machines, folder: Path, dataroom: Path) -> None:
    """Start both nodes, and put the contracts into the object store."""
    environment = {**os.environ, **made.environment}
    python, ray = sys.executable, str(Path(sys.executable).with_name("ray"))
    start = [ray, "start", "--disable-usage-stats", "--num-cpus", "1", "--temp-dir"]
    head = [*start, str(folder / "head"), "--head", "--node-ip-address", HEAD]
    head += ["--port", "6379", "--ray-client-server-port", "10001", "--include-dashboard=false"]
    node = [*start[:-1], "--address", f"{HEAD}:6379", "--node-ip-address", WORKER]
    for name, command in ((made.first, head), (made.second, node)):
        began = subprocess.run(
            [*made.inside(name), *command],
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert began.returncode == 0, began.stdout + began.stderr
    put = "import sys; from tests.cluster.test_ray import fill; fill(sys.argv[1])"
    filled = subprocess.run(
        [*made.inside(made.first), python, "-c", put, str(dataroom)],
        env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert filled.returncode == 0, filled.stderr


def fill(folder: str) -> None:
    """Put the files of a folder into the bucket; run within the first namespace."""
    until = time.monotonic() + 90
    for path in (None, *sorted(Path(folder).iterdir())):
        body = path.read_bytes() if path else b""
        place = f"/bucket/room/{path.name}" if path else "/bucket"
        while True:
            try:
                connection = http.client.HTTPConnection(HEAD, 9000, timeout=10)
                connection.request("PUT", place, body)
                assert connection.getresponse().status == 200
                break
            except ConnectionError:
                assert time.monotonic() < until
                time.sleep(0.3)


def test_two_nodes_read_a_bucket_and_one_is_killed(
    machines: Machines, tmp_path: Path, dataroom: Path
) -> None:
    url = "lance+s3://bucket/firm"
    told = drive(
        "nodes", f"ray://{HEAD}:10001", "s3://bucket/room", url, machines.second,
        environment=machines.environment, before=machines.inside(machines.first),
    )  # fmt: skip
    assert told["added"] == 13
    assert told["failed"] == 1  # the scan
    assert told["already"] == 0
    assert told["nodes"] == 2
    assert told["killed"] > 1
    assert told["lost"] >= 1
    with Library.open(tmp_path / "alone.db") as library:
        add(library, [dataroom], collection=COLLECTION, encoder=None, settings=SETTINGS)
        assert told["cells"] == cells(review(library, load("due-diligence"), encoder=None, jobs=2))


def test_a_node_killed_while_it_reads_doubles_nothing(
    machines: Machines, tmp_path: Path, dataroom: Path
) -> None:
    told = drive(
        "nodes_add", f"ray://{HEAD}:10001", "s3://bucket/room", "lance+s3://bucket/added",
        machines.second, environment=machines.environment, before=machines.inside(machines.first),
    )  # fmt: skip
    assert told["nodes"] == 2
    assert told["killed"] > 1
    assert told["lost"] >= 1
    with Library.open(tmp_path / "alone.db") as library:
        report = add(library, [dataroom], collection=COLLECTION, encoder=None, settings=SETTINGS)
        assert told["added"] == report.added == 13
        assert told["documents"] == contents(library)
        names = sorted(f"s3://bucket/room/{entry.name}" for entry in library.documents())
    assert told["paths"] == names
    assert [Path(each).name for each in told["failures"]] == [
        Path(each.path).name for each in report.failed
    ]
    assert told["again"] == [0, 13]
    assert told["faults"] == []
