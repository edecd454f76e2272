"""The inbox of whoever asks: what they are notified of."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from fourcorners.operations import inbox
from fourcorners.operations.inbox import Inbox, InboxRequest, ReadRequest
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context

router = APIRouter(tags=["Inbox"], route_class=ApiRoute)


@router.get("/inbox")
def read_inbox(
    context: Context,
    unread: Annotated[bool, Query(description="Only those that were not read.")] = False,
    limit: Annotated[int, Query(ge=1, le=inbox.MAX_NOTICES)] = 50,
) -> Inbox:
    """List what you are notified of, the unread first; nothing of what you may not read now."""
    with context.access() as access:
        return inbox.read_inbox(access, InboxRequest(unread=unread, limit=limit))


@router.post("/inbox/read")
def mark_notices_read(context: Context, asked: ReadRequest) -> Inbox:
    """Mark notices as read, all of them where none is named."""
    with context.access() as access:
        return inbox.mark_read(access, asked)
