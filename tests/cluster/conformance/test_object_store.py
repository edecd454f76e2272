"""The same library in an S3-compatible object store, and when that store does not do as it should.

The store is moto's server, a mock that keeps everything in memory.
"""

from __future__ import annotations

import http.client
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.search.find import find_passages
from tests.cluster.conformance.conftest import ENCODER
from tests.library.conftest import contract

pytest.importorskip("moto")
pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """An object store on this machine, with one bucket."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                connection.request("PUT", "/bucket")
                assert connection.getresponse().status == 200
                break
            except ConnectionError:
                assert time.monotonic() < deadline
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    return monkeypatch


@pytest.fixture
def url(keys: pytest.MonkeyPatch, endpoint: str, request: pytest.FixtureRequest) -> str:
    keys.setenv("AWS_ENDPOINT_URL", endpoint)
    return f"lance+s3://bucket/{request.node.name}"


class Faulty(ThreadingHTTPServer):
    """A proxy that answers some requests with errors, or late, or does them and does not answer."""

    daemon_threads = True

    def __init__(self, target: str, *, errors: float, delay: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target, self.errors, self.delay = urlsplit(target), errors, delay
        self.chance, self.refused = random.Random(3), 0
        self.losing, self.lost = 0.0, 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is sent at once: its second part would wait for word of the first
    server: Faulty

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        time.sleep(self.server.chance.random() * self.server.delay)
        if self.server.chance.random() < self.server.errors:
            self.server.refused += 1
            self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        target = self.server.target
        connection = http.client.HTTPConnection(target.hostname or "", target.port, timeout=30)
        connection.request(self.command, self.path, body, dict(self.headers))
        answer = connection.getresponse()
        content = answer.read()
        if self.command == "PUT" and self.server.chance.random() < self.server.losing:
            self.server.lost += 1
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else None
        self.send_header("Content-Length", length or str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        connection.close()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any  # noqa: N815 - as http.server has it

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def faulty(keys: pytest.MonkeyPatch, endpoint: str) -> Iterator[Faulty]:
    proxy = Faulty(endpoint, errors=0.0, delay=0.0)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    keys.setenv("AWS_ENDPOINT_URL", proxy.url)
    yield proxy
    proxy.shutdown()
    proxy.server_close()


def filled(url: str) -> None:
    with Library.open(url) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        assert contract().add(library)


def test_a_library_in_a_bucket(url: str, keys: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keys.setenv("XDG_DATA_HOME", str(tmp_path))
    filled(url)
    with Library.open(url, create=False) as library:
        assert tmp_path in library.files.parents
        assert not library.files_are_shared
        assert [hit.words[:3] for hit in find_passages(library, '"change control"~5^5')] == ["1.1"]
        assert find_passages(library, "norway laws govern", encoder=ENCODER)[0].words.startswith(
            "2. Law"
        )
        library.maintain(always=True)
        assert library.check() == []
        library.remove(contract().document.id)
        assert find_passages(library, "norway") == []


def test_two_processes_write_to_a_bucket(url: str) -> None:
    from tests.cluster.conformance.test_processes import ended, start

    with Library.open(url) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
    added = {
        document
        for writer in [start("write", url, name, "3") for name in ("Alder", "Birch")]
        for document in ended(writer)
    }
    with Library.open(url, create=False) as library:
        assert {entry.id for entry in library.documents()} == added
        assert len(added) == 6
        assert library.check() == []


def test_a_store_that_is_slow_and_refuses_now_and_then_is_asked_again(faulty: Faulty) -> None:
    faulty.errors, faulty.delay = 0.1, 0.02
    filled("lance+s3://bucket/faulty")
    assert faulty.refused
    with Library.open("lance+s3://bucket/faulty", create=False) as library:
        assert [hit.words[:3] for hit in find_passages(library, '"change control"~5')] == ["1.1"]
        assert library.check() == []


def test_a_write_whose_answer_is_lost_is_done_once(faulty: Faulty) -> None:
    url = "lance+s3://bucket/lost"
    filled(url)
    late = contract("late.txt", ["LATE", "1. Late.", "1.1 It is late."])
    with Library.open(url, create=False) as library:
        faulty.losing = 0.3
        assert late.add(library)
        library.remove(contract().document.id)
        library.maintain(always=True)
        faulty.losing = 0.0
    assert faulty.lost > 2
    with Library.open(url, create=False) as library:
        assert [entry.name for entry in library.documents()] == ["late.txt"]
        assert [hit.words for hit in find_passages(library, "late AND is")] == ["1.1 It is late."]
        assert library.audit_verdict().faults == ()
        assert library.check() == []


def test_a_store_that_is_gone_is_told_and_nothing_is_half_there(faulty: Faulty) -> None:
    url = "lance+s3://bucket/gone"
    filled(url)
    with Library.open(url, create=False) as library:
        faulty.errors = 1.0
        with pytest.raises(LibraryError, match="object store"):
            contract("late.txt", ["LATE", "1. Late.", "1.1 It is late."]).add(library)
        faulty.errors = 0.0
        assert [entry.name for entry in library.documents()] == ["supply.txt"]
        assert contract("late.txt", ["LATE", "1. Late.", "1.1 It is late."]).add(library)
        assert library.check() == []


def test_a_bucket_that_is_not_there_is_told(url: str) -> None:
    assert os.environ["AWS_ENDPOINT_URL"]
    with pytest.raises(LibraryError, match="bucket"):
        Library.open(url.replace("//bucket", "//nowhere"))
