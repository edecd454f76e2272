"""A mail server of this machine, which takes mail over a socket as RFC 5321 has it."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Mail:
    """What a server took, and how it answers.

    Attributes:
        refusal: What it answers a message with; empty to take it.
        encrypted: Whether each message came over TLS.
    """

    port: int = 0
    refusal: str = ""
    login: list[str] = field(default_factory=list)
    taken: list[EmailMessage] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self._safe, self._ended = False, False
        with ExitStack() as self._held:
            self._say("220 ready")
            while not self._ended and (line := self.rfile.readline().decode().strip()):
                verb, _, self._rest = line.partition(" ")
                getattr(self, f"_{verb.lower()}", self._other)()

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
        self.wfile.flush()

    def _other(self) -> None:
        self._say("250 ok")

    def _quit(self) -> None:
        self._say("221 bye")
        self._ended = True

    def _ehlo(self) -> None:
        self._say("250-here")
        if self.server.certificate and not self._safe:
            self._say("250-STARTTLS")
        self._say("250 AUTH PLAIN")

    def _starttls(self) -> None:
        assert self.server.certificate is not None
        self._say("220 go on")
        try:
            wrapped = self.server.certificate.wrap_socket(self.request, server_side=True)
        except ssl.SSLError:  # the client does not trust it
            self._ended = True
            return
        self._held.enter_context(wrapped)
        self.rfile, self.wfile = wrapped.makefile("rb"), wrapped.makefile("wb")
        self._safe = True

    def _auth(self) -> None:
        self.server.mail.login.append(self._rest.split()[1])
        self._say("235 welcome")

    def _data(self) -> None:
        mail = self.server.mail
        if mail.refusal:
            self._say(mail.refusal)
            return
        self._say("354 go on")
        data = b""
        while (part := self.rfile.readline()) != b".\r\n":
            data += part
        mail.taken.append(message_from_bytes(data, policy=policy.default))
        mail.encrypted.append(self._safe)
        self._say("250 taken")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, mail: Mail, certificate: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mail, self.certificate = mail, certificate


@contextmanager
def mail_server(certificate: ssl.SSLContext | None = None) -> Iterator[Mail]:
    """Run a server; with a certificate it offers STARTTLS."""
    mail = Mail()
    with _Server(mail, certificate) as server:
        mail.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield mail
        finally:
            server.shutdown()
