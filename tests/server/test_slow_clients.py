"""A client that is slow, idle or everywhere at once holds nothing for long, and stops nobody."""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from fourcorners.library.store import Library
from fourcorners.server.app import create_app
from fourcorners.server.connections import ConnectionLimits, connection_options
from fourcorners.settings import Settings

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
LIMITS = ConnectionLimits(
    head_seconds=1.0,
    body_seconds=1.0,
    body_rate=50_000.0,
    read_seconds=1.0,
    per_address=20,
    total=60,
)
_PATIENCE = 30.0  # seconds after which a connection counts as held for ever
Serve = Callable[..., int]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """The application, with a route that takes much, one that sends slowly, one that sends much."""
    path = tmp_path_factory.mktemp("slow") / "firm.db"
    made = create_app(path, Settings(library=str(path), connections_per_address=20))

    async def take(request: Request) -> Response:
        digest = hashlib.sha256()
        async for part in request.stream():
            digest.update(part)
        return Response(digest.hexdigest())

    async def events() -> StreamingResponse:
        async def each() -> AsyncIterator[str]:
            for number in range(5):
                await asyncio.sleep(0.5)
                yield f"data: {number}\n\n"

        return StreamingResponse(each(), media_type="text/event-stream")

    async def much() -> Response:
        return Response(b"x" * (32 << 20))

    made.add_api_route("/test/upload", take, methods=["POST"])
    made.add_api_route("/test/events", events)
    made.add_api_route("/test/much", much)
    return made


@pytest.fixture
def serve(app: FastAPI) -> Iterator[Serve]:
    """Return what serves the application with limits, and returns its port."""
    with ExitStack() as servers:

        def start(limits: ConnectionLimits = LIMITS, **options: Any) -> int:
            listening = servers.enter_context(socket.create_server(("127.0.0.1", 0)))
            config = uvicorn.Config(
                app,
                **connection_options(limits),
                log_config=None,
                lifespan="off",
                **{"proxy_headers": False, **options},
            )
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, args=([listening],))
            thread.start()

            def stop() -> None:
                server.should_exit = server.force_exit = True
                thread.join()

            servers.callback(stop)
            while not server.started:
                time.sleep(0.01)
            return int(listening.getsockname()[1])

        yield start


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)


def drip(client: socket.socket, data: bytes, seconds: float = 0.05) -> None:
    """Send a byte at a time until the server has had enough."""
    with suppress(OSError):
        for byte in data:
            client.sendall(bytes([byte]))
            time.sleep(seconds)


def answer(client: socket.socket) -> tuple[int, dict[str, str], Any]:
    """Read an answer to its end; the server closes the connection after it."""
    received = http.client.HTTPResponse(client)
    received.begin()
    headers = {name.lower(): value for name, value in received.getheaders()}
    body = json.loads(received.read())
    assert headers["connection"] == "close"
    with suppress(ConnectionResetError):
        assert client.recv(1) == b""
    return received.status, headers, body


def is_served(client: socket.socket) -> bool:
    """Ask for a page on a connection that stays open."""
    client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    received = b""
    while not received.endswith(b"\r\n\r\nok"):
        part = client.recv(1 << 16)
        if not part:
            return False
        received += part
    return True


def get(port: int, path: str = "/healthz", **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    with closing(connection):
        connection.request("GET", path, headers={"Connection": "close", **headers})
        received = connection.getresponse()
        received.read()
        return received.status


def test_slow_heads_are_answered_and_closed(serve: Serve) -> None:
    port = serve()
    with connect(port) as client:
        drip(client, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200)
        status, headers, problem = answer(client)
    assert (status, headers["retry-after"]) == (408, "10")
    assert problem["detail"] == "The head of the request took too long."
    with connect(port) as client:  # the second request of a connection has no more time
        assert is_served(client)
        drip(client, b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 200)
        assert answer(client)[0] == 408


@pytest.mark.parametrize("end", [b"", b"\r\nHost: localhost\r\n\r\n"])
def test_heads_have_a_size(serve: Serve, end: bytes) -> None:
    with connect(serve()) as client:
        with suppress(OSError):
            client.sendall(b"GET /healthz HTTP/1.1\r\nX: " + b"x" * (33 << 10) + end)
        status, _, problem = answer(client)
    assert (status, problem["detail"]) == (431, "The head of a request may have 32,768 bytes.")


@pytest.mark.parametrize("head", ["Content-Length: 100000", "Transfer-Encoding: chunked"])
def test_slow_bodies_are_answered_and_closed(
    serve: Serve, head: str, caplog: pytest.LogCaptureFixture
) -> None:
    with connect(serve()) as client:
        start = f"POST /test/upload HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n".encode()
        client.sendall(start)
        drip(client, b"1\r\nx\r\n" * 100)
        status, headers, problem = answer(client)
    assert (status, headers["retry-after"]) == (408, "10")
    assert problem["detail"] == "The body of the request took too long."
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


def test_a_slow_body_behind_an_answered_request_is_closed(serve: Serve) -> None:
    with connect(serve()) as client:
        head = b"HTTP/1.1\r\nHost: localhost\r\n"
        client.sendall(b"GET /healthz " + head + b"\r\nPOST /test/upload " + head)
        client.sendall(b"Content-Length: 1000\r\n\r\n")
        received = b""
        while part := client.recv(1 << 16):
            received += part
    assert b" 200 OK" in received
    assert b" 408 " in received


def test_bodies_have_a_size_by_route(serve: Serve) -> None:
    port = serve()
    for path, size in (("/api/v1/search", 3 << 20), ("/api/v1/collections/x/documents", 5 << 30)):
        with connect(port) as client:
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n"
            client.sendall(head.encode())
            assert answer(client)[0] == 413


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/api/v1/search", "localhost", 413), ("/test/upload", "elsewhere", 421)],
)
def test_whoever_still_sends_gets_to_the_answer(
    serve: Serve, path: str, host: str, status: int
) -> None:
    port, body = serve(), b"x" * (12 << 20)
    with connect(port) as client:
        head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
        client.sendall(head.encode())
        for at in range(0, len(body), 1 << 18):  # as a proxy goes on that reads nothing meanwhile
            client.sendall(body[at : at + (1 << 18)])
            time.sleep(0.002)
        assert answer(client)[0] == status


