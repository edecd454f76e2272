"""What went wrong, told: as a page to people, as problem+json to programs."""

from __future__ import annotations

import logging
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from fourcorners.errors import (
    ConfigError,
    FourcornersError,
    InputError,
    LibraryError,
    ModelError,
    QueryError,
)
from fourcorners.server.context import app_state
from fourcorners.server.errors import ClientLeft, HttpError, NotSignedIn, TooManyRequests
from fourcorners.server.security import form_token

_STATUS: tuple[tuple[type[FourcornersError], int], ...] = (
    (QueryError, 422),
    (InputError, 422),
    (ConfigError, 400),
    (ModelError, 502),
    (LibraryError, 503),
    (FourcornersError, 500),
)
_log = logging.getLogger("fourcorners.server")


def install_error_handlers(app: FastAPI) -> None:
    app.exception_handler(FourcornersError)(_refused)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(Exception)(_defect)


def status_of(error: FourcornersError) -> int:
    if isinstance(error, HttpError):
        return error.status
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def _refused(request: Request, error: FourcornersError) -> Response:
    status = status_of(error)
    if isinstance(error, ClientLeft):
        return Response(status_code=status)
    if isinstance(error, NotSignedIn) and not _is_for_programs(request):
        query = f"?{request.url.query}" if request.url.query else ""
        wanted = f"{request.url.path}{query}" if request.method == "GET" else "/"
        return RedirectResponse(f"/sign-in?to={quote(wanted, safe='')}", 303)
    answer = _problem_response(request, status, error.message, error.remedy)
    if isinstance(error, TooManyRequests):
        answer.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, NotSignedIn):
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _invalid(request: Request, error: RequestValidationError) -> Response:
    faults = [f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in error.errors()]
    return _problem_response(request, 422, "the request is not valid.", "; ".join(faults[:5]))


def _http(request: Request, error: HTTPException) -> Response:
    if error.status_code == HTTPStatus.NOT_FOUND:
        return _problem_response(request, 404, "there is no such page.", "Start from the library.")
    answer = _problem_response(request, error.status_code, f"{error.detail}.", "")
    answer.headers.update(error.headers or {})
    return answer


def _defect(request: Request, error: Exception) -> Response:
    _log.error("a defect", exc_info=error)
    return _problem_response(
        request,
        500,
        "something went wrong on the server.",
        "Its log says where; please report that.",
    )


def _problem_response(request: Request, status: int, message: str, remedy: str) -> Response:
    message = message[:1].upper() + message[1:]
    if _is_for_programs(request):
        value = {
            "type": "about:blank",
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": message,
            "remedy": remedy,
        }
        return JSONResponse(value, status, media_type="application/problem+json")
    state = app_state(request)
    principal = None
    with suppress(FourcornersError):  # an error page needs nobody to have signed in
        principal = state.identity.principal_of(request)
    page = state.templates.get_template("error.html.j2").render(
        principal=principal,
        form_token=form_token(principal.secret) if principal else "",
        path=request.url.path,
        status=status,
        phrase=HTTPStatus(status).phrase,
        message=message,
        remedy=remedy,
    )
    return HTMLResponse(page, status)


def _is_for_programs(request: Request) -> bool:
    return request.url.path.startswith(("/api/", "/mcp"))
