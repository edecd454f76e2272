"""The check of a collection's papers: begun, watched, and what it found, by class."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.library.entries import Entry
from fourcorners.library.tokens import folded
from fourcorners.server import papers
from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.doing import examining
from fourcorners.server.principal import Role
from fourcorners.server.refusals import Refusal
from fourcorners.server.tasks import Task

router = APIRouter()
_LOOKED = 50  # tasks looked through for one that goes on
_EARLIEST, _LATEST = date(1900, 1, 1), date(2200, 1, 1)


@router.get("/health")
def show(desk: Desk, c: Annotated[str, Query(max_length=500)]) -> Response:
    """Show what the last check of a collection's papers found, and how far one is that goes on."""
    with desk.access() as access:
        checked = access.papers(c)
        entries = access.documents(c)
        symptoms = checked.found.symptoms if checked else ()
        texts = {
            each.document: access.text(each.document)
            for each in symptoms
            if each.document and each.span
        }
    return desk.page(
        "health.html.j2",
        name=c,
        checked=checked,
        classes=list(papers.by_class(checked.found)) if checked else [],
        texts=texts,
        told=desk.office.uploads.told,
        ids=_ids(entries),
        task=last_task(desk, c),
        today=datetime.now(UTC).date(),
    )


@router.post("/health")
def check(
    desk: Desk,
    c: Annotated[str, Form(max_length=500)],
    as_of: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Begin to check the papers of a collection."""
    begin(desk, c, day(as_of) if as_of.strip() else None)
    return desk.see(f"/health?{urlencode({'c': c})}")


def begin(desk: DeskOf, collection: str, as_of: date | None = None) -> Task:
    """Check the papers of a collection, unless that is going on already.

    Raises:
        NotFound: If they may not know of the collection.
    """
    with desk.access() as access:
        access.require(Role.READER, collection)
    going = last_task(desk, collection)
    if going is not None and not going.state.ended:
        return going
    today = as_of or datetime.now(UTC).date()
    spec = {"as_of": today.isoformat()}
    return desk.start(examining.KIND, examining.LANE, collection, spec)


def last_task(desk: DeskOf, collection: str) -> Task | None:
    """Return the last check of a collection's papers, if it is remembered."""
    wanted = folded(collection)
    return next(
        (
            each
            for each in desk.tasks(limit=_LOOKED)
            if each.kind == examining.KIND and folded(each.collection) == wanted
        ),
        None,
    )


def day(text: str) -> date:
    """Return a day that somebody wrote as 2026-03-01.

    Raises:
        Refusal: If it is none.
    """
    try:
        given = date.fromisoformat(text.strip())
    except ValueError as error:
        raise Refusal("this is no day.", remedy="Write it as 2026-03-01.") from error
    if not _EARLIEST <= given <= _LATEST:
        raise Refusal("no contract is of this day.", remedy="Write it as 2026-03-01.")
    return given


def _ids(entries: list[Entry]) -> dict[str, str]:
    """Return the ids of documents by their names, where one alone has the name."""
    found: dict[str, str] = {}
    for entry in entries:
        found[entry.name] = "" if entry.name in found else entry.id
    return found
