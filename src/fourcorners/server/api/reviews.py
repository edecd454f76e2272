"""Reviews of a collection by a playbook."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import Field

from fourcorners.operations.reviewing import clauses, views
from fourcorners.operations.reviewing.clauses import ClausesRequest, ClauseTable
from fourcorners.operations.reviewing.exports import (
    FORMS,
    MOST_AT_ONCE,
    ExportRequest,
    count_contracts,
    media_type_of,
)
from fourcorners.operations.reviewing.reviews import ReviewRequest
from fourcorners.operations.reviewing.views import SavedView, ViewRequest
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.review.overview.counts import FindingCounts
from fourcorners.server.api.models import (
    CollectionName,
    Cursor,
    Limit,
    OptionalMoment,
    Paged,
    PlaybookName,
    TaskValue,
    file_responses,
)
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.errors import TooLarge
from fourcorners.server.grid import reviews
from fourcorners.server.pages.reviewing import review as review_pages
from fourcorners.server.pages.reviewing.clauses import send_clauses
from fourcorners.server.to_do import ToDoItem, ToDoRequest, count_review, list_to_do
from fourcorners.value import Value

router = APIRouter(tags=["Reviews"], route_class=ApiRoute)
_REPORT = file_responses(map(media_type_of, FORMS))


class ReviewValue(Value):
    """A review: a collection by a playbook, as far as its cells are filled."""

    collection: str = Field(examples=["Project Larch"])
    playbook: str = Field(examples=["due-diligence"])
    name: str = Field(description="The playbook's.")
    cells: int = Field(description="Contracts times provisions.")
    filled: int
    last: OptionalMoment = Field(description="When the last cell was filled.")
    task: str = Field(description="The id of the task that fills it; empty if none does.")


@router.post("/reviews", status_code=202)
def start_review(context: Context, asked: ReviewRequest) -> TaskValue:
    """Review a collection by a playbook; the answer is the task to watch."""
    return TaskValue.make(reviews.start_review(context, asked))


@router.get("/reviews")
def list_reviews(context: Context) -> list[ReviewValue]:
    """List the reviews of the collections that you may read, the latest first."""
    return [
        ReviewValue.make(
            each,
            playbook=each.playbook.id,
            name=each.playbook.name,
            task=each.task.id if each.task else "",
        )
        for each in reviews.list_progress(context)
    ]


@router.get("/reviews/counts")
def count_findings(
    context: Context, collection: CollectionName, playbook: PlaybookName = "due-diligence"
) -> FindingCounts:
    """Count the findings of a review, as the grid and the reports do."""
    with context.access() as access:
        return count_review(context.state.connection_pool, access, collection, playbook)


@router.get("/reviews/versions")
def list_review_versions(
    context: Context, collection: CollectionName, playbook: PlaybookName = "due-diligence"
) -> list[reviews.PlaybookVersionUse]:
    """List which versions of the playbook made findings of a collection, the last first."""
    return reviews.review_playbook_versions(context, collection, playbook)


class _ToDoQuery(ToDoRequest):
    """Which of the things to do, and which part of them."""

    cursor: Cursor = ""
    limit: Limit = 50


@router.get("/to-do")
def list_things_to_do(context: Context, asked: Annotated[_ToDoQuery, Query()]) -> Paged[ToDoItem]:
    """List what waits for a person in the reviews that you may read.

    Second looks come first, then high findings, those that could be high, others to be read, cells
    that failed, and what is assigned to someone; what is assigned to you comes before all others.
    """
    part = list_to_do(context, asked, asked.cursor, asked.limit)
    return Paged(items=part.items, next=part.next)


@router.post("/reviews/clauses")
def compare_clauses(context: Context, asked: ClausesRequest) -> ClauseTable:
    """Compare the clauses of a provision, part by part, with one contract's or the playbook's."""
    with context.access() as access:
        return clauses.compare_clauses(access, asked)


class ClausesFileRequest(ClausesRequest):
    """Which clauses, and what to write."""

    format: Literal["xlsx", "docx", "pdf", "html"] = "xlsx"


@router.get(
    "/reviews/clauses/report",
    response_class=Response,
    responses=file_responses(FILE_TYPES[each] for each in clauses.FORMS),
)
def export_clauses(context: Context, asked: Annotated[ClausesFileRequest, Query()]) -> Response:
    """Return the clauses of a provision side by side as a file to send."""
    return send_clauses(context, asked, asked.format)


@router.get("/views")
def list_views(
    context: Context, collection: CollectionName, playbook: PlaybookName = "due-diligence"
) -> list[SavedView]:
    """List the views of a review: yours, then those that others share."""
    with context.access() as access:
        return views.list_views(access, collection, playbook)


@router.post("/views", status_code=201)
def save_view(context: Context, asked: ViewRequest) -> SavedView:
    """Save filters, order, columns and widths of a review's grid under a name."""
    with context.access() as access:
        return views.save_view(access, asked)


@router.delete("/views/{view}", status_code=204)
def delete_view(context: Context, view: Annotated[int, Path(ge=0, lt=1 << 60)]) -> None:
    """Delete a view."""
    with context.access() as access:
        views.delete_view(access, view)


@router.get("/reviews/report", response_class=Response, responses=_REPORT)
def export_review(context: Context, asked: Annotated[ExportRequest, Query()]) -> Response:
    """Return a review, or some of its contracts, as a file to send; of up to 200 contracts."""
    with context.access() as access:
        contracts = count_contracts(access, asked)
    if contracts > MOST_AT_ONCE:
        raise TooLarge(
            f"a report on {contracts:,} contracts is written as a task.",
            remedy="POST the same to /reviews/report, and fetch the file from /tasks/ID/file.",
        )
    return review_pages.send_review(context, asked)


@router.post("/reviews/report", status_code=202)
def start_export(context: Context, asked: ExportRequest) -> TaskValue:
    """Write a review as a file; the answer is the task to watch, which has the file for a day."""
    return TaskValue.make(review_pages.start_export(context, asked))
