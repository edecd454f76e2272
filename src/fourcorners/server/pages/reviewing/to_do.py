"""What waits for a person in all reviews, and the way through it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from fourcorners.operations.principal import Role
from fourcorners.review.overview.counts import ToDoReason
from fourcorners.server.context import Context
from fourcorners.server.grid.reviews import stopped_reviews
from fourcorners.server.to_do import NOBODY, ToDoItem, ToDoRequest, list_to_do

router = APIRouter()
_SHOWN = 50  # findings of a page
_GROUPS = 25  # of a page
_CONTRACTS = 4  # of a group that are shown, of which each is read
_REASONS = {
    ToDoReason.SECOND_LOOK: "Second look",
    ToDoReason.HIGH: "High severity",
    ToDoReason.POSSIBLE_HIGH: "Could be high",
    ToDoReason.TO_READ: "To be read",
    ToDoReason.FAILED: "Failed",
    ToDoReason.ASSIGNED: "Assigned",
}
_Word = Annotated[str, Query(max_length=200)]


def _request(
    c: Annotated[str, Query(max_length=500)] = "",
    p: _Word = "",
    v: _Word = "",
    why: _Word = "",
    assigned: Annotated[str, Query(alias="for", max_length=200)] = "",
) -> ToDoRequest:
    """Return what an address asks for; a reason that there is not counts as none."""
    reason = ToDoReason(why) if why in tuple(ToDoReason) else None
    return ToDoRequest.from_fields(
        collection=c or None,
        playbook=p or None,
        provision=v or None,
        reason=reason,
        assigned=assigned or None,
    )


_Asked = Annotated[ToDoRequest, Depends(_request)]
_After = Annotated[str, Query(max_length=2_000)]


@router.get("/to-do")
def show(
    context: Context,
    asked: _Asked,
    after: _After = "",
) -> Response:
    """Show the list, a line for each reason; of a single provision, one for each contract."""
    if asked.provision:
        part = list_to_do(context, asked, after, _SHOWN)
    else:
        part = list_to_do(context, asked, after, _GROUPS, shown=_CONTRACTS)
    with context.access() as access:
        collections = [each.name for each in access.collections() if each.documents]
    me = context.principal.name
    names = {*part.people, me, asked.assigned or ""} - {NOBODY, ""}
    query = _query(asked)
    return context.page(
        "to_do.html.j2",
        part=part,
        groups=[
            (
                group,
                [_cell_href(*one, asked) for one in zip(group.items, group.cursors, strict=True)],
                f"/to-do?{_query(_request_of(group.items[0]))}",
            )
            for group in part.groups
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
def show_next(context: Context, asked: _Asked, after: _After = "") -> Response:
    """Go to what comes after an item of the list; at the end, to its beginning."""
    part = list_to_do(context, asked, after, 1)
    if part.items:
        return context.redirect(_cell_href(part.items[0], part.cursors[0], asked))
    return context.redirect(f"/to-do?{_query(asked)}")


def _request_of(each: ToDoItem) -> ToDoRequest:
    """Return a request for the findings that wait for the same reason and person."""
    return ToDoRequest(
        collection=each.collection,
        playbook=each.playbook,
        provision=each.provision,
        reason=each.reason,
        assigned=each.assigned or NOBODY,
    )


def _query(asked: ToDoRequest, **more: str) -> str:
    given = {"c": asked.collection, "p": asked.playbook, "v": asked.provision}
    given |= {"why": asked.reason, "for": asked.assigned, **more}
    return urlencode({name: value for name, value in given.items() if value})


def _cell_href(each: ToDoItem, cursor: str, asked: ToDoRequest) -> str:
    """Return the address of a finding that leads on through the list."""
    place = {"c": each.collection, "p": each.playbook, "d": each.document, "v": each.provision}
    return f"/reviews/cell?{urlencode({**place, 'todo': _query(asked, after=cursor)})}"