def test_a_request_with_two_lengths_is_refused(serve: Serve) -> None:
    head = "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
    with connect(serve()) as client:
        client.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode())
        assert answer(client)[0] == 400
        assert client.recv(1) == b""


def test_idle_connections_are_closed(serve: Serve) -> None:
    port = serve()
    with connect(port) as client:
        assert client.recv(1) == b""  # without an answer to what nobody asked
    with connect(port) as client:
        assert is_served(client)
        assert client.recv(1) == b""


def test_who_reads_no_answer_is_closed(serve: Serve) -> None:
    port = serve(replace(LIMITS, per_address=1))
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(_PATIENCE)
        client.connect(("127.0.0.1", port))
        client.sendall(b"GET /test/much HTTP/1.1\r\nHost: localhost\r\n\r\n")
        deadline = time.monotonic() + _PATIENCE
        assert get(port) == 429
        while get(port) == 429:  # as long as the connection is held
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_one_address_does_not_hold_all_connections(serve: Serve) -> None:
    port = serve(replace(LIMITS, head_seconds=_PATIENCE, total=60))
    with ExitStack() as opened:
        clients = [opened.enter_context(connect(port)) for _ in range(200)]
        refused = 0
        for client in clients[LIMITS.per_address :]:
            status, headers, problem = answer(client)
            assert (status, headers["retry-after"]) == (429, "10")
            assert problem["detail"] == "Your address has too many connections."
            refused += 1
        assert refused == 180
        for client in clients[: LIMITS.per_address]:  # those that were there are served
            assert is_served(client)
    deadline = time.monotonic() + _PATIENCE
    while get(port) != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_all_addresses_together_have_a_limit(serve: Serve) -> None:
    port = serve(replace(LIMITS, head_seconds=_PATIENCE, total=5))
    with ExitStack() as opened:
        clients = [opened.enter_context(connect(port)) for _ in range(6)]
        assert answer(clients[-1])[0] == 503


def test_a_proxy_speaks_for_many_and_each_of_them_has_a_limit(serve: Serve) -> None:
    port = serve(proxy_headers=True, forwarded_allow_ips="127.0.0.1")
    ask = "GET /test/events HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {}\r\n\r\n"
    with ExitStack() as opened:
        clients = [opened.enter_context(connect(port)) for _ in range(25)]
        for client in clients:
            client.sendall(ask.format("192.0.2.7").encode())
        for client in clients:
            client.settimeout(_PATIENCE)
        heads = [client.recv(12) for client in clients]
        assert heads.count(b"HTTP/1.1 200") == 20
        assert heads.count(b"HTTP/1.1 429") == 5
        assert get(port, **{"X-Forwarded-For": "192.0.2.8"}) == 200


def test_a_big_steady_upload_passes(serve: Serve) -> None:
    """It takes longer than a body may fall behind, and twice as fast as it must be."""
    port = serve()
    part = bytes(range(256)) * 40
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)

    def parts() -> Iterator[bytes]:
        for _ in range(40):
            time.sleep(0.08)
            yield part

    with closing(connection):
        connection.request("POST", "/test/upload", parts(), {"Connection": "close"})
        received = connection.getresponse()
        assert received.status == 200
        assert received.read().decode() == hashlib.sha256(part * 40).hexdigest()
        connection.request("POST", "/test/upload", b"x" * (1 << 20), {"Connection": "close"})
        assert connection.getresponse().read().decode()


def test_an_answer_that_takes_its_time_is_not_cut(serve: Serve) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", serve(), timeout=_PATIENCE)
    with closing(connection):
        connection.request("GET", "/test/events")
        assert connection.getresponse().read().count(b"data:") == 5


def test_the_command_serves_with_the_limit_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fourcorners.cli.serve import commands
    from fourcorners.server.connections import StoppingServer

    served: list[uvicorn.Config] = []

    def run(server: StoppingServer, sockets: list[socket.socket]) -> None:
        served.append(server.config)
        for each in sockets:
            each.close()

    monkeypatch.setattr(StoppingServer, "run", run)
    monkeypatch.setenv("FOURCORNERS_CONNECTIONS_PER_ADDRESS", "7")
    Library.open(tmp_path / "firm.db").close()
    commands.serve(library=str(tmp_path / "firm.db"), port=0)
    [config] = served
    assert config.http.keywords["limits"] == ConnectionLimits(per_address=7)  # type: ignore[union-attr]
    assert (config.ws, config.timeout_keep_alive) == ("none", 5)
