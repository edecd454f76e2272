"""What every request must hold before a route sees it, and what every answer carries."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fourcorners.library.database import WAIT_FOR_SERVER
from fourcorners.server.errors import ClientLeft
from fourcorners.server.rate_limit import RateStatus, source_of
from fourcorners.server.telemetry import Telemetry

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
PANE = "/word/pane"
"""The one page that Word on the web may show in a frame, where the settings name its sites."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_WATCHED = frozenset({"/healthz", "/readyz"})  # whoever watches a server knows its address alone
MAX_HEAD = 32 << 10
"""Bytes of the head of a request, at most."""
TOO_LONG_HEAD = f"the head of a request may have {MAX_HEAD:,} bytes."
MAX_BODY = 2 << 20
"""Bytes of a request that uploads nothing, at most."""

_DRAIN_SECONDS = 30.0  # for which a body is taken that nobody reads
_RENAMED = {413: "Content Too Large", 422: "Unprocessable Content"}  # in RFC 9110
_PASSING = frozenset({408, 429, 503})  # problems that are gone after a while
_RETRY_SECONDS = 10  # in which connections of a client that has left are free again

_log = logging.getLogger("fourcorners.server.requests")


def form_token(secret: str) -> str:
    return hmac.new(secret.encode(), b"form", sha256).hexdigest()


def is_form_token(token: str, secret: str) -> bool:
    """Tell whether a token is the one of this visitor, in a time that tells nothing."""
    return bool(secret) and hmac.compare_digest(form_token(secret).encode(), token.encode())


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """How many bytes the body of a request to a path may have, and what answers a larger one."""

    most: Callable[[str], int]
    answer: Callable[[Scope, int], ASGIApp]


