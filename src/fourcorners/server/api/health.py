"""The check of a collection's papers."""

from __future__ import annotations

from datetime import date

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from fourcorners.operations.errors import NotFound
from fourcorners.review.finding import Severity
from fourcorners.server.api.models import CollectionName, Day, Moment, TaskValue
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.links import document_href, quote_href
from fourcorners.server.pages import collection as collection_pages
from fourcorners.server.store import health_checks
from fourcorners.server.store.health_checks import ProblemClass
from fourcorners.text.span import Span
from fourcorners.value import Value

router = APIRouter(tags=["Health"], route_class=ApiRoute)


class CheckRequest(Value):
    """Whose papers are to be checked."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    as_of: date | None = Field(
        default=None, description="The day on which terms are judged; null for today."
    )


class SymptomValue(Value):
    """One thing to look at before a review."""

    model_config = ConfigDict(populate_by_name=True)

    class_: ProblemClass = Field(alias="class")
    concern: str = Field(examples=["missing-attachment"])
    severity: Severity
    document: str = Field(description="Its id; empty for a file that could not be read.")
    name: str
    message: str
    remedy: str
    span: Span | None
    words: str = Field(description="Those at the span.")
    places: list[Span] = Field(description="All such words, where there are several.")
    others: list[str] = Field(description="The names of other files that it concerns.")
    href: str


class HealthValue(Value):
    """What a check of papers found, the gravest first."""

    made: Moment
    as_of: Day
    stale: bool = Field(description="Whether files have come or gone since.")
    documents: int
    unread: int
    pages: int
    characters: int
    classes: dict[ProblemClass, int]
    symptoms: list[SymptomValue]


@router.post("/health", status_code=202)
def start_health_check(context: Context, asked: CheckRequest) -> TaskValue:
    """Check the papers of a collection; the answer is the task to watch."""
    as_of = collection_pages.parse_date(asked.as_of.isoformat()) if asked.as_of else None
    return TaskValue.make(collection_pages.begin(context, asked.collection, as_of))


@router.get("/health")
def get_health(context: Context, collection: CollectionName) -> HealthValue:
    """Return what the last check of a collection's papers found."""
    shown_path = context.state.uploads.display_path
    with context.access() as access:
        checked = health_checks.visible_check(access, collection)
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
                SymptomValue.make(
                    each,
                    class_=health_checks.CLASS_OF[each.concern],
                    name=each.name if each.document else shown_path(each.name),
                    words=words,
                    others=[shown_path(other) for other in each.others],
                    href=href,
                )
            )
    return HealthValue.make(
        found,
        made=checked.made,
        as_of=checked.as_of.isoformat(),
        stale=checked.stale,
        classes={kind: len(some) for kind, some in health_checks.group_by_class(found)},
        symptoms=symptoms,
    )
