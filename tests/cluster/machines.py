"""Two machines on this one: network namespaces, with a cable between them.

In the first are an object store and Ray's head, which works too; in the second is a node of Ray.
"""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD, WORKER = "10.77.31.1", "10.77.31.2"
ADDRESS = f"ray://{HEAD}:10001"
PYTHONPATH = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ENDPOINT_URL": f"http://{HEAD}:9000",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "ab" * 32,
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # as the processes beside them
    "PYTHONPATH": PYTHONPATH,
    "FOURCORNERS_OCR": "0",
}
_RAY = str(Path(sys.executable).with_name("ray"))
_START = (_RAY, "start", "--disable-usage-stats", "--num-cpus", "1")


class NotPossible(Exception):
    """There are no network namespaces here."""


@dataclass(frozen=True)
class Machines:
    """Two network namespaces, by their names, and the environment of what runs in them."""

    first: str
    second: str
    environment: Mapping[str, str]

    def inside(self, name: str) -> tuple[str, ...]:
        """Return what to put before a command that runs in one of them."""
        return ("ip", "netns", "exec", name)

    def begin_head(self, folder: Path, before: Sequence[str] = ()) -> None:
        """Start Ray's head, whose files lie in a folder with a short path."""
        self._ray(
            self.first, before, "--head", "--node-ip-address", HEAD, "--port", "6379",
            "--ray-client-server-port", "10001", "--include-dashboard=false",
            "--temp-dir", str(folder),
        )  # fmt: skip

    def begin_node(self, before: Sequence[str] = ()) -> None:
        """Start the node, or start it again after it was killed."""
        self._ray(self.second, before, "--address", f"{HEAD}:6379", "--node-ip-address", WORKER)

    def _ray(self, name: str, before: Sequence[str], *arguments: str) -> None:
        began = subprocess.run(
            [*before, *self.inside(name), *_START, *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert began.returncode == 0, began.stdout + began.stderr


@contextmanager
def two_machines() -> Iterator[Machines]:
    """Make two machines with nothing in them; what is in them at the end is killed.

    Raises:
        NotPossible: If there are no network namespaces here.
    """
    if os.geteuid() != 0 or shutil.which("ip") is None:
        raise NotPossible("network namespaces need root and iproute2")
    first, second = f"fc-head-{os.getpid()}", f"fc-node-{os.getpid()}"
    if run("ip", "netns", "add", first, check=False):
        raise NotPossible("network namespaces are not allowed here")
    try:
        run("ip", "netns", "add", second)
        ends = f"fca{os.getpid()}"[:14], f"fcb{os.getpid()}"[:14]
        run("ip", "link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for name, end, address in ((first, ends[0], HEAD), (second, ends[1], WORKER)):
            run("ip", "link", "set", end, "netns", name)
            run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", end)
            run("ip", "-n", name, "link", "set", end, "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        yield Machines(first, second, ENVIRONMENT)
    finally:
        for name in (first, second):
            for pid in netns_pids(name):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            run("ip", "netns", "delete", name, check=False)


@contextmanager
def cluster(room: Path) -> Iterator[Machines]:
    """Make two machines with the files of a folder in a bucket, and Ray's head; not the node.

    The files of the folder become `s3://bucket/room/…`.
    """
    short = Path(tempfile.mkdtemp(prefix="fc", dir="/tmp"))  # Ray's sockets have short paths
    try:
        with two_machines() as made, _store(made):
            made.begin_head(short)
            put = "import sys; from tests.cluster.machines import fill; fill(sys.argv[1])"
            filled = subprocess.run(
                [*made.inside(made.first), sys.executable, "-c", put, str(room)],
                env={**os.environ, **made.environment},
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert filled.returncode == 0, filled.stderr
            yield made
    finally:
        shutil.rmtree(short, ignore_errors=True)


@contextmanager
def _store(made: Machines) -> Iterator[None]:
    """Start the object store, while the head is starting too."""
    server = [sys.executable, "-m", "moto.server", "-H", "0.0.0.0", "-p", "9000"]  # noqa: S104
    process = subprocess.Popen(
        [*made.inside(made.first), *server],
        env={**os.environ, **made.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def fill(folder: str) -> None:
    """Put the files of a folder into the bucket; run within the first machine."""
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


def netns_pids(name: str) -> list[int]:
    """Return the processes of a network namespace."""
    inode = Path(f"/run/netns/{name}").stat().st_ino
    return [
        int(each.name)
        for each in Path("/proc").iterdir()
        if each.name.isdecimal() and _inode(each / "ns/net") == inode
    ]


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def run(*command: str, check: bool = True) -> int:
    return subprocess.run(command, check=check, capture_output=True, timeout=60).returncode
