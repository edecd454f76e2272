"""Kill -9 of a real server during an upload and a review: it comes back and goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from fourcorners.library.store import Library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there"),
]
COUNT = 12
_PATIENCE = 900.0
_EDGE = "x-the-edge-of-a-part"


class Server:
    """A server in a process of its own, spoken to over REST."""

    def __init__(self, library: Path) -> None:
        command = [sys.executable, "-m", "fourcorners.cli.main", "serve", "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--library", str(library)],
            cwd=library.parent, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stderr is not None
        line = next(line for line in self._process.stderr if "Fourcorners at" in line)
        self._draining = threading.Thread(target=self._drain)  # a full pipe would hold it up
        self._draining.start()
        self._base = "http://127.0.0.1:" + line.split("127.0.0.1:")[1].split()[0].strip('/",')

    def api(self, path: str, data: bytes | None = None, kind: str = "application/json") -> Any:
        """Send a request, a POST where there are data, and return what it answers."""
        request = urllib.request.Request(  # noqa: S310 - of this machine
            f"{self._base}/api/v1{path}", data, {"Content-Type": kind}
        )
        with urllib.request.urlopen(request, timeout=200) as answer:  # noqa: S310
            return json.load(answer)

    def wait(self, task: str, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until a task is so far."""
        deadline = time.monotonic() + _PATIENCE
        while not until(told := self.api(f"/tasks/{task}")):
            assert time.monotonic() < deadline, told
            assert told["state"] not in ("failed", "cancelled"), told
            time.sleep(0.15)  # a caller may ask ten times a second
        return dict(told)

    def _drain(self) -> None:
        with self._process.stderr or nullcontext() as log:
            for _ in log or ():
                pass

    def kill(self) -> None:
        """End it as the power does."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)
        self._draining.join(30)  # until all who write there are gone, its workshop among them
        assert not self._draining.is_alive()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Server]]:
    """Return what starts a server over the one library."""
    begun: list[Server] = []
    Library.open(tmp_path / "firm.db").close()

    def begin() -> Server:
        begun.append(Server(tmp_path / "firm.db"))
        return begun[-1]

    yield begin
    for server in begun:
        server.kill()


def upload_body(collection: str, clauses: int = 40) -> tuple[bytes, str]:
    """Return contracts as an upload's body, and its type."""
    parts = []
    for number in range(COUNT):
        body = "\n\n".join(
            f"{clause}. Delivery\n\n{clause}.1 Lot {number}-{clause} is due within {clause} days, "
            "and may not be assigned without the consent of the Buyer."
            for clause in range(1, clauses)
        )
        parts.append(
            f'--{_EDGE}\r\nContent-Disposition: form-data; name="files"; filename="{number}.txt"'
            f"\r\nContent-Type: text/plain\r\n\r\nSUPPLY AGREEMENT {number}\n\n{body}\r\n"
        )
    parts.append(
        f'--{_EDGE}\r\nContent-Disposition: form-data; name="collection"\r\n\r\n{collection}'
    )
    whole = "".join([*parts, f"\r\n--{_EDGE}--\r\n"]).encode()
    return whole, f"multipart/form-data; boundary={_EDGE}"


def test_an_upload_and_a_review_go_on(start: Callable[[], Server], tmp_path: Path) -> None:
    server = start()
    task = server.api("/documents", *upload_body("Lots"))["id"]
    server.wait(task, lambda told: told["done"] >= 2)
    server.kill()
    with Library.open(tmp_path / "firm.db") as library:
        there = {entry.name for entry in library.documents()}
        assert library.check() == []
    assert there

    server = start()
    told = server.wait(task, lambda told: told["state"] == "done")
    assert told["result"]["failed"] == 0
    names = [each["name"] for each in server.api("/documents?limit=100")["items"]]
    assert sorted(names) == sorted(f"{number}.txt" for number in range(COUNT))

    asked = json.dumps({"collection": "Lots", "playbook": "nda-review"}).encode()
    review = server.api("/reviews", asked)["id"]
    server.wait(review, lambda told: told["done"] >= 1)
    server.kill()

    server = start()
    told = server.wait(review, lambda told: told["state"] == "done")
    assert told["result"]["documents"] == COUNT
    found = server.api("/findings?collection=Lots&playbook=nda-review&limit=200")["items"]
    cells = [(each["document"], each["provision"]) for each in found]
    assert len(cells) == len(set(cells))
    assert {document for document, _ in cells} == {
        each["id"] for each in server.api("/documents?limit=100")["items"]
    }
    assert server.api("/audit/verdict")["faults"] == []
