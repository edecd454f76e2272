"""Uvicorn with limits: what one client may hold, and how long the server takes to stop.

Uvicorn ends connections that are idle between two requests. The rest is here: a request that comes
a byte at a time, an answer that nobody reads, and one address with all the connections.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import FrameType
from typing import Any, cast

import h11
import uvicorn
from uvicorn.config import Config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from fourcorners.server.rate_limit import source_of
from fourcorners.server.security import MAX_HEAD, TOO_LONG_HEAD, problem_response, status_phrase

KEEP_ALIVE_SECONDS = 5
"""Seconds for which a connection may be idle between two requests."""
GRACE_SECONDS = 1
"""Seconds in which requests in hand may end."""
_CUT_SECONDS = 4.5  # seconds after a signal when the process ends whatever it does
_log = logging.getLogger("fourcorners.server")


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long and how much a client may hold; what takes more is refused and closed.

    Attributes:
        head_seconds: In which the head of a request must be here.
        body_seconds: For which a body may fall behind `body_rate`, in all.
        body_rate: Bytes a second of a body, at least.
        read_seconds: For which a client may read nothing of its answer.
        per_address: Connections of one address at once; a trusted proxy may have any number.
        total: Connections at once; most systems let a process open 1,024 files.
    """

    head_seconds: float = 20.0
    body_seconds: float = 30.0
    body_rate: float = 1000.0
    read_seconds: float = 60.0
    per_address: int = 200
    total: int = 500


class _Part(StrEnum):
    """The part of a request that is awaited."""

    HEAD = "head"
    BODY = "body"


class ClientConnection(H11Protocol):
    """A connection that ends when its client takes too long or its address has too many.

    Args:
        held: How many connections each address has; all connections of a server share it.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        limits: ConnectionLimits,
        held: Counter[str],
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits, self._held = limits, held
        self._source: str | None = None  # whose connections it counts among
        self._part: _Part | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None  # for the deadline
        self._unread: asyncio.TimerHandle | None = None  # while the client reads nothing

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        proxied = isinstance(self.app, ProxyHeadersMiddleware)
        if not (proxied and address in self.app.trusted_hosts):
            self._source = source_of(address)
            self._held[self._source] += 1
        if self._source is not None and self._held[self._source] > self._limits.per_address:
            self.connections.discard(self)  # it takes none from others
            self._refuse(429, "your address has too many connections.")
        elif len(self.connections) > self._limits.total:
            self.connections.discard(self)
            self._refuse(503, "the server has too many connections.")
        else:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._timer, self._unread):
            if timer is not None:
                timer.cancel()
        if self._source is not None:
            self._held[self._source] -= 1
            if not self._held[self._source]:
                del self._held[self._source]

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch(len(data))

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_later()
        else:
            self._watch()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._abort_later()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(self._limits.read_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, or has too long a head; Uvicorn calls it as it handles that."""
        error = sys.exc_info()[1]
        if isinstance(error, h11.RemoteProtocolError) and error.error_status_hint == 431:
            self._refuse(431, TOO_LONG_HEAD)
        else:
            super().send_400_response(msg)

    def _watch(self, received: int = 0) -> None:
        """Give the part of the request that is awaited its time, and more with what has come."""
        parts = {h11.IDLE: _Part.HEAD, h11.SEND_BODY: _Part.BODY}
        part = parts.get(self.conn.their_state)
        if part is not self._part:
            self._part = part
            limits = self._limits
            allowed = limits.head_seconds if part is _Part.HEAD else limits.body_seconds
            self._deadline = self.loop.time() + allowed
        elif part is _Part.BODY:
            self._deadline += received / self._limits.body_rate
        if part is not None and self._timer is None:
            self._timer = self.loop.call_at(self._deadline, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._part is None or self.transport.is_closing():
            return
        now = self.loop.time()
        if self._part is _Part.BODY and (
            self.flow.read_paused or self.conn.they_are_waiting_for_100_continue
        ):  # the client waits for the server
            self._deadline = max(self._deadline, now + self._limits.body_seconds)
        if now < self._deadline:
            self._timer = self.loop.call_at(self._deadline, self._check)
        elif self._part is _Part.BODY or self.conn.trailing_data[0]:
            self._refuse(408, f"the {self._part} of the request took too long.")
        else:  # browsers open connections that they may not need
            self.transport.close()

    def _refuse(self, status: int, problem: str) -> None:
        """Answer, if no answer has begun, and close."""
        _log.info("a connection is closed: %s", problem, extra={"status": status})
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE, h11.ERROR):
            headers, body = problem_response(status, problem)
            start = f"HTTP/1.1 {status} {status_phrase(status)}\r\n".encode()
            lines = b"".join(b"%s: %s\r\n" % each for each in headers)
            self.transport.write(start + lines + b"\r\n" + body)
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        self._part = None
        self.transport.close()
        self._abort_later()

    def _abort_later(self) -> None:
        """Make sure that a closed connection ends, even if nobody reads the rest of its answer."""
        self.loop.call_later(self._limits.read_seconds, self.transport.abort)


def connection_options(limits: ConnectionLimits) -> dict[str, Any]:
    """Return the options of a `uvicorn.Config` that serves within the limits."""
    return {
        "http": partial(ClientConnection, limits=limits, held=Counter()),
        "ws": "none",
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "h11_max_incomplete_event_size": MAX_HEAD,
    }


class StoppingServer(uvicorn.Server):
    """A server that ends soon after a signal, whatever its requests do.

    Tasks are parked. A thread that still computes is cut: the library survives that at any time.
    """

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            timer = threading.Timer(_CUT_SECONDS, _cut)
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)


def _cut() -> None:
    _log.warning("what is still in hand is cut")
    logging.shutdown()
    os._exit(0)
