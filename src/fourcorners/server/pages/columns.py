"""Columns of a review that a reviewer asks for, and the page of one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from fourcorners.reports.grid import STATE_WORDS
from fourcorners.research.columns import store as kept
from fourcorners.research.columns.store import Column
from fourcorners.server import columns as asking
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.grid.matrix import STATES, grid_cache
from fourcorners.server.grid.query import GridQuery
from fourcorners.server.store import playbook_store as books

router = APIRouter()
_Name = Annotated[str, Form(max_length=500)]
_Question = Annotated[str, Form(max_length=4_000)]
_Way = Annotated[str, Form(max_length=10)]


@router.post("/reviews/columns")
def add(
    context: Context, c: _Name, p: _Name, question: _Question = "", model: _Way = ""
) -> Response:
    """Ask a question of every contract of a review, and go back to its grid, to the new column."""
    column = asking.add_column(context, c, p, question, with_model=bool(model)).column
    return context.redirect(
        f"{_grid(column.collection, column.playbook)}#column-{column.provision}"
    )


@router.get("/reviews/columns/{column}")
def show(context: Context, column: str) -> Response:
    """Show a column: what is asked, how far it is, and what was asked before."""
    found = asking.find_column(context, column)
    with context.access() as access:
        library = access.library_for(found.collection, Role.READER)
        book = books.load_playbook(library, found.playbook)
        matrix = grid_cache(context.state.connection_pool).get(access, found.collection, book)
        place = matrix.column(found.provision)
        cells = [] if place is None else matrix.state[:, place].tolist()
        earlier = kept.column_versions(library, found.id)[:-1]
    standing = {
        each.column.id: each
        for each in asking.list_columns(context, found.collection, found.playbook)
    }
    return context.page(
        "column.html.j2",
        column=found,
        book=book,
        counts=[
            (state, STATE_WORDS[state] if state else "Not filled yet", cells.count(number))
            for number, state in enumerate(STATES)
            if cells.count(number)
        ],
        documents=len(matrix.rows),
        missing=cells.count(0),
        earlier=earlier,
        task=standing[found.id].task if found.id in standing else None,
        grid=_grid(found.collection, found.playbook),
        only=f"/reviews/grid?{_sorted(found)}",
        has_model=asking.has_model(context),
        model=context.state.settings.llm.model,
        may_mark=context.principal.may(Role.REVIEWER, found.collection),
    )


@router.post("/reviews/columns/{column}/ask")
def change(context: Context, column: str, question: _Question = "", model: _Way = "") -> Response:
    """Ask something else in a column."""
    asking.update_column(context, column, question, with_model=bool(model))
    return context.redirect(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/fill")
def fill(context: Context, column: str) -> Response:
    """Have the empty and the failed cells of a column filled."""
    asking.fill_column(context, asking.find_column(context, column, Role.REVIEWER))
    return context.redirect(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/remove")
def remove(context: Context, column: str) -> Response:
    """Take a column out of its review."""
    gone = asking.remove_column(context, column)
    return context.redirect(_grid(gone.collection, gone.playbook))


def _grid(collection: str, playbook: str) -> str:
    return f"/reviews/grid?{GridQuery(collection, playbook).to_query()}"


def _sorted(column: Column) -> str:
    return GridQuery(
        column.collection, column.playbook, sort=column.provision, descending=True
    ).to_query()
