"""How the pane proves whose it is where no cookie reaches it, as in Word on the web.

A person who has signed in gets a code in their browser and types it in the pane, which changes it
for a secret that it holds in memory. The secret is no cookie and no API token: it may do what an
editor may, at most, and ends with the day.
"""

from __future__ import annotations

import secrets
import time

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.operations.principal import Principal, Role
from fourcorners.server.auth.accounts import Accounts, as_number, hash_secret
from fourcorners.server.errors import NotSignedIn

PREFIX = "fw_"
"""With which the pane's secrets begin."""
CODE_SECONDS = 300
"""Seconds for which a code may be typed."""
_SECONDS = 8 * 3600.0  # for which a pane is connected
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without those that look alike
_LENGTH = 10  # letters of a code: some 49 bits, for five minutes, once


class PaneSessions:
    """The panes that are connected; only a hash of a code or a secret is kept."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def create_code(self, name: str) -> str:
        """Return a code by which a person may connect a pane, once."""
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        at = time.time()
        with self._library.transaction():
            self._library.execute(
                "DELETE FROM server_word_codes WHERE begun < ? OR user = ?",
                (at - CODE_SECONDS, name),
            )
            self._library.execute(
                "INSERT INTO server_word_codes VALUES (?, ?, ?)", (_hash("code", code), name, at)
            )
        return code

    def connect(self, code: str) -> str:
        """Change a code for the secret that the pane sends.

        Raises:
            NotSignedIn: If there is no such code, or it is too old.
        """
        typed = "".join(each for each in code.upper() if each in _LETTERS)
        at = time.time()
        with self._library.transaction():
            rows = self._library.execute(
                "DELETE FROM server_word_codes WHERE hash = ? AND begun >= ? RETURNING user",
                (_hash("code", typed), at - CODE_SECONDS),
            )
            if not rows:
                raise NotSignedIn(
                    "this code is wrong, or older than five minutes.", remedy="Get another code."
                )
            name, secret = as_string(rows[0][0]), PREFIX + secrets.token_urlsafe(32)
            self._library.execute(
                "INSERT INTO server_sessions(hash, user, begun, seen, ends) VALUES (?, ?, ?, ?, ?)",
                (_hash("pane", secret), name, at, at, at + _SECONDS),
            )
            self._library.record("signed in", {"user": name, "by": name, "through": "Word"})
        return secret

    def find_principal(self, secret: str) -> Principal | None:
        """Return whose pane it is; None if it is not connected any more."""
        rows = self._library.execute(
            "SELECT s.user, s.ends FROM server_sessions s JOIN server_users u ON u.name = s.user "
            "WHERE s.hash = ? AND u.disabled = 0",
            (_hash("pane", secret),),
        )
        if not rows or as_number(rows[0][1]) < time.time():
            return None
        form = hash_secret(f"form {secret}")
        return Accounts(self._library).principal(as_string(rows[0][0]), Role.EDITOR, form)


def _hash(kind: str, secret: str) -> str:
    """Return what is kept of a secret, which is of no use as one of another kind."""
    return hash_secret(f"word {kind} {secret}")
