"""REST: one module a subject, each with a `router`, put together under /api/v1."""

from __future__ import annotations

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response

from fourcorners.server.api import documents, findings, markups, tasks
from fourcorners.server.api.models import Problem
from fourcorners.server.api.requests import RequestGuard

_ROUTERS = (
    *(documents.router, documents.search_router, findings.router, markups.router),
    *(tasks.answers_router, tasks.router, tasks.audit_router),
)

_PROBLEMS: dict[int | str, dict[str, object]] = {
    status: {"model": Problem, "content": {"application/problem+json": {}}}
    for status in (400, 401, 403, 404, 409, 413, 422, 429)
}


def install(app: FastAPI) -> None:
    """Give an application the API, with its description."""
    api = APIRouter(prefix="/api/v1", dependencies=[Depends(RequestGuard())], responses=_PROBLEMS)
    for router in _ROUTERS:
        api.include_router(router)
    app.include_router(api)

    @app.get("/api/v1/openapi.json", include_in_schema=False)
    def description(request: Request) -> Response:
        """Describe the API; it holds nothing of the library."""
        return JSONResponse(request.app.openapi())
