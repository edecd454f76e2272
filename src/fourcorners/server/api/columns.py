"""Columns that people asked for in a review."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import Field

from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.principal import Role
from fourcorners.research.columns import store as columns_store
from fourcorners.research.columns.form import MAX_SHORT, ColumnForm, ColumnKind
from fourcorners.research.columns.store import MAX_QUESTION
from fourcorners.server import columns as column_actions
from fourcorners.server.api.models import CollectionName, Moment, PlaybookName, TaskValue
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.columns import ColumnStatus
from fourcorners.server.context import Context, RequestContext
from fourcorners.value import Flag, Value

router = APIRouter(tags=["Columns"], route_class=ApiRoute)


class ColumnRequest(Value):
    """A question to every contract of a review."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    question: str = Field(
        min_length=1,
        max_length=MAX_QUESTION,
        examples=["Is there a right of first refusal?"],
    )
    with_model: Flag = Field(
        default=False, description="Let the configured language model read; by rules without it."
    )
    short: str = Field(
        default="", max_length=MAX_SHORT, description="What the column is called; by its question."
    )
    kind: ColumnKind = Field(
        default=ColumnKind.AUTO, description="Of the answers; `auto` follows the question."
    )


class ColumnQuestion(Value):
    """What a column asks instead; a new short name alone leaves its cells as they are."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    with_model: Flag = False
    short: str | None = Field(
        default=None, max_length=MAX_SHORT, description="Null for the one that it has."
    )
    kind: ColumnKind | None = Field(default=None, description="Null for the one that it has.")


class ColumnDraft(Value):
    """A question that might be asked of every contract of a review."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    question: str = Field(min_length=1, max_length=MAX_QUESTION)


class CostValue(Value):
    """What asking the language model would use; nothing was sent."""

    contracts: int
    read: int = Field(description="Contracts that the estimate is based on.")
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None = Field(
        description="In the currency of the prices that are configured; null without prices."
    )


class ColumnVersionValue(Value):
    """A question that a column asked."""

    version: int
    question: str
    with_model: bool
    by: str
    at: Moment


class ColumnValue(Value):
    """A column; `provision` names its cells among the findings."""

    id: str = Field(examples=["asked-1f2e3d4c"])
    provision: str = Field(examples=["asked-1f2e3d4c-v1"])
    version: int
    collection: str
    playbook: str
    question: str
    short: str = Field(description="What it is called; empty for its question.")
    kind: ColumnKind
    with_model: bool
    by: str
    at: Moment
    open: int = Field(description="Contracts whose cells are empty or failed.")
    state: Literal["", "waiting", "running", "parked", "done", "failed", "cancelled"] = Field(
        description="Of its last task; empty if none is remembered."
    )
    task: str = Field(description="That task's id.")


class StartedColumnValue(Value):
    """A column, and the task that fills it."""

    column: ColumnValue
    task: TaskValue


@router.get("/columns")
def list_columns(
    context: Context,
    collection: CollectionName,
    playbook: PlaybookName = "due-diligence",
) -> list[ColumnValue]:
    """List the columns of a review that people asked for, in the order in which they did."""
    with context.access() as access:
        access.require(Role.READER, collection)
        book = playbooks.load_playbook(access, playbook, collection)
    return [
        _column(context, each) for each in column_actions.list_columns(context, collection, book.id)
    ]


@router.post("/columns", status_code=202)
def add_column(context: Context, asked: ColumnRequest) -> StartedColumnValue:
    """Ask a question of every contract of a review; its cells are findings like all others."""
    place, question = (asked.collection, asked.playbook), asked.question
    form = ColumnForm(asked.short, asked.kind)
    added = column_actions.add_column(
        context, *place, question, with_model=asked.with_model, form=form
    )
    return _started_column(context, added)


@router.post("/columns/estimate")
def estimate_column(context: Context, asked: ColumnDraft) -> CostValue:
    """Estimate what asking a question with the language model would use."""
    place = asked.collection, asked.playbook
    return CostValue.make(column_actions.estimate_column(context, *place, asked.question))


@router.get("/columns/{column}")
def get_column(context: Context, column: str) -> ColumnValue:
    """Return a column."""
    found = column_actions.find_column(context, column)
    standing = column_actions.list_columns(context, found.collection, found.playbook)
    return _column(context, next(each for each in standing if each.column.id == found.id))


@router.get("/columns/{column}/versions")
def list_column_versions(context: Context, column: str) -> list[ColumnVersionValue]:
    """Return all that a column asked, the first first; the last is what it asks now."""
    found = column_actions.find_column(context, column)
    with context.access() as access:
        held = columns_store.column_versions(
            access.library_for(found.collection, Role.READER), found.id
        )
    return [ColumnVersionValue.make(each) for each in held]


@router.post("/columns/{column}/question", status_code=202)
def change_column(context: Context, column: str, asked: ColumnQuestion) -> StartedColumnValue:
    """Change the question of a column: its next version, filled again."""
    before = column_actions.find_column(context, column).form
    form = ColumnForm(
        before.short if asked.short is None else asked.short, asked.kind or before.kind
    )
    changed = column_actions.update_column(
        context, column, asked.question, with_model=asked.with_model, form=form
    )
    return _started_column(context, changed)


@router.post("/columns/{column}/fill", status_code=202)
def fill_column(context: Context, column: str) -> TaskValue:
    """Have the empty and the failed cells of a column filled."""
    found = column_actions.find_column(context, column, Role.REVIEWER)
    return TaskValue.make(column_actions.fill_column(context, found))


@router.delete("/columns/{column}", status_code=204)
def delete_column(context: Context, column: str) -> None:
    """Take a column out of its review."""
    column_actions.remove_column(context, column)


def _started_column(context: RequestContext, standing: ColumnStatus) -> StartedColumnValue:
    return StartedColumnValue.make(standing, column=_column(context, standing))


def _column(context: RequestContext, standing: ColumnStatus) -> ColumnValue:
    each, task = standing.column, standing.task
    with context.access() as access:
        documents = [entry.id for entry in access.documents(each.collection)]
        short = columns_store.empty_cells(access.common(), each, documents)
    state, identity = (task.state, task.id) if task else ("", "")
    form = {"short": each.form.short, "kind": each.form.kind}
    return ColumnValue.make(each, open=len(short), state=state, task=identity, **form)
