"""The audit trail: what was done, by whom, and whether the trail is whole."""

from __future__ import annotations

import json
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.principal import Role
from fourcorners.server.api.models import CollectionName, Cursor, Moment, Paged, file_responses
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.cursors import cut_page, decode_cursor
from fourcorners.server.pages import audit as pages
from fourcorners.server.store import audit_trail
from fourcorners.value import Value

router = APIRouter(tags=["Audit"], route_class=ApiRoute)
_Date = Annotated[date | None, Query()]


class AuditEntryValue(Value):
    """One line of the trail, bound to the one before it by a hash."""

    seq: int
    at: Moment
    event: str
    detail: dict[str, str | int]
    previous: str
    hash: str


class AuditVerdictValue(Value):
    """What reading the whole trail shows."""

    entries: int
    head: str
    faults: list[str]


@router.get("/audit")
def list_audit_entries(
    context: Context,
    collection: CollectionName | None = None,
    cursor: Cursor = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Paged[AuditEntryValue]:
    """List the audit trail, the oldest entry first: whole, or what is of one collection.

    The whole trail is for admins of the library, a collection's for its own. Of a collection is
    what names it, or a contract that is in it now.
    """
    with context.access() as access:
        _library_to_audit(access, collection)
    last = int(decode_cursor(context, "audit", cursor)[0]) if cursor else 0
    with context.access() as access:
        library = _library_to_audit(access, collection)
        inside = None if collection is None else [e.id for e in access.documents(collection)]
        found = audit_trail.entries_after(library, last, limit + 1, collection or "", inside)
    here, after = cut_page(context, "audit", found, lambda each: (str(each.seq),), limit)
    items = [AuditEntryValue.make(each, detail=_detail(each.detail)) for each in here]
    return Paged(items=items, next=after)


@router.get("/audit/export", response_class=Response, responses=file_responses(["text/csv"]))
def export_audit_trail(
    context: Context,
    collection: Annotated[str, Query(max_length=500)] = "",
    event: Annotated[str, Query(max_length=60)] = "",
    by: Annotated[str, Query(max_length=120)] = "",
    since: _Date = None,
    until: _Date = None,
) -> Response:
    """Return entries of the trail as CSV for a spreadsheet, the latest first.

    They may be narrowed to an event, a person, days (in UTC) and a collection.
    """
    days = [each.isoformat() if each else "" for each in (since, until)]
    return pages.send_trail(context, pages.AuditFilters(collection, event, by, *days))


@router.get("/audit/verdict")
def verify_audit_trail(context: Context) -> AuditVerdictValue:
    """Read the whole trail, and tell whether any of it was changed."""
    with context.access() as access:
        found = access.full_library(Role.ADMIN).audit_verdict()
    return AuditVerdictValue.make(found, faults=[each.description for each in found.faults])


def _detail(stored: str) -> dict[str, str | int]:
    """Return the details of an entry; those of another shape, of older versions, as JSON."""
    found = json.loads(stored)
    return {
        name: value if isinstance(value, str | int) else json.dumps(value)
        for name, value in found.items()
    }


def _library_to_audit(access: Access, collection: str | None) -> Library:
    if collection is None:
        return access.full_library(Role.ADMIN)
    return access.library_for(collection, Role.ADMIN)
