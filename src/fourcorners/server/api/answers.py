"""Answers: questions to contracts, what happens while they are answered, and the reports."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import Field

from fourcorners.errors import FourcornersError
from fourcorners.research.answer import (
    Answer,
    Citation,
    Draft,
    ExternalStatement,
    Gap,
    Statement,
    Verification,
)
from fourcorners.research.answer import Step as Recorded
from fourcorners.research.limits import MAX_QUESTION, MAX_TURNS, TURNS
from fourcorners.server.api.idempotency import IdempotencyKey, run_once
from fourcorners.server.api.models import Paged, SpanValue, TaskValue, Value
from fourcorners.server.api.paging import decode_cursor, encode_cursor
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import NotFound
from fourcorners.server.links import quote_href
from fourcorners.server.store import answers as kept_answers
from fourcorners.server.store.answers import StoredAnswer
from fourcorners.server.tasks.handlers import ask as asking
from fourcorners.server.tasks.questions import Question, start_question
from fourcorners.server.tasks.queue import Task
from fourcorners.server.tasks.steps import ProgressStep, ProgressSteps

router = APIRouter(tags=["Answers"])
_LOOK = 0.5  # seconds between looks
_LONGEST = 3600.0  # seconds of one stream: then the client asks again
_Ruling = Literal[
    "yes", "no", "the contract says", "it depends", "not in the contract", "cannot tell"
]


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


class CitedValue(Value):
    """Words of a contract, with their place."""

    document: str
    name: str
    where: str = Field(examples=["clause 7.2(a), page 3"])
    words: str
    span: SpanValue
    href: str

    @classmethod
    def from_citation(cls, cited: Citation) -> CitedValue | None:
        """Return words as the API says them; None for words without a place."""
        span = cited.quote.span
        if span is None:
            return None
        return cls(
            document=cited.document,
            name=cited.name,
            where=cited.where,
            words=cited.quote.words,
            span=SpanValue.from_span(span),
            href=quote_href(cited.document, span, cited.quote.words),
        )


class StatementValue(Value):
    """A sentence, and the words that support it."""

    text: str
    role: str
    verified: bool
    problem: str
    part: str
    quotes: list[CitedValue]
    claims: list[str] = Field(description="Said to be the contract's words, and not found there.")

    @classmethod
    def from_statement(cls, statement: Statement) -> StatementValue:
        """Return a statement as the API says it."""
        quotes = (CitedValue.from_citation(each) for each in statement.quotes)
        return cls(
            text=statement.text,
            role=statement.role.value,
            verified=statement.standing is Verification.VERIFIED,
            problem=statement.problem,
            part=statement.part,
            quotes=[each for each in quotes if each is not None],
            claims=list(statement.claims),
        )


class GapValue(Value):
    """What is missing, and how it was looked for."""

    what: str
    part: str
    searched: str
    nearest: CitedValue | None

    @classmethod
    def from_gap(cls, gap: Gap) -> GapValue:
        """Return a gap as the API says it."""
        nearest = CitedValue.from_citation(gap.nearest) if gap.nearest else None
        return cls(what=gap.what, part=gap.part, searched=gap.searched, nearest=nearest)


class OutsideValue(Value):
    """What a source outside of the contracts says; nothing in the answer rests on it."""

    text: str
    words: str
    source: str
    where: str
    fetched: str
    licence: str

    @classmethod
    def from_statement(cls, told: ExternalStatement) -> OutsideValue:
        """Return it as the API says it."""
        return cls(
            text=told.text,
            words=told.words,
            source=told.source,
            where=told.where,
            fetched=told.fetched,
            licence=told.licence,
        )


class TurnValue(Value):
    """The report as it stood after a turn: what was asked, and what it came to until then."""

    turn: int
    asked: str
    tools: list[str]
    ruling: _Ruling
    answer: list[StatementValue]
    missing: list[str]

    @classmethod
    def from_draft(cls, draft: Draft) -> TurnValue:
        """Return a draft as the API says it."""
        return cls(
            turn=draft.turn,
            asked=draft.asked,
            tools=list(draft.tools),
            ruling=draft.answer.ruling.value,
            answer=_statements(draft.answer.sentences),
            missing=[each.what for each in draft.gaps],
        )


class StepValue(Value):
    """One thing that was done: a question to a model, or work of the program."""

    agent: str
    turn: int
    did: str
    model: str
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int

    @classmethod
    def from_step(cls, step: Recorded) -> StepValue:
        """Return a step as the API says it."""
        return cls(
            agent=step.agent,
            turn=step.turn,
            did=step.did,
            model=step.model,
            outcome=step.outcome,
            calls=step.calls,
            tokens_in=step.tokens_in,
            tokens_out=step.tokens_out,
        )


class ListedAnswerValue(Value):
    """An answer in a list."""

    id: str = Field(examples=["83cfd2903285"])
    question: str
    ruling: _Ruling
    collection: str = Field(description="Where it was asked; empty for all there is.")
    asked_by: str
    made_by: str
    made: str

    @classmethod
    def from_stored(cls, kept: StoredAnswer) -> ListedAnswerValue:
        """Return an answer in a list as the API says it."""
        listed, home = kept.summary, kept.home
        return cls(
            id=listed.id,
            question=listed.question,
            ruling=listed.ruling.value,
            collection=home.collection,
            asked_by=home.asked_by,
            made_by=listed.made_by,
            made=listed.made,
        )


class AnswerValue(ListedAnswerValue):
    """A report, whole."""

    asked: str
    title: str
    confidence: float
    because: str
    answer: list[StatementValue]
    conditions: list[StatementValue]
    readings: list[StatementValue]
    summary: list[StatementValue]
    findings: list[StatementValue]
    gaps: list[GapValue]
    next_questions: list[str]
    external: list[OutsideValue]
    assumptions: list[str]
    stopped: str = Field(description="Why it ended before it was done; empty if it was done.")
    verified: int
    unverified: int
    turns: list[TurnValue] = Field(description="How it came about, turn by turn.")
    record: list[StepValue] = Field(description="All that was done for it, in order.")

    @classmethod
    def from_answer(cls, answer: Answer, kept: StoredAnswer) -> AnswerValue:
        """Return a report as the API says it."""
        told = answer.answer
        head = ListedAnswerValue.from_stored(kept)
        return cls(
            **head.model_dump(),
            asked=answer.asked,
            title=answer.title,
            confidence=told.confidence,
            because=told.because,
            answer=_statements(told.sentences),
            conditions=_statements(told.conditions),
            readings=_statements(told.readings),
            summary=_statements(answer.summary),
            findings=_statements(answer.findings),
            gaps=[GapValue.from_gap(each) for each in answer.gaps],
            next_questions=list(answer.next_questions),
            external=[OutsideValue.from_statement(each) for each in answer.external],
            assumptions=list(answer.assumptions),
            stopped=answer.stopped,
            verified=answer.counts.verified,
            unverified=answer.counts.unverified,
            turns=[TurnValue.from_draft(each) for each in answer.drafts],
            record=[StepValue.from_step(each) for each in answer.record],
        )


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
    return AnswerValue.from_answer(found, kept)


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


def _statements(statements: Iterable[Statement]) -> list[StatementValue]:
    return [StatementValue.from_statement(each) for each in statements]
