"""A task that is watched over HTTP: its news as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from fourcorners.errors import FourcornersError, LibraryUnreachable
from fourcorners.server.context import RequestContext, principal_of
from fourcorners.server.tasks.queue import Task

_LOOK = 0.5  # seconds between looks
_LONGEST = 3600.0  # seconds of one stream: then the client asks again
News: TypeAlias = Callable[[RequestContext, str, list[str]], tuple[Task, list[str]]]
"""Returns a task and its news since the last call, as JSON."""


def stream_task(
    context: RequestContext, task: str, event: str, news: News, end: Callable[[Task], object]
) -> StreamingResponse:
    """Send an event for each of a task's news, and `end` when nothing more comes."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    events = _watch_task(context, task, event, news, end)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _watch_task(
    context: RequestContext, identifier: str, event: str, news: News, end: Callable[[Task], object]
) -> AsyncIterator[str]:
    sent: list[str] = []
    for _ in range(int(_LONGEST / _LOOK)):
        if await context.request.is_disconnected() or context.state.workers.is_stopping:
            return
        try:
            context.principal = await run_in_threadpool(principal_of, context.request)
            task, new = await run_in_threadpool(news, context, identifier, sent)
        except LibraryUnreachable:  # it goes on once the library is back
            await asyncio.sleep(_LOOK)
            continue
        except FourcornersError:
            return  # they may not see it any more
        for each in new:
            yield f"event: {event}\ndata: {each}\n\n"
        sent += new
        if task.state.is_final:
            yield f"event: end\ndata: {json.dumps(end(task))}\n\n"
            return
        await asyncio.sleep(_LOOK)
