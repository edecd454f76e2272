"""REST: one module a subject, each with a `router`, put together under /api/v1.

The name of a route's function is its `operationId`, and so the name of a generated client's method.
"""

from __future__ import annotations

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

from fourcorners.server.api import (
    answers,
    banks,
    collections,
    columns,
    documents,
    findings,
    health,
    inbox,
    markups,
    playbooks,
    reviews,
    search,
    tasks,
    terms,
)
from fourcorners.server.api.admin import audit, sessions, users, webhooks
from fourcorners.server.api.description import describe_api
from fourcorners.server.api.models import Problem
from fourcorners.server.api.requests import RequestGuard

_SUBJECTS = (
    *(collections, documents, health, search, playbooks, reviews, findings, columns),
    *(markups, banks, terms, answers, tasks, inbox, webhooks, users, sessions, audit),
)
_PROBLEMS: dict[int | str, dict[str, object]] = {
    status: {"model": Problem, "content": {"application/problem+json": {}}}
    for status in (400, 401, 403, 404, 409, 413, 422, 429)
}


def install(app: FastAPI) -> None:
    """Give an application the API, with its description."""
    guards = [Depends(RequestGuard())]
    for subject in _SUBJECTS:
        app.include_router(
            subject.router,
            prefix="/api/v1",  # given here, FastAPI prepares a route when it is first asked for
            dependencies=guards,
            responses=_PROBLEMS,
            generate_unique_id_function=_operation_id,
        )

    @app.get("/api/v1/openapi.json", include_in_schema=False)
    def description(request: Request) -> Response:
        """Describe the API; it holds nothing of the library."""
        return JSONResponse(describe_api(request.app))


def _operation_id(route: APIRoute) -> str:
    return route.name
