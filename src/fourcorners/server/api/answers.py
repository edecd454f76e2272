"""Questions, and the reports that answer them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from fourcorners.research.answer import MAX_QUESTION, MAX_TURNS, TURNS
from fourcorners.server.api.models import (
    AnswerSummaryValue,
    AnswerValue,
    Flag,
    NoWord,
    Paged,
    PartyNames,
    TaskValue,
)
from fourcorners.server.api.parameters import (
    CollectionName,
    Cursor,
    DocumentName,
    Limit,
    file_responses,
)
from fourcorners.server.api.requests import IdempotencyKey, start_task
from fourcorners.server.context import Context
from fourcorners.server.cursors import decode_cursor, encode_cursor
from fourcorners.server.pages import ask as ask_pages
from fourcorners.server.store import answers as kept_answers
from fourcorners.server.tasks.handlers.ask import Question, start_question
from fourcorners.value import Value

router = APIRouter(tags=["Answers"])
_REPORT = file_responses(ask_pages.FORMS.values())


class QuestionRequest(Value):
    """A question to a contract, to a collection, or to all there is."""

    question: str = Field(
        min_length=1, max_length=MAX_QUESTION, examples=["Can they end it early?"]
    )
    collection: str = Field(default="", max_length=500, description="Empty for all there is.")
    document: str = Field(default="", max_length=40, description="Only of this contract.")
    context: str = Field(default="", max_length=MAX_QUESTION)
    instructions: str = Field(default="", max_length=MAX_QUESTION)
    turns: Annotated[int, Field(ge=1, le=MAX_TURNS), NoWord] = TURNS
    rules: Flag = Field(default=False, description="Do without a model that is configured.")
    sources: list[str] = Field(default_factory=list, max_length=20)
    read_for: PartyNames = Field(
        default_factory=list,
        description="Who asks, by name, role or group: “we” is that party. Empty for the party "
        "that the collection is read for.",
        examples=[["Larch"]],
    )


@router.post("/answers", status_code=202)
def ask_question(context: Context, asked: QuestionRequest, key: IdempotencyKey = None) -> TaskValue:
    """Ask contracts; the answer is the task to watch, whose result names the report."""
    names = {name: tuple(getattr(asked, name)) for name in ("sources", "read_for")}
    question = Question(**{**asked.model_dump(), **names})
    return start_task(context, key, asked, lambda: start_question(context, question))


@router.get("/answers")
def list_answers(
    context: Context,
    collection: CollectionName | None = None,
    document: DocumentName | None = None,
    cursor: Cursor = "",
    limit: Limit = 50,
) -> Paged[AnswerSummaryValue]:
    """List the answers that you may see, the newest first."""
    after = decode_cursor(context, "answers", cursor) if cursor else None
    with context.access() as access:
        rest = kept_answers.list_answers(access, collection=collection or None, document=document)
    if after is not None:
        rest = [each for each in rest if (each.summary.made, each.summary.id) < after]
    here = rest[:limit]
    last = (here[-1].summary.made, here[-1].summary.id) if len(rest) > limit else None
    return Paged(
        items=[AnswerSummaryValue.from_stored(each) for each in here],
        next=encode_cursor(context, "answers", last) if last else None,
    )


@router.get("/answers/{answer}")
def get_answer(context: Context, answer: str) -> AnswerValue:
    """Return a report."""
    with context.access() as access:
        found, stored = kept_answers.find_answer(access, answer)
    return AnswerValue.from_stored_answer(found, stored)


@router.get("/answers/{answer}/report", response_class=Response, responses=_REPORT)
def export_answer(
    context: Context,
    answer: str,
    form: Annotated[
        Literal["docx", "html", "md", "json"], Query(alias="format", description="Of the file.")
    ] = "docx",
) -> Response:
    """Return a report as a file to send."""
    return ask_pages.report(context, answer, form)
