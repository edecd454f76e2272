"""The address at which Prometheus reads metrics; the pages' own address does not have them."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Iterable
from ipaddress import ip_address
from socket import AF_INET6
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from fourcorners.errors import ConfigError
from fourcorners.settings import TelemetrySettings

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_SHORTEST_TOKEN = 16  # characters
_SECONDS = 10.0  # for which a client may send nothing


class MetricsListener:
    """Answers `GET /metrics`.

    Raises:
        ConfigError: If the address is none, or another machine could read it without a token.
    """

    def __init__(self, settings: TelemetrySettings, registry: CollectorRegistry) -> None:
        self._host, self._port = _split_address(settings.metrics)
        self._token = settings.metrics_token.get_secret_value()
        if self._token and len(self._token) < _SHORTEST_TOKEN:
            raise ConfigError(
                "the token for metrics is too short.",
                remedy=f"Give `metrics_token` at least {_SHORTEST_TOKEN} characters.",
            )
        if not self._token and not _is_loopback(self._host):
            raise ConfigError(
                f"other machines could read the metrics at {settings.metrics}.",
                remedy="Set `metrics_token` in [telemetry], or an address of this machine alone.",
            )
        self._app = make_wsgi_app(registry)
        self._server: ThreadingWSGIServer | None = None

    def start(self) -> str:
        """Begin to answer, and return the URL.

        Raises:
            ConfigError: If the address cannot be had.
        """
        server_class = _Server6 if ":" in self._host else _Server
        try:
            server = make_server(
                self._host, self._port, self._respond, server_class, handler_class=_Handler
            )
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ConfigError(
                f"metrics cannot be shown at {self._host} port {self._port}: {why}.",
                remedy="Choose another `metrics` in [telemetry].",
            ) from error
        self._server = server
        threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{server.server_port}/metrics"

    def close(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _respond(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if self._token:
            given = environ.get("HTTP_AUTHORIZATION", "").encode("utf-8", "replace")
            if not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
                return _refuse(start, "401 Unauthorized", ("WWW-Authenticate", "Bearer"))
        elif not _is_loopback(_name_of(environ.get("HTTP_HOST", ""))):
            # A page elsewhere could reach this machine by a name that it controls.
            return _refuse(start, "421 Misdirected Request")
        if environ.get("PATH_INFO") != "/metrics":
            return _refuse(start, "404 Not Found")
        if environ["REQUEST_METHOD"] != "GET":
            return _refuse(start, "405 Method Not Allowed", ("Allow", "GET"))
        found: Iterable[bytes] = self._app(environ, start)
        return found


class _Server(ThreadingWSGIServer):
    allow_reuse_address = True


class _Server6(_Server):
    address_family = AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = _SECONDS

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as its class has it
        """Log nothing: a request may be anybody's."""


def _refuse(start: StartResponse, status: str, *headers: tuple[str, str]) -> list[bytes]:
    start(status, [("Content-Type", "text/plain; charset=utf-8"), *headers])
    return [f"{status.partition(' ')[2]}\n".encode()]


def _split_address(address: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or port is None:
        raise ConfigError(
            f"{address!r} is not an address for metrics.", remedy="Write it like 127.0.0.1:9464."
        )
    return host, port


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