class SecurityMiddleware:
    """Refuses requests of other sites and of other names, and those that are too large.

    Args:
        hosts: The names that are answered, in small letters, so that a page elsewhere cannot
            reach the server by a name that it controls; None for all.
        limit: How large bodies may be.
        secure: Whether browsers are told to come back by HTTPS alone.
        per_address: Requests at once of one client: behind a proxy, of the one that it names.
        frames: The sites that may show the pane for Word in a frame.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: frozenset[str] | None,
        limit: BodyLimit,
        secure: bool,
        telemetry: Telemetry,
        per_address: int,
        frames: Sequence[str] = (),
    ) -> None:
        self._app, self._hosts, self._limit, self._secure = app, hosts, limit, secure
        self._telemetry = telemetry
        self._per_address = per_address
        allowed = f"frame-ancestors {' '.join(frames)}"
        self._pane_policy = POLICY.replace("frame-ancestors 'none'", allowed) if frames else ""
        self._held: Counter[str] = Counter()  # requests in hand, by the address of the client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        began, identifier = time.monotonic(), secrets.token_hex(6)
        status = 500
        size, most = 0, self._limit.most(scope["path"])
        source = source_of(scope["client"][0]) if scope.get("client") else ""

        receive, send = _draining(headers, receive, send)

        async def send_part(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._add_headers(message, identifier, scope)
            await send(message)

        async def receive_part() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise _TooLarge
            return message

        with self._telemetry.request(scope["method"], identifier) as traced:
            self._held[source] += 1
            try:
                fault = self._fault(scope, headers, source)
                if fault is not None:
                    await _answer(send_part, *fault)
                elif not (length := headers.get("content-length", "0")).isdecimal():
                    await _answer(send_part, 400, "the length of this request is no number.")
                elif int(length) > most:
                    raise _TooLarge
                else:
                    WAIT_FOR_SERVER.set(False)  # a page says so at once where the library is away
                    await self._app(scope, receive_part, send_part)
            except ClientDisconnect:
                status = ClientLeft.status  # nobody is there to be answered
            except _TooLarge:
                await self._limit.answer(scope, most)(scope, receive, send_part)
            finally:
                self._held[source] -= 1
                if not self._held[source]:
                    del self._held[source]
                route = getattr(scope.get("route"), "path", "-")
                traced.set_response(route, status)
                _tell(scope["method"], route, status, time.monotonic() - began, identifier)

    def _fault(self, scope: Scope, headers: Headers, source: str) -> tuple[int, str] | None:
        if sum(len(name) + len(value) for name, value in headers.raw) > MAX_HEAD:
            return 431, TOO_LONG_HEAD  # it came at once, before its length was known
        if "content-length" in headers and "transfer-encoding" in headers:  # RFC 9112, 6.1
            return 400, "this request says its length in two ways."
        if source and self._held[source] > self._per_address:
            return 429, "your address has too many requests at once."
        host = headers.get("host", "")
        named = self._hosts is None or _name_of(host) in self._hosts
        if not named and scope["path"] not in _WATCHED:
            if self._hosts == LOOPBACK:
                return 421, "this server answers by the name localhost alone."
            return (
                421,
                "this server does not answer by this name; its setting `hosts` has them.",
            )
        if scope["method"] not in SAFE_METHODS and _is_of_another_site(headers, host):
            return 403, "this request comes from another site."
        return None

    def _add_headers(self, message: Message, identifier: str, scope: Scope) -> None:
        headers = MutableHeaders(scope=message)
        rate = scope.get("state", {}).get("rate_status")  # of errors and files, too
        if isinstance(rate, RateStatus):
            headers.update(rate.headers)
        for name, value in HEADERS.items():
            headers[name] = value
        if scope["path"] == PANE and self._pane_policy:
            headers["Content-Security-Policy"] = self._pane_policy
            del headers["X-Frame-Options"]  # it knows no list of sites
        headers["X-Request-ID"] = identifier
        headers.setdefault("Cache-Control", "no-store")
        if self._secure:
            headers["Strict-Transport-Security"] = "max-age=31536000"


def _draining(headers: Headers, receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Let no answer end before its request has.

    If the connection were closed, whoever still sends would have an error instead of the answer:
    a proxy makes 502 of it.
    """
    is_coming = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers

    async def receive_part() -> Message:
        nonlocal is_coming
        message = await receive()
        is_coming = message.get("more_body", False)
        return message

    async def send_part(message: Message) -> None:
        is_last = message["type"] == "http.response.body" and not message.get("more_body", False)
        if is_last and is_coming:
            await send({**message, "more_body": True})
            with suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_SECONDS):
                    while is_coming:
                        await receive_part()
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    return receive_part, send_part


class _TooLarge(Exception):
    pass


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_of_another_site(headers: Headers, host: str) -> bool:
    """Tell whether a browser sent this for a page of another site; programs send neither header."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.casefold() != host.casefold()


def status_phrase(status: int) -> str:
    """Return what RFC 9110 calls a status, whatever the version of Python."""
    return _RENAMED.get(status) or HTTPStatus(status).phrase


def problem_response(status: int, problem: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the headers and the body of an answer that closes the connection."""
    phrase = status_phrase(status)
    value = {
        "type": "about:blank",
        "title": phrase,
        "status": status,
        "code": phrase.lower().replace(" ", "_"),
        "detail": f"{problem[:1].upper()}{problem[1:]}",
        "remedy": "",
        "errors": [],
    }
    body = json.dumps(value).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if status in _PASSING:
        headers.append((b"retry-after", str(_RETRY_SECONDS).encode()))
    return headers, body


async def _answer(send: Send, status: int, problem: str) -> None:
    headers, body = problem_response(status, problem)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _tell(method: str, route: str, status: int, seconds: float, identifier: str) -> None:
    """Log a request by its route: an address itself may hold names and words of contracts."""
    fields = {
        "request": identifier,
        "method": method,
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 1),
    }
    _log.log(logging.WARNING if status >= 500 else logging.INFO, "request", extra=fields)
