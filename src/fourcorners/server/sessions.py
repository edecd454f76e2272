"""Sessions: signing in with a password, and what a browser brings after signing in."""

from __future__ import annotations

import secrets
import time

from fourcorners.library.database import integer, string
from fourcorners.library.store import Library
from fourcorners.server.accounts import Accounts, fingerprint, number
from fourcorners.server.passwords import fits, nobody
from fourcorners.server.principal import Principal, Role
from fourcorners.server.refusals import NotSignedIn, TooMany

IDLE_SECONDS = 8 * 3600
"""Seconds without a request after which a session has ended."""
SESSION_SECONDS = 7 * 24 * 3600
TRIES = 5
"""Wrong passwords in a row before an account is locked."""
_FIRST_LOCK = 60  # seconds; twice as long each further time
_LONGEST_LOCK = 3600
_SEEN = 60  # seconds between notes that a session lives


class Sessions:
    """The sessions of a library's accounts; only a hash of what a browser brings is kept."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._accounts = Accounts(library)

    def sign_in(self, name: str, password: str) -> str:
        """Check a password and begin a session; returns what the browser is to bring.

        Raises:
            NotSignedIn: If name and password do not belong together.
            TooMany: If the account is locked after wrong passwords.
        """
        rows = self._library.execute(
            "SELECT name, password, disabled, locked FROM server_users "
            "WHERE lower(name) = lower(?)",
            (name[:100],),
        )
        known, hashed, disabled, locked = rows[0] if rows else ("", nobody(), 1, 0.0)
        wait = number(locked) - time.time()
        if wait > 0:
            raise TooMany(
                "too many wrong passwords: this account is locked for a while.",
                remedy=f"Try again in {max(1, round(wait / 60))} minutes.",
                after=max(1, round(wait)),
            )
        # It takes as long for who is not there, or has no password.
        right = fits(string(hashed) or nobody(), password)
        if not right or disabled:
            if rows:
                self._note_failure(string(known))
            raise NotSignedIn("this name and this password do not belong together.")
        with self._library.transaction():
            self._library.execute(
                "UPDATE server_users SET failures = 0, locked = 0 WHERE name = ?", (known,)
            )
            return self.begin(string(known))

    def begin(self, name: str, *, through: str = "", seconds: float = 0.0) -> str:
        """Begin a session of someone who has proven who they are; returns what is to be brought.

        Args:
            name: Of the account, which must not be shut out.
            through: The provider that they proved it to; empty for a password here.
            seconds: After which it ends, whatever holds for others; 0 for no such end.
        """
        secret = secrets.token_urlsafe(32)
        at = time.time()
        with self._library.transaction():
            self._library.execute(
                "DELETE FROM server_sessions WHERE seen < ? OR begun < ?",
                (at - IDLE_SECONDS, at - SESSION_SECONDS),
            )
            self._library.execute(
                "INSERT INTO server_sessions(hash, user, begun, seen, ends) VALUES (?, ?, ?, ?, ?)",
                (fingerprint(secret), name, at, at, at + seconds if seconds else 0.0),
            )
            if through:
                self._library.record("signed in", {"user": name, "by": name, "through": through})
            else:
                self._accounts.record("signed in", name, name)
        return secret

    def sign_out(self, secret: str) -> None:
        """End a session."""
        with self._library.transaction():
            rows = self._library.execute(
                "DELETE FROM server_sessions WHERE hash = ? RETURNING user", (fingerprint(secret),)
            )
            for (name,) in rows:
                self._accounts.record("signed out", string(name), string(name))

    def of_session(self, secret: str) -> Principal | None:
        """Return whose session this is, if it has not ended."""
        at = time.time()
        rows = self._library.execute(
            "SELECT s.user, s.seen FROM server_sessions s JOIN server_users u ON u.name = s.user "
            "WHERE s.hash = ? AND s.seen >= ? AND s.begun >= ? AND (s.ends = 0 OR s.ends > ?) "
            "AND NOT u.disabled",
            (fingerprint(secret), at - IDLE_SECONDS, at - SESSION_SECONDS, at),
        )
        if not rows:
            return None
        name, seen = string(rows[0][0]), number(rows[0][1])
        if at - seen > _SEEN:
            self._library.execute(
                "UPDATE server_sessions SET seen = ? WHERE hash = ?", (at, fingerprint(secret))
            )
        return self._accounts.principal(name, Role.ADMIN, fingerprint(f"form {secret}"))

    def _note_failure(self, name: str) -> None:
        with self._library.transaction():
            count = integer(
                self._library.execute(
                    "UPDATE server_users SET failures = failures + 1 WHERE name = ? "
                    "RETURNING failures",
                    (name,),
                )[0][0]
            )
            over = count - TRIES
            if over >= 0:
                seconds = min(_LONGEST_LOCK, _FIRST_LOCK * 2 ** min(over, 10))
                self._library.execute(
                    "UPDATE server_users SET locked = ? WHERE name = ?",
                    (time.time() + seconds, name),
                )
            self._accounts.record("sign-in refused", name, name)
