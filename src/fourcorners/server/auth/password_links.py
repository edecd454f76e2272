"""Links by which a person chooses a password without the old one: each works once.

An admin makes one and hands it over, or its owner has it mailed.
"""

from __future__ import annotations

import secrets
import time

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts, hash_secret
from fourcorners.server.errors import NotSignedIn
from fourcorners.server.store.mail import find_mailbox

LINK_SECONDS = 24 * 3600
"""Seconds for which the link of an admin works."""
MAILED_SECONDS = 3600
"""Seconds for which a mailed link works."""
_REQUEST_SECONDS = 900.0  # for which a mail is tried, and nobody is mailed another; by hand
_RETRY_SECONDS = 60.0  # between two tries; by hand


class PasswordLinks:
    """The links that work, of which only a hash is stored, and those that are to be mailed."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._accounts = Accounts(library)

    def create(self, name: str, *, by: str, seconds: int = LINK_SECONDS) -> str:
        """Return the secret of a link for someone; their earlier link works no more.

        Raises:
            ConfigError: If there is no such account.
        """
        secret, at = secrets.token_urlsafe(32), time.time()
        with self._accounts.change("password link", name, by):
            self._library.execute(
                "DELETE FROM server_password_links WHERE user = ? OR ends < ?", (name, at)
            )
            self._library.execute(
                "INSERT INTO server_password_links VALUES (?, ?, ?)",
                (_hash(secret), name, at + seconds),
            )
        return secret

    def find_account(self, secret: str) -> str:
        """Return whose password a link is for.

        Raises:
            NotSignedIn: If it was used, is too old or is none, or the account is disabled.
        """
        rows = self._library.execute(
            "SELECT l.user FROM server_password_links l JOIN server_users u ON u.name = l.user "
            "WHERE l.hash = ? AND l.ends > ? AND u.disabled = 0",
            (_hash(secret), time.time()),
        )
        if not rows:
            raise NotSignedIn(
                "this link has been used, or is too old.",
                remedy="Ask an administrator for another one.",
            )
        return as_string(rows[0][0])

    def use(self, secret: str, password: str) -> str:
        """Give whoever has a link the password that they chose; return their name.

        Raises:
            NotSignedIn: As `find_account` does.
            ConfigError: If the password is too weak; the link can be used again.
        """
        with self._library.transaction():
            name = self.find_account(secret)
            self._accounts.set_password(name, password, by=name)
        return name

    # Mail

    def request_mail(self, asked: str) -> None:
        """Have a link mailed to whose name or address it is, if they have a password to forget.

        Those who sign in through the provider alone have none, and get none in this way.
        """
        at = time.time()
        self._library.execute(
            "INSERT INTO server_link_requests SELECT u.name, ?2, ?2 FROM server_users u "
            "JOIN server_mail m ON m.person = u.name WHERE lower(?1) IN (lower(u.name), "
            "lower(m.address)) AND m.address <> '' AND u.password <> '' AND u.disabled = 0 "
            "ON CONFLICT (user) DO UPDATE SET asked = excluded.asked, due = excluded.due "
            "WHERE server_link_requests.asked <= ?3",
            (asked.strip(), at, at - _REQUEST_SECONDS),
        )

    def take_requests(self) -> list[tuple[str, str]]:
        """Return name and address of who is to be mailed now; whoever is not, is a minute later."""
        at = time.time()
        rows = self._library.execute(
            "UPDATE server_link_requests SET due = ? WHERE due <= ? AND asked > ? RETURNING user",
            (at + _RETRY_SECONDS, at, at - _REQUEST_SECONDS),
        )
        names = [as_string(name) for (name,) in rows]
        return [(name, find_mailbox(self._library, name).address) for name in names]

    def confirm_mail(self, name: str) -> None:
        self._library.execute(
            "UPDATE server_link_requests SET due = asked + ? WHERE user = ?",
            (_REQUEST_SECONDS, name),
        )


def _hash(secret: str) -> str:
    return hash_secret(f"password {secret}")
