"""Columns of reviews: questions of one's own, put to every contract of a review."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.server.api.idempotency import IdempotencyKey, run_once
from fourcorners.server.api.models import TaskValue, Value
from fourcorners.server.auth.principal import Role
from fourcorners.server.columns import actions as asking
from fourcorners.server.columns import store as kept
from fourcorners.server.columns.actions import ColumnStatus
from fourcorners.server.columns.store import MAX_QUESTION, Column
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.store import playbook_store as books
from fourcorners.server.tasks.queue import Task

router = APIRouter(tags=["Reviews"])


class ColumnRequest(Value):
    """A question to every contract of a review."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    question: str = Field(
        min_length=1,
        max_length=MAX_QUESTION,
        examples=["Is there a most favoured customer clause?"],
    )
    with_model: bool = Field(
        default=False, description="Let the configured language model read; by rules without it."
    )


class QuestionRequest(Value):
    """What a column asks instead."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    with_model: bool = False


class VersionValue(Value):
    """A question that a column asked."""

    version: int
    question: str
    with_model: bool
    by: str
    at: str


class ColumnValue(Value):
    """A column; `provision` names its cells among the findings."""

    id: str = Field(examples=["asked-1f2e3d4c"])
    provision: str = Field(examples=["asked-1f2e3d4c-v1"])
    version: int
    collection: str
    playbook: str
    question: str
    with_model: bool
    by: str
    at: str
    open: int = Field(description="Contracts whose cells are empty or failed.")
    state: Literal["", "waiting", "running", "parked", "done", "failed", "cancelled"] = Field(
        description="Of its last task; empty if none is remembered."
    )
    task: str = Field(description="That task's id.")


class StartedValue(Value):
    """A column, and the task that fills it."""

    column: ColumnValue
    task: TaskValue


@router.get("/columns")
def columns(
    context: Context,
    collection: Annotated[str, Query(max_length=500)],
    playbook: Annotated[str, Query(max_length=200)] = "due-diligence",
) -> list[ColumnValue]:
    """List the columns of a review that people asked for, in the order in which they did."""
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        book = books.load_playbook(library, playbook)
    return [_value(context, each) for each in asking.list_columns(context, collection, book.id)]


@router.post("/columns", status_code=202)
def add(
    context: Context, asked: ColumnRequest, idempotency_key: IdempotencyKey = None
) -> StartedValue:
    """Ask a question of every contract of a review; its cells are findings like all others."""
    return run_once(
        context,
        idempotency_key,
        asked.model_dump_json(),
        StartedValue,
        lambda: _started(
            context,
            asking.add_column(
                context,
                asked.collection,
                asked.playbook,
                asked.question,
                with_model=asked.with_model,
            ),
        ),
    )


@router.get("/columns/{column}")
def column(context: Context, column: str) -> ColumnValue:
    """Return a column."""
    found = asking.find_column(context, column)
    standing = asking.list_columns(context, found.collection, found.playbook)
    return _value(context, next(each for each in standing if each.column.id == found.id))


@router.get("/columns/{column}/versions")
def versions(context: Context, column: str) -> list[VersionValue]:
    """Return all that a column asked, the first first; the last is what it asks now."""
    found = asking.find_column(context, column)
    with context.access() as access:
        held = kept.column_versions(access.library_for(found.collection, Role.READER), found.id)
    return [
        VersionValue(
            version=each.version,
            question=each.question,
            with_model=each.with_model,
            by=each.by,
            at=each.at,
        )
        for each in held
    ]


@router.post("/columns/{column}/question", status_code=202)
def change(context: Context, column: str, asked: QuestionRequest) -> StartedValue:
    """Ask something else in a column: its next version, filled anew."""
    return _started(
        context, asking.update_column(context, column, asked.question, with_model=asked.with_model)
    )


@router.post("/columns/{column}/fill", status_code=202)
def fill(context: Context, column: str) -> TaskValue:
    """Have the empty and the failed cells of a column filled."""
    return TaskValue.from_task(
        asking.fill_column(context, asking.find_column(context, column, Role.REVIEWER))
    )


@router.delete("/columns/{column}", status_code=204)
def remove(context: Context, column: str) -> None:
    """Take a column out of its review."""
    asking.remove_column(context, column)


def _started(context: RequestContext, made: tuple[Column, Task]) -> StartedValue:
    column, task = made
    return StartedValue(
        column=_value(context, ColumnStatus(column, task)), task=TaskValue.from_task(task)
    )


def _value(context: RequestContext, standing: ColumnStatus) -> ColumnValue:
    each, task = standing.column, standing.task
    with context.access() as access:
        documents = [entry.id for entry in access.documents(each.collection)]
        short = kept.empty_cells(access.common(), each, documents)
    return ColumnValue(
        id=each.id,
        provision=each.provision,
        version=each.version,
        collection=each.collection,
        playbook=each.playbook,
        question=each.question,
        with_model=each.with_model,
        by=each.by,
        at=each.at,
        open=len(short),
        state=task.state.value if task else "",
        task=task.id if task else "",
    )
