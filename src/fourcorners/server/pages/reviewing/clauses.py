"""The clauses of a provision side by side."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.operations.errors import NotFound
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.reviewing.clauses import (
    FORMS,
    PREFERRED,
    ClausesRequest,
    compare_clauses,
    export_clauses,
    write_clauses,
)
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.server.context import Context, RequestContext, send_written
from fourcorners.server.grid.query import GridQuery

router = APIRouter()
_Name = Annotated[str, Query(max_length=200)]
_Collection = Annotated[str, Query(max_length=500)]
_Against = Annotated[str, Query(max_length=40)]


@router.get("/reviews/clauses/report.{form}")
def report(
    context: Context, form: str, c: _Collection, p: _Name, v: _Name, against: _Against = ""
) -> Response:
    """Send the clauses side by side as a file."""
    if form not in FORMS:
        raise NotFound("Unsupported format.", remedy=f"Choose one of {', '.join(FORMS)}.")
    asked = ClausesRequest(collection=c, playbook=p, provision=v, against=against)
    return send_clauses(context, asked, form)


def send_clauses(context: RequestContext, asked: ClausesRequest, form: str) -> Response:
    with context.access() as access:
        table = export_clauses(access, asked, form)
    name = f"{asked.provision[:80]}.{form}"
    return send_written(name, FILE_TYPES[form], partial(write_clauses, table))


@router.get("/reviews/clauses")
def show(context: Context, c: _Collection, p: _Name, v: _Name, against: _Against = "") -> Response:
    asked = ClausesRequest(collection=c, playbook=p, provision=v, against=against)
    with context.access() as access:
        table = compare_clauses(access, asked)
        book = load_playbook(access, p, c)
    return context.page(
        "clauses.html.j2",
        asked=asked,
        book=book,
        table=table,
        preferred=PREFERRED,
        forms=FORMS,
        grid=f"/reviews/grid?{GridQuery(c, p).to_query()}",
    )
