"""HEAD, ETag and compression for the API: what HTTP offers programs that ask often.

Pages are not compressed: they mix what an attacker may know with what they may not.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from hashlib import sha256
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_API = "/api/"
_SMALLEST = 1_000  # bytes below which nothing is compressed
_JSON = "application/json"


class ConditionalMiddleware:
    """Answers HEAD as GET without a body, 304 where the client has the same, and in gzip.

    Only JSON gets a tag: it is whole in memory anyway. Files and streams go by as they are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._api = GZipMiddleware(_Tagged(app), minimum_size=_SMALLEST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        app = self._api if scope["path"].startswith(_API) else self._app
        if scope["method"] == "HEAD" and not scope["path"].startswith("/mcp"):
            await app({**scope, "method": "GET"}, receive, _without_body(send))
            return
        await app(scope, receive, send)


class _Tagged:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match", "")
        start: MutableMapping[str, Any] | None = None
        body = b""

        async def send_headers(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                if message["status"] == 200 and kind.partition(";")[0] == _JSON:
                    start = message
                    return
            elif start is not None:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _send_tagged(send, start, body, known)
                return
            await send(message)

        await self._app(scope, receive, send_headers)


async def _send_tagged(
    send: Send, start: MutableMapping[str, Any], body: bytes, known: str
) -> None:
    # Weak: compressed or not, the content is the same.
    tag = f'W/"{sha256(body).hexdigest()[:32]}"'
    headers = MutableHeaders(raw=start["headers"])
    headers["ETag"] = tag
    headers.setdefault("Cache-Control", "private, no-cache")
    if tag in {each.strip() for each in known.split(",")} or known.strip() == "*":
        for name in ("content-length", "content-type"):
            del headers[name]
        start, body = {**start, "status": 304}, b""
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})


def _without_body(send: Send) -> Send:
    async def send_headers(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_headers
