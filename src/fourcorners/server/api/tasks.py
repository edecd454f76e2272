"""Tasks: long work, watched or ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from fourcorners.errors import FourcornersError
from fourcorners.server.api.models import Paged, TaskValue
from fourcorners.server.context import Context, RequestContext

router = APIRouter(tags=["Tasks"])
_LOOK = 0.5  # seconds between looks
_LONGEST = 3600.0  # seconds of one stream: then the client asks again


@router.get("/tasks")
def tasks(
    context: Context,
    cursor: Annotated[str, Query(max_length=40)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Paged[TaskValue]:
    """List the tasks of the collections that you may read, the latest first."""
    found = context.tasks(limit=limit + 1, before=cursor)
    here = found[:limit]
    return Paged(
        items=[TaskValue.from_task(each) for each in here],
        next=here[-1].id if len(found) > limit else None,
    )


@router.get("/tasks/{task}")
def task(context: Context, task: str) -> TaskValue:
    """Return a task."""
    return TaskValue.from_task(context.task(task))


@router.post("/tasks/{task}/cancel")
def cancel(context: Context, task: str) -> TaskValue:
    """End a task early; what was done of it stays."""
    return TaskValue.from_task(context.cancel(task))


@router.get(
    "/tasks/{task}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(context: Context, task: str) -> StreamingResponse:
    """Watch a task: an event `task` whenever it is further, and `end` when nothing more comes."""
    await run_in_threadpool(context.task, task)  # refuses before the stream begins
    return StreamingResponse(
        _watched(context, task),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _watched(context: RequestContext, identifier: str) -> AsyncIterator[str]:
    before = ""
    for _ in range(int(_LONGEST / _LOOK)):
        if await context.request.is_disconnected() or context.state.workers.is_stopping:
            return
        try:
            task = await run_in_threadpool(context.task, identifier)
        except FourcornersError:
            return  # it may not be seen any more
        told = json.dumps(TaskValue.from_task(task).model_dump())
        if told != before:
            before = told
            yield f"event: task\ndata: {told}\n\n"
        if task.state.is_final:
            yield f"event: end\ndata: {json.dumps(task.state.value)}\n\n"
            return
        await asyncio.sleep(_LOOK)
