"""What waits for a person in all reviews, and the way through it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.operations.principal import Role
from fourcorners.review.overview.counts import ToDoReason
from fourcorners.server.context import Context
from fourcorners.server.grid.reviews import stopped_reviews
from fourcorners.server.to_do import NOBODY, ToDoItem, ToDoRequest, list_to_do

router = APIRouter()
_SHOWN = 50  # findings of a page
_REASONS = {
    ToDoReason.SECOND_LOOK: "Second look",
    ToDoReason.HIGH: "High severity",
    ToDoReason.POSSIBLE_HIGH: "Could be high",
    ToDoReason.TO_READ: "To be read",
    ToDoReason.FAILED: "Failed",
    ToDoReason.ASSIGNED: "Assigned",
}
_Name = Annotated[str, Query(max_length=500)]
_Word = Annotated[str, Query(max_length=20)]
_For = Annotated[str, Query(alias="for", max_length=200)]
_After = Annotated[str, Query(max_length=2_000)]


@router.get("/to-do")
def show(
    context: Context,
    c: _Name = "",
    why: _Word = "",
    assigned: _For = "",
    after: _After = "",
) -> Response:
    asked = _request(c, why, assigned)
    part = list_to_do(context, asked, after, _SHOWN)
    with context.access() as access:
        collections = [each.name for each in access.collections() if each.documents]
    me = context.principal.name
    names = {*part.people, me, assigned} - {NOBODY, ""}
    query = _query(asked)
    return context.page(
        "to_do.html.j2",
        part=part,
        rows=[
            (each, _cell_href(each, asked, cursor))
            for each, cursor in zip(part.items, part.cursors, strict=True)
        ],
        asked=asked,
        query=f"{query}&" if query else "",
        is_first=not after,
        collections=collections,
        stopped=[
            (task, book.name, context.principal.may(Role.REVIEWER, task.collection))
            for task, book in stopped_reviews(context, asked.collection)
        ],
        people=sorted(names, key=lambda name: (name != me, name.casefold())),
        me=me,
        nobody=NOBODY,
        reason_words=_REASONS,
    )


@router.get("/to-do/next")
def show_next(
    context: Context, c: _Name = "", why: _Word = "", assigned: _For = "", after: _After = ""
) -> Response:
    """Go to what comes after an item of the list; at the end, to its beginning."""
    asked = _request(c, why, assigned)
    part = list_to_do(context, asked, after, 1)
    if part.items:
        return context.redirect(_cell_href(part.items[0], asked, part.cursors[0]))
    return context.redirect(f"/to-do?{_query(asked)}")


def _request(collection: str, why: str, assigned: str) -> ToDoRequest:
    """Return what an address asks for; a reason that there is not counts as none."""
    reason = ToDoReason(why) if why in tuple(ToDoReason) else None
    return ToDoRequest.from_fields(
        collection=collection or None, reason=reason, assigned=assigned or None
    )


def _query(asked: ToDoRequest, **more: str) -> str:
    given = {"c": asked.collection, "why": asked.reason, "for": asked.assigned, **more}
    return urlencode({name: value for name, value in given.items() if value})


def _cell_href(each: ToDoItem, asked: ToDoRequest, cursor: str) -> str:
    """Return the address of a finding that leads on through the list."""
    place = {"c": each.collection, "p": each.playbook, "d": each.document, "v": each.provision}
    return f"/reviews/cell?{urlencode({**place, 'todo': _query(asked, after=cursor)})}"
