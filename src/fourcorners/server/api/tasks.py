"""Tasks, answers and the audit trail: long work, what happens meanwhile, and what was done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import Field

from fourcorners.errors import FourcornersError
from fourcorners.research.limits import MAX_QUESTION, MAX_TURNS, TURNS
from fourcorners.server.api.models import AnswerValue, ListedAnswerValue, Paged, TaskValue, Value
from fourcorners.server.api.requests import IdempotencyKey, run_once
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.cursors import decode_cursor, encode_cursor, part_of_tasks
from fourcorners.server.errors import NotFound
from fourcorners.server.store import answers as kept_answers
from fourcorners.server.store import audit_trail as trail
from fourcorners.server.tasks.handlers import ask as ask_task
from fourcorners.server.tasks.handlers.ask import Question, start_question
from fourcorners.server.tasks.queue import Task
from fourcorners.server.tasks.steps import ProgressSteps

router = APIRouter(tags=["Tasks"])
answers_router = APIRouter(tags=["Answers"])
audit_router = APIRouter(tags=["Audit"])
_EVENTS: dict[int | str, dict[str, object]] = {200: {"content": {"text/event-stream": {}}}}
_LOOK = 0.5  # seconds between looks
_LONGEST = 3600.0  # seconds of one stream: then the client asks again
News: TypeAlias = Callable[[RequestContext, str, list[str]], tuple[Task, list[str]]]
"""Returns a task, and what is to be told of it beyond what was told already, as JSON."""


class QuestionRequest(Value):
    """A question to a contract, to a collection, or to all there is."""

    question: str = Field(
        min_length=1, max_length=MAX_QUESTION, examples=["Can they end it early?"]
    )
    collection: str = Field(default="", max_length=500, description="Empty for all there is.")
    document: str = Field(default="", max_length=40, description="Only of this contract.")
    context: str = Field(default="", max_length=MAX_QUESTION)
    instructions: str = Field(default="", max_length=MAX_QUESTION)
    turns: int = Field(default=TURNS, ge=1, le=MAX_TURNS)
    rules: bool = Field(default=False, description="Do without a model that is configured.")
    sources: list[str] = Field(default_factory=list, max_length=20)


class AuditValue(Value):
    """One line of the trail, bound to the one before it by a hash."""

    seq: int
    at: str
    event: str
    detail: dict[str, str | int]
    previous: str
    hash: str


class VerdictValue(Value):
    """What reading the whole trail shows."""

    entries: int
    head: str
    faults: list[str]


@answers_router.post("/answers", status_code=202)
def ask(context: Context, asked: QuestionRequest, key: IdempotencyKey = None) -> TaskValue:
    """Ask contracts; the answer is the task to watch, whose result names the report."""
    question = Question(**{**asked.model_dump(), "sources": tuple(asked.sources)})
    return run_once(context, key, asked, TaskValue, lambda: start_question(context, question))


@answers_router.get("/answers")
def answers(
    context: Context,
    collection: Annotated[str | None, Query(max_length=500)] = None,
    document: Annotated[str | None, Query(max_length=40)] = None,
    cursor: Annotated[str, Query(max_length=2_000)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Paged[ListedAnswerValue]:
    """List the answers that you may see, the newest first."""
    after = decode_cursor(context, "answers", cursor) if cursor else None
    with context.access() as access:
        rest = kept_answers.list_answers(access, collection=collection or None, document=document)
    if after is not None:
        rest = [each for each in rest if (each.summary.made, each.summary.id) < after]
    here = rest[:limit]
    last = (here[-1].summary.made, here[-1].summary.id) if len(rest) > limit else None
    return Paged(
        items=[ListedAnswerValue.from_stored(each) for each in here],
        next=encode_cursor(context, "answers", last) if last else None,
    )


@answers_router.get("/answers/{answer}")
def answer(context: Context, answer: str) -> AnswerValue:
    """Return a report."""
    with context.access() as access:
        found, stored = kept_answers.find_answer(access, answer)
    return AnswerValue.from_stored_answer(found, stored)


@answers_router.get("/tasks/{task}/steps", response_class=StreamingResponse, responses=_EVENTS)
async def steps(context: Context, task: str) -> StreamingResponse:
    """Watch a question: an event `step` for all that happens, and `end` with the answer's id."""
    found = await run_in_threadpool(context.task, task)
    if found.kind != ask_task.KIND:
        raise NotFound(f"there is no question {task[:40]!r}.")
    return _stream(
        _watched(
            context,
            task,
            "step",
            _steps,
            lambda ended: {"state": ended.state.value, "answer": ended.result.get("answer", "")},
        )
    )


