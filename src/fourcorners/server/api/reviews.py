"""Reviews of a collection by a playbook."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from fourcorners.operations.principal import Role
from fourcorners.review.parties import set_side
from fourcorners.server import columns as column_actions
from fourcorners.server.api.models import Flag, OptionalMoment, PartyNames, TaskValue
from fourcorners.server.api.parameters import CollectionName, PlaybookName, file_responses
from fourcorners.server.api.requests import IdempotencyKey, start_task
from fourcorners.server.context import Context
from fourcorners.server.grid.reviews import list_progress
from fourcorners.server.pages import review as review_pages
from fourcorners.server.store import playbook_store
from fourcorners.server.tasks.handlers import review as reviewing
from fourcorners.server.tasks.queue import Task
from fourcorners.value import Value

router = APIRouter(tags=["Reviews"])
_REPORT = file_responses(media_type for media_type, _ in review_pages.FORMS.values())


class ReviewValue(Value):
    """A review: a collection by a playbook, as far as its cells are filled."""

    collection: str = Field(examples=["Project Larch"])
    playbook: str = Field(examples=["due-diligence"])
    name: str = Field(description="The playbook's.")
    cells: int = Field(description="Contracts times provisions.")
    filled: int
    last: OptionalMoment = Field(description="When the last cell was filled.")
    task: str = Field(description="The id of the task that fills it; empty if none does.")


class ReviewRequest(Value):
    """A review to be run."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    again: Flag = Field(default=False, description="Fill the cells anew that are filled already.")
    read_for: PartyNames | None = Field(
        default=None,
        description="The party for whom you read, by name, role or group, or several of a group: "
        "the collection remembers it. An empty list makes it nobody, null leaves it as it is. "
        "Until a party is named nothing is called ours or theirs.",
        examples=[["Larch"]],
    )


@router.post("/reviews", status_code=202)
def start_review(context: Context, asked: ReviewRequest, key: IdempotencyKey = None) -> TaskValue:
    """Review a collection by a playbook; the answer is the task to watch."""
    with context.access() as access:
        access.require(Role.REVIEWER, asked.collection)
        book = playbook_store.load_playbook(access.common(), asked.playbook)
    spec = {"playbook": book.id, "again": "yes" if asked.again else ""}

    def do() -> Task:
        if asked.read_for is not None:
            with context.access() as access:
                library = access.library_for(asked.collection, Role.REVIEWER)
                by = context.principal.name
                set_side(library, asked.collection, asked.read_for, by=by)
        started = context.start_task(reviewing.KIND, reviewing.LANE, asked.collection, spec)
        column_actions.fill_new_documents(context, asked.collection, book.id)
        return started

    return start_task(context, key, asked, do)


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
        for each in list_progress(context)
    ]


@router.get("/reviews/report", response_class=Response, responses=_REPORT)
def export_review(
    context: Context,
    collection: CollectionName,
    playbook: PlaybookName = "due-diligence",
    form: Annotated[
        Literal["xlsx", "html", "json", "docx", "flags.docx"],
        Query(
            alias="format",
            description="Of the file; `docx` is the due-diligence report, `flags.docx` the red "
            "flags alone.",
        ),
    ] = "xlsx",
) -> Response:
    """Return a review as a file to send, of up to 1,000 contracts."""
    return review_pages.export(context, collection, playbook, form)
