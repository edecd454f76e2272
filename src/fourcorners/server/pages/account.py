"""One's own account: password, second factor, sessions, tokens and mail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import Json

from fourcorners.errors import ConfigError
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.auth.identity import SESSION
from fourcorners.server.auth.open_sessions import OpenSessions
from fourcorners.server.auth.passkeys import Passkeys, Site, are_passkeys_installed
from fourcorners.server.auth.second_factor import SecondFactors
from fourcorners.server.auth.sessions import Sessions
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import NotSignedIn
from fourcorners.server.pages.signing_in import count_failures
from fourcorners.server.store.mail import Digest, find_mailbox, set_mailbox

router = APIRouter()
_Secret = Annotated[str, Form(max_length=1_000)]


@router.post("/account/password")
def password(context: Context, current: _Secret, new: _Secret) -> Response:
    name = context.principal.name
    try:
        with count_failures(context.request), context.state.connection_pool.library() as library:
            Sessions(library).check_password(name, current)
            Accounts(library).set_password(name, new, by=name)
    except (ConfigError, Refusal) as error:
        return _account(context, problem=_about_password(error))
    return context.redirect("/sign-in?to=/account")


def _about_password(error: ConfigError | Refusal) -> ConfigError | Refusal:
    """Return what a form for those who are signed in says where it refuses their password."""
    return Refusal("the current password is wrong.") if isinstance(error, NotSignedIn) else error


@router.post("/account/mail")
def mail(
    context: Context,
    address: Annotated[str, Form(max_length=320)] = "",
    digest: Annotated[Digest, Form()] = Digest.NONE,
    current: _Secret = "",
) -> Response:
    """Keep where one's notices are mailed to, and how often.

    A link for a new password goes there as well, so that whoever changes it gives the present one.
    """
    name = context.principal.name
    try:
        with count_failures(context.request), context.state.connection_pool.library() as library:
            is_same = address.strip() == find_mailbox(library, name).address
            if not is_same and Accounts(library).has_password(name):
                Sessions(library).check_password(name, current)
            set_mailbox(library, name, address, digest)
    except (ConfigError, Refusal) as error:
        return _account(context, problem=_about_password(error))
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


@router.post("/account/sessions/end")
def end_session(context: Context, session: Annotated[str, Form(max_length=40)]) -> Response:
    name = context.principal.name
    try:
        with context.state.connection_pool.library() as library:
            OpenSessions(library).end(name, session, by=name)
    except Refusal as error:
        return _account(context, problem=error)
    return context.redirect("/account#sessions")


@router.post("/account/sessions/end-others")
def end_other_sessions(context: Context) -> Response:
    name, current = context.principal.name, SESSION.read(context.request)
    with context.state.connection_pool.library() as library:
        OpenSessions(library).end_all(name, by=name, current=current)
    return context.redirect("/account#sessions")


@router.post("/account/passkeys/options")
def begin_passkey(context: Context) -> Response:
    """Return what the browser needs to make a passkey; a script asks, and sends what it made."""
    name = context.principal.name
    with context.state.connection_pool.library() as library:
        options = Passkeys(library, Site.from_request(context.request)).begin(name)
    return Response(options, media_type="application/json")


@router.post("/account/passkeys")
def add_passkey(
    context: Context,
    called: Annotated[str, Form(max_length=60)],
    credential: Annotated[Json[dict[str, Any]], Form(max_length=20_000)],
) -> Response:
    name = context.principal.name
    try:
        with context.state.connection_pool.library() as library:
            Passkeys(library, Site.from_request(context.request)).add(name, called, credential)
    except ConfigError as error:
        return _account(context, problem=error)
    return context.redirect("/account#passkeys")


@router.post("/account/passkeys/remove")
def remove_passkey(
    context: Context, passkey: Annotated[str, Form(min_length=1, max_length=2_000)]
) -> Response:
    name = context.principal.name
    try:
        with context.state.connection_pool.library() as library:
            passkeys = Passkeys(library, Site.from_request(context.request))
            passkeys.remove(name, passkey, by=name)
    except Refusal as error:
        return _account(context, problem=error)
    return context.redirect("/account#passkeys")


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
        sessions = OpenSessions(library).of_person(
            context.principal.name, SESSION.read(context.request)
        )
        has_password = Accounts(library).has_password(context.principal.name)
        passkeys = Passkeys(library, Site.from_request(context.request)).list(
            context.principal.name
        )
        mailbox = find_mailbox(library, context.principal.name)
    return context.page(
        "account.html.j2",
        tokens=tokens,
        sessions=sessions,
        passkeys=passkeys if are_passkeys_installed() else None,
        mailbox=mailbox if context.state.settings.mail.host else None,
        digests=list(Digest),
        has_password=has_password,
        scopes=[
            each.value
            for each in Scope
            if each is not Scope.SCIM or context.principal.may_everywhere(Role.ADMIN)
        ],
        secret=secret,
        factor=factor,
        factor_on=factor_on,
        codes=codes,
        codes_left=codes_left,
        problem=problem,
    )
