"""The module through which all but mail and logs leaves the machine, where that is configured.

It speaks HTTP with the standard library, and makes the client that the libraries of language models
speak through: proxies and certificates are those of the environment
(`HTTPS_PROXY`, `SSL_CERT_FILE`), redirects are not followed, and headers are never shown.
"""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

from fourcorners.errors import CallError, ConfigError

if TYPE_CHECKING:
    import httpx2

    HttpClient: TypeAlias = httpx2.AsyncClient

T = TypeVar("T")
MAX_BYTES = 256 << 20  # of an answer
MAX_WAIT = 60.0  # seconds; a server that asks for more is not waited for
_INITIAL_WAIT = 0.5  # seconds; doubled with each attempt
_CONNECT_TIMEOUT = 10.0  # seconds to reach a server
_TRANSIENT_STATUSES = frozenset(
    {408, 425, 429, 500, 502, 503, 504, 529}
)  # what another attempt may mend
_MAX_MESSAGE = 200  # characters of a server's own words
_CHUNK = 1 << 16  # bytes read at once
_SAFE_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long one request may take, in seconds, and how often it is made."""

    timeout: float = 60.0
    attempts: int = 5
    sleep: Callable[[float], object] = time.sleep


def require_url(url: str) -> None:
    """Raise ConfigError unless the URL is of http or https, has a host and no password."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        has_login = parts.username is not None or parts.password is not None
        _ = parts.port  # raises if it is not a number
    except ValueError as error:
        raise ConfigError(f"a URL is damaged: {error}.", remedy="Correct it.") from None
    if has_login:
        raise ConfigError(
            f"the URL of {host} holds a name or password.", remedy="Give it as the key instead."
        )
    if parts.scheme not in {"http", "https"} or not host or not url.isascii() or " " in url:
        raise ConfigError(
            f"{redact_url(url)!r} is not the URL of a server.",
            remedy="Write it like https://host/v1 or http://localhost:11434/v1.",
        )


def redact_url(url: str) -> str:
    """Return a URL that is safe to show: without login, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def post_json(
    url: str,
    body: object,
    *,
    headers: Mapping[str, str] | None = None,
    retry_policy: RetryPolicy = RetryPolicy(),
) -> object:
    """Post JSON and return the JSON of the answer.

    What may pass is tried again, after the time the server asks for, else after twice the last:
    refused connections, timeouts, 408, 425, 429 and errors of the server.

    Raises:
        CallError: If it failed; with the status of the answer, where there was one.
        ConfigError: If the URL or a header cannot be sent.
    """
    sent = {**_SAFE_HEADERS, **(headers or {})}
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return _send_request(url, data, sent, retry_policy, MAX_BYTES)


def get_json(
    url: str,
    query: Mapping[str, str],
    *,
    headers: Mapping[str, str] | None = None,
    retry_policy: RetryPolicy = RetryPolicy(),
    most_bytes: int = MAX_BYTES,
) -> object:
    """Return the JSON that a URL answers a query with, as `post_json` does."""
    require_url(url)
    joint = ("&" if urlsplit(url).query else "?") if query else ""
    asked = f"{url}{joint}{urlencode(query, errors='replace')}"
    return _send_request(
        asked, None, {**_SAFE_HEADERS, **(headers or {})}, retry_policy, most_bytes
    )


def post_form(
    url: str,
    fields: Mapping[str, str],
    *,
    headers: Mapping[str, str] | None = None,
    retry_policy: RetryPolicy = RetryPolicy(),
    most_bytes: int = MAX_BYTES,
) -> object:
    """Post the fields of a form and return the JSON of the answer, as `post_json` does."""
    sent = {**_SAFE_HEADERS, "Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
    return _send_request(url, urlencode(fields).encode(), sent, retry_policy, most_bytes)


def post_bytes(
    url: str,
    data: bytes,
    kind: str,
    *,
    headers: Mapping[str, str] | None = None,
    retry_policy: RetryPolicy = RetryPolicy(),
    most_bytes: int = MAX_BYTES,
) -> bytes:
    """Post bytes of a media type and return those of the answer, as `post_json` does."""
    sent = {**_SAFE_HEADERS, "Content-Type": kind, "Accept": kind, **(headers or {})}
    return _send_request(url, data, sent, retry_policy, most_bytes, bytes)


def _send_request(
    url: str,
    data: bytes | None,
    sent: Mapping[str, str],
    retry_policy: RetryPolicy,
    most_bytes: int,
    read: Callable[[bytes], T] = json.loads,
) -> T:
    require_url(url)
    for name, value in sent.items():
        if not (value.isascii() and value.isprintable()):
            raise ConfigError(
                f"the header {name} for {redact_url(url)} has characters that cannot be sent.",
                remedy="Copy the key again, without line breaks.",
            )
    method = "GET" if data is None else "POST"
    request = urllib.request.Request(url, data, dict(sent), method=method)  # noqa: S310 - checked
    wait, attempt = _INITIAL_WAIT, 1
    while True:
        outcome = _send_once(request, retry_policy.timeout, most_bytes, read)
        if not isinstance(outcome, _Failure):
            return outcome
        is_last = attempt >= retry_policy.attempts
        if is_last or not outcome.is_transient or outcome.wait > MAX_WAIT:
            raise _call_error(outcome, url, attempt, sent)
        retry_policy.sleep(outcome.wait or wait * random.uniform(0.75, 1.25))  # noqa: S311
        wait, attempt = min(2 * wait, MAX_WAIT), attempt + 1


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a request failed; `message` are the server's own words."""

    reason: str
    status: int | None = None
    is_transient: bool = False
    message: str = ""
    wait: float = 0.0  # seconds that the server asks to wait; 0 if it does not say


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Refuse: the key and the contract's words go to the host that was named, or nowhere."""


