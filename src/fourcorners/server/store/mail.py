"""Who has their notices mailed, where to, how often, and how far that is."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.message import EmailMessage
from email.policy import SMTP
from enum import StrEnum

from fourcorners.errors import ConfigError
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.library.store import Library

_ADDRESS = re.compile(
    r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+", re.ASCII
)
_MOST = 20  # people of one look
_LEASE = 300.0  # seconds for which one server tries, and no other


class Digest(StrEnum):
    """How often notices are mailed."""

    NONE = "none"
    AT_ONCE = "at once"
    HOURLY = "hourly"


@dataclass(frozen=True, slots=True)
class Mailbox:
    """Where a person's notices go.

    Attributes:
        sent: The last notice that was mailed, or need not be.
        attempts: Those that failed since.
        reason: Why the last one failed; empty if none did.
    """

    person: str
    address: str
    digest: Digest
    sent: int = 0
    attempts: int = 0
    reason: str = ""


def find_mailbox(library: Library, person: str) -> Mailbox:
    rows = library.execute(
        "SELECT person, address, digest, sent, attempts, reason FROM server_mail WHERE person = ?",
        (person,),
    )
    return _mailbox(rows[0]) if rows else Mailbox(person, "", Digest.NONE)


def set_mailbox(library: Library, person: str, address: str, digest: Digest) -> None:
    """Keep where a person is mailed to, notices beginning with the next one.

    Raises:
        ConfigError: If the address is none.
    """
    address = address.strip()
    if (address or digest is not Digest.NONE) and not _is_address(address):
        raise ConfigError("this is not an e-mail address.", remedy="Write it like ada@firm.com.")
    with library.transaction():
        library.execute(
            "INSERT OR REPLACE INTO server_mail SELECT ?, ?, ?, coalesce(max(row), 0), 0, 0.0, '' "
            "FROM server_notices",
            (person, address, digest.value),
        )
        library.record("mail set", {"user": person, "digest": digest.value, "by": person})


def suggest_address(library: Library, person: str, address: str) -> None:
    """Keep where a person's notices could be mailed to; they choose whether that is done."""
    if _is_address(address):
        library.execute(
            "INSERT INTO server_mail(person, address, digest, sent) VALUES (?1, ?2, 'none', 0) "
            "ON CONFLICT (person) DO UPDATE SET address = ?2 WHERE server_mail.digest = 'none'",
            (person, address),
        )


def _is_address(words: str) -> bool:
    """Tell whether a message to this address can be written, and goes there and nowhere else."""
    if not _ADDRESS.fullmatch(words):
        return False
    message = EmailMessage(policy=SMTP)
    try:
        message["To"] = words
        message.as_bytes()
        return [each.addr_spec for each in message["To"].addresses] == [words]
    except (ValueError, HeaderParseError, IndexError):
        return False


def take_due(library: Library) -> list[Mailbox]:
    """Return the mailboxes for which there may be something to send, and keep others off them."""
    rows = library.execute(
        "UPDATE server_mail SET due = ?1 WHERE person IN (SELECT m.person FROM server_mail AS m "
        "WHERE m.digest <> 'none' AND m.due <= ?2 AND EXISTS (SELECT 1 FROM server_notices AS n "
        "WHERE n.person = m.person AND n.seen = '' AND n.row > m.sent) ORDER BY m.due LIMIT ?3) "
        "AND due <= ?2 RETURNING person, address, digest, sent, attempts, reason",
        (time.time() + _LEASE, time.time(), _MOST),
    )
    return [_mailbox(row) for row in rows]


def settle(library: Library, mailbox: Mailbox, due: float) -> None:
    """Keep how far the mail to a person is, and when it is tried next."""
    library.execute(
        "UPDATE server_mail SET sent = ?, attempts = ?, reason = ?, due = ? WHERE person = ?",
        (mailbox.sent, mailbox.attempts, mailbox.reason, due, mailbox.person),
    )


def _mailbox(row: Sequence[SQLiteValue]) -> Mailbox:
    person, address, digest, sent, attempts, reason = row
    return Mailbox(
        as_string(person),
        as_string(address),
        Digest(as_string(digest)),
        as_integer(sent),
        as_integer(attempts),
        as_string(reason),
    )
