"""A PostgreSQL server of the tests' own, on a Unix socket, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import quote

USER = "postgres"  # by whom it runs where the tests are run by root, whom it refuses
OPTIONS = "-c listen_addresses= -c fsync=off -c shared_buffers=64MB -c max_connections=40"


@dataclass(frozen=True)
class PostgresServer:
    """A running server; each library of a test has a schema of its own."""

    folder: Path
    binaries: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def new_library(self) -> str:
        """Return the URL of a library that is to be made."""
        name = f"library{next(self._numbers)}"
        self.run("psql", "-qXc", f"CREATE SCHEMA {name}", "postgres")
        return self.url(name)

    def url(self, schema: str, **options: str) -> str:
        given = {"host": str(self.folder), "user": USER, **options}
        asked = "&".join(f"{name}={quote(value)}" for name, value in given.items())
        return f"postgresql:///postgres?{asked}&options={quote(f'-csearch_path={schema}')}"

    def run(self, program: str, *arguments: str) -> str:
        """Run one of PostgreSQL's programs against the server, and return what it prints."""
        done = subprocess.run(
            [self.binaries / program, "-h", self.folder, "-U", USER, *arguments],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def control(self, *arguments: str) -> None:
        """Run `pg_ctl`, as the user of the server."""
        subprocess.run(
            [self.binaries / "pg_ctl", "-D", self.folder / "data", "-w", "-s", *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            user=USER if os.geteuid() == 0 else None,
            cwd=self.folder,
        )

    def start(self) -> None:
        self.control("-o", f"{OPTIONS} -k {self.folder}", "-l", str(self.folder / "log"), "start")


def find_binaries() -> Path | None:
    """Return the folder of the server's programs, which Debian keeps out of PATH."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb")
    return places[-1].parent if places else Path(found).parent if found else None


@contextmanager
def postgres_server(binaries: Path) -> Iterator[PostgresServer]:
    """Run a server until the end of the block."""
    owner = os.getpid()
    server = PostgresServer(Path(tempfile.mkdtemp(prefix="fourcorners-postgres-")), binaries)
    try:
        if os.geteuid() == 0:
            shutil.chown(server.folder, USER)
        server.control("-o", f"-U {USER} -A trust -E UTF8 --locale=C -N", "init")
        server.start()
        yield server
    finally:
        if os.getpid() == owner:  # not a process that was forked from it
            server.control("-m", "immediate", "stop")
            shutil.rmtree(server.folder, ignore_errors=True)
