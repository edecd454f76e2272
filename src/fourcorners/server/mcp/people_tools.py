"""Tools for work among people: what one is notified of, many findings marked, and taken back."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from fourcorners.operations.inbox import Inbox, InboxRequest, read_inbox
from fourcorners.operations.reviewing.bulk_findings import (
    BulkRequest,
    BulkResult,
    annotate_many,
    undo_many,
)
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.value import Value


@tool(
    "What you are notified of",
    "Lists findings that were assigned to you or in which you are mentioned, answers to what you "
    "wrote, and files that arrived, the unread first.",
)
def _inbox(context: RequestContext, asked: InboxRequest, _: Progress) -> Inbox:
    with context.access() as access:
        return read_inbox(access, asked)


@tool(
    "Mark findings",
    "Confirms, rejects, flags, assigns or comments on all findings that fit and that nobody has "
    "checked. Call it without `count` first: it tells how many there are and marks nothing. Ask "
    "the person before you call it with that `count`. `undo_marks` takes it back.",
    writes=True,
)
def _mark_findings(context: RequestContext, asked: BulkRequest, _: Progress) -> BulkResult:
    with context.access() as access:
        return annotate_many(access, asked)


class UndoRequest(Value):
    """What is to be undone."""

    number: int = Field(ge=1, le=1 << 60, description="As `mark_findings` returned it.")


@tool("Undo marks", "Takes back what `mark_findings` did; what changed since stays.", writes=True)
def _undo_marks(context: RequestContext, asked: UndoRequest, _: Progress) -> BulkResult:
    with context.access() as access:
        return undo_many(access, asked.number)


TOOLS: tuple[McpTool[Any], ...] = (_inbox, _mark_findings, _undo_marks)
