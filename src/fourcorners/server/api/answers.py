"""Questions, and the reports that answer them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.operations import answers as stored_answers
from fourcorners.operations.ask import AskRequest
from fourcorners.server.api.models import (
    AnswerSummaryValue,
    AnswerValue,
    CollectionName,
    Cursor,
    DocumentName,
    Limit,
    Paged,
    TaskValue,
    file_responses,
)
from fourcorners.server.api.requests import IdempotencyKey, start_task
from fourcorners.server.context import Context
from fourcorners.server.cursors import cut_page, decode_cursor
from fourcorners.server.pages import ask as ask_pages
from fourcorners.server.tasks.handlers.ask import start_question

router = APIRouter(tags=["Answers"])
_REPORT = file_responses(ask_pages.FORMS.values())


@router.post("/answers", status_code=202)
def ask_question(context: Context, asked: AskRequest, key: IdempotencyKey = None) -> TaskValue:
    """Ask contracts; the answer is the task to watch, whose result names the report."""
    return start_task(context, key, asked, lambda: start_question(context, asked))


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
        rest = stored_answers.list_answers(access, collection=collection or None, document=document)
    if after is not None:
        rest = [each for each in rest if _order(each) < after]
    here, more = cut_page(context, "answers", rest, _order, limit)
    return Paged(items=[AnswerSummaryValue.from_stored(each) for each in here], next=more)


def _order(stored: stored_answers.StoredAnswer) -> tuple[str, str]:
    return stored.summary.made, stored.summary.id


@router.get("/answers/{answer}")
def get_answer(context: Context, answer: str) -> AnswerValue:
    """Return a report."""
    with context.access() as access:
        found, stored = stored_answers.find_answer(access, answer)
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
