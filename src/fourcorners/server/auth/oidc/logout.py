"""The provider says that somebody signed out there: OpenID Connect Back-Channel Logout 1.0.

A session that began through the provider is remembered by who they are there and by the session
that it was there; a logout token that names either ends it. A token counts once, for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from hashlib import sha256

from fourcorners.library.database import as_string, register_tables
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts, hash_secret
from fourcorners.server.auth.oidc.accounts import string_of
from fourcorners.server.auth.oidc.errors import SignInRefused
from fourcorners.server.auth.oidc.provider import Provider
from fourcorners.server.auth.oidc.tokens import token_error
from fourcorners.server.auth.sessions import SESSION_SECONDS
from fourcorners.server.store.connection_pool import ConnectionPool

_ROOM = "server_oidc_logout"
_REMEMBERED = 86_400.0
"""Seconds at least for which a token is known again."""

register_tables(
    _ROOM,
    (
        """
        CREATE TABLE server_oidc_sessions(
            hash    TEXT PRIMARY KEY,
            issuer  TEXT NOT NULL,
            subject TEXT NOT NULL,
            sid     TEXT NOT NULL,
            begun   REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX server_oidc_sessions_by_subject
            ON server_oidc_sessions(issuer, subject, sid);
        CREATE INDEX server_oidc_sessions_by_sid ON server_oidc_sessions(issuer, sid);

        CREATE TABLE server_oidc_logouts(
            id    TEXT PRIMARY KEY,
            until REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
    ),
)


def remember_session(
    library: Library, issuer: str, claims: Mapping[str, object], secret: str
) -> None:
    """Keep whose session at the provider a session here belongs to; call it within a transaction.

    Args:
        library: Where sessions are kept.
        issuer: The provider.
        claims: Of the checked ID token that the session began by.
        secret: What the browser brings for it.
    """
    library.migrate(_ROOM)
    at = time.time()
    library.execute("DELETE FROM server_oidc_sessions WHERE begun < ?", (at - SESSION_SECONDS,))
    library.execute(
        "INSERT INTO server_oidc_sessions VALUES (?, ?, ?, ?, ?)",
        (
            hash_secret(secret),
            issuer,
            string_of(claims["sub"]),
            string_of(claims.get("sid")),
            at,
        ),
    )


class BackChannelLogout:
    def __init__(self, shelf: ConnectionPool, provider: Provider) -> None:
        self._shelf, self._provider = shelf, provider

    def end(self, token: str, count: Callable[[], None]) -> int:
        """End what a logout token names, and return how many sessions that were.

        Args:
            token: As the provider sent it.
            count: Called before a token is refused; it may raise `TooMany`, so that nobody fills
                the audit trail.

        Raises:
            SignInRefused: If the token does not count; the audit trail has the reason.
            ProviderDown: If its key had to be looked for, and the provider did not answer.
        """
        issuer = self._provider.settings.issuer
        try:
            claims = self._provider.logout_claims(token)
            with self._shelf.library() as library, library.transaction():
                library.migrate(_ROOM)
                Accounts(library)
                self._take(library, claims)
                return self._ended(library, claims)
        except SignInRefused as error:
            count()
            with self._shelf.library() as library:
                library.record("sign-out refused", {"by": issuer, "why": error.why})
            raise

    def _take(self, library: Library, claims: Mapping[str, object]) -> None:
        at, ends = time.time(), claims.get("exp")
        until = at + _REMEMBERED
        if isinstance(ends, int | float):
            until = max(until, ends + self._provider.settings.skew)
        library.execute("DELETE FROM server_oidc_logouts WHERE until < ?", (at,))
        named = f"{self._provider.settings.issuer}\n{string_of(claims['jti'])}"
        rows = library.execute(
            "INSERT OR IGNORE INTO server_oidc_logouts VALUES (?, ?) RETURNING id",
            (sha256(named.encode("utf-8", "replace")).hexdigest(), until),
        )
        if not rows:
            raise token_error("logout token used before")

    def _ended(self, library: Library, claims: Mapping[str, object]) -> int:
        """End the sessions that claims name.

        With a session of the provider's, that one alone; and those of the same person of which the
        provider did not say which session they are.
        """
        issuer = self._provider.settings.issuer
        subject, sid = string_of(claims.get("sub")), string_of(claims.get("sid"))
        if sid and subject:
            where, named = "subject = ? AND sid IN (?, '')", [subject, sid]
        elif sid:
            where, named = "sid = ?", [sid]
        else:
            where, named = "subject = ?", [subject]
        gone = library.execute(
            f"DELETE FROM server_oidc_sessions WHERE issuer = ? AND {where} "  # noqa: S608 - ours
            "RETURNING hash",
            (issuer, *named),
        )
        ended = 0
        for (hashed,) in gone:
            for (name,) in library.execute(
                "DELETE FROM server_sessions WHERE hash = ? RETURNING user", (hashed,)
            ):
                library.record("signed out", {"user": as_string(name), "by": issuer})
                ended += 1
        return ended
