"""A real HTTP server on this machine that answers what a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """An answer.

    Attributes:
        delay: Seconds before it comes.
        pause: Seconds before each of its bytes.
        length: What it says its length is, if that is a lie.
    """

    body: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    pause: float = 0.0
    length: int | None = None


@dataclass(frozen=True)
class Asked:
    """A request that came; `body` is its JSON, None where it is none."""

    path: str
    headers: dict[str, str]
    body: Any
    raw: bytes = b""


class Served(ThreadingHTTPServer):
    """The server: it gives `replies` in turn, or what `answer` makes of a request."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: list[Reply] = []
        self.answer: Callable[[Asked], Reply] | None = None
        self.asked: list[Asked] = []
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        """Its URL, up to the version."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: object) -> None:
        """Say nothing where the client has gone."""


class _Handler(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self) -> None:
        self._answer(Asked(self.path, dict(self.headers), None))

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        raw = self.rfile.read(length)
        is_json = self.headers.get_content_type() == "application/json"
        body = json.loads(raw) if is_json else None
        self._answer(Asked(self.path, dict(self.headers), body, raw))

    def _answer(self, asked: Asked) -> None:
        self.server.asked.append(asked)
        reply = self.server.answer(asked) if self.server.answer else self.server.replies.pop(0)
        self.server.ended.wait(reply.delay)
        content = reply.body.encode()
        with suppress(OSError):
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(reply.length or len(content)))
            self.end_headers()
            if not reply.pause:
                self.wfile.write(content)
                return
            for byte in content:
                self.wfile.write(bytes([byte]))
                time.sleep(reply.pause)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[Served]:
    """Run a server while the block lasts."""
    with Served() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()
