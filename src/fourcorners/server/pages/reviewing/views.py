"""Views of a review that people save, and delete again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path
from fastapi.responses import Response

from fourcorners.operations.reviewing import views
from fourcorners.operations.reviewing.views import ViewRequest
from fourcorners.server.context import Context
from fourcorners.server.grid.query import parse_query

router = APIRouter()


@router.post("/reviews/views")
def save(
    context: Context,
    back: Annotated[str, Form(max_length=10_000)],
    name: Annotated[str, Form(max_length=200)] = "",
    shared: Annotated[str, Form(max_length=3)] = "",
) -> Response:
    """Save the grid that an address shows under a name, and go back to it."""
    wanted = parse_query(back)
    asked = ViewRequest.from_fields(
        collection=wanted.collection,
        playbook=wanted.playbook,
        name=name,
        query=wanted.to_query(c="", p=""),
        shared=bool(shared),
    )
    with context.access() as access:
        views.save_view(access, asked)
    return context.redirect(f"/reviews/grid?{wanted.to_query()}")


@router.post("/reviews/views/{view}/delete")
def delete(
    context: Context,
    view: Annotated[int, Path(ge=0, lt=1 << 60)],
    back: Annotated[str, Form(max_length=10_000)] = "",
) -> Response:
    with context.access() as access:
        gone = views.delete_view(access, view)
    wanted = parse_query(back or f"c={gone.collection}&p={gone.playbook}")
    return context.redirect(f"/reviews/grid?{wanted.to_query()}")
