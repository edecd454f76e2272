"""Signing in and out, with a password or through the provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import Json
from starlette.background import BackgroundTask

from fourcorners.errors import ConfigError
from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.server.auth.identity import SECOND_FACTOR, SESSION, SIGN_IN
from fourcorners.server.auth.open_sessions import SessionOrigin
from fourcorners.server.auth.passkeys import Passkeys, Site, are_passkeys_installed
from fourcorners.server.auth.password_links import PasswordLinks
from fourcorners.server.auth.sessions import CodeRefused, SecondFactorNeeded, Sessions
from fourcorners.server.context import AppState, Context, app_state, require_form_token
from fourcorners.server.errors import NotSignedIn, TooManyRequests

if TYPE_CHECKING:
    from fourcorners.server.auth.oidc.flow import SignInFlow

router = APIRouter()
_LONGEST_TOKEN = 64 << 10  # bytes
_UNKEPT = {"Cache-Control": "no-store"}
_LONGEST = 4_096  # characters of a value that a provider sends


@router.get("/sign-in")
def ask(
    request: Request,
    to: Annotated[str, Query(max_length=2_000)] = "/",
    out: Annotated[bool, Query()] = False,
) -> Response:
    """Show the form; `out` to who has just signed out here, and may want to at the provider."""
    return _page(request, to, out=out)


@router.post("/sign-in")
def sign_in(
    request: Request,
    name: Annotated[str, Form(max_length=100)],
    password: Annotated[str, Form(max_length=1_000)],
    to: Annotated[str, Form(max_length=2_000)] = "/",
) -> Response:
    """Check name and password, and begin a session.

    The form has no token, since nobody is known yet; the server refuses those of other sites.
    """
    state = app_state(request)
    try:
        _spend(request)
        with count_failures(request), state.connection_pool.library() as library:
            secret = Sessions(library, SessionOrigin.from_request(request)).sign_in(
                name.strip(), password
            )
    except SecondFactorNeeded as needed:
        answer = _page(request, to, asks_code=True)
        SECOND_FACTOR.save(answer, needed.secret)
        return answer
    except Refusal as error:
        status = 422 if isinstance(error, NotSignedIn) else error.status
        return _page(request, to, error, status, name=name)
    return _signed_in(secret, to)


@router.post("/sign-in/passkey/options")
def begin_with_passkey(request: Request) -> Response:
    """Return what the browser needs to sign in by a passkey; a script asks, and sends the answer.

    Neither route takes a token: nobody is known yet, and the server refuses those of other sites.
    """
    _spend(request)
    with app_state(request).connection_pool.library() as library:
        options = Passkeys(library, Site.from_request(request)).begin_sign_in()
    return Response(options, media_type="application/json", headers=_UNKEPT)


@router.post("/sign-in/passkey")
def sign_in_with_passkey(
    request: Request,
    credential: Annotated[Json[dict[str, Any]], Form(max_length=20_000)],
    to: Annotated[str, Form(max_length=2_000)] = "/",
) -> Response:
    try:
        _spend(request)
        with count_failures(request), app_state(request).connection_pool.library() as library:
            name = Passkeys(library, Site.from_request(request)).find_account(credential)
            secret = Sessions(library, SessionOrigin.from_request(request)).start(name)
    except Refusal as error:
        return _page(request, to, error, 422 if isinstance(error, NotSignedIn) else error.status)
    return _signed_in(secret, to)


@router.post("/sign-in/code")
def sign_in_with_code(
    request: Request,
    code: Annotated[str, Form(max_length=40)],
    to: Annotated[str, Form(max_length=2_000)] = "/",
) -> Response:
    """Begin a session by a code, after a password that was right."""
    state = app_state(request)
    try:
        _spend(request)
        with count_failures(request), state.connection_pool.library() as library:
            sessions = Sessions(library, SessionOrigin.from_request(request))
            secret = sessions.sign_in_with_code(SECOND_FACTOR.read(request), code)
    except Refusal as error:
        status = 422 if isinstance(error, NotSignedIn) else error.status
        again = isinstance(error, CodeRefused | TooManyRequests)
        return _page(request, to, error, status, asks_code=again)
    answer = _signed_in(secret, to)
    SECOND_FACTOR.clear(answer)
    return answer


def _signed_in(secret: str, to: str) -> Response:
    answer = RedirectResponse(_local_address(to), 303)
    SESSION.save(answer, secret)
    return answer


@contextmanager
def count_failures(request: Request) -> Iterator[None]:
    """Let a source that failed before wait, and count it where it fails again."""
    limit, address = app_state(request).failure_limit, _address(request)
    limit.require(address)
    try:
        yield
    except NotSignedIn:
        limit.note_failure(address)
        raise


@router.get("/sign-in/password")
def show_password_form(
    request: Request, key: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """Let whoever has a link choose a password."""
    try:
        _spend(request)
        with count_failures(request), app_state(request).connection_pool.library() as library:
            name = PasswordLinks(library).find_account(key)
    except Refusal as error:
        return _page(request, "/", error, 404 if isinstance(error, NotSignedIn) else error.status)
    return _password_page(request, key, name)


@router.post("/sign-in/password")
def choose_password(
    request: Request,
    key: Annotated[str, Form(max_length=100)],
    new: Annotated[str, Form(max_length=1_000)],
) -> Response:
    """Change the password of whoever has the link, and let them sign in with it.

    The form has no token: its key is one.
    """
    try:
        _spend(request)
        with count_failures(request), app_state(request).connection_pool.library() as library:
            links = PasswordLinks(library)
            name = links.find_account(key)
            try:
                links.use(key, new)
            except ConfigError as error:
                return _password_page(request, key, name, error)
    except Refusal as error:
        return _page(request, "/", error, 404 if isinstance(error, NotSignedIn) else error.status)
    return RedirectResponse("/sign-in", 303)


def _password_page(
    request: Request, key: str, name: str, problem: ConfigError | None = None
) -> Response:
    drawn = _draw(request, "new_password.html.j2", key=key, name=name, problem=problem)
    return HTMLResponse(drawn, 422 if problem else 200, _UNKEPT)


@router.get("/sign-in/forgotten")
def show_mail_form(request: Request) -> Response:
    """Let somebody have a link mailed by which they choose a password."""
    _require_mail(request)
    return HTMLResponse(_draw(request, "forgotten.html.j2", asked=False))


@router.post("/sign-in/forgotten")
def mail_link(request: Request, name: Annotated[str, Form(max_length=320)]) -> Response:
    """Mail a link to somebody, if they have an account.

    Whether they have is looked up after the answer, which tells nothing, not even by its time.
    """
    _require_mail(request)
    try:
        _spend(request)
    except TooManyRequests as error:
        return _page(request, "/", error)
    answer = HTMLResponse(_draw(request, "forgotten.html.j2", asked=True))
    answer.background = BackgroundTask(_request_mail, app_state(request), name)
    return answer


def _request_mail(state: AppState, name: str) -> None:
    with state.connection_pool.library() as library:
        PasswordLinks(library).request_mail(name)


def _require_mail(request: Request) -> None:
    if not app_state(request).settings.mail.host:
        raise NotFound("there is no such page.", remedy="Ask an administrator for a link.")


@router.post("/sign-out", dependencies=[Depends(require_form_token)])
def sign_out(context: Context) -> Response:
    with context.state.connection_pool.library() as library:
        Sessions(library).sign_out(SESSION.read(context.request))
    answer = RedirectResponse("/sign-in?out=true", 303)
    SESSION.clear(answer)
    return answer


@router.get("/sign-in/oidc")
def begin(request: Request, to: Annotated[str, Query(max_length=2_000)] = "/") -> Response:
    """Send someone to the provider, to sign in there.

    A link, not a form: the policy lets no form lead to another site.
    """
    flow = _flow(request)
    try:
        _spend(request)
        url, secret = flow.start(_local_address(to))
    except Refusal as error:
        return _page(request, to, error)
    answer = RedirectResponse(url, 303)
    SIGN_IN.save(answer, secret)
    return answer


@router.get("/sign-in/oidc/callback")
def finish(request: Request) -> Response:
    flow = _flow(request)
    query = {name: value[:_LONGEST] for name, value in request.query_params.items()}
    try:
        # Whoever began here was counted then.
        origin = SessionOrigin.from_request(request)
        session, to = flow.finish(SIGN_IN.read(request), query, lambda: _spend(request), origin)
    except Refusal as error:
        answer = _page(request, "/", error)
        SIGN_IN.clear(answer)
        return answer
    answer = RedirectResponse(_local_address(to), 303)
    SIGN_IN.clear(answer)
    SESSION.save(answer, session)
    return answer


@router.get("/sign-out/oidc")
def end(request: Request) -> Response:
    """Send someone to where they end their session at the provider; this one is left alone."""
    flow = _flow(request)
    try:
        _spend(request)
        url = flow.provider.end_url()
    except Refusal as error:
        return _page(request, "/", error)
    if not url:
        problem = NotFound(
            f"{flow.provider.settings.title} has no page for signing out.",
            remedy="Sign out there as you do otherwise, or close the browser.",
        )
        return _page(request, "/", problem)
    return RedirectResponse(url, 303)


@router.post("/sign-out/oidc/back-channel")
def end_sessions(
    request: Request, logout_token: Annotated[str, Form(max_length=_LONGEST_TOKEN)] = ""
) -> Response:
    """End the sessions of whom the provider has signed out; it asks this itself, no browser does.

    OpenID Connect Back-Channel Logout 1.0, sections 2.5 and 2.8.
    """
    flow = _flow(request)
    from fourcorners.server.auth.oidc.tokens import SignInRefused  # needs the extra, which is there

    try:
        # Guesses are counted; a provider that signs many out at once is not.
        flow.end_sessions(logout_token, lambda: _spend(request))
    except SignInRefused as error:
        oauth_problem = {"error": "invalid_request", "error_description": error.why}
        return JSONResponse(oauth_problem, 400, _UNKEPT)
    return Response(status_code=200, headers=_UNKEPT)


def _flow(request: Request) -> SignInFlow:
    flow = app_state(request).flow
    if flow is None:
        raise NotFound("there is no such page.", remedy="Start from the library.")
    return flow


def _spend(request: Request) -> None:
    app_state(request).sign_in_limit.spend(_address(request))


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _page(
    request: Request,
    to: str,
    problem: Refusal | None = None,
    status: int = 0,
    *,
    name: str = "",
    out: bool = False,
    asks_code: bool = False,
) -> Response:
    state = app_state(request)
    drawn = _draw(
        request,
        "sign_in.html.j2",
        to=_local_address(to),
        problem=problem,
        name=name,
        out=out,
        asks_code=asks_code,
        passkeys=are_passkeys_installed(),
        mails=bool(state.settings.mail.host),
        provider=state.flow.provider.settings.title if state.flow else "",
    )
    answer = HTMLResponse(drawn, status or (problem.status if problem else 200))
    if isinstance(problem, TooManyRequests):
        answer.headers.update(problem.headers)
    return answer


def _draw(request: Request, template: str, **values: object) -> str:
    found = app_state(request).templates.get_template(template)
    return found.render(principal=None, form_token="", path="/sign-in", **values)


def _local_address(address: str) -> str:
    """Return an address of this server, or that of its first page."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if inside and address.isprintable() else "/"
