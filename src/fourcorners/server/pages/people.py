"""Everyone's accounts, for admins, and the members of a collection for its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.identity import SESSION
from fourcorners.server.auth.open_sessions import OpenSessions
from fourcorners.server.auth.passkeys import Passkeys, Site
from fourcorners.server.auth.password_links import LINK_SECONDS, PasswordLinks
from fourcorners.server.auth.second_factor import SecondFactors
from fourcorners.server.context import Context, RequestContext

router = APIRouter()
_NO_ROLE = "none"
_Name = Annotated[str, Form(max_length=100)]
_Secret = Annotated[str, Form(max_length=1_000)]


@router.post("/people/add")
def add(context: Context, name: _Name, password: _Secret) -> Response:
    return _change_account(
        context, lambda accounts, by: accounts.add(name.strip(), password, by=by)
    )


@router.post("/people/role")
def role(
    context: Context,
    name: _Name,
    role: Annotated[str, Form(max_length=20)],
    collection: Annotated[str, Form(max_length=120)] = "",
    everywhere: Annotated[bool, Form()] = False,
) -> Response:
    """Give someone a role in a collection, which is made if it is new, or in all there will be."""
    chosen, place = _role(role), " ".join(collection.split())
    if bool(place) == everywhere:
        raise Refusal("choose one collection, or all of them.")
    return _change_account(
        context,
        lambda accounts, by: accounts.grant(name, chosen, place or ALL_COLLECTIONS, by=by),
    )


@router.post("/people/disable")
def disable(context: Context, name: _Name, disabled: Annotated[bool, Form()]) -> Response:
    if name == context.principal.name:
        raise Refusal("you cannot disable your own account.", remedy="Ask another admin.")
    return _change_account(
        context, lambda accounts, by: accounts.set_disabled(name, disabled, by=by)
    )


def _role(name: str) -> Role | None:
    chosen = next((each for each in Role if each.title == name), None)
    if chosen is None and name != _NO_ROLE:
        raise Refusal("choose a role.", remedy=f"{', '.join(each.title for each in Role)}.")
    return chosen


def _change_account(context: RequestContext, change: Callable[[Accounts, str], None]) -> Response:
    """Change an account as an admin of the whole library, and show everyone."""
    try:
        with context.access() as access:
            change(Accounts(access.full_library(Role.ADMIN)), context.principal.name)
    except ConfigError as error:
        return _people(context, problem=error)
    return context.redirect("/people")


@router.get("/people")
def people_page(context: Context) -> Response:
    return _people(context)


def _people(context: RequestContext, problem: ConfigError | None = None) -> Response:
    with context.access() as access:
        users = Accounts(access.full_library(Role.ADMIN)).users()
        collections = [each.name for each in access.collections()]
    return context.page(
        "people.html.j2",
        users=users,
        collections=collections,
        roles=[each.title for each in Role],
        problem=problem,
    )


@router.get("/people/person")
def person_page(context: Context, name: Annotated[str, Query(max_length=100)]) -> Response:
    """Show how someone signs in, and where they are signed in, to admins."""
    return _person(context, name)


@router.post("/people/person/sessions/end")
def end_session(
    context: Context, name: _Name, session: Annotated[str, Form(max_length=40)]
) -> Response:
    return _change_person(
        context, name, lambda library, by: OpenSessions(library).end(name, session, by=by)
    )


@router.post("/people/person/sessions/end-all")
def end_sessions(context: Context, name: _Name) -> Response:
    """End all sessions of someone; of one's own, all but this one."""
    current = SESSION.read(context.request)

    def end(library: Library, by: str) -> None:
        OpenSessions(library).end_all(name, by=by, current=current)

    return _change_person(context, name, end)


@router.post("/people/person/password")
def link_password(context: Context, name: _Name) -> Response:
    """Make a link by which someone chooses a new password."""
    with context.access() as access:
        library = access.full_library(Role.ADMIN)
        _require_person(library, name)
        key = PasswordLinks(library).create(name, by=context.principal.name)
    url = context.request.url.replace(path="/sign-in/password", query=urlencode({"key": key}))
    return _person(context, name, link=str(url))


@router.post("/people/person/second-factor/off")
def end_second_factor(context: Context, name: _Name) -> Response:
    return _change_person(
        context, name, lambda library, by: SecondFactors(library).turn_off(name, by=by)
    )


@router.post("/people/person/passkeys/remove")
def remove_passkeys(context: Context, name: _Name) -> Response:
    site = Site.from_request(context.request)
    return _change_person(
        context, name, lambda library, by: Passkeys(library, site).remove(name, by=by)
    )


def _change_person(
    context: RequestContext, name: str, change: Callable[[Library, str], None]
) -> Response:
    try:
        with context.access() as access:
            library = access.full_library(Role.ADMIN)
            _require_person(library, name)
            change(library, context.principal.name)
    except NotFound as error:
        return _person(context, name, problem=error)
    return context.redirect(f"/people/person?{urlencode({'name': name})}")


def _require_person(library: Library, name: str) -> None:
    if not any(each.name == name for each in Accounts(library).users()):
        raise NotFound(f"account {name[:64]!r} not found.")


def _person(
    context: RequestContext, name: str, *, link: str = "", problem: Refusal | None = None
) -> Response:
    with context.access() as access:
        library = access.full_library(Role.ADMIN)
        user = next((each for each in Accounts(library).users() if each.name == name), None)
        if user is None:
            raise NotFound(f"account {name[:64]!r} not found.")
        sessions = OpenSessions(library).of_person(name, SESSION.read(context.request))
        factor_on = SecondFactors(library).is_on(name)
        passkeys = Passkeys(library, Site.from_request(context.request)).list(name)
    return context.page(
        "person.html.j2",
        user=user,
        sessions=sessions,
        factor_on=factor_on,
        passkeys=passkeys,
        link=link,
        hours=LINK_SECONDS // 3600,
        problem=problem,
    )


@router.get("/people/in")
def members_page(context: Context, c: Annotated[str, Query(max_length=500)]) -> Response:
    """Show who has a role in a collection, to its admins."""
    return _members(context, c)


@router.post("/people/in")
def set_member(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    name: _Name,
    role: Annotated[str, Form(max_length=20)],
) -> Response:
    """Give someone a role in a collection, or take it away, as an admin there."""
    try:
        with context.access() as access:
            library, by = access.library_for(c, Role.ADMIN), context.principal.name
            Accounts(library).grant(name.strip(), _role(role), c, by=by)
    except ConfigError as error:
        return _members(context, c, error)
    return context.redirect(f"/people/in?{urlencode({'c': c})}")


def _members(
    context: RequestContext, collection: str, problem: ConfigError | None = None
) -> Response:
    with context.access() as access:
        library = access.library_for(collection, Role.ADMIN)
        members = Accounts(library).members(collection)
        fold = fold_name(collection)
        called = next(e.name for e in access.collections() if fold_name(e.name) == fold)
    return context.page(
        "members.html.j2",
        collection=called,
        members=members,
        roles=[each.title for each in Role],
        problem=problem,
    )