@router.get("/tasks")
def tasks(
    context: Context,
    cursor: Annotated[str, Query(max_length=2_000)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Paged[TaskValue]:
    """List the tasks of the collections that you may read, the latest first."""
    here, after = part_of_tasks(context, cursor, limit)
    return Paged(items=[TaskValue.make(each) for each in here], next=after)


@router.get("/tasks/{task}")
def task(context: Context, task: str) -> TaskValue:
    """Return a task."""
    return TaskValue.make(context.task(task))


@router.post("/tasks/{task}/cancel")
def cancel(context: Context, task: str) -> TaskValue:
    """End a task early; what was done of it stays."""
    return TaskValue.make(context.cancel(task))


@router.get("/tasks/{task}/events", response_class=StreamingResponse, responses=_EVENTS)
async def events(context: Context, task: str) -> StreamingResponse:
    """Watch a task: an event `task` whenever it is further, and `end` when nothing more comes."""
    await run_in_threadpool(context.task, task)  # refuses before the stream begins
    return _stream(_watched(context, task, "task", _progress, lambda ended: ended.state.value))


@audit_router.get("/audit")
def audit(
    context: Context,
    cursor: Annotated[str, Query(max_length=2_000)] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Paged[AuditValue]:
    """List the audit trail, the oldest entry first."""
    with context.access() as access:
        access.full_library(Role.ADMIN)
    after = int(decode_cursor(context, "audit", cursor)[0]) if cursor else 0
    with context.access() as access:
        found = trail.entries_after(access.full_library(Role.ADMIN), after, limit + 1)
    here = found[:limit]
    more = len(found) > limit
    return Paged(
        items=[AuditValue.make(each, detail=json.loads(each.detail)) for each in here],
        next=encode_cursor(context, "audit", (str(here[-1].seq),)) if more else None,
    )


@audit_router.get("/audit/verdict")
def verdict(context: Context) -> VerdictValue:
    """Read the whole trail, and tell whether any of it was changed."""
    with context.access() as access:
        found = access.full_library(Role.ADMIN).audit_verdict()
    return VerdictValue.make(found, faults=[each.description for each in found.faults])


def _stream(events: AsyncIterator[str]) -> StreamingResponse:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _watched(
    context: RequestContext, identifier: str, event: str, news: News, end: Callable[[Task], object]
) -> AsyncIterator[str]:
    sent: list[str] = []
    for _ in range(int(_LONGEST / _LOOK)):
        if await context.request.is_disconnected() or context.state.workers.is_stopping:
            return
        try:
            task, new = await run_in_threadpool(news, context, identifier, sent)
        except FourcornersError:
            return  # it may not be seen any more
        for each in new:
            yield f"event: {event}\ndata: {each}\n\n"
        sent += new
        if task.state.is_final:
            yield f"event: end\ndata: {json.dumps(end(task))}\n\n"
            return
        await asyncio.sleep(_LOOK)


def _progress(context: RequestContext, identifier: str, sent: list[str]) -> tuple[Task, list[str]]:
    task = context.task(identifier)
    now = json.dumps(TaskValue.make(task).model_dump())
    return task, [] if sent[-1:] == [now] else [now]


def _steps(context: RequestContext, identifier: str, sent: list[str]) -> tuple[Task, list[str]]:
    task = context.task(identifier)
    with context.access() as access:
        happened = ProgressSteps(access.common(), task.id).all()
    return task, [json.dumps(asdict(each)) for each in happened[len(sent) :]]
