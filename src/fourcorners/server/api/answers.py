"""Answers: questions to contracts, what happens while they are answered, and the reports."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import Field

from fourcorners.errors import FourcornersError
from fourcorners.research.limits import MAX_QUESTION, MAX_TURNS, TURNS
from fourcorners.server.api.answer_models import AnswerValue, ListedAnswerValue
from fourcorners.server.api.idempotency import IdempotencyKey, run_once
from fourcorners.server.api.models import Paged, TaskValue, Value
from fourcorners.server.api.paging import decode_cursor, encode_cursor
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import NotFound
from fourcorners.server.store import answers as kept_answers
from fourcorners.server.tasks.handlers import ask as asking
from fourcorners.server.tasks.handlers.ask import Question, start_question
from fourcorners.server.tasks.queue import Task
from fourcorners.server.tasks.steps import ProgressStep, ProgressSteps

router = APIRouter(tags=["Answers"])
_LOOK = 0.5  # seconds between looks
_LONGEST = 3600.0  # seconds of one stream: then the client asks again


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


@router.post("/answers", status_code=202)
def ask(
    context: Context, asked: QuestionRequest, idempotency_key: IdempotencyKey = None
) -> TaskValue:
    """Ask contracts; the answer is the task to watch, whose result names the report."""
    question = Question(**{**asked.model_dump(), "sources": tuple(asked.sources)})
    return run_once(
        context,
        idempotency_key,
        asked.model_dump_json(),
        TaskValue,
        lambda: TaskValue.from_task(start_question(context, question)),
    )


@router.get("/answers")
def answers(
    context: Context,
    collection: Annotated[str | None, Query(max_length=500)] = None,
    document: Annotated[str | None, Query(max_length=40)] = None,
    cursor: Annotated[str, Query(max_length=2_000)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Paged[ListedAnswerValue]:
    """List the answers that you may see, the newest first."""
    after = decode_cursor(cursor) if cursor else None
    with context.access() as access:
        found = kept_answers.list_answers(access, collection=collection or None, document=document)
    rest = found
    if after is not None:
        rest = [each for each in found if (each.summary.made, each.summary.id) < after]
    here = rest[:limit]
    more = len(rest) > limit
    return Paged(
        items=[ListedAnswerValue.from_stored(each) for each in here],
        next=encode_cursor((here[-1].summary.made, here[-1].summary.id)) if more else None,
    )


@router.get("/answers/{answer}")
def answer(context: Context, answer: str) -> AnswerValue:
    """Return a report."""
    with context.access() as access:
        found, kept = kept_answers.find_answer(access, answer)
    return AnswerValue.from_stored_answer(found, kept)


@router.get(
    "/tasks/{task}/steps",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def steps(context: Context, task: str) -> StreamingResponse:
    """Watch a question: an event `step` for all that happens, and `end` with the answer's id."""
    found = await run_in_threadpool(context.task, task)
    if found.kind != asking.KIND:
        raise NotFound(f"there is no question {task[:40]!r}.")
    return StreamingResponse(
        _watched(context, task),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _watched(context: RequestContext, identifier: str) -> AsyncIterator[str]:
    told = 0
    for _ in range(int(_LONGEST / _LOOK)):
        if await context.request.is_disconnected() or context.state.workers.is_stopping:
            return
        try:
            task, happened = await run_in_threadpool(_look, context, identifier)
        except FourcornersError:
            return  # it may not be seen any more
        for step in happened[told:]:
            yield f"event: step\ndata: {json.dumps(asdict(step))}\n\n"
        told = max(told, len(happened))
        if task.state.is_final:
            end = {"state": task.state.value, "answer": task.result.get("answer", "")}
            yield f"event: end\ndata: {json.dumps(end)}\n\n"
            return
        await asyncio.sleep(_LOOK)


def _look(context: RequestContext, identifier: str) -> tuple[Task, list[ProgressStep]]:
    task = context.task(identifier)
    with context.access() as access:
        return task, ProgressSteps(access.common(), task.id).all()
