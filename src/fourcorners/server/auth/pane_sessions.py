"""How the pane proves whose it is where no cookie reaches it, as in Word on the web.

A person who has signed in gets a code in their browser and types it in the pane, which changes it
for a secret that it holds in memory. The secret is no cookie and no API token: it opens what the
pane calls and nothing else, may do what an editor may, at most, and ends with the day, or when the
person signs out.
"""

from __future__ import annotations

import re
import secrets
import time

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.operations.principal import Principal, Role
from fourcorners.server.auth.accounts import Accounts, as_number, hash_secret
from fourcorners.server.auth.open_sessions import (
    PANE_KIND,
    UNKNOWN_ORIGIN,
    OpenSessions,
    SessionOrigin,
)
from fourcorners.server.errors import NotSignedIn

PREFIX = "fw_"
"""With which the pane's secrets begin."""
CODE_SECONDS = 300
"""Seconds for which a code may be typed."""
_SECONDS = 8 * 3600.0  # for which a pane is connected
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without those that look alike
_LENGTH = 10  # letters of a code: some 49 bits, for five minutes, once
_CALLS = re.compile(
    r"GET /word/(start|documents|d/[^/]+(/cards|/marked)?|answers/[^/]+)"
    r"|POST /word/(documents|precedents|ask|d/[^/]+(/decide|/include)?)"
    r"|GET /api/v1/tasks/[^/]+"
)


def is_pane_call(method: str, path: str) -> bool:
    """Tell whether the pane calls this, so that its secret opens it."""
    return _CALLS.fullmatch(f"{method} {path}") is not None


class PaneSessions:
    """The panes that are connected; only a hash of a code or a secret is kept."""

    def __init__(self, library: Library, origin: SessionOrigin = UNKNOWN_ORIGIN) -> None:
        self._library, self._origin = library, origin

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
            hashed = _session_hash(secret)
            OpenSessions(self._library).add(name, hashed, at + _SECONDS, self._origin)
            self._library.record("signed in", {"user": name, "by": name, "through": "Word"})
        return secret

    def find_principal(self, secret: str) -> Principal | None:
        """Return whose pane it is; None if it is not connected any more."""
        rows = self._library.execute(
            "SELECT s.user, s.ends FROM server_sessions s JOIN server_users u ON u.name = s.user "
            "WHERE s.hash = ? AND u.disabled = 0",
            (_session_hash(secret),),
        )
        if not rows or as_number(rows[0][1]) < time.time():
            return None
        form = hash_secret(f"form {secret}")
        return Accounts(self._library).principal(as_string(rows[0][0]), Role.EDITOR, form)

    def end(self, name: str) -> None:
        """Disconnect someone's panes, and take back their code."""
        with self._library.transaction():
            self._library.execute("DELETE FROM server_word_codes WHERE user = ?", (name,))
            for _ in self._library.execute(
                "DELETE FROM server_sessions WHERE user = ? AND substr(hash, 1, 5) = ? "
                "RETURNING hash",
                (name, PANE_KIND),
            ):
                self._library.record("signed out", {"user": name, "by": name, "through": "Word"})


def _session_hash(secret: str) -> str:
    return PANE_KIND + _hash("pane", secret)


def _hash(kind: str, secret: str) -> str:
    """Return what is kept of a secret, which is of no use as one of another kind."""
    return hash_secret(f"word {kind} {secret}")
