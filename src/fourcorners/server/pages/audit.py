"""The audit trail: of the library for its admins, of a collection for the collection's."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from fourcorners.library.entries import AuditEntry
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.audit_words import EVENTS, AuditLine, audit_line
from fourcorners.operations.knowledge.titles import PlaybookTitles
from fourcorners.operations.principal import Role
from fourcorners.reports.workbook import csv_text
from fourcorners.review.annotations import annotation_faults
from fourcorners.server.context import Context, RequestContext, send_written
from fourcorners.server.errors import TooLarge
from fourcorners.server.pages.collection import parse_date
from fourcorners.server.store import audit_trail
from fourcorners.server.store.audit_trail import AuditQuery

router = APIRouter()
_PAGE = 100  # rows
_MAX_SEARCHED = 5_000  # entries looked through for a name; the page leads on from there
_MOST_SENT = 200_000  # entries of one file
_HEADS = ("No.", "Time (UTC)", "Event", "Person", "Collection", "Document", "Details", "Hash")


class AuditFilters:
    """What the page and the file are asked for."""

    def __init__(
        self,
        c: Annotated[str, Query(max_length=500)] = "",
        event: Annotated[str, Query(max_length=60)] = "",
        by: Annotated[str, Query(max_length=120)] = "",
        since: Annotated[str, Query(max_length=10)] = "",
        until: Annotated[str, Query(max_length=10)] = "",
    ) -> None:
        self.c, self.event, self.by, self.since, self.until = c, event, by, since, until

    def library(self, access: Access) -> Library:
        """Return the library to who may read this trail.

        Raises:
            NotFound: If they may not know of the collection.
            NotAllowed: If they are no admin there.
        """
        if self.c:
            return access.library_for(self.c, Role.ADMIN)
        return access.full_library(Role.ADMIN)

    def query(self, access: Access) -> AuditQuery:
        return AuditQuery(
            event=self.event,
            since=parse_date(self.since) if self.since else None,
            until=parse_date(self.until) if self.until else None,
            collection=self.c,
            documents=[each.id for each in access.documents(self.c)] if self.c else None,
        )

    def fits(self, entry: AuditEntry) -> bool:
        return self.by.casefold() in str(json.loads(entry.detail).get("by", "")).casefold()


Filters = Annotated[AuditFilters, Depends(AuditFilters)]


@router.get("/activity/audit")
def show(
    context: Context,
    filters: Filters,
    before: Annotated[int, Query(ge=0)] = 0,
    verify: Annotated[str, Query(max_length=3)] = "",
) -> Response:
    """Show the audit trail, and prove that it is whole where that is asked."""
    with context.access() as access:
        library = filters.library(access)
        most = _MAX_SEARCHED if filters.by else _PAGE
        searched = audit_trail.latest_entries(library, filters.query(access), before, most)
        matching = [each for each in searched if filters.fits(each)][:_PAGE]
        kinds = audit_trail.event_kinds(library)
        proof = library.audit_verdict() if verify and not filters.c else None
        broken = proof and [each.description for each in proof.faults]
        problems = broken or (annotation_faults(library) if proof else [])
        documents = {each.id: each for each in access.documents()}
        collections = [each.name for each in access.collections()]
        titles = PlaybookTitles(access)
    may_see_all = context.principal.may_everywhere(Role.ADMIN)
    return context.page(
        "audit.html.j2",
        entries=[audit_line(each, documents, titles) for each in matching],
        kinds=sorted((EVENTS.get(each, each), each) for each in kinds),
        collections=collections if may_see_all else [],
        asked=filters,
        more=_next_cursor(matching, searched, most),
        proof=proof,
        problems=problems,
        may_see_all=may_see_all,
        tab="audit",
    )


@router.get("/activity/audit.csv")
def export(context: Context, filters: Filters) -> Response:
    """Send the entries as a table for spreadsheets, the latest first."""
    return send_trail(context, filters)


def send_trail(context: RequestContext, filters: AuditFilters) -> Response:
    """Send entries of the trail as CSV, in which nothing is taken for a formula.

    Raises:
        TooLarge: If there are more than a file may have.
    """

    def write(path: Path) -> None:
        with context.access() as access, path.open("w", encoding="utf-8-sig", newline="") as file:
            library, query = filters.library(access), filters.query(access)
            documents = {each.id: each for each in access.documents()}
            titles = PlaybookTitles(access)
            rows, before, count = csv.writer(file), 0, 0
            rows.writerow(_HEADS)
            while searched := audit_trail.latest_entries(library, query, before, _MAX_SEARCHED):
                before = searched[-1].seq
                matching = [each for each in searched if filters.fits(each)]
                count += len(matching)
                if count > _MOST_SENT:
                    raise TooLarge(
                        f"a file has up to {_MOST_SENT:,} entries.", remedy="Choose fewer days."
                    )
                rows.writerows(_row(audit_line(each, documents, titles)) for each in matching)
            access.record("export", {"collection": filters.c, "as": "audit csv"}, always=True)

    return send_written("audit.csv", "text/csv; charset=utf-8", write)


def _row(line: AuditLine) -> list[str]:
    values = (line.at, line.event, line.by, line.collection, line.document, line.details, line.hash)
    return [str(line.number), *map(csv_text, values)]


def _next_cursor(shown: list[AuditEntry], searched: list[AuditEntry], most: int) -> int:
    """Return before which entry the next page begins; 0 if the trail has no more."""
    if len(shown) == _PAGE:
        return shown[-1].seq
    return searched[-1].seq if len(searched) == most else 0
