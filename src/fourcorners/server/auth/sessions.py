"""Sessions: signing in with a password, and what a browser brings after signing in."""

from __future__ import annotations

import secrets
import time

from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.operations.principal import Principal, Role
from fourcorners.server.auth.accounts import (
    Accounts,
    as_number,
    dummy_hash,
    hash_secret,
    is_password,
)
from fourcorners.server.auth.open_sessions import (
    IDLE_SECONDS,
    SESSION_SECONDS,
    UNKNOWN_ORIGIN,
    OpenSessions,
    SessionOrigin,
)
from fourcorners.server.auth.pane_sessions import PaneSessions
from fourcorners.server.auth.second_factor import SecondFactors
from fourcorners.server.errors import NotSignedIn

CODE_SECONDS = 300
"""Seconds for which a code may follow a password."""
MAX_CODES = 5
"""Codes that may be tried after one password."""
_SEEN = 60  # seconds between notes that a session lives


class SecondFactorNeeded(Exception):
    """The password was right, and a code is to follow, with this secret."""

    def __init__(self, secret: str) -> None:
        super().__init__("a code is needed")
        self.secret = secret


class CodeRefused(NotSignedIn):
    """A code was wrong; another may be tried."""


class Sessions:
    """The sessions of a library's accounts; only a hash of what a browser brings is kept.

    `origin` is where those that begin are begun.
    """

    def __init__(self, library: Library, origin: SessionOrigin = UNKNOWN_ORIGIN) -> None:
        self._library, self._origin = library, origin
        self._accounts = Accounts(library)

    def sign_in(self, name: str, password: str) -> str:
        """Check a password and begin a session; returns what the browser is to bring.

        Raises:
            NotSignedIn: If name and password do not belong together.
            SecondFactorNeeded: If they do, and the account has a second factor; it has what the
                browser must send with the code.
        """
        known = self.check_password(name, password)
        if SecondFactors(self._library).is_on(known):
            raise SecondFactorNeeded(self._await_code(known))
        return self.start(known)

    def check_password(self, name: str, password: str) -> str:
        """Return the account that name and password belong to.

        An account that is not there, is shut out or has no password is answered alike, with the
        same work: that of one hash, and one entry of the trail.

        Raises:
            NotSignedIn: If they do not belong together.
        """
        rows = self._library.execute(
            "SELECT name, password, disabled FROM server_users WHERE lower(name) = lower(?)",
            (name[:100],),
        )
        known, hashed, disabled = rows[0] if rows else ("", "", 1)
        right = is_password(as_string(hashed) or dummy_hash(), password)
        if right and not disabled:
            return as_string(known)
        # Of a name that is not there nothing is kept: it may be a password in the wrong field.
        self._refuse(as_string(known))
        raise NotSignedIn("incorrect name or password.")

    def _await_code(self, name: str) -> str:
        secret, at = secrets.token_urlsafe(32), time.time()
        with self._library.transaction():
            self._library.execute(
                "DELETE FROM server_codes_awaited WHERE begun < ?", (at - CODE_SECONDS,)
            )
            self._library.execute(
                "INSERT INTO server_codes_awaited VALUES (?, ?, ?, 0)",
                (hash_secret(secret), name, at),
            )
        return secret

    def sign_in_with_code(self, secret: str, code: str) -> str:
        """Begin the session of someone whose password was right, by a code of the second factor.

        Raises:
            NotSignedIn: If the code is wrong, a `CodeRefused` where another may be tried.
        """
        hashed = hash_secret(secret)
        with self._library.transaction():
            rows = self._library.execute(
                "UPDATE server_codes_awaited SET tries = tries + 1 WHERE hash = ? AND begun >= ? "
                "RETURNING user, tries",
                (hashed, time.time() - CODE_SECONDS),
            )
            name, tries = (as_string(rows[0][0]), as_integer(rows[0][1])) if rows else ("", 0)
            right = bool(rows) and SecondFactors(self._library).is_right(name, code)
            if right or tries >= MAX_CODES:
                self._library.execute("DELETE FROM server_codes_awaited WHERE hash = ?", (hashed,))
            if right:
                return self.start(name)
            if rows:
                self._refuse(name)
        if not rows or tries >= MAX_CODES:
            raise NotSignedIn("this took too long, or too many tries.", remedy="Sign in again.")
        raise CodeRefused("this is not the code that the app shows now.")

    def start(self, name: str, *, through: str = "", seconds: float = 0.0) -> str:
        """Begin a session of someone who has proven who they are; returns what is to be brought.

        It was proven to the provider `through`, or by a password here; it ends after so many
        seconds, whatever holds for others, unless they are 0.
        """
        secret = secrets.token_urlsafe(32)
        at = time.time()
        with self._library.transaction():
            self._library.execute(
                "DELETE FROM server_sessions WHERE seen < ? OR begun < ?",
                (at - IDLE_SECONDS, at - SESSION_SECONDS),
            )
            ends = at + seconds if seconds else 0.0
            OpenSessions(self._library).add(name, hash_secret(secret), ends, self._origin)
            if through:
                self._library.record("signed in", {"user": name, "by": name, "through": through})
            else:
                self._accounts.record("signed in", name, name)
        return secret

    def sign_out(self, secret: str) -> None:
        """End a session, and the panes in Word of whose it was."""
        with self._library.transaction():
            rows = self._library.execute(
                "DELETE FROM server_sessions WHERE hash = ? RETURNING user", (hash_secret(secret),)
            )
            for (name,) in rows:
                self._accounts.record("signed out", as_string(name), as_string(name))
                PaneSessions(self._library).end(as_string(name))

    def find_principal(self, secret: str) -> Principal | None:
        at = time.time()
        rows = self._library.execute(
            "SELECT s.user, s.seen FROM server_sessions s JOIN server_users u ON u.name = s.user "
            "WHERE s.hash = ? AND s.seen >= ? AND s.begun >= ? AND (s.ends = 0 OR s.ends > ?) "
            "AND u.disabled = 0",
            (hash_secret(secret), at - IDLE_SECONDS, at - SESSION_SECONDS, at),
        )
        if not rows:
            return None
        name, seen = as_string(rows[0][0]), as_number(rows[0][1])
        if at - seen > _SEEN:
            self._library.execute(
                "UPDATE server_sessions SET seen = ? WHERE hash = ?", (at, hash_secret(secret))
            )
        return self._accounts.principal(name, Role.ADMIN, hash_secret(f"form {secret}"))

    def _refuse(self, name: str) -> None:
        with self._library.transaction():
            self._accounts.record("sign-in refused", name, name)
