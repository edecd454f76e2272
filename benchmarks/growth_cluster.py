"""Measure what a cluster adds: CPU seconds of Ray, and requests to an object store.

    python benchmarks/growth_cluster.py ray --data ../shared/data/cuad/contracts --documents 100
    python benchmarks/growth_cluster.py requests --data FOLDER

`ray`: the same contracts are added to a library in one file, once by processes of this machine and
once by a Ray that is started on it; the CPU seconds are those of all processes that this begins,
looked up in /proc five times a second. What two machines gain by the clock it does not tell.

`requests`: contracts are added to a library in a bucket, and questions are asked of it by a process
that opens it anew; each request is a line in the log of moto's server, a mock of S3.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.search.find import find_passages
from fourcorners.settings import Settings

_TICK = 0.2  # seconds between looks at the processes
_HERTZ = os.sysconf("SC_CLK_TCK")
_EACH = 16  # contracts of one transaction
_REQUEST = re.compile(r'"[^"]*?(GET|PUT|POST|HEAD|DELETE) /')
ASKED = '"change control"~5^5', "renewal term notice"


def adding(url: str, folder: str, on_ray: bool, jobs: int) -> None:
    """Add the contracts of a folder, by words only."""
    settings = Settings(jobs=jobs, ocr=False)
    named: dict[str, object] = {"collection": "Growth", "encoder": None, "settings": settings}
    if not on_ray:
        with Library.open(url) as library:
            add_files(library, [folder], **named)  # type: ignore[arg-type]
        return
    from fourcorners.cluster import open_worker_pool

    with open_worker_pool("ray", jobs=jobs) as workers, Library.open(url) as library:
        add_files(library, [folder], worker_pool=workers, **named)  # type: ignore[arg-type]


class Watch(threading.Thread):
    """Adds up the CPU seconds of a process and of all that descend from it."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self._known = {root}
        self._spent: dict[tuple[int, str], float] = {}
        self._ended = threading.Event()

    def run(self) -> None:
        """Look again and again."""
        while not self._ended.wait(_TICK):
            self._look()

    def seconds(self) -> float:
        """Stop looking, and return the sum."""
        self._ended.set()
        self.join()
        return sum(self._spent.values())

    def _look(self) -> None:
        told: dict[int, list[str]] = {}
        for each in Path("/proc").iterdir():
            if each.name.isdecimal():
                try:
                    told[int(each.name)] = (each / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
        grown = True
        while grown:
            more = {pid for pid, stat in told.items() if int(stat[1]) in self._known} - self._known
            self._known |= more
            grown = bool(more)
        for pid in self._known & told.keys():
            stat = told[pid]
            self._spent[pid, stat[19]] = (int(stat[11]) + int(stat[12])) / _HERTZ


def ray_overhead(said: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Return CPU seconds of adding the same contracts without Ray and with it."""
    room = _some(said.data, said.documents, folder)
    spent, added = {}, set()
    for name, on_ray in (("alone", False), ("ray", True)):
        url = str(folder / f"{name}.db")
        process = multiprocessing.get_context("spawn").Process(
            target=adding, args=(url, str(room), on_ray, said.jobs)
        )
        process.start()
        watch = Watch(process.pid or 0)
        watch.start()
        process.join()
        spent[name] = round(watch.seconds(), 1)
        with Library.open(url, create=False) as library:
            added.add(len(library.documents()))
    if len(added) > 1:
        raise RuntimeError(f"not the same contracts were added: {added}")
    return {"documents": added.pop(), "jobs": said.jobs, "cpu_seconds": spent}


def requests(said: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Return how many requests adding and asking make, by method."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "log"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    with log.open("w") as sink:
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sink)
    try:
        _make_bucket(port)
        told: dict[str, object] = {}

        def counted(name: str) -> None:
            time.sleep(0.5)  # until the last line is written
            lines = log.read_text().splitlines()
            every = Counter(found[1] for line in lines if (found := _REQUEST.search(line)))
            new = every - before
            told[name] = {"all": new.total(), **sorted_counts(new)}
            before.update(new)
            print(name, told[name], file=sys.stderr, flush=True)

        before: Counter[str] = Counter()
        url = "lance+s3://bucket/firm"
        counted("bucket")
        with Library.open(url) as library:
            counted("open, and make the tables")
            for part in range(2):
                room = _some(said.data, _EACH, folder / f"part {part}", part * _EACH)
                adding_to(library, room)
                counted(f"add {_EACH} contracts, time {part + 1}")
            library.maintain(always=True)
            counted("tend")
        with Library.open(url, create=False) as library:
            counted("open")
            for query in ASKED:
                for time_ in ("first", "second"):
                    find_passages(library, query)
                    counted(f"ask {query}, {time_} time")
        return told
    finally:
        server.terminate()
        server.wait(30)


def adding_to(library: Library, room: Path) -> None:
    """Add the contracts of a folder to an open library."""
    settings = Settings(jobs=1, ocr=False)
    add_files(library, [room], collection="Growth", encoder=None, settings=settings)


def sorted_counts(counts: Counter[str]) -> dict[str, int]:
    """Return counts, the largest first."""
    return dict(counts.most_common())


def _some(data: Path, count: int, folder: Path, first: int = 0) -> Path:
    room = folder / "room"
    room.mkdir(parents=True)
    for path in sorted(data.glob("*.txt"))[first : first + count]:
        copyfile(path, room / path.name)
    return room


def _make_bucket(port: int) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("PUT", "/bucket")
            connection.getresponse().read()
        except ConnectionError:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)
        else:
            return


def main() -> None:
    """Read the command line, measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("ray", "requests"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    said = parser.parse_args()
    with TemporaryDirectory() as folder:
        measure = ray_overhead if said.what == "ray" else requests
        print(json.dumps(measure(said, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
