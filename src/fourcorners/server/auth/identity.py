"""Who sends a request: the one person at this machine, or whoever has signed in."""

from __future__ import annotations

import getpass
import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.operations.errors import NotAllowed
from fourcorners.operations.principal import Principal, Role
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.auth.open_sessions import SESSION_SECONDS
from fourcorners.server.auth.pane_sessions import PREFIX as PANE_PREFIX
from fourcorners.server.auth.pane_sessions import PaneSessions, is_pane_call
from fourcorners.server.auth.sessions import CODE_SECONDS, Sessions
from fourcorners.server.errors import NotSignedIn
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.settings import Settings


class Identity(Protocol):
    def principal_of(self, request: Request) -> Principal | None:
        """Return who sends it; None where nobody has signed in.

        Raises:
            Refusal: If its name or token is not valid.
        """
        ...


_SIGN_IN_SECONDS = 600  # for which a sign-in that was begun can be finished


class LocalIdentity:
    """One person, who may do all: the server answers this machine alone."""

    def __init__(self, settings: Settings) -> None:
        self._principal = Principal(
            name=settings.reviewer or _user(),
            global_role=Role.ADMIN,
            secret=secrets.token_hex(32),
            local=True,
        )

    def principal_of(self, request: Request) -> Principal:  # noqa: ARG002 - whoever asks is that person
        return self._principal


def _user() -> str:
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "local user"


@dataclass(frozen=True, slots=True)
class Cookie:
    """What a browser keeps: for this server alone, over HTTPS, out of scripts' reach.

    `lax`, since the provider sends a browser back from its own site.
    """

    name: str
    seconds: int

    def save(self, response: Response, secret: str) -> None:
        response.set_cookie(
            self.name,
            secret,
            max_age=self.seconds,
            secure=True,
            httponly=True,
            samesite="lax",
            path="/",
        )

    def read(self, request: Request) -> str:
        return request.cookies.get(self.name, "")

    def clear(self, response: Response) -> None:
        response.delete_cookie(self.name, secure=True, httponly=True, samesite="lax", path="/")


SESSION = Cookie("__Host-fourcorners", SESSION_SECONDS)
SECOND_FACTOR = Cookie("__Host-fourcorners-code", CODE_SECONDS)
"""That someone's password was right, and a code is awaited."""
SIGN_IN = Cookie("__Host-fourcorners-oidc", _SIGN_IN_SECONDS)
"""That someone has begun to sign in at the provider."""


CALENDAR = "/dates/calendar.ics"
"""The one address whose token may be in it: programs that subscribe to it send no headers."""


SCIM = "/scim/v2"
"""Under which a firm's directory calls; only tokens of that scope open it, and nothing else."""


def _is_calendar(request: Request) -> bool:
    return request.method == "GET" and request.url.path == CALENDAR


class TeamIdentity:
    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    def principal_of(self, request: Request) -> Principal | None:
        """Return who sends a request; None where it has neither cookie nor token.

        Raises:
            NotSignedIn: If its token is none, or has ended.
            NotAllowed: If it is a Word pane's, for what the pane does not call.
        """
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        cookie = SESSION.read(request)
        subscribed = request.query_params.get("token", "") if _is_calendar(request) else ""
        if kind.casefold() == "bearer" or subscribed:
            secret = (subscribed or token).strip()
            with self._pool.library() as library:
                if secret.startswith(PANE_PREFIX):
                    principal = PaneSessions(library).find_principal(secret)
                else:
                    principal = ApiTokens(library).find_principal(
                        secret, for_scim=request.url.path.startswith(f"{SCIM}/")
                    )
            if principal is None:
                raise NotSignedIn("this API token is unknown or has expired.")
            if secret.startswith(PANE_PREFIX) and not is_pane_call(
                request.method, request.url.path
            ):
                raise NotAllowed("the pane in Word may not do this.", remedy="Use your browser.")
            if subscribed:
                return replace(principal, ceiling=min(principal.ceiling, Role.READER))
            return principal
        if not cookie:
            return None
        with self._pool.library() as library:
            return Sessions(library).find_principal(cookie)
