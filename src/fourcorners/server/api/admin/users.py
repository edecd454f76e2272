"""Accounts and their roles everywhere, for admins of the library; and one's own tokens."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.operations.principal import Role, RoleName, Scope, highest_role
from fourcorners.server.api.models import Moment
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Account, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens, Token
from fourcorners.server.context import Context
from fourcorners.value import Flag, NoWord, Value

router = APIRouter(tags=["Users"], route_class=ApiRoute)
UserName = Annotated[str, Path(max_length=100, description="An account's name.", examples=["ada"])]


class UserValue(Value):
    """Someone who may sign in."""

    name: str = Field(examples=["ada"])
    disabled: bool
    role: RoleName | None = Field(description="In every collection; null for none.")
    roles: dict[str, RoleName] = Field(
        description="In single collections, those that groups gave included; by folded name."
    )
    has_password: bool
    provider: Literal["", "linked", "expected"] = Field(
        description="Whether they have signed in through the provider, or may."
    )
    created: Moment
    last_sign_in: Moment | None

    @classmethod
    def from_account(cls, account: Account) -> UserValue:
        roles = {name: role.title for name, role in account.roles.items()}
        return cls.make(
            account,
            role=roles.pop(ALL_COLLECTIONS, None),
            roles=roles,
            has_password=account.password,
            last_sign_in=account.last_sign_in or None,
        )


class NewUser(Value):
    """An account to be made; it may see nothing until it is given a role."""

    name: str = Field(max_length=64, examples=["ada"])
    password: str = Field(
        default="",
        max_length=1_000,
        description="Empty for an account that is signed in to through the provider alone.",
        json_schema_extra={"format": "password"},
    )


class UserChange(Value):
    """What is to be changed of an account; what is left out stays."""

    disabled: Flag | None = None
    role: RoleName | Literal["none"] | None = Field(
        default=None, description="In every collection, those to come included."
    )


class TokenRequest(Value):
    """An API token to be made for yourself."""

    note: str = Field(max_length=120, examples=["nightly export"])
    scopes: list[Scope] = Field(min_length=1, max_length=3)
    days: Annotated[int, Field(ge=1, le=3_660), NoWord] = 90


class TokenValue(Value):
    """An API token, without its secret."""

    id: str
    note: str
    scopes: list[Scope]
    created: Moment
    expires: Moment

    @classmethod
    def from_token(cls, token: Token, **more: object) -> TokenValue:
        expires = datetime.fromtimestamp(token.expires, UTC).isoformat(timespec="seconds")
        return cls.make(token, scopes=sorted(token.scopes), expires=expires, **more)


class NewTokenValue(TokenValue):
    """An API token that was just made."""

    secret: str = Field(description="What a program sends as a bearer token; shown only once.")


@router.get("/users")
def list_users(context: Context) -> list[UserValue]:
    """List the accounts."""
    with context.access() as access:
        found = Accounts(access.full_library(Role.ADMIN)).users()
    return [UserValue.from_account(each) for each in found]


@router.post("/users", status_code=201)
def add_user(context: Context, asked: NewUser) -> UserValue:
    """Make an account."""
    by = context.principal.name
    with context.access() as access:
        accounts = Accounts(access.full_library(Role.ADMIN))
        if asked.password:
            accounts.add(asked.name, asked.password, by=by)
        else:
            accounts.add_without_password(asked.name, by=by)
        added = find_user(accounts, asked.name)
    context.set_location(f"/api/v1/users/{added.name}")
    return added


@router.get("/users/{user}")
def get_user(context: Context, user: UserName) -> UserValue:
    """Return an account."""
    with context.access() as access:
        return find_user(Accounts(access.full_library(Role.ADMIN)), user)


@router.patch("/users/{user}")
def update_user(context: Context, user: UserName, change: UserChange) -> UserValue:
    """Shut someone out, let them in again, or give them a role in every collection."""
    by = context.principal.name
    if user == by and change.disabled:
        raise Refusal("you cannot disable your own account.", remedy="Ask another admin.")
    with context.access() as access:
        accounts = Accounts(access.full_library(Role.ADMIN))
        find_user(accounts, user)
        if change.disabled is not None:
            accounts.set_disabled(user, change.disabled, by=by)
        if change.role is not None:
            role = None if change.role == "none" else Role.from_title(change.role)
            accounts.grant(user, role, ALL_COLLECTIONS, by=by)
        return find_user(accounts, user)


@router.get("/tokens")
def list_tokens(context: Context) -> list[TokenValue]:
    """List your own API tokens."""
    with context.state.connection_pool.library() as library:
        found = ApiTokens(library).list(context.principal.name)
    return [TokenValue.from_token(each) for each in found]


@router.post("/tokens", status_code=201)
def add_token(context: Context, asked: TokenRequest) -> NewTokenValue:
    """Make an API token for yourself; it may do no more than what makes it."""
    held = context.principal.ceiling
    if any(highest_role(frozenset([scope])) > held for scope in asked.scopes):
        raise Refusal("a token cannot make one that may do more than itself.")
    name = context.principal.name
    with context.state.connection_pool.library() as library:
        tokens = ApiTokens(library)
        secret = tokens.add(name, asked.scopes, asked.note, asked.days, by=name)
        made = tokens.find(secret)
    return NewTokenValue.make(TokenValue.from_token(made), secret=secret)


@router.delete("/tokens/{token}", status_code=204)
def revoke_token(
    context: Context, token: Annotated[str, Path(max_length=40, examples=["0123456789ab"])]
) -> None:
    """Take one of your API tokens back."""
    name = context.principal.name
    with context.state.connection_pool.library() as library:
        tokens = ApiTokens(library)
        if token not in {each.id for each in tokens.list(name)}:
            raise NotFound("you have no such token.")
        tokens.revoke(name, token, by=name)


def find_user(accounts: Accounts, name: str) -> UserValue:
    """Return an account.

    Raises:
        NotFound: If nobody has this name.
    """
    found = next((each for each in accounts.users() if each.name == name), None)
    if found is None:
        raise NotFound(f"account {name[:64]!r} not found.")
    return UserValue.from_account(found)
