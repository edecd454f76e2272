"""A sign-in through the provider, from its first half to its second.

The browser keeps one secret, from which state, nonce and the verifier of PKCE are made; the library
keeps a hash of the state, where to go afterwards and when it began, and forgets it when it is used.
So an answer of the provider counts once, in the browser that asked, for a while.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from hashlib import sha256

from fourcorners.library.database import as_integer, as_string
from fourcorners.server.auth.accounts import Accounts, hash_secret
from fourcorners.server.auth.oidc.accounts import ProviderAccounts
from fourcorners.server.auth.oidc.errors import SignInRefused
from fourcorners.server.auth.oidc.logout import BackChannelLogout, remember_session
from fourcorners.server.auth.oidc.provider import Provider
from fourcorners.server.auth.sessions import Sessions
from fourcorners.server.errors import TooManyRequests
from fourcorners.server.store.connection_pool import ConnectionPool

MAX_SECONDS = 600
"""Seconds that someone has between the two halves."""
_MOST = 10_000  # sign-ins that have begun


class SignInFlow:
    def __init__(self, shelf: ConnectionPool, provider: Provider) -> None:
        self._shelf, self.provider = shelf, provider
        self.logout = BackChannelLogout(shelf, provider)

    def start(self, leads_to: str) -> tuple[str, str]:
        """Return where to send the browser, and the secret that it is to bring back.

        Raises:
            ProviderDown: If the provider does not answer.
            TooMany: If more people are signing in than is likely.
        """
        secret = secrets.token_urlsafe(32)
        state = _made(secret, "state")
        challenge = _encoded(sha256(_made(secret, "verifier").encode()).digest())
        url = self.provider.authorize_url(state, _made(secret, "nonce"), challenge)
        at = time.time()
        with self._shelf.library() as library, library.transaction():
            Accounts(library)
            library.execute("DELETE FROM server_oidc_begun WHERE begun < ?", (at - MAX_SECONDS,))
            begun = as_integer(library.execute("SELECT count(*) FROM server_oidc_begun")[0][0])
            if begun >= _MOST:
                raise TooManyRequests("too many people are signing in.", after=60)
            library.execute(
                "INSERT INTO server_oidc_begun VALUES (?, ?, ?)",
                (hash_secret(state), leads_to, at),
            )
        return url, secret

    def finish(
        self, secret: str, answer: Mapping[str, str], count: Callable[[], None]
    ) -> tuple[str, str]:
        """Return the session that the provider's answer begins, and where to go.

        Args:
            secret: What the browser was given; empty if it brought nothing.
            answer: The query that the provider sent the browser back with.
            count: Called before an answer is refused that belongs to no sign-in which began here;
                it may raise `TooMany`, so that nobody fills the audit trail.

        Raises:
            SignInRefused: If the answer does not let anyone in; the audit trail has the reason.
            ProviderDown: If the provider does not answer.
        """
        try:
            leads_to = self._taken(secret, answer.get("state", ""), count)
            return self._admitted(secret, answer), leads_to
        except SignInRefused as error:
            with self._shelf.library() as library:
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

    def _admitted(self, secret: str, answer: Mapping[str, str]) -> str:
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
        claims = self.provider.claims(code, _made(secret, "verifier"), _made(secret, "nonce"))
        settings = self.provider.settings
        with self._shelf.library() as library, library.transaction():
            name = ProviderAccounts(library, settings).admit(claims)
            session = Sessions(library).start(
                name, through=settings.issuer, seconds=settings.session_hours * 3600
            )
            remember_session(library, settings.issuer, claims, session)
            return session

    def _taken(self, secret: str, state: str, count: Callable[[], None]) -> str:
        """Return where a sign-in that began in this browser leads, and forget that it began."""
        right = bool(secret) and hmac.compare_digest(
            _made(secret, "state").encode(), state.encode("utf-8", "replace")
        )
        if right:
            with self._shelf.library() as library, library.transaction():
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


def _made(secret: str, what: str) -> str:
    """Return what is made of the browser's secret: 43 characters that tell nothing of it."""
    return _encoded(hmac.new(secret.encode(), what.encode(), sha256).digest())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
