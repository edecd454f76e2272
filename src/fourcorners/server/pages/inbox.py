"""Inbox: what one is notified of, by deal, the unread first."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from fastapi.responses import Response

from fourcorners.operations import inbox
from fourcorners.operations.inbox import InboxNotice, InboxRequest, ReadRequest
from fourcorners.operations.notices import NoticeKind
from fourcorners.server.context import Context
from fourcorners.server.links import collection_href, document_href

router = APIRouter()
_SHOWN = 200  # notices


@router.get("/inbox")
def show(context: Context) -> Response:
    with context.access() as access:
        found = inbox.read_inbox(access, InboxRequest(limit=_SHOWN))
    unread = [each for each in found.notices if not each.read]
    return context.page(
        "inbox.html.j2",
        deals=[(name, list(some)) for name, some in groupby(sorted(unread, key=_deal), _deal)],
        read=[each for each in found.notices if each.read],
    )


def _deal(notice: InboxNotice) -> str:
    return notice.collection


@router.post("/inbox/open")
def open_notice(context: Context, notice: Annotated[int, Form()]) -> Response:
    """Lead to what a notice is about, which is read by that."""
    with context.access() as access:
        found = inbox.read_inbox(access, InboxRequest(limit=inbox.MAX_NOTICES)).notices
        inbox.mark_read(access, ReadRequest.from_fields(notices=[notice]))
        person = access.principal.name
    return context.redirect(
        next((_href(each, person) for each in found if each.id == notice), "/inbox")
    )


@router.post("/inbox/read")
def mark_read(context: Context, notice: Annotated[int, Form()] = 0) -> Response:
    """Mark a notice as read, or all of them."""
    with context.access() as access:
        inbox.mark_read(access, ReadRequest.from_fields(notices=[notice] if notice else []))
    return context.redirect("/inbox")


def _href(notice: InboxNotice, person: str) -> str:
    if notice.kind is NoticeKind.EXPIRING:
        return f"/precedents/bank?{urlencode({'b': notice.playbook})}"
    if notice.provision:
        cell = {"c": notice.collection, "p": notice.playbook}
        cell |= {"d": notice.document, "v": notice.provision}
        return f"/reviews/cell?{urlencode(cell)}"
    if notice.kind is NoticeKind.ASSIGNED:  # many findings at once
        return f"/to-do?{urlencode({'c': notice.collection, 'for': person})}"
    if notice.document:
        return document_href(notice.document)
    return collection_href(notice.collection) if notice.collection else "/inbox"
