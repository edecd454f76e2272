"""Tasks: long work, how far it is, and what happens meanwhile."""

from __future__ import annotations

import json
from dataclasses import asdict

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from fourcorners.operations.errors import NotFound
from fourcorners.operations.reviewing.exports import FORMS, media_type_of
from fourcorners.server.api.models import Cursor, Limit, Paged, TaskValue, file_responses
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.cursors import part_of_tasks
from fourcorners.server.event_stream import stream_task
from fourcorners.server.pages.reviewing import review as review_pages
from fourcorners.server.tasks.handlers import ask as ask_task
from fourcorners.server.tasks.queue import Task
from fourcorners.server.tasks.steps import ProgressSteps

router = APIRouter(tags=["Tasks"], route_class=ApiRoute)
_EVENTS: dict[int | str, dict[str, object]] = {200: {"content": {"text/event-stream": {}}}}
_FILE = file_responses(map(media_type_of, FORMS))


@router.get("/tasks")
def list_tasks(
    context: Context,
    cursor: Cursor = "",
    limit: Limit = 50,
) -> Paged[TaskValue]:
    """List the tasks of the collections that you may read, the latest first."""
    here, after = part_of_tasks(context, cursor, limit)
    return Paged(items=[TaskValue.make(each) for each in here], next=after)


@router.get("/tasks/{task}")
def get_task(context: Context, task: str) -> TaskValue:
    """Return a task."""
    return TaskValue.make(context.task(task))


@router.get("/tasks/{task}/file", response_class=Response, responses=_FILE)
def get_task_file(context: Context, task: str) -> Response:
    """Return the file that a task has written, for a day after it has."""
    return review_pages.fetch_export(context, task)


@router.post("/tasks/{task}/cancel")
def cancel_task(context: Context, task: str) -> TaskValue:
    """End a task early; what was done of it stays."""
    return TaskValue.make(context.cancel(task))


@router.get("/tasks/{task}/events", response_class=StreamingResponse, responses=_EVENTS)
async def watch_task(context: Context, task: str) -> StreamingResponse:
    """Watch a task: an event `task` whenever it is further, and `end` when nothing more comes."""
    await run_in_threadpool(context.task, task)  # refuses before the stream begins
    return stream_task(context, task, "task", _progress, lambda ended: ended.state.value)


@router.get("/tasks/{task}/steps", response_class=StreamingResponse, responses=_EVENTS)
async def watch_question(context: Context, task: str) -> StreamingResponse:
    """Watch a question: an event `step` for all that happens, and `end` with the answer's id."""
    found = await run_in_threadpool(context.task, task)
    if found.kind != ask_task.KIND:
        raise NotFound(f"there is no question {task[:40]!r}.")
    return stream_task(
        context,
        task,
        "step",
        _steps,
        lambda ended: {"state": ended.state.value, "answer": ended.result.get("answer", "")},
    )


def _progress(context: RequestContext, identifier: str, sent: list[str]) -> tuple[Task, list[str]]:
    task = context.task(identifier)
    now = json.dumps(TaskValue.make(task).model_dump())
    return task, [] if sent[-1:] == [now] else [now]


def _steps(context: RequestContext, identifier: str, sent: list[str]) -> tuple[Task, list[str]]:
    task = context.task(identifier)
    with context.access() as access:
        happened = ProgressSteps(access.common(), task.id).all()
    return task, [json.dumps(asdict(each)) for each in happened[len(sent) :]]