def _send_once(
    request: urllib.request.Request, timeout: float, most_bytes: int, read: Callable[[bytes], T]
) -> T | _Failure:
    deadline = time.monotonic() + timeout
    direct = [urllib.request.ProxyHandler({})] if is_loopback(request.full_url) else []
    opener = urllib.request.build_opener(_NoRedirects(), *direct)
    try:
        with opener.open(request, timeout=timeout) as response:
            content = _read_body(response, deadline, most_bytes)
    except urllib.error.HTTPError as error:
        with error:
            return _http_failure(error)
    except urllib.error.URLError as error:
        return _connection_failure(error.reason)
    except (OSError, http.client.HTTPException) as error:
        return _connection_failure(error)
    if content is None:
        return _Failure(f"its answer has more than {most_bytes >> 20} MB", 200)
    try:
        return read(content)
    except (ValueError, RecursionError):
        body_text = plain_text(content.decode("utf-8", "replace"))
        return _Failure("its answer is no JSON", 200, message=body_text)


def _read_body(
    response: http.client.HTTPResponse, deadline: float, most_bytes: int
) -> bytes | None:
    """Read an answer to its end; None if it is too long."""
    parts, size = [], 0
    while part := response.read1(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > most_bytes:
            return None
        if time.monotonic() > deadline:
            raise TimeoutError
    if response.length:  # what was announced and did not come
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(parts)


def _http_failure(error: urllib.error.HTTPError) -> _Failure:
    status = error.code
    try:
        content = error.read(_CHUNK).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        content = ""
    reason = f"the server answered {status}"
    name = http.client.responses.get(status)
    if name:
        reason += f" ({name})"
    if status in {401, 403}:
        content = ""  # some servers repeat the key
    return _Failure(
        reason,
        status,
        is_transient=status in _TRANSIENT_STATUSES,
        message=_error_message(content),
        wait=_retry_after(error.headers.get("Retry-After", "")),
    )


def _connection_failure(reason: object) -> _Failure:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return _Failure(f"its certificate is not trusted: {reason.verify_message}")
    if isinstance(reason, ssl.SSLError):
        return _Failure(f"no secure connection: {plain_text(str(reason))}")
    if isinstance(reason, TimeoutError):
        return _Failure("no answer in time", is_transient=True)
    if isinstance(reason, ConnectionRefusedError):
        return _Failure("nothing listens there", is_transient=True)
    reason_text = reason.strerror if isinstance(reason, OSError) else None
    return _Failure(
        plain_text(reason_text or str(reason) or type(reason).__name__), is_transient=True
    )


def _call_error(failed: _Failure, url: str, attempts: int, headers: Mapping[str, str]) -> CallError:
    message = f"{redact_url(url)}: {failed.reason}"
    if attempts > 1:
        message += f", {attempts} times"
    if failed.wait > MAX_WAIT:
        message += f"; it asks to wait {failed.wait:.0f} seconds"
    if failed.message:
        message += f": {failed.message}"
    for name in headers.keys() - _SAFE_HEADERS.keys():
        for word in headers[name].split()[-1:]:  # the key, without "Bearer"
            message = message.replace(word, "…")
    found = CallError(message if message.endswith((".", "!", "?")) else f"{message}.")
    found.status = failed.status
    return found


def _error_message(content: str) -> str:
    try:
        return plain_text(server_words(json.loads(content)))
    except (ValueError, RecursionError):
        return "" if "<" in content[:_MAX_MESSAGE] else plain_text(content)


def server_words(body: object) -> str:
    """Return what a server says in the JSON of an error; empty if it says nothing."""
    for key in ("error", "message", "detail"):
        while isinstance(body, dict) and key in body:
            body = body[key]
    return body if isinstance(body, str) else ""


def plain_text(words: str) -> str:
    line = " ".join("".join(each if each.isprintable() else " " for each in words).split())
    return line if len(line) <= _MAX_MESSAGE else f"{line[: _MAX_MESSAGE - 1]}…"


def _retry_after(value: str) -> float:
    """Return the seconds of a Retry-After header, which can be a number or a date."""
    value = value.strip()
    if value.isdecimal() and len(value) < 8:
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def http_client(url: str, *, timeout: float, most_bytes: int = MAX_BYTES) -> HttpClient:
    """Return what the libraries of language models speak through, under the rules of this module.

    Proxies and certificates are those of the environment, a server of this machine is called
    directly, a redirect is an error, and so is an answer that is longer than `most_bytes`: each as
    a `CallError` in the chain of causes of what the library raises.

    It calls no other host than the URL's, and waits `timeout` seconds for the next bytes.

    Raises:
        ConfigError: If the URL cannot be called, or what speaks HTTP is not installed.
    """
    require_url(url)
    try:
        import httpx2
    except ImportError:
        raise ConfigError(
            "the language-model client is not installed.",
            remedy="Install it: pip install 'fourcorners[llm]'.",
        ) from None
    host = urlsplit(url).hostname or ""

    async def check_request(request: httpx2.Request) -> None:
        if request.url.host.strip("[]").lower() != host.lower():
            raise CallError(f"{request.url.host} was to be called, which is not configured.")
        for name in [each for each in request.headers if each.startswith("x-stainless-")]:
            del request.headers[name]  # what they tell of this machine

    async def check_response(response: httpx2.Response) -> None:
        if 300 <= response.status_code < 400:
            raise CallError(
                f"{redact_url(url)}: the server answered {response.status_code} (redirect)."
            )
        if response.headers.get("content-encoding", "identity") != "identity":
            raise CallError(f"{redact_url(url)}: the answer is packed, which was not asked for.")
        response.stream = _limit_stream(response.stream, url, most_bytes)

    bracketed = f"[{host}]" if ":" in host else host
    direct = {f"all://{bracketed}": None} if is_loopback(url) else None
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT)),
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        mounts=direct,
        event_hooks={"request": [check_request], "response": [check_response]},
    )


def _limit_stream(stream: object, url: str, most_bytes: int) -> httpx2.AsyncByteStream:
    """Return a stream that ends in an error where it is longer than allowed."""
    import httpx2

    if not isinstance(stream, httpx2.AsyncByteStream):
        raise CallError(f"{redact_url(url)}: the answer is not a stream.")
    inner = stream

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in inner:
                size += len(part)
                if size > most_bytes:
                    raise CallError(
                        f"{redact_url(url)}: its answer has more than {most_bytes >> 20} MB."
                    )
                yield part

        async def aclose(self) -> None:
            await inner.aclose()

    return Bounded()
