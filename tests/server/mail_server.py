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


@contextmanager
def mail_server(certificate: ssl.SSLContext | None = None) -> Iterator[Mail]:
    """Run a server; with a certificate it offers STARTTLS."""
    mail = Mail()

    class Handler(socketserver.StreamRequestHandler):
        def say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        def handle(self) -> None:
            with ExitStack() as held:
                self.talk(held)

        def talk(self, held: ExitStack) -> None:
            self.say("220 ready")
            safe = False
            while line := self.rfile.readline().decode().strip():
                verb = line.split()[0].upper()
                if verb == "EHLO":
                    offers = ["STARTTLS"] if certificate and not safe else []
                    names = ["here", *offers, "AUTH PLAIN"]
                    for each in names[:-1]:
                        self.say(f"250-{each}")
                    self.say(f"250 {names[-1]}")
                elif verb == "STARTTLS":
                    assert certificate is not None
                    self.say("220 go on")
                    try:
                        wrapped = certificate.wrap_socket(self.request, server_side=True)
                    except ssl.SSLError:
                        return  # the client does not trust it
                    held.enter_context(wrapped)
                    self.rfile, self.wfile = wrapped.makefile("rb"), wrapped.makefile("wb", 0)
                    safe = True
                elif verb == "AUTH":
                    mail.login.append(line.split()[2])
                    self.say("235 welcome")
                elif verb == "DATA" and not mail.refusal:
                    self.say("354 go on")
                    data = b""
                    while (part := self.rfile.readline()) != b".\r\n":
                        data += part
                    found = message_from_bytes(data, policy=policy.default)
                    mail.taken.append(cast("EmailMessage", found))
                    mail.encrypted.append(safe)
                    self.say("250 taken")
                elif verb == "QUIT":
                    self.say("221 bye")
                    return
                else:
                    self.say(mail.refusal if verb == "DATA" else "250 ok")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        mail.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield mail
        finally:
            server.shutdown()
