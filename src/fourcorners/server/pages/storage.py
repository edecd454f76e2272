"""How a collection is kept: the bucket of its originals, its retention rule and its legal hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import FourcornersError
from fourcorners.library.originals.files import Originals
from fourcorners.operations.access import Access
from fourcorners.operations.originals import choose_bucket, count_originals
from fourcorners.operations.retention import (
    HoldRequest,
    RetentionChange,
    place_hold,
    release_hold,
    retention_of,
    set_retention,
)
from fourcorners.server.context import Context, RequestContext

router = APIRouter()
_Name = Annotated[str, Form(max_length=500)]


@router.get("/storage")
def show(context: Context, c: Annotated[str, Query(max_length=500)]) -> Response:
    return _page(context, c)


@router.post("/storage/bucket")
def bucket(
    context: Context, c: _Name, bucket: Annotated[str, Form(max_length=31)] = ""
) -> Response:
    originals = Originals(context.state.settings.originals)
    return _change(context, c, lambda access: choose_bucket(access, originals, c, bucket))


@router.post("/storage/retention")
def retention(
    context: Context, c: _Name, days: Annotated[str, Form(max_length=10)] = ""
) -> Response:
    return _change(
        context,
        c,
        lambda access: set_retention(
            access, c, RetentionChange.from_fields(days=days.strip() or None)
        ),
    )


@router.post("/storage/hold")
def hold(context: Context, c: _Name, reason: Annotated[str, Form(max_length=500)]) -> Response:
    return _change(
        context,
        c,
        lambda access: place_hold(access, c, HoldRequest.from_fields(reason=reason.strip())),
    )


@router.post("/storage/release")
def release(context: Context, c: _Name) -> Response:
    return _change(context, c, lambda access: release_hold(access, c))


def _change(context: RequestContext, name: str, change: Callable[[Access], object]) -> Response:
    _, problem = context.attempt(change)
    if problem is not None:
        return _page(context, name, problem=problem)
    return context.redirect(f"/storage?{urlencode({'c': name})}")


def _page(
    context: RequestContext, name: str, *, problem: FourcornersError | None = None
) -> Response:
    originals = Originals(context.state.settings.originals)
    with context.access() as access:
        counts = count_originals(access, originals, name)
        retained = retention_of(access, name)
    return context.page(
        "storage.html.j2", name=name, problem=problem, counts=counts, retained=retained
    )
