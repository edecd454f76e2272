"""Mails people what they are notified of: how much, by whom, and a link to the inbox.

Whoever forgot their password is mailed a link for another. No word of a contract is mailed, and no
name of a contract or a collection.
"""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import localtime, make_msgid

from fourcorners import smtp
from fourcorners.errors import CallError, ConfigError
from fourcorners.operations.access import Access
from fourcorners.operations.inbox import UnreadNotice, unread_since
from fourcorners.operations.notices import NoticeKind
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.password_links import MAILED_SECONDS, PasswordLinks
from fourcorners.server.store import mail
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.store.mail import Digest, Mailbox
from fourcorners.server.tasks.deliveries import DELAYS
from fourcorners.server.tasks.periodic import Periodic, brief_reason
from fourcorners.source_settings import MailSettings

_LOOK = 5.0  # seconds between looks
_HOUR = 3_600.0  # seconds
_PAGE = "sign-in page"  # by which links are asked for, in the trail
_SAYS = {
    NoticeKind.ASSIGNED: ("assigned a finding to you", "assigned {} findings to you"),
    NoticeKind.MENTIONED: ("mentioned you", "mentioned you {} times"),
    NoticeKind.ANSWERED: ("replied to you", "replied to you {} times"),
    NoticeKind.ADDED: ("added contracts", "added contracts {} times"),
    NoticeKind.HELP: ("asked for your help", "asked for your help {} times"),
    NoticeKind.EXPIRING: (
        "reminds you of a clause that expires soon",
        "reminds you of {} clauses that expire soon",
    ),
    NoticeKind.NO_FOLDER: (
        "cannot reach a watched folder, and adds nothing from it",
        "cannot reach {} watched folders, and adds nothing from them",
    ),
    NoticeKind.NO_COLLECTION: (
        "adds nothing more from a watched folder, as its collection was deleted",
        "adds nothing more from {} watched folders, as their collections were deleted",
    ),
}
_REFUSED = {
    530: "the sign-in",
    534: "the sign-in",
    535: "the sign-in",
    550: "the address",
    551: "the address",
    553: "the address",
}
_log = logging.getLogger("fourcorners.server")


class MailSender(Periodic):
    """Mails notices and links; nothing runs where the operator named no mail server."""

    def __init__(
        self,
        pool: ConnectionPool,
        settings: MailSettings,
        *,
        send: Callable[[EmailMessage, smtp.MailServer], object] = smtp.send_mail,
    ) -> None:
        if settings.host and not (settings.sender and settings.address):
            raise ConfigError(
                "mail needs the address that it is from, and the address of this server.",
                remedy="Set `sender` and `address` in the section [mail].",
            )
        super().__init__("mail", _LOOK, wanted=bool(settings.host))
        self._pool, self._settings, self._send = pool, settings, send

    def run_round(self) -> None:
        """Mail what is due: links for new passwords, and notices, one message a person."""
        self._mail_links()
        with self._pool.library() as library:
            due = mail.take_due(library)
        for each in due:
            if self.is_stopping:
                return
            settled, wait = self._mail(each)
            with self._pool.library() as library:
                mail.settle(library, settled, time.time() + wait)

    def _mail_links(self) -> None:
        with self._pool.library() as library:
            asked = PasswordLinks(library).take_requests()
        for name, address in asked:
            if self.is_stopping:
                return
            with self._pool.library() as library:
                key = PasswordLinks(library).create(name, by=_PAGE, seconds=MAILED_SECONDS)
            try:
                self._send(self._link_message(name, address, key), self._server())
            except ConfigError as error:
                _log.warning("mail cannot be sent: %s %s", error.message, error.remedy)
            except Exception as error:  # noqa: BLE001 - others have their mail nevertheless
                _log.warning("a link for a new password was not mailed: %s", _reason(error))
            else:
                with self._pool.library() as library:
                    PasswordLinks(library).confirm_mail(name)

    def _link_message(self, name: str, address: str, key: str) -> EmailMessage:
        place = self._settings.address.rstrip("/")
        made = self._new_message(address, "Fourcorners: choose a new password")
        made.set_content(
            f"Somebody asked for a new password for {name} at {place}\n\n"
            f"If it was you, choose one within an hour:\n{place}/sign-in/password?key={key}\n\n"
            "If it was not you, do nothing: your password has not changed.\n"
        )
        return made

    def _new_message(self, address: str, subject: str) -> EmailMessage:
        made = EmailMessage(policy=SMTP)
        made["Subject"] = subject
        made["From"], made["To"] = self._settings.sender, address
        made["Date"], made["Message-ID"] = localtime(), make_msgid(domain="fourcorners")
        made["Auto-Submitted"] = "auto-generated"
        return made

    def _mail(self, to: Mailbox) -> tuple[Mailbox, float]:
        """Mail somebody's notices; return how far that is, and how long to wait."""
        with self._pool.library() as library:
            principal = Accounts(library).active_principal(to.person)
            new = (
                unread_since(Access(library, principal, watched=False), to.sent)
                if principal
                else []
            )
        if not new:  # what is left is not for them any more
            return to, _HOUR
        try:
            self._send(self.message(to, new), self._server())
        except ConfigError as error:
            _log.warning("mail cannot be sent: %s %s", error.message, error.remedy)
            return replace(to, reason=error.message.removesuffix(".")), _HOUR
        except Exception as error:  # noqa: BLE001 - others have their mail nevertheless
            failed = replace(to, attempts=to.attempts + 1, reason=_reason(error))
            if to.attempts < len(DELAYS):
                return failed, DELAYS[to.attempts]
            return replace(failed, sent=new[-1].row, attempts=0), 0.0
        sent = replace(to, sent=new[-1].row, attempts=0, reason="")
        return sent, _HOUR if to.digest is Digest.HOURLY else 0.0

    def message(self, to: Mailbox, notices: Sequence[UnreadNotice]) -> EmailMessage:
        """Return the message that says how much is new."""
        count = len(notices)
        subject = f"Fourcorners: {count} new notice{'' if count == 1 else 's'}"
        made = self._new_message(to.address, subject)
        lines = []
        counted: Counter[tuple[str, NoticeKind]] = Counter()
        for each in notices:
            is_assigned = each.kind is NoticeKind.ASSIGNED
            counted[each.by, each.kind] += each.findings if is_assigned else 1
        for (by, kind), times in counted.items():
            once, often = _SAYS[kind]
            lines.append(f"{by} {once if times == 1 else often.format(times)}.")
        inbox = f"{self._settings.address.rstrip('/')}/inbox"
        made.set_content("\n".join([*lines, "", f"Open your inbox: {inbox}", ""]))
        return made

    def _server(self) -> smtp.MailServer:
        chosen = self._settings
        password = os.environ.get(chosen.password_env, "") if chosen.password_env else ""
        return smtp.MailServer(chosen.host, chosen.port, chosen.tls, chosen.user, password)


def _reason(error: Exception) -> str:
    """Return why a mail did not go, not in the server's own words: they could be anything."""
    if not isinstance(error, CallError):
        _log.error("a message could not be written: %s", brief_reason(error))
        return "the message could not be written for this address"
    if error.status is None:
        cause = type(error.__cause__).__name__
        hint = "check `host`, `port` and `tls` in the section [mail]"
        _log.warning("mail cannot be sent: %s (%s); %s", error.message, cause, hint)
        return "the mail server could not be reached, or not with the encryption that is set"
    what = _REFUSED.get(error.status, "the mail")
    return f"the mail server refused {what} ({error.status})"
