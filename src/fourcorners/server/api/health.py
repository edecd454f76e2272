"""The check of a collection's papers: begun as a task, and what it found."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.server.api.idempotency import IdempotencyKey, run_once
from fourcorners.server.api.models import SpanValue, TaskValue, Value
from fourcorners.server.context import Context
from fourcorners.server.errors import NotFound
from fourcorners.server.links import document_href, quote_href
from fourcorners.server.pages import health as checking
from fourcorners.server.store import health_checks as papers
from fourcorners.server.store.health_checks import ProblemClass

router = APIRouter(tags=["Documents"])


class CheckRequest(Value):
    """Whose papers are to be checked."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    as_of: str = Field(
        default="",
        pattern=r"^(\d{4}-\d{2}-\d{2})?$",
        description="The day on which terms are judged; empty for today.",
    )


class SymptomValue(Value):
    """One thing to look at before a review."""

    class_: ProblemClass = Field(alias="class")
    concern: str = Field(examples=["missing-attachment"])
    severity: Literal["high", "medium", "low", "none"]
    document: str = Field(description="Its id; empty for a file that could not be read.")
    name: str
    message: str
    remedy: str
    span: SpanValue | None
    words: str = Field(description="Those at the span.")
    others: list[str] = Field(description="The names of other files that it concerns.")
    href: str


class HealthValue(Value):
    """What a check of papers found, the gravest first."""

    made: str
    as_of: str
    stale: bool = Field(description="Whether files have come or gone since.")
    documents: int
    unread: int
    pages: int
    characters: int
    classes: dict[ProblemClass, int]
    symptoms: list[SymptomValue]


@router.post("/health", status_code=202)
def check(
    context: Context, asked: CheckRequest, idempotency_key: IdempotencyKey = None
) -> TaskValue:
    """Check the papers of a collection; the answer is the task to watch."""
    as_of = checking.parse_date(asked.as_of) if asked.as_of else None
    return run_once(
        context,
        idempotency_key,
        asked.model_dump_json(),
        TaskValue,
        lambda: TaskValue.from_task(checking.begin(context, asked.collection, as_of)),
    )


@router.get("/health")
def health(
    context: Context, collection: Annotated[str, Query(max_length=500, examples=["Project Larch"])]
) -> HealthValue:
    """Return what the last check of a collection's papers found."""
    told = context.state.uploads.display_path
    with context.access() as access:
        checked = access.last_health_check(collection)
        if checked is None:
            raise NotFound(
                "the papers of this collection were not checked yet.",
                remedy="Have them checked: POST to the same route.",
            )
        found = checked.health
        symptoms = []
        for each in found.symptoms:
            words, href = "", document_href(each.document) if each.document else ""
            if each.document and each.span:
                words = each.span.text_in(access.text(each.document))
                href = quote_href(each.document, each.span, words)
            symptoms.append(
                SymptomValue.model_validate(
                    {
                        "class": papers.problem_class(each.concern),
                        "concern": each.concern.value,
                        "severity": each.severity.value,
                        "document": each.document,
                        "name": each.name if each.document else told(each.name),
                        "message": each.message,
                        "remedy": each.remedy,
                        "span": SpanValue.from_span(each.span) if each.span else None,
                        "words": words,
                        "others": [told(other) for other in each.others],
                        "href": href,
                    }
                )
            )
    return HealthValue(
        made=checked.made,
        as_of=checked.as_of.isoformat(),
        stale=checked.stale,
        documents=found.documents,
        unread=found.unread,
        pages=found.pages,
        characters=found.characters,
        classes={kind: len(some) for kind, some in papers.group_by_class(found)},
        symptoms=symptoms,
    )
