"""The check of a collection's papers: begun, watched, and what it found, by class."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.library.entries import Entry
from fourcorners.library.tokens import fold_name
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import HttpError
from fourcorners.server.store import health_checks as papers
from fourcorners.server.tasks.handlers import health as examining
from fourcorners.server.tasks.queue import Task

router = APIRouter()
_LOOKED = 50  # tasks looked through for one that goes on
_EARLIEST, _LATEST = date(1900, 1, 1), date(2200, 1, 1)


@router.get("/health")
def show(context: Context, c: Annotated[str, Query(max_length=500)]) -> Response:
    """Show what the last check of a collection's papers found, and how far one is that goes on."""
    with context.access() as access:
        checked = access.last_health_check(c)
        entries = access.documents(c)
        symptoms = checked.health.symptoms if checked else ()
        texts = {
            each.document: access.text(each.document)
            for each in symptoms
            if each.document and each.span
        }
    return context.page(
        "health.html.j2",
        name=c,
        checked=checked,
        classes=list(papers.group_by_class(checked.health)) if checked else [],
        texts=texts,
        told=context.state.uploads.display_path,
        ids=_ids(entries),
        task=last_task(context, c),
        today=datetime.now(UTC).date(),
    )


@router.post("/health")
def check(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    as_of: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Begin to check the papers of a collection."""
    begin(context, c, parse_date(as_of) if as_of.strip() else None)
    return context.redirect(f"/health?{urlencode({'c': c})}")


def begin(context: RequestContext, collection: str, as_of: date | None = None) -> Task:
    """Check the papers of a collection, unless that is going on already.

    Raises:
        NotFound: If they may not know of the collection.
    """
    with context.access() as access:
        access.require(Role.READER, collection)
    going = last_task(context, collection)
    if going is not None and not going.state.is_final:
        return going
    today = as_of or datetime.now(UTC).date()
    spec = {"as_of": today.isoformat()}
    return context.start_task(examining.KIND, examining.LANE, collection, spec)


def last_task(context: RequestContext, collection: str) -> Task | None:
    """Return the last check of a collection's papers, if it is remembered."""
    wanted = fold_name(collection)
    return next(
        (
            each
            for each in context.tasks(limit=_LOOKED)
            if each.kind == examining.KIND and fold_name(each.collection) == wanted
        ),
        None,
    )


def parse_date(text: str) -> date:
    """Return a day that somebody wrote as 2026-03-01.

    Raises:
        Refusal: If it is none.
    """
    try:
        given = date.fromisoformat(text.strip())
    except ValueError as error:
        raise HttpError("this is no day.", remedy="Write it as 2026-03-01.") from error
    if not _EARLIEST <= given <= _LATEST:
        raise HttpError("no contract is of this day.", remedy="Write it as 2026-03-01.")
    return given


def _ids(entries: list[Entry]) -> dict[str, str]:
    """Return the ids of documents by their names, where one alone has the name."""
    found: dict[str, str] = {}
    for entry in entries:
        found[entry.name] = "" if entry.name in found else entry.id
    return found
