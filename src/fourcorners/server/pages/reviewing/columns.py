"""The columns that reviewers ask for: added, changed, filled, removed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import BaseModel, Field

from fourcorners.operations.principal import Role
from fourcorners.reports.grid import STATE_WORDS
from fourcorners.research.columns.form import ColumnForm, ColumnKind
from fourcorners.research.columns.store import column_versions
from fourcorners.server import columns as column_actions
from fourcorners.server.context import Context
from fourcorners.server.grid.dates import open_grid
from fourcorners.server.grid.matrix import STATES
from fourcorners.server.grid.query import GridQuery

router = APIRouter()
_Name = Annotated[str, Form(max_length=500)]
_Question = Annotated[str, Form(max_length=4_000)]
KIND_WORDS = {
    ColumnKind.AUTO: "As the question asks",
    ColumnKind.YES_NO: "Yes or no",
    ColumnKind.DATE: "A date",
    ColumnKind.AMOUNT: "A sum",
    ColumnKind.PERIOD: "A length of time",
    ColumnKind.PARTY: "A party",
    ColumnKind.LIST: "A list",
    ColumnKind.WORDS: "Words of the contract",
}


class _ColumnFields(BaseModel):
    """What the form of a column sends."""

    question: str = Field(default="", max_length=4_000)
    model: str = ""
    short: str = Field(default="", max_length=200)
    kind: ColumnKind = ColumnKind.AUTO

    @property
    def form(self) -> ColumnForm:
        return ColumnForm(self.short, self.kind)


class _NewColumn(_ColumnFields):
    """What the form of a column that is new sends; `c` and `p` name the review."""

    c: str = Field(max_length=500)
    p: str = Field(max_length=200)


def grid_href(collection: str, playbook: str) -> str:
    return f"/reviews/grid?{GridQuery(collection, playbook).to_query()}"


@router.post("/reviews/columns")
def add(context: Context, form: Annotated[_NewColumn, Form()]) -> Response:
    """Ask a question of every contract of a review, and go back to its grid, to the new column."""
    column = column_actions.add_column(
        context, form.c, form.p, form.question, with_model=bool(form.model), form=form.form
    ).column
    grid = grid_href(column.collection, column.playbook)
    return context.redirect(f"{grid}#column-{column.provision}")


@router.post("/reviews/columns/cost")
def estimate(context: Context, c: _Name, p: _Name, question: _Question = "") -> Response:
    """Say what asking a question with the language model would use."""
    return context.page(
        "_cost.html.j2", cost=column_actions.estimate_column(context, c, p, question)
    )


@router.get("/reviews/columns/{column}")
def show_column(context: Context, column: str) -> Response:
    """Show a column: what is asked, how far it is, and what was asked before."""
    found = column_actions.find_column(context, column)
    with open_grid(context, GridQuery(found.collection, found.playbook)) as (library, matrix):
        place = matrix.column(found.provision)
        cells = [] if place is None else matrix.state[:, place].tolist()
        earlier = column_versions(library, found.id)[:-1]
    standing = column_actions.list_columns(context, found.collection, found.playbook)
    only = GridQuery(found.collection, found.playbook, sort=found.provision, descending=True)
    return context.page(
        "column.html.j2",
        column=found,
        book=matrix.playbook,
        counts=[
            (state, STATE_WORDS[state] if state else "Not filled yet", cells.count(number))
            for number, state in enumerate(STATES)
            if cells.count(number)
        ],
        documents=len(matrix.rows),
        missing=cells.count(0),
        earlier=earlier,
        task=next((each.task for each in standing if each.column.id == found.id), None),
        grid=grid_href(found.collection, found.playbook),
        only=f"/reviews/grid?{only.to_query()}",
        kinds=KIND_WORDS,
        has_model=column_actions.has_model(context),
        model=context.state.settings.llm.model,
        may_mark=context.principal.may(Role.REVIEWER, found.collection),
    )


@router.post("/reviews/columns/{column}/ask")
def change(context: Context, column: str, form: Annotated[_ColumnFields, Form()]) -> Response:
    column_actions.update_column(
        context, column, form.question, with_model=bool(form.model), form=form.form
    )
    return context.redirect(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/fill")
def fill(context: Context, column: str) -> Response:
    column_actions.fill_column(context, column_actions.find_column(context, column, Role.REVIEWER))
    return context.redirect(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/remove")
def remove(context: Context, column: str) -> Response:
    gone = column_actions.remove_column(context, column)
    return context.redirect(grid_href(gone.collection, gone.playbook))
