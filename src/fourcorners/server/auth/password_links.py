"""Links by which a person chooses a password without the old one: each works once, for a day."""

from __future__ import annotations

import secrets
import time

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts, hash_secret
from fourcorners.server.errors import NotSignedIn

LINK_SECONDS = 24 * 3600
"""Seconds for which a link works."""


class PasswordLinks:
    """The links that admins have made; only a hash of each is stored."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._accounts = Accounts(library)

    def create(self, name: str, *, by: str) -> str:
        """Return the secret of a link for someone; their earlier link works no more.

        Raises:
            ConfigError: If there is no such account.
        """
        secret, at = secrets.token_urlsafe(32), time.time()
        with self._accounts.change("password link", name, by):
            self._library.execute(
                "DELETE FROM server_password_links WHERE user = ? OR begun < ?",
                (name, at - LINK_SECONDS),
            )
            self._library.execute(
                "INSERT INTO server_password_links VALUES (?, ?, ?)", (_hash(secret), name, at)
            )
        return secret

    def find_account(self, secret: str) -> str:
        """Return whose password a link is for.

        Raises:
            NotSignedIn: If it was used, is too old or is none, or the account is disabled.
        """
        rows = self._library.execute(
            "SELECT l.user FROM server_password_links l JOIN server_users u ON u.name = l.user "
            "WHERE l.hash = ? AND l.begun >= ? AND u.disabled = 0",
            (_hash(secret), time.time() - LINK_SECONDS),
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


def _hash(secret: str) -> str:
    return hash_secret(f"password {secret}")
