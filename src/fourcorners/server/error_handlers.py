"""Reports errors: as a page to people, as problem+json to programs."""

from __future__ import annotations

import errno
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from fourcorners.errors import (
    ConfigError,
    DamagedDocument,
    DiskFull,
    FourcornersError,
    PlaybookError,
    describe_problem,
)
from fourcorners.operations.errors import Refusal
from fourcorners.server.auth.identity import CALENDAR
from fourcorners.server.context import app_state
from fourcorners.server.errors import (
    ClientLeft,
    NotSignedIn,
    TooManyRequests,
    error_for_caller,
    status_of,
)
from fourcorners.server.security import SAFE_METHODS, form_token, status_phrase

_PLACES = frozenset({"body", "query", "path", "header"})
_LEFT_OUT = "fourcorners.left_out"  # in the scope: damaged documents that it was tried without
_RETRY_SECONDS = 5  # after which a library that cannot be used may be usable
_FAULTS = 50  # that are reported of one request
_log = logging.getLogger("fourcorners.server")


def install_error_handlers(app: FastAPI) -> None:
    app.exception_handler(FourcornersError)(_respond_to_error)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(OSError)(_out_of_room)
    app.exception_handler(Exception)(_defect)


class _WithoutDamaged(Response):
    """Answers a request once more: without a document that has just turned out to be damaged."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].app(scope, receive, send)


def _respond_to_error(request: Request, error: FourcornersError) -> Response:
    if isinstance(error, DamagedDocument) and request.method in SAFE_METHODS:
        tried: set[str] = request.scope.setdefault(_LEFT_OUT, set())
        if error.document not in tried:
            tried.add(error.document)
            with app_state(request).connection_pool.library() as library:
                library.leave_out(error)
            return _WithoutDamaged()
    error = error_for_caller(error)
    status = status_of(error)
    if isinstance(error, ClientLeft):
        return Response(status_code=status)
    if isinstance(error, NotSignedIn) and _is_subscribed(request):
        return PlainTextResponse(f"{error.message[:1].upper()}{error.message[1:]}\n", status)
    if isinstance(error, NotSignedIn) and not _is_for_programs(request):
        query = f"?{request.url.query}" if request.url.query else ""
        wanted = f"{request.url.path}{query}" if request.method == "GET" else "/"
        return RedirectResponse(f"/sign-in?to={quote(wanted, safe='')}", 303)
    answer = _problem_response(
        request, status, error.message, error.remedy, _error_code(error), _faults_of(error)
    )
    if isinstance(error, TooManyRequests):
        answer.headers.update(error.headers)
    elif status == HTTPStatus.SERVICE_UNAVAILABLE:
        answer.headers["Retry-After"] = str(_RETRY_SECONDS)
    if isinstance(error, NotSignedIn):
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _invalid(request: Request, error: RequestValidationError) -> Response:
    faults = [
        {
            "in": where if (where := str(each["loc"][0])) in _PLACES else "body",
            "field": (field := ".".join(map(str, each["loc"][1:]))),
            "code": each["type"],
            "detail": describe_problem(
                each, field if field and each["type"] != "json_invalid" else "the body"
            ),
        }
        for each in error.errors()[:_FAULTS]
    ]
    remedy = "; ".join(each["detail"] for each in faults[:5])
    return _problem_response(
        request, 422, "the request is not valid.", remedy, "invalid_request", faults
    )


def _error_code(error: FourcornersError) -> str:
    """Return what a program tells an error by: the name of its class, such as `not_found`."""
    name = "BadRequest" if type(error) is Refusal else type(error).__name__
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _faults_of(error: FourcornersError) -> list[dict[str, object]]:
    """Return what is wrong with a playbook, by line, or the one field that is to blame."""
    if isinstance(error, ConfigError) and error.field:
        fault = {"in": "body", "field": error.field, "code": "invalid_value"}
        return [{**fault, "detail": str(error)}]
    if not isinstance(error, PlaybookError):
        return []
    from fourcorners.playbooks.file.schema import PlaybookFileError

    problems = error.problems if isinstance(error, PlaybookFileError) else ()
    return [
        {
            "in": "body",
            "field": f"text.{each.path}" if each.path else "text",
            "code": "invalid_playbook",
            "detail": " ".join(filter(None, (each.what, each.remedy))),
            **({"line": each.line} if each.line else {}),
        }
        for each in problems[:_FAULTS]
    ]


def _http(request: Request, error: HTTPException) -> Response:
    if error.status_code == HTTPStatus.NOT_FOUND:
        return _problem_response(request, 404, "there is no such page.", "Start from the library.")
    code = status_phrase(error.status_code).lower().replace(" ", "_")
    answer = _problem_response(request, error.status_code, f"{error.detail}.", "", code)
    answer.headers.update(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and _is_for_programs(request):
        answer.headers["Allow"] = ", ".join(_methods_at(request))
    return answer


def _methods_at(request: Request) -> list[str]:
    """Return the methods that an address takes: those of all its routes, not of the first alone."""
    found: set[str] = set()
    for path, item in request.app.openapi()["paths"].items():
        shape = re.escape(path).replace(r"\{collection\}", ".+")  # its name may have slashes
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", shape), request.url.path):
            found |= {method.upper() for method in item}
    return sorted(found | {"HEAD"} if "GET" in found else found)


def _out_of_room(request: Request, error: OSError) -> Response:
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        raise error
    return _respond_to_error(request, DiskFull(str(error)))


def _defect(request: Request, error: Exception) -> Response:
    _log.error("a defect", exc_info=error)
    return _problem_response(
        request,
        500,
        "something went wrong on the server.",
        "Its log says where; please report that.",
        "defect",
    )


def _problem_response(
    request: Request,
    status: int,
    message: str,
    remedy: str,
    code: str = "not_found",
    faults: Sequence[Mapping[str, object]] = (),
) -> Response:
    message = message[:1].upper() + message[1:]
    if _is_for_programs(request):
        value = {
            "type": "about:blank",
            "title": status_phrase(status),
            "status": status,
            "code": code,
            "detail": message,
            "remedy": remedy,
            "errors": faults,
        }
        return JSONResponse(value, status, media_type="application/problem+json")
    templates = app_state(request).templates
    if request.headers.get("hx-request") == "true":  # it is shown where the form is
        part = templates.get_template("_problem.html.j2").render(
            message=message, remedy=remedy, field=faults[0]["field"] if faults else ""
        )
        return HTMLResponse(part, status)
    principal = None
    with suppress(FourcornersError):  # an error page needs nobody to have signed in
        principal = app_state(request).identity.principal_of(request)
    page = templates.get_template("error.html.j2").render(
        principal=principal,
        form_token=form_token(principal.secret) if principal else "",
        path=request.url.path,
        status=status,
        phrase=status_phrase(status),
        message=message,
        remedy=remedy,
    )
    return HTMLResponse(page, status)


def too_large_response(scope: Scope, most: int) -> Response:
    """Answer a request that has more than `most` bytes; the rest of it is not read."""
    message = f"a request may have {most:,} bytes here ({most >> 20} MB)."
    remedy = "Send fewer files at once, or split the file."
    answer = _problem_response(Request(scope), 413, message, remedy, "content_too_large")
    answer.headers["Connection"] = "close"
    return answer


def _is_subscribed(request: Request) -> bool:
    """Tell whether a calendar program asks: it has no page, and its token stays out of any."""
    return request.url.path == CALENDAR and "token" in request.query_params


def _is_for_programs(request: Request) -> bool:
    path = request.url.path
    return path.startswith(("/api/", "/mcp")) or (
        path.startswith("/word/") and path not in ("/word/pane", "/word/connect")
    )
