"""The one way by which lines leave for a collector of logs; nothing is sent unless one is named.

Lines are as RFC 5424 has them; over TCP and TLS their length comes first (RFC 6587). The handler of
the standard library writes neither, and knows no TLS.
"""

from __future__ import annotations

import errno
import os
import platform
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from fourcorners.errors import CallError, ConfigError

_PORTS = {"udp": 514, "tcp": 601, "tls": 6514}
_SECONDS = 10.0  # in which a collector takes what is sent
_PRIORITY = 13 * 8 + 6  # log audit, informational
_PLAIN = frozenset(map(chr, range(33, 127)))


@dataclass(frozen=True, slots=True)
class Collector:
    """Where lines go: `udp`, `tcp` or `tls` to a host, or `unix` to a socket on this machine."""

    way: str
    host: str = ""
    port: int = 0
    path: str = ""

    @classmethod
    def from_url(cls, url: str) -> Collector:
        """Read `tls://host:6514`, `tcp://host`, `udp://host` or `unix:/dev/log`.

        Raises:
            ConfigError: If it is written otherwise.
        """
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            parts, host, port = urlsplit(""), None, None
        if parts.scheme == "unix" and parts.path.startswith("/") and not parts.netloc:
            return cls("unix", path=parts.path)
        is_bare = not (
            parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
        )
        if parts.scheme not in _PORTS or not host or not is_bare:
            raise ConfigError(
                "the address of the collector of audit entries cannot be read.",
                remedy="Write it like tls://logs.firm.example:6514, tcp://, udp:// or "
                "unix:/dev/log.",
            )
        return cls(parts.scheme, host, port or _PORTS[parts.scheme])


class SyslogConnection:
    """Sends lines to a collector, one after the other, in one thread.

    Args:
        authority: A file with the certificate that a collector's is checked against; by default
            those that the system trusts.
    """

    def __init__(self, collector: Collector, authority: Path | None = None) -> None:
        self._collector, self._authority = collector, authority
        self._socket: socket.socket | None = None

    @property
    def is_datagram(self) -> bool:
        """Tell whether each line is a message that may be lost or be too long."""
        return self._collector.way in ("udp", "unix")

    def send(self, line: bytes) -> bool:
        """Send a line; tells whether it fits.

        Raises:
            CallError: If the collector cannot be reached, or has hung up.
        """
        try:
            if self._socket is None:
                self._socket = self._connect()
            if self.is_datagram:
                self._socket.send(line)
            else:
                self._socket.sendall(b"%d %b" % (len(line), line))
        except OSError as error:
            if error.errno == errno.EMSGSIZE:
                return False
            self.close()
            raise CallError("the collector of audit entries cannot be reached.") from error
        return True

    def confirm(self) -> None:
        """Make sure that the other end has not hung up on what was sent.

        Raises:
            CallError: If it has: what it took of the last lines is not known.
        """
        if self._socket is None or self.is_datagram:
            return
        self._socket.settimeout(0)
        try:
            gone = not self._socket.recv(4096)
        except (BlockingIOError, ssl.SSLWantReadError):
            gone = False
        except OSError:
            gone = True
        if gone:
            self.close()
            raise CallError("the collector of audit entries has hung up.")
        self._socket.settimeout(_SECONDS)

    def close(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None

    def _connect(self) -> socket.socket:
        to = self._collector
        if to.way == "unix":
            by_path = socket.AddressFamily.__members__.get("AF_UNIX")  # not of every system
            if by_path is None:
                raise OSError("this system has no sockets by path")
            made = socket.socket(by_path, socket.SOCK_DGRAM)
        elif to.way == "udp":
            family, *_, address = socket.getaddrinfo(to.host, to.port, type=socket.SOCK_DGRAM)[0]
            made = socket.socket(family, socket.SOCK_DGRAM)
        else:
            made = socket.create_connection((to.host, to.port), timeout=_SECONDS)
        try:
            made.settimeout(_SECONDS)
            if to.way == "unix":
                made.connect(to.path)
            elif to.way == "udp":
                made.connect(address)
            elif to.way == "tls":
                context = ssl.create_default_context(cafile=self._authority)
                made = context.wrap_socket(made, server_hostname=to.host)
        except OSError:
            made.close()
            raise
        return made


def syslog_line(at: str, kind: str, message: str) -> bytes:
    """Return a line of RFC 5424; `message` is of printable ASCII."""
    host = "".join(each for each in platform.node() if each in _PLAIN)[:255] or "-"
    return f"<{_PRIORITY}>1 {at} {host} fourcorners {os.getpid()} {kind} - {message}".encode(
        "ascii"
    )
