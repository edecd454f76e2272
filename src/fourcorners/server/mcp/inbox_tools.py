"""The tool that lists what its user is notified of."""

from __future__ import annotations

from typing import Any

from fourcorners.operations.inbox import Inbox, InboxRequest, read_inbox
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.tool import McpTool, Progress, tool


@tool(
    "What you are notified of",
    "Lists findings that were assigned to you or in which you are mentioned, answers to what you "
    "wrote, and files that arrived, the unread first.",
)
def _inbox(context: RequestContext, asked: InboxRequest, _: Progress) -> Inbox:
    with context.access() as access:
        return read_inbox(access, asked)


TOOLS: tuple[McpTool[Any], ...] = (_inbox,)
