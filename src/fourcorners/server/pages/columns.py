"""Columns of a review that a reviewer asks for, and the page of one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from fourcorners.reports.grid import STATE_WORDS
from fourcorners.server import books
from fourcorners.server.columns import asking, kept
from fourcorners.server.columns.kept import Column
from fourcorners.server.desk import Desk
from fourcorners.server.grid.asked import Asked
from fourcorners.server.grid.matrix import STATES, matrices_of
from fourcorners.server.principal import Role

router = APIRouter()
_Name = Annotated[str, Form(max_length=500)]
_Question = Annotated[str, Form(max_length=4_000)]
_Way = Annotated[str, Form(max_length=10)]


@router.post("/reviews/columns")
def add(desk: Desk, c: _Name, p: _Name, question: _Question = "", model: _Way = "") -> Response:
    """Ask a question of every contract of a review, and go back to its grid, to the new column."""
    column, _ = asking.add(desk, c, p, question, with_model=bool(model))
    return desk.see(f"{_grid(column.collection, column.playbook)}#column-{column.provision}")


@router.get("/reviews/columns/{column}")
def show(desk: Desk, column: str) -> Response:
    """Show a column: what is asked, how far it is, and what was asked before."""
    found = asking.look(desk, column)
    with desk.access() as access:
        library = access.library_for(found.collection, Role.READER)
        book = books.load(library, found.playbook)
        matrix = matrices_of(desk.office.shelf).of(access, found.collection, book)
        place = matrix.column(found.provision)
        cells = [] if place is None else matrix.state[:, place].tolist()
        earlier = kept.column_versions(library, found.id)[:-1]
    standing = {
        each.column.id: each for each in asking.standing(desk, found.collection, found.playbook)
    }
    return desk.page(
        "column.html.j2",
        column=found,
        book=book,
        counts=[
            (state, STATE_WORDS[state] if state else "Not filled yet", cells.count(number))
            for number, state in enumerate(STATES)
            if cells.count(number)
        ],
        documents=len(matrix.lines),
        missing=cells.count(0),
        earlier=earlier,
        task=standing[found.id].task if found.id in standing else None,
        grid=_grid(found.collection, found.playbook),
        only=f"/reviews/grid?{_sorted(found)}",
        has_model=asking.has_model(desk),
        model=desk.office.settings.llm.model,
        may_mark=desk.principal.may(Role.REVIEWER, found.collection),
    )


@router.post("/reviews/columns/{column}/ask")
def change(desk: Desk, column: str, question: _Question = "", model: _Way = "") -> Response:
    """Ask something else in a column."""
    asking.change(desk, column, question, with_model=bool(model))
    return desk.see(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/fill")
def fill(desk: Desk, column: str) -> Response:
    """Have the empty and the failed cells of a column filled."""
    asking.fill(desk, asking.look(desk, column, Role.REVIEWER))
    return desk.see(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/remove")
def remove(desk: Desk, column: str) -> Response:
    """Take a column out of its review."""
    gone = asking.remove(desk, column)
    return desk.see(_grid(gone.collection, gone.playbook))


def _grid(collection: str, playbook: str) -> str:
    return f"/reviews/grid?{Asked(collection, playbook).query()}"


def _sorted(column: Column) -> str:
    return Asked(column.collection, column.playbook, sort=column.provision, down=True).query()
