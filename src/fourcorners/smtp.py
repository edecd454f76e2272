"""The one way by which mail leaves the machine; nothing is sent unless a mail server is named."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage

from fourcorners.errors import CallError, ConfigError
from fourcorners.net import is_loopback


@dataclass(frozen=True, slots=True)
class MailServer:
    """A server that takes mail; `tls` is `starttls`, `tls` or `none`."""

    host: str
    port: int
    tls: str
    user: str = ""
    password: str = ""


def send_mail(message: EmailMessage, server: MailServer, *, timeout: float = 20.0) -> None:
    """Hand a message to a mail server, over TLS unless that is this machine.

    Raises:
        CallError: If it failed; with the server's code, where it gave one.
        ConfigError: If it would go to another machine without TLS.
    """
    if server.tls == "none" and not is_loopback(f"smtp://{server.host}"):
        raise ConfigError(
            "mail to another machine needs TLS.", remedy="Set tls in [mail] to starttls or tls."
        )
    context = ssl.create_default_context()
    made: smtplib.SMTP
    try:
        if server.tls == "tls":
            made = smtplib.SMTP_SSL(server.host, server.port, timeout=timeout, context=context)
        else:
            made = smtplib.SMTP(server.host, server.port, timeout=timeout)
        with made as smtp:
            if server.tls == "starttls":
                smtp.starttls(context=context)
            if server.user:
                smtp.login(server.user, server.password)
            smtp.send_message(message)
    except (smtplib.SMTPException, OSError) as error:
        failed = CallError(f"the mail server {server.host} did not take a message.")
        failed.status = getattr(error, "smtp_code", None)
        if isinstance(error, smtplib.SMTPRecipientsRefused):
            failed.status = next((code for code, _ in error.recipients.values()), None)
        raise failed from error
