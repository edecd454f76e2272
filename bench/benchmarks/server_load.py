"""People who read on one server at once: how long each kind of page takes, and what it costs.

    python -m benchmarks.server_load LIBRARY [--json FILE]
    python -m benchmarks.server_load LIBRARY --users 20 --seconds 60 --without-review

Starts `fourcorners serve` over a copy of the library, on this machine's loopback, and measures the
CPU time of each kind of page alone. Then 50 threads ask for pages for five minutes, each with a
pause to read between two (`--pause`, from half of it to one and a half); and for five more, in the
same walk, while a review runs. By kind of page it prints how many requests there were, the median,
the 95th percentile and the worst time in milliseconds, and errors; over all pages how much longer
the 95th percentile is during the review; further the time from the start to the first useful page,
the memory of the pages' process and of all that it started at start and end, how far the review
came, and which share of a core the readers themselves took. That share has to stay below a third,
or the figures are those of the readers: the run fails.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from fourcorners.library.store import Library

_QUERIES = (
    '"change control"~5',
    "assign* w/10 consent",
    "(terminate OR termination) AND notice",
    "who may end the agreement early",
    "cap on liability",
    "governing law",
    "may the licensee sublicense to its affiliates",
    "what happens on a change of control of the supplier",
    "does the agreement renew automatically",
    "exclusiv* AND (territory OR field)",
    "liquidated damages for late delivery",
    "may either party solicit employees of the other",
    '"intellectual property" AND NOT license',
    "which insurance must the contractor keep",
    "audit* w/5 (books OR records)",
    "how long do warranties last",
    "minimum purchase commitment of the distributor",
    '"force majeure"',
)
_PORT = re.compile(r"127\.0\.0\.1:(\d+)")
_SHARES = {
    "library": 1, "collection": 3, "contract": 4, "part of a contract": 2, "page of a PDF": 3,
    "search": 3, "ask form": 1, "reviews": 1, "grid": 2, "window of the grid": 4, "finding": 4,
    "to do": 2, "dates": 1, "obligations": 1, "compare form": 1,
    "drafting": 1, "family": 1, "mark-up": 1, "precedents form": 1, "playbooks": 1, "playbook": 1,
    "documents' check": 1, "activity": 1, "audit": 1, "inbox": 1,
}  # fmt: skip
_MOST_OF_A_CORE = 1 / 3  # of the readers
_MAX_WAIT = 900.0  # seconds for one answer: the machine may be busy
_ALONE = 10  # requests of each kind, one after the other, for its CPU time


@dataclass
class Seen:
    """What one kind of page took, in milliseconds, and how often it failed."""

    took: list[float] = field(default_factory=list)
    errors: int = 0


class Server:
    """A server in its own process."""

    def __init__(self, library: Path, temporary: Path | None = None) -> None:
        began = time.monotonic()
        Library.open(library).close()  # it is made where it is missing
        command = [sys.executable, "-m", "fourcorners.cli.main", "serve", "--port", "0"]
        environment = {**os.environ, **({"TMPDIR": str(temporary)} if temporary else {})}
        self._process = subprocess.Popen(
            [*command, "--library", str(library)],
            stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self.port = self._listen()
        status, _ = self.get("/")
        if status != 200:
            raise RuntimeError(f"the first page answers {status}")
        self.first_page = time.monotonic() - began

    def _listen(self) -> int:
        log = self._process.stderr
        for line in log or ():
            if log and "Fourcorners at" in line:
                threading.Thread(target=log.read, daemon=True).start()
                return int(_PORT.findall(line)[-1])
        raise RuntimeError("the server did not start")

    def get(self, address: str, data: dict[str, object] | None = None) -> tuple[int, bytes]:
        """Ask for an address; returns status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_MAX_WAIT)
        try:
            if data is None:
                connection.request("GET", address)
            else:
                headers = {"Content-Type": "application/json"}
                connection.request("POST", address, json.dumps(data), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post(self, path: str, body: bytes, kind: str, key: str = "") -> tuple[int, Any]:
        """Send a write to the API, once under a key; returns status and answer."""
        headers = {"Content-Type": kind, **({"Idempotency-Key": key} if key else {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_MAX_WAIT)
        try:
            connection.request("POST", f"/api/v1/{path}", body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    @property
    def pid(self) -> int:
        """Return the number of its process."""
        return self._process.pid

    def kill_workshop(self) -> bool:
        """Kill the process that does the tasks; tells whether there is one."""
        for pid in Path(f"/proc/{self._process.pid}/task").glob("*/children"):
            for child in pid.read_text().split():
                if "tasks.process.main" in Path(f"/proc/{child}/cmdline").read_text():
                    os.kill(int(child), signal.SIGKILL)
                    return True
        return False

    def memory(self) -> dict[str, int]:
        """Return the resident megabytes of the process of the pages, and of all that it started."""
        pages = _resident(self._process.pid, alone=True)
        return {"pages": pages >> 20, "others": (_resident(self._process.pid) - pages) >> 20}

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self._process.terminate()
        self._process.wait(30)

    def kill(self) -> None:
        """End it as the power does."""
        self._process.kill()
        self._process.wait(30)


def _resident(pid: int, *, alone: bool = False) -> int:
    figures = Path(f"/proc/{pid}/statm").read_text().split()
    if alone:
        return int(figures[1]) * 4096
    threads = Path(f"/proc/{pid}/task").glob("*/children")  # each lists those that it started
    children = [child for thread in threads for child in thread.read_text().split()]
    return int(figures[1]) * 4096 + sum(_resident(int(child)) for child in children)


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has taken so far, those it started left out."""
    figures = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(figures[11]) + int(figures[12])) / os.sysconf("SC_CLK_TCK")


class Users:
    """People who read, each in a thread of their own."""

    def __init__(self, server: Server, addresses: dict[str, list[str]], pause: float) -> None:
        self._server, self._addresses, self._pause = server, addresses, pause
        self._lock = threading.Lock()
        self.seen = {kind: Seen() for kind in addresses}

    def read(self, users: int, seconds: float) -> None:
        """Let them read for a while."""
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._one, args=(number, until)) for number in range(users)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _one(self, number: int, until: float) -> None:
        chance = random.Random(number)  # noqa: S311 - the same walk each time
        kinds = list(self.seen)
        weights = [_SHARES[kind] for kind in kinds]
        time.sleep(self._pause * chance.random())
        while time.monotonic() < until:
            kind = chance.choices(kinds, weights)[0]
            began = time.monotonic()
            try:
                status, _ = self._server.get(chance.choice(self._addresses[kind]))
            except OSError:
                status = 0
            took = (time.monotonic() - began) * 1000
            with self._lock:
                self.seen[kind].took.append(took)
                self.seen[kind].errors += status != 200
            time.sleep(self._pause * chance.uniform(0.5, 1.5))


def addresses(library: Path) -> dict[str, list[str]]:
    """Return the addresses of each kind of page; a kind without any is left out."""
    with Library.open(library, create=False) as store:
        entries = store.documents()
        collections = store.collection_names()
        cells = store.execute(
            "SELECT document, provision FROM review_findings WHERE playbook = ? LIMIT 500",
            ("due-diligence",),
        )
    documents = [each.id for each in entries]
    printed = [each.id for each in entries if each.path.endswith(".pdf")]
    names = [quote(name, safe="") for name in collections]
    grids = [f"c={name}&p=due-diligence" for name in names]
    homes = {each.id: quote(each.collection, safe="") for each in entries}
    found = [
        f"c={homes[document]}&p=due-diligence&d={document}&v={quote(provision, safe='')}"
        for document, provision in ((str(row[0]), str(row[1])) for row in cells)
        if document in homes
    ]
    known = {
        "library": ["/"],
        "collection": [f"/c/{name}" for name in names],
        "contract": [f"/d/{document}" for document in documents],
        "part of a contract": [f"/d/{document}/part/1" for document in documents],
        "page of a PDF": [f"/d/{document}/page/1.png" for document in printed],
        "search": [f"/search?q={quote(query, safe='')}" for query in _QUERIES],
        "ask form": ["/ask"],
        "reviews": ["/reviews"],
        "grid": [f"/reviews/grid?{query}" for query in grids],
        "window of the grid": [f"/reviews/rows?{query}&start=0&count=40" for query in grids],
        "finding": [f"/reviews/cell?{query}" for query in found],
        "to do": ["/to-do"],
        "dates": [f"/dates?c={name}" for name in names],
        "obligations": [f"/dates/obligations?c={name}" for name in names],
        "compare form": ["/compare"],
        "drafting": [f"/d/{document}/lint" for document in documents],
        "family": [f"/d/{document}/family" for document in documents],
        "mark-up": [f"/d/{document}/markup" for document in documents],
        "precedents form": ["/precedents"],
        "playbooks": ["/playbooks"],
        "playbook": ["/playbooks/due-diligence"],
        "documents' check": [f"/health?c={name}" for name in names],
        "activity": ["/activity"],
        "audit": ["/activity/audit"],
        "inbox": ["/inbox"],
    }
    return {kind: all_ for kind, all_ in known.items() if all_}


@contextmanager
def served(library: Path) -> Iterator[Server]:
    """Serve a copy of a library."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "library.db"
        shutil.copy(library, copy)
        server = Server(copy)
        try:
            yield server
        finally:
            server.stop()


def alone(server: Server, where: dict[str, list[str]]) -> dict[str, float]:
    """Return the CPU milliseconds of a request of each kind, once what it needs is warm."""
    took: dict[str, float] = {}
    for kind, known in where.items():
        server.get(known[0])
        before = cpu_seconds(server.pid)
        for number in range(_ALONE):
            server.get(known[number % len(known)])
        took[kind] = round((cpu_seconds(server.pid) - before) / _ALONE * 1000, 1)
    return took


def measured(
    library: Path, users: int, seconds: float, pause: float, *, review: bool
) -> dict[str, object]:
    """Measure one run: at rest, and then during a review, which shares its server."""
    where = addresses(library)
    with served(library) as server:
        each = alone(server, where)
        before, began = server.memory(), time.process_time()
        rest = Users(server, where, pause)
        rest.read(users, seconds)
        pages, runs = {"at rest": rest.seen}, 1
        state: dict[str, object] = {}
        if review:
            name = where["collection"][0].removeprefix("/c/")
            asked: dict[str, object] = {"collection": unquote(name)}
            task = json.loads(server.get("/api/v1/reviews", asked)[1])["id"]
            at_work = Users(server, where, pause)
            at_work.read(users, seconds)
            pages["during a review"], runs = at_work.seen, 2
            state = json.loads(server.get(f"/api/v1/tasks/{task}")[1])
        share = (time.process_time() - began) / (seconds * runs)
        figures: dict[str, object] = {
            "users": users,
            "seconds": seconds,
            "pause": pause,
            "documents": len(where["contract"]),
            "first_page_seconds": round(server.first_page, 2),
            "memory_mb": {"start": before, "end": server.memory()},
            "cpu_ms_alone": each,
            "readers_share_of_a_core": round(share, 3),
            "pages": {
                name: {kind: _row(seen) for kind, seen in kinds.items()}
                for name, kinds in pages.items()
            },
            "all pages": {name: _row(_sum_kinds(kinds)) for name, kinds in pages.items()},
        }
        if review:
            at_rest, worked = (_row(_sum_kinds(kinds))["p95_ms"] for kinds in pages.values())
            figures["p95_ratio"] = round(worked / at_rest, 2)
            figures["review"] = {key: state[key] for key in ("state", "done", "total")}
    if share > _MOST_OF_A_CORE:
        raise SystemExit(f"the readers took {share:.0%} of a core: the figures are theirs")
    return figures


def _sum_kinds(kinds: dict[str, Seen]) -> Seen:
    """Return what all kinds of pages took, as one."""
    everything = Seen()
    for seen in kinds.values():
        everything.took += seen.took
        everything.errors += seen.errors
    return everything


def _row(seen: Seen) -> dict[str, float]:
    took = sorted(seen.took) or [0.0]
    cuts = statistics.quantiles(took, n=20) if len(took) > 1 else [took[0]] * 19
    return {
        "requests": len(seen.took),
        "errors": seen.errors,
        "p50_ms": round(statistics.median(took), 1),
        "p95_ms": round(cuts[18], 1),
        "worst_ms": round(took[-1], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--pause", type=float, default=10.0, help="seconds to read a page")
    parser.add_argument("--without-review", action="store_true", help="no review meanwhile")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    arguments = parser.parse_args()
    figures = measured(
        arguments.library,
        arguments.users,
        arguments.seconds,
        arguments.pause,
        review=not arguments.without_review,
    )
    text = json.dumps(figures, indent=2)
    print(text)
    if arguments.json:
        arguments.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
