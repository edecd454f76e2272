"""Sessions: signing in with a password, and what a browser brings after signing in."""

from __future__ import annotations

import secrets
import time

from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts, as_number, hash_secret
from fourcorners.server.auth.passwords import dummy_hash, is_password
from fourcorners.server.auth.principal import Principal, Role
from fourcorners.server.errors import NotSignedIn, TooManyRequests

IDLE_SECONDS = 8 * 3600
"""Seconds without a request after which a session has ended."""
SESSION_SECONDS = 7 * 24 * 3600  # after which anybody signs in anew
MAX_ATTEMPTS = 5
"""Wrong passwords in a row before an account is locked."""
_FIRST_LOCK = 60  # seconds; twice as long each further time
_LONGEST_LOCK = 3600  # seconds after failed attempts
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
            TooManyRequests: If the account is locked after wrong passwords.
        """
        rows = self._library.execute(
            "SELECT name, password, disabled, locked FROM server_users "
            "WHERE lower(name) = lower(?)",
            (name[:100],),
        )
        known, hashed, disabled, locked = rows[0] if rows else ("", dummy_hash(), 1, 0.0)
        wait = as_number(locked) - time.time()
        if wait > 0:
            raise TooManyRequests(
                "too many wrong passwords: this account is locked for a while.",
                remedy=f"Try again in {max(1, round(wait / 60))} minutes.",
                after=max(1, round(wait)),
            )
        # It takes as long for who is not there, or has no password.
        right = is_password(as_string(hashed) or dummy_hash(), password)
        if not right or disabled:
            if rows:
                self._note_failure(as_string(known))
            raise NotSignedIn("this name and this password do not belong together.")
        with self._library.transaction():
            self._library.execute(
                "UPDATE server_users SET failures = 0, locked = 0 WHERE name = ?", (known,)
            )
            return self.start(as_string(known))

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
            self._library.execute(
                "INSERT INTO server_sessions(hash, user, begun, seen, ends) VALUES (?, ?, ?, ?, ?)",
                (hash_secret(secret), name, at, at, at + seconds if seconds else 0.0),
            )
            if through:
                self._library.record("signed in", {"user": name, "by": name, "through": through})
            else:
                self._accounts.record("signed in", name, name)
        return secret

    def sign_out(self, secret: str) -> None:
        with self._library.transaction():
            rows = self._library.execute(
                "DELETE FROM server_sessions WHERE hash = ? RETURNING user", (hash_secret(secret),)
            )
            for (name,) in rows:
                self._accounts.record("signed out", as_string(name), as_string(name))

    def find_principal(self, secret: str) -> Principal | None:
        at = time.time()
        rows = self._library.execute(
            "SELECT s.user, s.seen FROM server_sessions s JOIN server_users u ON u.name = s.user "
            "WHERE s.hash = ? AND s.seen >= ? AND s.begun >= ? AND (s.ends = 0 OR s.ends > ?) "
            "AND NOT u.disabled",
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

    def _note_failure(self, name: str) -> None:
        with self._library.transaction():
            count = as_integer(
                self._library.execute(
                    "UPDATE server_users SET failures = failures + 1 WHERE name = ? "
                    "RETURNING failures",
                    (name,),
                )[0][0]
            )
            over = count - MAX_ATTEMPTS
            if over >= 0:
                seconds = min(_LONGEST_LOCK, _FIRST_LOCK * 2 ** min(over, 10))
                self._library.execute(
                    "UPDATE server_users SET locked = ? WHERE name = ?",
                    (time.time() + seconds, name),
                )
            self._accounts.record("sign-in refused", name, name)
