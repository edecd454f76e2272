"""Ways in which a server of PostgreSQL goes away and comes back, for the tests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

_COMMIT = b"COMMIT\0"


class Relay:
    """A TCP port before a server's socket, which can be closed and opened, and lose a reply.

    Attributes:
        swallows_commit: Whether the reply to the next commit that writes is lost with its
            connection.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._is_open = True
        self.swallows_commit = False
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, schema: str, seconds: float = 30) -> str:
        path = quote(f"-csearch_path={schema}")
        place = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        return f"{place}?sslmode=disable&outage_seconds={seconds:g}&options={path}"

    def shut(self) -> None:
        """Refuse connections, and end those there are."""
        self._is_open = False
        self.cut()

    def reopen(self) -> None:
        self._is_open = True

    def cut(self) -> None:
        """End all connections; new ones are taken."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            _end(*pair)

    def close(self) -> None:
        self.shut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = self._listener.accept()
                if not self._is_open:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(str(self._target))
                except OSError:
                    client.close()
                    continue
                self._pairs.append((client, server))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(
                        target=self._carry, args=(source, sink, source is client), daemon=True
                    ).start()

    def _carry(self, source: socket.socket, sink: socket.socket, is_request: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if is_request and self.swallows_commit and b"commits" in data and _COMMIT in data:
                    self.swallows_commit = False
                    sink.sendall(data)
                    source.shutdown(socket.SHUT_RDWR)
                    threading.Event().wait(0.3)  # the server commits
                    break
                sink.sendall(data)
        _end(source, sink)


def _end(*sockets: socket.socket) -> None:
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()


@contextmanager
def relay(folder: Path) -> Iterator[Relay]:
    """Put a port before the server whose socket is in a folder."""
    made = Relay(folder / ".s.PGSQL.5432")
    try:
        yield made
    finally:
        made.close()
