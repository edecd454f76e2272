"""How long a collection is there: its retention rule, legal hold, deletion, and original files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import FourcornersError
from fourcorners.library.originals.files import Originals
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.originals import choose_bucket, count_originals
from fourcorners.operations.principal import Role
from fourcorners.operations.retention import (
    HoldRequest,
    RetentionChange,
    place_hold,
    release_hold,
    retention_of,
    set_retention,
)
from fourcorners.server.context import Context, RequestContext, send_file
from fourcorners.server.store.deletion import select_contracts
from fourcorners.server.store.deletion_report import (
    DeletionRequest,
    DeletionScope,
    report_sections,
    report_text,
    report_verdict,
)
from fourcorners.server.tasks.handlers.deletion import report_of, start_deletion

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


@router.post("/storage/deletion")
def delete(
    context: Context,
    c: _Name,
    scope: Annotated[DeletionScope, Form()],
    count: Annotated[int, Form(ge=0)],
    name: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Delete what is due, or the collection, whose name is then typed to confirm it."""
    if scope is DeletionScope.COLLECTION and fold_name(name) != fold_name(c):
        refusal = Refusal("the name is not that of the collection.", remedy="Type it as it is.")
        return _page(context, c, problem=refusal)
    asked = DeletionRequest.from_fields(collection=c, scope=scope, count=count)
    _, problem = context.attempt(lambda access: select_contracts(access, asked))
    if problem is not None:
        return _page(context, c, problem=problem)
    return context.redirect(f"/tasks/{start_deletion(context, asked).id}")


@router.get("/storage/report/{task}")
def show_report(context: Context, task: str) -> Response:
    """Show what a deletion has deleted, and what it found."""
    found = context.task(task)
    with context.access() as access:
        report = report_of(access, found)
    return context.page(
        "deletion.html.j2",
        task=found,
        report=report,
        verdict=report_verdict(report),
        sections=report_sections(report),
    )


@router.get("/storage/report/{task}/text")
def download_report(context: Context, task: str) -> Response:
    found = context.task(task)
    with context.access() as access:
        report = report_of(access, found)
    name = str(found.result["file"]).replace(".json", ".txt")
    return send_file(name, "text/plain; charset=utf-8", report_text(report).encode())


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
        contracts = len(access.documents(name))
    return context.page(
        "storage.html.j2",
        name=name,
        problem=problem,
        counts=counts,
        retained=retained,
        contracts=contracts,
        may_delete=context.principal.may_everywhere(Role.ADMIN),
    )
