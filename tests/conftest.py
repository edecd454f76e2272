"""Fixtures that every room's tests may use."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from fourcorners.library.originals.bucket import open_bucket
from tests.forking import ForkServer
from tests.object_store import KEYS, ObjectStore, object_store

# How long an example takes says how busy the machine is, and nothing of the program.
settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_finish() -> None:
    """Let no later collection of garbage look through what all tests have loaded."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left with one at the end.

    That of the whole corpus takes minutes; then come those with slow tests.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    whole = {path for path in slow if path.parent.name == "corpus"}
    items.sort(key=lambda item: (item.path not in whole, item.path not in slow))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of annotated contracts; the test is skipped where there is none."""
    folder = Path(os.environ.get("FOURCORNERS_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "cuad" / "contracts").is_dir():
        pytest.skip(f"no annotated contracts at {folder}: set FOURCORNERS_DATA")
    return folder


@pytest.fixture(scope="session")
def _running_store() -> Iterator[ObjectStore]:
    with object_store() as store:
        yield store


@pytest.fixture
def bucket_server(
    _running_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ObjectStore]:
    """A server that speaks the S3 protocol with an empty bucket, `firm`, and keys to it."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    _running_store.make()
    yield _running_store
    open_bucket.cache_clear()


@pytest.fixture(scope="session")
def dataroom() -> Path:
    """The example contracts that come with the project."""
    return ROOT / "examples" / "dataroom"


# Every interpreter started with this on its path, however deep below the test, has no network, and
# leaves a note where it asked for one. A worker that opens a file of the name that a test waits for
# does what the test wants done in the midst of the work, once.
GUARD = """
import os, sys

_awaited = os.environ.get("WHEN_A_WORKER_OPENS")

def _guard(event, arguments):
    global _awaited
    if event == "open" and _awaited and sys.argv[0] == "-c":
        if os.path.basename(str(arguments[0])) == _awaited:
            _awaited = None
            exec(os.environ["THEN_IT_DOES"])
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        if event == "socket.connect" and isinstance(arguments[1], (str, bytes)):
            return  # a socket of this machine, by its path
        with open(os.environ["NETWORK_ASKED"], "a") as notes:
            told = [each for each in arguments if isinstance(each, (str, bytes, int, tuple))]
            notes.write(f"{event} {told}\\n")
        raise OSError("the network is blocked")

sys.addaudithook(_guard)
"""


@dataclass(frozen=True)
class Outcome:
    """How a run of the program ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Program:
    """The real program, run in processes of its own: in a folder of the test's, without network."""

    folder: Path
    environment: Mapping[str, str]
    forks: ForkServer
    before: tuple[str, ...] = field(default=())  # a command that runs the program

    def __call__(self, *arguments: str | Path, code: int | None = 0, columns: int = 100) -> Outcome:
        """Run a command to its end; it must end with `code`, if one is given."""
        if self.before or not hasattr(os, "fork"):
            process = self.start(*arguments, columns=columns)
            out, err = process.communicate(timeout=600)
            ended = process.returncode
        else:
            environment = {**self.environment, "COLUMNS": str(columns)}
            ended, out, err = self.forks.run([*map(str, arguments)], self.folder, environment)
        assert code in (None, ended), f"{arguments}: {ended}\n{out}{err}"
        assert "Traceback" not in err, err
        return Outcome(ended, out, err)

    def start(self, *arguments: str | Path, columns: int = 100) -> subprocess.Popen[str]:
        """Start a command in a session of its own."""
        return subprocess.Popen(
            [*self.before, sys.executable, "-m", "fourcorners.cli.main", *map(str, arguments)],
            cwd=self.folder,
            env={**self.environment, "COLUMNS": str(columns)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def when_a_worker_opens(self, name: str, code: str) -> Program:
        """Return the program that runs `code` when a worker first opens a file of that name."""
        environment = {**self.environment, "WHEN_A_WORKER_OPENS": name, "THEN_IT_DOES": code}
        return replace(self, environment=environment)

    @property
    def asked(self) -> str:
        """What the program asked of the network."""
        notes = Path(self.environment["NETWORK_ASKED"])
        return notes.read_text() if notes.exists() else ""


@pytest.fixture(scope="module")
def one_process() -> Iterator[None]:
    """Read and review in the process of the tests: another first loads what this one has loaded.

    For tests of what is found. That workers may crash or be slow is tested with workers.
    """
    from fourcorners.documents.workers.worker_pool import OwnProcessPool
    from fourcorners.library import ingest
    from fourcorners.review import run

    fill = run._fill

    def fill_here(order: Any, *rest: Any, **named: Any) -> Iterator[Any]:
        try:
            yield from fill(order, *rest, **named)
        finally:
            run._open_library(order.library).close()
            run._open_library.cache_clear()

    with pytest.MonkeyPatch.context() as patch:
        for module in (ingest, run):
            patch.setattr(module, "LocalWorkerPool", lambda _: OwnProcessPool())
        patch.setattr(run, "_fill", fill_here)
        yield


@pytest.fixture(scope="session")
def make_program(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Path], Program]]:
    """Return what makes a `Program` that works in a folder."""
    guard = tmp_path_factory.mktemp("guard")
    (guard / "sitecustomize.py").write_text(GUARD)
    kept = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV")
    everywhere = {name: os.environ[name] for name in kept if name in os.environ} | {
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(map(str, (guard, ROOT / "src", ROOT / "bench/src"))),
        "FOURCORNERS_OCR": "0",  # so that all goes as it does where no engine is installed
    }
    forks = ForkServer(everywhere)

    def make(folder: Path) -> Program:
        home = tmp_path_factory.mktemp("home")
        own = {"HOME": str(home), "NETWORK_ASKED": str(home / "network")}
        return Program(folder, everywhere | own, forks)

    yield make
    forks.close()


@pytest.fixture
def program(tmp_path: Path, make_program: Callable[[Path], Program]) -> Program:
    """The program, in a folder of the test's own."""
    return make_program(tmp_path)


@pytest.fixture(scope="session")
def larch(
    tmp_path_factory: pytest.TempPathFactory,
    make_program: Callable[[Path], Program],
    dataroom: Path,
) -> Program:
    """The program where ./fourcorners.db holds the example contracts as "Project Larch".

    Whichever worker comes first adds them; each has a copy of its own.
    """
    own = make_program(tmp_path_factory.mktemp("larch"))
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "larch shared"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            making = replace(own, folder=own.folder / "making")
            making.folder.mkdir()
            making("add", dataroom, "--collection", "Project Larch", "--library", "fourcorners.db")
            making.folder.rename(shared)
    shutil.copytree(shared, own.folder, dirs_exist_ok=True)
    return own
