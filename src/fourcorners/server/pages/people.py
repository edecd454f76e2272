"""One's own account, and for admins everyone's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.server.accounts import Accounts
from fourcorners.server.api_tokens import ApiTokens
from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.principal import Role, Scope
from fourcorners.server.refusals import NotSignedIn, Refusal
from fourcorners.server.sessions import Sessions

router = APIRouter()
_NO_ROLE = "none"


@router.get("/account")
def account(desk: Desk) -> Response:
    """Show one's own account."""
    return _account(desk)


@router.post("/account/password")
def password(
    desk: Desk,
    current: Annotated[str, Form(max_length=1_000)],
    new: Annotated[str, Form(max_length=1_000)],
) -> Response:
    """Change one's own password; every session ends with that."""
    name = desk.principal.name
    try:
        with desk.office.shelf.library() as library:
            Sessions(library).sign_in(name, current)
            Accounts(library).set_password(name, new, by=name)
    except NotSignedIn:
        return _account(desk, problem=Refusal("the current password is another one."))
    except (ConfigError, Refusal) as error:
        return _account(desk, problem=error)
    return desk.see("/sign-in?to=/account")


@router.post("/account/tokens")
def add_token(
    desk: Desk,
    note: Annotated[str, Form(max_length=120)],
    scope: Annotated[Scope, Form()],
    days: Annotated[int, Form(ge=1, le=3660)] = 90,
) -> Response:
    """Make an API token, and show it this once."""
    with desk.office.shelf.library() as library:
        name = desk.principal.name
        secret = ApiTokens(library).add(name, [scope], note, days, by=name)
    return _account(desk, secret=secret)


@router.post("/account/tokens/drop")
def drop_token(desk: Desk, token: Annotated[str, Form(max_length=40)]) -> Response:
    """End one of one's own tokens."""
    with desk.office.shelf.library() as library:
        ApiTokens(library).drop(desk.principal.name, token, by=desk.principal.name)
    return desk.see("/account")


@router.get("/people")
def people(desk: Desk) -> Response:
    """Show everyone who may sign in."""
    return _people(desk)


@router.post("/people/add")
def add(
    desk: Desk,
    name: Annotated[str, Form(max_length=100)],
    password: Annotated[str, Form(max_length=1_000)],
) -> Response:
    """Let someone sign in."""
    return _changed(desk, lambda accounts, by: accounts.add(name.strip(), password, by=by))


@router.post("/people/role")
def role(
    desk: Desk,
    name: Annotated[str, Form(max_length=100)],
    role: Annotated[str, Form(max_length=20)],
    collection: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Give someone a role in a collection, or everywhere."""
    chosen = None if role == _NO_ROLE else _role(role)
    return _changed(desk, lambda accounts, by: accounts.grant(name, chosen, collection, by=by))


@router.post("/people/disable")
def disable(
    desk: Desk,
    name: Annotated[str, Form(max_length=100)],
    disabled: Annotated[bool, Form()],
) -> Response:
    """Shut someone out, or let them in again."""
    if name == desk.principal.name:
        raise Refusal("nobody can shut themselves out.", remedy="Ask another admin.")
    return _changed(desk, lambda accounts, by: accounts.set_disabled(name, disabled, by=by))


def _changed(desk: DeskOf, change: Callable[[Accounts, str], None]) -> Response:
    """Change an account as an admin of the whole library, and show everyone."""
    try:
        with desk.access() as access:
            change(Accounts(access.whole_library(Role.ADMIN)), desk.principal.name)
    except ConfigError as error:
        return _people(desk, problem=error)
    return desk.see("/people")


def _people(desk: DeskOf, problem: ConfigError | None = None) -> Response:
    with desk.access() as access:
        users = Accounts(access.whole_library(Role.ADMIN)).users()
        collections = [each.name for each in access.collections()]
    return desk.page(
        "people.html.j2",
        200 if problem is None else 422,
        users=users,
        collections=collections,
        roles=[each.title for each in Role],
        problem=problem,
    )


def _account(
    desk: DeskOf, *, secret: str = "", problem: ConfigError | Refusal | None = None
) -> Response:
    with desk.office.shelf.library() as library:
        tokens = ApiTokens(library).list(desk.principal.name)
        has_password = Accounts(library).has_password(desk.principal.name)
    return desk.page(
        "account.html.j2",
        200 if problem is None else 422,
        tokens=tokens,
        has_password=has_password,
        scopes=[each.value for each in Scope],
        secret=secret,
        problem=problem,
    )


def _role(name: str) -> Role:
    found = next((each for each in Role if each.title == name), None)
    if found is None:
        raise Refusal("there is no such role.", remedy=", ".join(each.title for each in Role))
    return found
