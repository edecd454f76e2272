"""One's own account, and for admins everyone's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.library.tokens import fold_name
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.auth.pane_sessions import PaneSessions
from fourcorners.server.auth.second_factor import SecondFactors
from fourcorners.server.auth.sessions import Sessions
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import NotSignedIn
from fourcorners.server.pages.signing_in import count_failures
from fourcorners.server.store.mail import Digest, find_mailbox, set_mailbox

router = APIRouter()
_NO_ROLE = "none"
_Name = Annotated[str, Form(max_length=100)]
_Secret = Annotated[str, Form(max_length=1_000)]


@router.post("/account/password")
def password(context: Context, current: _Secret, new: _Secret) -> Response:
    name = context.principal.name
    try:
        with count_failures(context.request), context.state.connection_pool.library() as library:
            Sessions(library).check_password(name, current)
            Accounts(library).set_password(name, new, by=name)
    except (ConfigError, Refusal) as error:
        wrong = Refusal("the current password is wrong.")
        return _account(context, problem=wrong if isinstance(error, NotSignedIn) else error)
    return context.redirect("/sign-in?to=/account")


@router.post("/account/mail")
def mail(
    context: Context,
    address: Annotated[str, Form(max_length=320)] = "",
    digest: Annotated[Digest, Form()] = Digest.NONE,
) -> Response:
    """Keep where one's notices are mailed to, and how often."""
    try:
        with context.state.connection_pool.library() as library:
            set_mailbox(library, context.principal.name, address, digest)
    except ConfigError as error:
        return _account(context, problem=error)
    return context.redirect("/account")


@router.post("/account/tokens")
def add_token(
    context: Context,
    note: Annotated[str, Form(max_length=120)],
    scope: Annotated[Scope, Form()],
    days: Annotated[int, Form(ge=1, le=3660)] = 90,
) -> Response:
    name = context.principal.name
    with context.state.connection_pool.library() as library:
        secret = ApiTokens(library).add(name, [scope], note, days, by=name)
    return _account(context, secret=secret)


@router.post("/account/tokens/drop")
def drop_token(context: Context, token: Annotated[str, Form(max_length=40)]) -> Response:
    with context.state.connection_pool.library() as library:
        ApiTokens(library).revoke(context.principal.name, token, by=context.principal.name)
    return context.redirect("/account")


@router.post("/account/panes/end")
def end_pane(context: Context, pane: Annotated[str, Form(min_length=1, max_length=40)]) -> Response:
    with context.state.connection_pool.library() as library:
        PaneSessions(library).end(context.principal.name, pane)
    return context.redirect("/account")


@router.post("/account/second-factor")
def begin_second_factor(context: Context) -> Response:
    """Make the secret of an app; it counts once a code of it was given."""
    try:
        with context.state.connection_pool.library() as library:
            factor = SecondFactors(library).begin(context.principal.name)
    except ConfigError as error:
        return _account(context, problem=error)
    return _account(context, factor=factor)


@router.post("/account/second-factor/confirm")
def confirm_second_factor(context: Context, code: Annotated[str, Form(max_length=40)]) -> Response:
    try:
        with context.state.connection_pool.library() as library:
            codes = SecondFactors(library).confirm(context.principal.name, code.strip())
    except ConfigError as error:
        return _account(context, problem=error)
    return _account(context, codes=codes)


@router.post("/account/second-factor/off")
def end_second_factor(context: Context, code: Annotated[str, Form(max_length=40)]) -> Response:
    name = context.principal.name
    try:
        with count_failures(context.request), context.state.connection_pool.library() as library:
            factors = SecondFactors(library)
            if not factors.is_right(name, code):
                raise NotSignedIn("this is no code of the app, and none for recovery.")
            factors.turn_off(name, by=name)
    except Refusal as error:
        return _account(context, problem=error)
    return context.redirect("/account")


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


@router.get("/account")
def account(context: Context) -> Response:
    return _account(context)


def _account(
    context: RequestContext,
    *,
    secret: str = "",
    factor: tuple[str, str] | None = None,
    codes: Sequence[str] = (),
    problem: ConfigError | Refusal | None = None,
) -> Response:
    with context.state.connection_pool.library() as library:
        factors = SecondFactors(library)
        factor_on = factors.is_on(context.principal.name)
        codes_left = factors.recovery_codes_left(context.principal.name)
        tokens = ApiTokens(library).list(context.principal.name)
        panes = PaneSessions(library).list(context.principal.name)
        has_password = Accounts(library).has_password(context.principal.name)
        mailbox = find_mailbox(library, context.principal.name)
    return context.page(
        "account.html.j2",
        tokens=tokens,
        panes=panes,
        mailbox=mailbox if context.state.settings.mail.host else None,
        digests=list(Digest),
        has_password=has_password,
        scopes=[each.value for each in Scope],
        secret=secret,
        factor=factor,
        factor_on=factor_on,
        codes=codes,
        codes_left=codes_left,
        problem=problem,
    )
