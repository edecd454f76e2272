"""PostgreSQL servers on separate machines: network namespaces, joined by a bridge."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.cluster.machines import NotPossible, netns_pids, run
from tests.cluster.postgres_server import USER

PORT = 5432


@dataclass(frozen=True)
class DistantServer:
    """A server in a network namespace, reached by its address alone.

    Attributes:
        space: The name of the namespace.
        cable: Its end of the bridge, in the host.
        folder: Where its data are.
        options: Of `postgres`.
    """

    space: str
    cable: str
    host: str
    folder: Path
    binaries: Path
    options: str
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@{self.host}/postgres"

    def new_library(self) -> str:
        """Return the URL of a library that is to be made."""
        name = f"library{next(self._numbers)}"
        psql = [str(self.binaries / "psql"), "-qXc", f"CREATE SCHEMA {name}", self.url]
        subprocess.run(psql, check=True, capture_output=True)
        return f"{self.url}?options=-csearch_path%3D{name}"

    def start(self) -> None:
        self._control("-l", str(self.folder / "log"), "-o", self.options, "start")

    def stop(self) -> None:
        """End it at once, as when its machine is switched off."""
        self._control("-m", "immediate", "stop")

    def unplug(self) -> None:
        """Take its machine off the network: nothing is refused, nothing answers."""
        run("ip", "link", "set", self.cable, "down")

    def plug_in(self) -> None:
        run("ip", "link", "set", self.cable, "up")

    def pids(self) -> list[int]:
        return netns_pids(self.space)

    def _control(self, *arguments: str) -> None:
        program = self.binaries / "pg_ctl"
        subprocess.run(
            ["ip", "netns", "exec", self.space, "setpriv", f"--reuid={USER}", "--clear-groups",
             program, "-D", self.folder / "data", "-w", "-s", *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
        )  # fmt: skip


@contextmanager
def distant_servers(
    number: int, binaries: Path, options: str = "", folder: Path | None = None
) -> Iterator[list[DistantServer]]:
    """Run servers, each on its own machine, until the end of the block.

    Args:
        number: How many.
        binaries: The folder of PostgreSQL's programs.
        options: More options of the servers.
        folder: Where their data stay, to go on with them; by default they are gone at the end.

    Raises:
        NotPossible: If there are no network namespaces here.
    """
    if os.geteuid() != 0 or shutil.which("ip") is None:
        raise NotPossible("network namespaces need root and iproute2")
    bridge = f"fcb{os.getpid()}"
    network = f"10.{100 + os.getpid() % 100}.{os.getpid() // 100 % 250}"  # for runs at once
    if run("ip", "link", "add", bridge, "type", "bridge", check=False):
        raise NotPossible("network namespaces are not allowed here")
    with ExitStack() as stack:
        stack.callback(run, "ip", "link", "delete", bridge, check=False)
        run("ip", "addr", "add", f"{network}.254/24", "dev", bridge)
        run("ip", "link", "set", bridge, "up")
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fc-servers-")))
        folder.chmod(0o755)
        yield [
            stack.enter_context(
                _server(f"{network}.{each}", bridge, folder / f"{each}", binaries, options)
            )
            for each in range(1, number + 1)
        ]


@contextmanager
def _server(
    host: str, bridge: str, folder: Path, binaries: Path, options: str
) -> Iterator[DistantServer]:
    number = host.rpartition(".")[2]
    space, cable = f"fc-pg-{os.getpid()}-{number}", f"fcv{os.getpid()}x{number}"
    run("ip", "netns", "add", space)
    try:
        run("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
        run("ip", "link", "set", cable, "master", bridge)
        run("ip", "link", "set", cable, "up")
        run("ip", "-n", space, "addr", "add", f"{host}/24", "dev", "eth0")
        for each in ("eth0", "lo"):
            run("ip", "-n", space, "link", "set", each, "up")
        given = f"-c listen_addresses={host} -c port={PORT} -c fsync=off -k {folder} {options}"
        server = DistantServer(space, cable, host, folder, binaries, given)
        if not (folder / "data").exists():
            folder.mkdir(exist_ok=True)
            shutil.chown(folder, USER)
            server._control("-o", f"-U {USER} -A trust -E UTF8 --locale=C -N", "init")
            with (folder / "data" / "pg_hba.conf").open("a") as rules:
                rules.write("host all all samenet trust\n")
        server.start()
        try:
            yield server
        finally:
            with suppress(subprocess.CalledProcessError):
                server._control("-m", "fast", "stop")
    finally:
        for pid in netns_pids(space):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run("ip", "netns", "delete", space, check=False)
