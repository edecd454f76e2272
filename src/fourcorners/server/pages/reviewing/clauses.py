"""The clauses of a provision side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.reviewing.clauses import PREFERRED, ClausesRequest, compare_clauses
from fourcorners.server.context import Context
from fourcorners.server.grid.query import GridQuery

router = APIRouter()


@router.get("/reviews/clauses")
def show(
    context: Context,
    c: Annotated[str, Query(max_length=500)],
    p: Annotated[str, Query(max_length=200)],
    v: Annotated[str, Query(max_length=200)],
    against: Annotated[str, Query(max_length=40)] = "",
) -> Response:
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
        grid=f"/reviews/grid?{GridQuery(c, p).to_query()}",
    )
