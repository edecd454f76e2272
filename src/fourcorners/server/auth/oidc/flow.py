"""A sign-in through the provider, from its first half to its second.

The browser keeps one secret, from which state, nonce and the verifier of PKCE are made; the library
keeps a hash of the state, where to go afterwards and when it began, and forgets it when it is used.
So an answer of the provider counts once, in the browser that asked, for a while.

A session that began so is remembered by who they are there and by the session that it was there; a
logout token that names either ends it (OpenID Connect Back-Channel Logout 1.0). A token counts
once, for a while.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from hashlib import sha256

from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts, hash_secret
from fourcorners.server.auth.oidc.accounts import ProviderAccounts, string_of
from fourcorners.server.auth.oidc.provider import Provider
from fourcorners.server.auth.oidc.tokens import SKEW, SignInRefused, token_error
from fourcorners.server.auth.open_sessions import SESSION_SECONDS, UNKNOWN_ORIGIN, SessionOrigin
from fourcorners.server.auth.pane_sessions import PaneSessions
from fourcorners.server.auth.sessions import Sessions
from fourcorners.server.errors import TooManyRequests
from fourcorners.server.store.connection_pool import ConnectionPool

MAX_SECONDS = 600
"""Seconds that someone has between the two halves."""
_MOST = 10_000  # sign-ins that have begun


_REMEMBERED = 86_400.0
"""Seconds at least for which a token is known again."""


class SignInFlow:
    def __init__(self, pool: ConnectionPool, provider: Provider) -> None:
        self._pool, self.provider = pool, provider

    def start(self, leads_to: str) -> tuple[str, str]:
        """Return where to send the browser, and the secret that it is to bring back.

        Raises:
            ProviderUnavailable: If the provider does not answer.
            TooManyRequests: If more people are signing in than is likely.
        """
        secret = secrets.token_urlsafe(32)
        state = _derive_secret(secret, "state")
        challenge = _encode(sha256(_derive_secret(secret, "verifier").encode()).digest())
        url = self.provider.authorize_url(state, _derive_secret(secret, "nonce"), challenge)
        at = time.time()
        with self._pool.library() as library, library.transaction():
            Accounts(library)
            library.execute("DELETE FROM server_oidc_begun WHERE begun < ?", (at - MAX_SECONDS,))
            open_sign_ins = as_integer(
                library.execute("SELECT count(*) FROM server_oidc_begun")[0][0]
            )
            if open_sign_ins >= _MOST:
                raise TooManyRequests("too many people are signing in.", after=60)
            library.execute(
                "INSERT INTO server_oidc_begun VALUES (?, ?, ?)", (hash_secret(state), leads_to, at)
            )
        return url, secret

    def finish(
        self,
        secret: str,
        answer: Mapping[str, str],
        count: Callable[[], None],
        origin: SessionOrigin = UNKNOWN_ORIGIN,
    ) -> tuple[str, str]:
        """Return the session that the provider's answer begins, and where to go.

        `secret` is what the browser was given, empty if it brought nothing; `answer` the query that
        the provider sent it back with. `count` is called before an answer is refused that belongs
        to no sign-in which began here; it may raise `TooManyRequests`.

        Raises:
            SignInRefused: If the answer does not let anyone in; the audit trail has the reason.
            ProviderUnavailable: If the provider does not answer.
        """
        try:
            leads_to = self._take_sign_in(secret, answer.get("state", ""), count)
            return self._check_answer(secret, answer, origin), leads_to
        except SignInRefused as error:
            with self._pool.library() as library:
                library.record(
                    "sign-in refused",
                    {
                        "user": error.who,
                        "by": error.who,
                        "through": self.provider.settings.issuer,
                        "why": error.why,
                    },
                )
            raise

    def _check_answer(self, secret: str, answer: Mapping[str, str], origin: SessionOrigin) -> str:
        if answer.get("iss", self.provider.settings.issuer) != self.provider.settings.issuer:
            raise SignInRefused("this answer is another provider's.", why="issuer")  # RFC 9207
        if "error" in answer:
            raise SignInRefused(
                f"{self.provider.settings.title} did not let you in.",
                why="refused by the provider",
                remedy="Ask whoever administers accounts there.",
            )
        code = answer.get("code", "")
        if not code:
            raise SignInRefused("the provider sent no code.", why="code", remedy="Begin again.")
        claims = self.provider.claims(
            code, _derive_secret(secret, "verifier"), _derive_secret(secret, "nonce")
        )
        settings = self.provider.settings
        with self._pool.library() as library, library.transaction():
            name = ProviderAccounts(library, settings).admit(claims)
            session = Sessions(library, origin).start(
                name, through=settings.issuer, seconds=settings.session_hours * 3600
            )
            _remember_session(library, settings.issuer, claims, session)
            return session

    def _take_sign_in(self, secret: str, state: str, count: Callable[[], None]) -> str:
        """Return where a sign-in that began in this browser leads, and forget that it began."""
        right = bool(secret) and hmac.compare_digest(
            _derive_secret(secret, "state").encode(), state.encode("utf-8", "replace")
        )
        if right:
            with self._pool.library() as library, library.transaction():
                Accounts(library)
                rows = library.execute(
                    "DELETE FROM server_oidc_begun WHERE state = ? RETURNING leads_to, begun >= ?",
                    (hash_secret(state), time.time() - MAX_SECONDS),
                )
            if rows and rows[0][1]:
                return as_string(rows[0][0])
        count()
        raise SignInRefused(
            "this sign-in did not begin in this browser, was used already, or took too long.",
            why="state",
            remedy="Begin again.",
        )

    def end_sessions(self, token: str, count: Callable[[], None]) -> int:
        """End what a logout token names, and return how many sessions that were.

        `count` is called before a token is refused; it may raise `TooManyRequests`, so that nobody
        fills the audit trail.

        Raises:
            SignInRefused: If the token does not count; the audit trail has the reason.
            ProviderUnavailable: If its key had to be looked for, and the provider did not answer.
        """
        issuer = self.provider.settings.issuer
        try:
            claims = self.provider.logout_claims(token)
            with self._pool.library() as library, library.transaction():
                Accounts(library)
                self._take_token(library, claims)
                return self._end_for(library, claims)
        except SignInRefused as error:
            count()
            with self._pool.library() as library:
                library.record("sign-out refused", {"by": issuer, "why": error.why})
            raise

    def _take_token(self, library: Library, claims: Mapping[str, object]) -> None:
        at, ends = time.time(), claims.get("exp")
        until = at + _REMEMBERED
        if isinstance(ends, int | float):
            until = max(until, ends + SKEW)
        library.execute("DELETE FROM server_oidc_logouts WHERE until < ?", (at,))
        named = f"{self.provider.settings.issuer}\n{string_of(claims['jti'])}"
        rows = library.execute(
            "INSERT OR IGNORE INTO server_oidc_logouts VALUES (?, ?) RETURNING id",
            (sha256(named.encode("utf-8", "replace")).hexdigest(), until),
        )
        if not rows:
            raise token_error("logout token used before")

    def _end_for(self, library: Library, claims: Mapping[str, object]) -> int:
        """End the sessions that claims name.

        With a session of the provider's, that one alone; and those of the same person of which the
        provider did not say which session they are.
        """
        issuer = self.provider.settings.issuer
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
                PaneSessions(library).end(as_string(name))
                ended += 1
        return ended


def _remember_session(
    library: Library, issuer: str, claims: Mapping[str, object], secret: str
) -> None:
    """Keep whose session at the provider a session here belongs to; call it within a transaction.

    `claims` are those of the checked ID token that the session began by, `secret` what the browser
    brings for it.
    """
    at = time.time()
    library.execute("DELETE FROM server_oidc_sessions WHERE begun < ?", (at - SESSION_SECONDS,))
    person = (string_of(claims["sub"]), string_of(claims.get("sid")))
    library.execute(
        "INSERT INTO server_oidc_sessions VALUES (?, ?, ?, ?, ?)",
        (hash_secret(secret), issuer, *person, at),
    )


def _derive_secret(secret: str, what: str) -> str:
    """Return what is made of the browser's secret: 43 characters that tell nothing of it."""
    return _encode(hmac.new(secret.encode(), what.encode(), sha256).digest())


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
