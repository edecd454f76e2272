"""Tools for reviews: playbooks, findings, and starting a review."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from fourcorners.server.api import findings as finding
from fourcorners.server.api import tasks
from fourcorners.server.api.findings import FindingValue, ReviewRequest
from fourcorners.server.api.models import Paged, TaskValue, Value
from fourcorners.server.api.requests import page_of
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.read_tools import DocumentId, NoArguments
from fourcorners.server.mcp.tool import McpTool, Progress, tool

_ALL = 1_000_000  # cells of a grid, at most: they are counted in thousands


class PlaybookEntry(Value):
    """A playbook with the ids of its provisions."""

    id: str
    name: str
    provisions: list[str]


class Playbooks(Value):
    """The playbooks that reviews can follow."""

    playbooks: list[PlaybookEntry]


@tool("Playbooks", "Lists the playbooks that reviews follow, with the ids of their provisions.")
def _playbooks(context: RequestContext, _: NoArguments, __: Progress) -> Playbooks:
    return Playbooks(
        playbooks=[
            PlaybookEntry.of(each, provisions=[one.id for one in each.provisions])
            for each in finding.playbooks(context)
        ]
    )


class FindingsRequest(Value):
    """Which findings."""

    collection: str = Field(max_length=500, description="Whose, by its name.")
    playbook: str = Field(default="due-diligence", max_length=200)
    document: DocumentId | None = None
    provision: Annotated[str | None, Field(max_length=200)] = None
    state: Literal["found", "not_found", "failed", "not_applicable"] | None = None
    cursor: str = Field(default="", max_length=2_000, description="`next` of the part before.")
    limit: int = Field(default=50, ge=1, le=200)


@tool(
    "Findings of a review",
    "Brings what a review found: for each provision and contract whether it is there, with "
    "the clause's words and place, how grave it is, and what people said of it. A contract "
    "without findings was not reviewed by that playbook.",
)
def _findings(context: RequestContext, asked: FindingsRequest, _: Progress) -> Paged[FindingValue]:
    cells = finding.findings(context, asked.collection, asked.playbook, asked.document, "", _ALL)
    wanted = [
        each
        for each in cells.items
        if asked.provision in (None, each.provision) and asked.state in (None, each.state)
    ]
    cursor, limit = asked.cursor, asked.limit
    here, after = page_of(wanted, lambda each: (each.document, each.provision), cursor, limit)
    return Paged(items=here, next=after)


@tool(
    "Start a review",
    "Starts a review of a collection by a playbook and returns its task, which `task` tells "
    "the progress of.",
    writes=True,
)
def _start_review(context: RequestContext, asked: ReviewRequest, _: Progress) -> TaskValue:
    return finding.review(context, asked)


class TaskRequest(Value):
    """Which task."""

    task: str = Field(max_length=40, description="Its id, as `start_review` tells it.")


@tool("Progress of long work", "Tells how far a task is, and what came of it.")
def _task(context: RequestContext, asked: TaskRequest, _: Progress) -> TaskValue:
    return tasks.task(context, asked.task)


TOOLS: tuple[McpTool[Any], ...] = (
    _playbooks,
    _findings,
    _start_review,
    _task,
)
