"""A mail server of this machine, which takes mail over a socket as RFC 5321 has it."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast


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
        with ExitStack() as held:
            self._say("220 ready")
            self._safe = False
            while line := self.rfile.readline().decode().strip():
                verb, _, rest = line.partition(" ")
                if verb.upper() == "QUIT":
                    self._say("221 bye")
                    return
                getattr(self, f"_{verb.lower()}", self._other)(rest, held)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def _other(self, rest: str, held: ExitStack) -> None:
        self._say("250 ok")

    def _ehlo(self, rest: str, held: ExitStack) -> None:
        if self.server.certificate and not self._safe:
            self._say("250-STARTTLS")
        self._say("250 AUTH PLAIN")

    def _starttls(self, rest: str, held: ExitStack) -> None:
        assert self.server.certificate is not None
        self._say("220 go on")
        with suppress(ssl.SSLError):  # the client does not trust it
            wrapped = self.server.certificate.wrap_socket(self.request, server_side=True)
            held.enter_context(wrapped)
            self.rfile, self.wfile = wrapped.makefile("rb"), wrapped.makefile("wb", 0)
            self._safe = True

    def _auth(self, rest: str, held: ExitStack) -> None:
        self.server.mail.login.append(rest.split()[1])
        self._say("235 welcome")

    def _data(self, rest: str, held: ExitStack) -> None:
        mail = self.server.mail
        if mail.refusal:
            self._say(mail.refusal)
            return
        self._say("354 go on")
        data = b""
        while (part := self.rfile.readline()) != b".\r\n":
            data += part
        mail.taken.append(cast("EmailMessage", message_from_bytes(data, policy=policy.default)))
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
