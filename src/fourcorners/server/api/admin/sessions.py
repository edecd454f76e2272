"""Sessions: one's own, and for admins everyone's; how admins help who is locked out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from fourcorners.library.store import Library
from fourcorners.operations.principal import Role
from fourcorners.server.api.admin.users import UserName, find_user
from fourcorners.server.api.models import Moment
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.identity import SESSION
from fourcorners.server.auth.open_sessions import OpenSession, OpenSessions
from fourcorners.server.auth.password_links import LINK_SECONDS, PasswordLinks
from fourcorners.server.auth.second_factor import SecondFactors
from fourcorners.server.context import Context
from fourcorners.value import Value

router = APIRouter(tags=["Users"], route_class=ApiRoute)
_Session = Annotated[str, Path(max_length=40, examples=["0123456789ab"])]


class SessionValue(Value):
    """A session, without its secret."""

    id: str
    since: Moment
    last_used: Moment
    address: str = Field(description="From which it began; empty where that is unknown.")
    browser: str = Field(examples=["Firefox on Windows"])
    is_current: bool

    @classmethod
    def from_session(cls, session: OpenSession) -> SessionValue:
        since, used = session.since.isoformat(), session.last_used.isoformat()
        return cls.make(session, since=since, last_used=used)


class PasswordLinkValue(Value):
    """A link by which a person chooses a new password, once."""

    path: str = Field(description="On this server; the secret follows it as `?key=`.")
    secret: str = Field(description="Shown only once.")
    expires: Moment


@router.get("/sessions")
def list_sessions(context: Context) -> list[SessionValue]:
    """List your own sessions."""
    name, current = context.principal.name, SESSION.read(context.request)
    with context.state.connection_pool.library() as library:
        found = OpenSessions(library).of_person(name, current)
    return [SessionValue.from_session(each) for each in found]


@router.delete("/sessions/{session}", status_code=204)
def end_session(context: Context, session: _Session) -> None:
    """End one of your sessions."""
    name = context.principal.name
    with context.state.connection_pool.library() as library:
        OpenSessions(library).end(name, session, by=name)


@router.get("/users/{user}/sessions")
def list_user_sessions(context: Context, user: UserName) -> list[SessionValue]:
    """List someone's sessions."""
    with context.access() as access:
        library = _library_with(access.full_library(Role.ADMIN), user)
        found = OpenSessions(library).of_person(user, SESSION.read(context.request))
    return [SessionValue.from_session(each) for each in found]


@router.delete("/users/{user}/sessions", status_code=204)
def end_user_sessions(context: Context, user: UserName) -> None:
    """End all of someone's sessions, but the one that asks."""
    with context.access() as access:
        library = _library_with(access.full_library(Role.ADMIN), user)
        current = SESSION.read(context.request)
        OpenSessions(library).end_all(user, by=context.principal.name, current=current)


@router.delete("/users/{user}/sessions/{session}", status_code=204)
def end_user_session(context: Context, user: UserName, session: _Session) -> None:
    """End one of someone's sessions."""
    with context.access() as access:
        library = _library_with(access.full_library(Role.ADMIN), user)
        OpenSessions(library).end(user, session, by=context.principal.name)


@router.post("/users/{user}/password-link", status_code=201)
def create_password_link(context: Context, user: UserName) -> PasswordLinkValue:
    """Make a link by which someone chooses a new password; an earlier link works no more."""
    with context.access() as access:
        library = _library_with(access.full_library(Role.ADMIN), user)
        secret = PasswordLinks(library).create(user, by=context.principal.name)
    expires = datetime.now(UTC) + timedelta(seconds=LINK_SECONDS)
    return PasswordLinkValue(
        path="/sign-in/password", secret=secret, expires=expires.isoformat(timespec="seconds")
    )


@router.delete("/users/{user}/second-factor", status_code=204)
def end_second_factor(context: Context, user: UserName) -> None:
    """Turn off the second factor of someone who lost both the app and the recovery codes."""
    with context.access() as access:
        library = _library_with(access.full_library(Role.ADMIN), user)
        SecondFactors(library).turn_off(user, by=context.principal.name)


def _library_with(library: Library, user: str) -> Library:
    """Return a library that has an account of this name.

    Raises:
        NotFound: If it has none.
    """
    find_user(Accounts(library), user)
    return library
