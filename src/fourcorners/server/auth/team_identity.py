"""Who sends a request to a team's server: by a session's cookie, or by an API token."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.auth.principal import Principal
from fourcorners.server.auth.sessions import SESSION_SECONDS, Sessions
from fourcorners.server.errors import NotSignedIn
from fourcorners.server.store.connection_pool import ConnectionPool

_COOKIE = "__Host-fourcorners"
_BEGUN = "__Host-fourcorners-oidc"
_BEGUN_SECONDS = 600  # for which a sign-in that was begun can be finished


class TeamIdentity:
    def __init__(self, shelf: ConnectionPool) -> None:
        self._shelf = shelf

    def principal_of(self, request: Request) -> Principal | None:
        """Return who sends a request; None where it bears neither cookie nor token.

        Raises:
            NotSignedIn: If its token is none, or has ended.
        """
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        cookie = request.cookies.get(_COOKIE, "")
        if kind.casefold() == "bearer":
            with self._shelf.library() as library:
                principal = ApiTokens(library).find_principal(token.strip())
            if principal is None:
                raise NotSignedIn("this API token is none of ours, or has ended.")
            return principal
        if not cookie:
            return None
        with self._shelf.library() as library:
            return Sessions(library).find_principal(cookie)


def set_session_cookie(response: Response, secret: str) -> None:
    """Let a browser keep a session: for this server alone, over HTTPS, out of scripts' reach."""
    response.set_cookie(
        _COOKIE,
        secret,
        max_age=SESSION_SECONDS,
        secure=True,
        httponly=True,
        samesite="lax",
        path="/",
    )


def session_cookie(request: Request) -> str:
    """Return what a browser keeps of its session; empty for none."""
    return request.cookies.get(_COOKIE, "")


def clear_session_cookie(response: Response) -> None:
    response.delete_cookie(_COOKIE, secure=True, httponly=True, samesite="lax", path="/")


def set_sign_in_cookie(response: Response, secret: str) -> None:
    """Let a browser keep that it has begun to sign in at the provider.

    `lax`, since the provider sends it back from its own site.
    """
    response.set_cookie(
        _BEGUN,
        secret,
        max_age=_BEGUN_SECONDS,
        secure=True,
        httponly=True,
        samesite="lax",
        path="/",
    )


def sign_in_cookie(request: Request) -> str:
    """Return what a browser keeps of a sign-in that it has begun; empty for none."""
    return request.cookies.get(_BEGUN, "")


def clear_sign_in_cookie(response: Response) -> None:
    response.delete_cookie(_BEGUN, secure=True, httponly=True, samesite="lax", path="/")
