"""Dates and obligations: what falls due and who must do what, as lists, a calendar and files."""

from __future__ import annotations

from calendar import Calendar
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.operations.contracts import dates as date_operations
from fourcorners.operations.contracts import obligations as obligation_operations
from fourcorners.operations.contracts.dates import (
    Dates,
    DatesRequest,
    DueDate,
    list_dates,
    write_dates,
)
from fourcorners.operations.contracts.obligations import (
    Obligations,
    ObligationsRequest,
    write_obligations,
)
from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.outline.card.contract_titles import ContractTitle
from fourcorners.outline.card.term import EventKind
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.review.obligations.obligation import ObligationKind
from fourcorners.server.auth.identity import CALENDAR
from fourcorners.server.context import Context, RequestContext, send_written
from fourcorners.server.pages.collection import parse_date
from fourcorners.server.tasks.handlers import obligations as obligations_task

router = APIRouter()
T = TypeVar("T")
Read: TypeAlias = tuple[T | None, FourcornersError | None]
PERIODS = (30, 90, 180, 365, 1_095)
"""Days ahead that the page offers."""
_Name = Annotated[str, Field(max_length=500)]
_MOST_LISTED = 200  # obligations on one page
_MOST_MONTHS = 36  # that the calendar draws
_KINDS = {ObligationKind.DUTY: "Must do", ObligationKind.PROHIBITION: "Must not do"}
KIND_WORDS = {
    EventKind.END: "Ends",
    EventKind.RENEWAL: "Renews",
    EventKind.NOTICE: "Last day for notice",
}
"""What happens on a day, as the page says it."""


class _DatesQuery(BaseModel):
    """The fields of the form; what is empty was not filled in."""

    c: _Name = ""
    within: Annotated[int, Field(ge=0, le=36_500)] = 365
    as_of: Annotated[str, Field(max_length=10)] = ""
    view: Literal["list", "calendar"] = "list"

    def request(self) -> DatesRequest:
        day = parse_date(self.as_of) if self.as_of.strip() else None
        return DatesRequest.from_fields(collection=self.c or None, within=self.within, as_of=day)

    def address(self, path: str = "/dates", **other: str) -> str:
        return f"{path}?{urlencode(self.model_dump() | other)}"


@dataclass(frozen=True, slots=True)
class Month:
    """A month with what falls due in it; days of other months are None."""

    first: date
    weeks: list[list[tuple[date, list[DueDate]] | None]]


@router.get("/dates")
def show_dates(context: Context, asked: Annotated[_DatesQuery, Query()]) -> Response:
    """Show what falls due by month, in a list or as a calendar."""
    read, problem = _catch(lambda: _with_titles(context, asked))
    found, called = read or (None, {})
    by_month = groupby(found.dates if found else (), key=lambda each: each.day.replace(day=1))
    return context.page(
        "dates.html.j2",
        asked=asked,
        found=found,
        called=called,
        problem=problem,
        collections=_collections(context),
        months=[(first, [*group]) for first, group in by_month],
        calendar=list(_months(found)) if found and asked.view == "calendar" else [],
        sentences={each.document: each.sentence for each in found.contracts} if found else {},
        periods=sorted({*PERIODS, asked.within}),
        kind_words=KIND_WORDS,
        forms=date_operations.FORMS,
        calendar_href=_calendar_href(context, asked),
    )


def _with_titles(
    context: RequestContext, asked: _DatesQuery
) -> tuple[Dates, dict[str, ContractTitle]]:
    with context.access() as access:
        found = list_dates(access, asked.request())
        return found, access.titles(each.document for each in found.contracts)


def _calendar_href(context: RequestContext, asked: _DatesQuery) -> str:
    """Return the address that a calendar program subscribes to."""
    given = {"c": asked.c, "within": asked.within}
    if context.state.team:
        given["token"] = "TOKEN"  # noqa: S105 - a place for it
    base = str(context.request.base_url).rstrip("/")
    return f"{base}{CALENDAR}?{urlencode({k: v for k, v in given.items() if v != ''})}"


@router.get("/dates/report.{form}")
def export_dates(context: Context, form: str, asked: Annotated[_DatesQuery, Query()]) -> Response:
    """Send what falls due as a calendar or a workbook."""
    _require_form(form, date_operations.FORMS)
    with context.access() as access:
        found = list_dates(access, asked.request())
        access.record("export", {"collection": asked.c, "as": f"dates {form}"}, always=True)
    return send_written(f"dates.{form}", FILE_TYPES[form], lambda path: write_dates(found, path))


@router.get(CALENDAR)
def send_calendar(
    context: Context,
    asked: Annotated[_DatesQuery, Query()],
    words: Annotated[str, Query(max_length=3)] = "",
) -> Response:
    """Send what falls due to a calendar program; the contracts' words only if they are asked for.

    Where people sign in, such a program gives an API token as `token` in the address.
    """
    with context.access() as access:
        found = list_dates(access, asked.request())

    def write(path: Path) -> None:
        write_dates(found, path, quotes=words == "yes")

    return send_written("dates.ics", FILE_TYPES["ics"], write)


class _ObligationsQuery(BaseModel):
    """The fields of the form; what is empty was not filled in."""

    c: _Name = ""
    d: Annotated[str, Field(max_length=40)] = ""
    read_for: Annotated[str, Field(alias="for", max_length=200)] = ""
    party: Annotated[str, Field(max_length=200)] = ""
    whose: Literal["", "ours", "theirs"] = ""
    kind: Annotated[str, Field(max_length=40)] = ""
    due: Literal["", "dated", "undated"] = ""
    after: Annotated[int, Field(ge=0, le=10_000_000)] = 0

    def request(self, limit: int | None = None) -> ObligationsRequest:
        return ObligationsRequest.from_fields(
            after=self.after,
            limit=limit,
            collection=self.c or None,
            documents=[self.d] if self.d else [],
            read_for=[self.read_for] if self.read_for.strip() else [],
            party=self.party,
            whose=self.whose or None,
            kind=self.kind or None,
            due=self.due or None,
        )

    def address(self, path: str = "/dates/obligations", *, after: int = 0) -> str:
        own = self.model_copy(update={"after": after}).model_dump(by_alias=True)
        given = {k: v for k, v in own.items() if v}
        return f"{path}?{urlencode(given)}" if given else path


@router.get("/dates/obligations")
def show_obligations(context: Context, asked: Annotated[_ObligationsQuery, Query()]) -> Response:
    """Show who must do what, by party and day; where there is a choice, a collection is chosen."""
    collections = _collections(context)
    if not (asked.c or asked.d) and len(collections) == 1:
        asked = asked.model_copy(update={"c": collections[0]})
    found: Obligations | None = None
    problem: FourcornersError | None = None
    if asked.c or asked.d:
        request = asked.request(_MOST_LISTED)
        found, problem = _catch(partial(obligations_task.read, context, request))
    listed = found.obligations if found else []
    entry, titles = None, {}
    if asked.d:
        with context.access() as access:
            entry, titles = access.visible(asked.d).entry, access.titles([asked.d])
    return context.page(
        "obligations.html.j2",
        asked=asked,
        found=found,
        problem=problem,
        last=asked.after + len(listed),
        most=_MOST_LISTED,
        collections=collections,
        entry=entry,
        titles=titles,
        groups=[
            (party, whose, [*group])
            for (party, whose), group in groupby(listed, key=lambda each: (each.party, each.whose))
        ],
        kinds=_KINDS,
        forms=obligation_operations.FORMS,
    )


@router.get("/dates/obligations/report.{form}")
def export_obligations(
    context: Context, form: str, asked: Annotated[_ObligationsQuery, Query()]
) -> Response:
    """Send the obligations that a filter leaves, as a file."""
    _require_form(form, obligation_operations.FORMS)
    found = obligations_task.read(context, asked.request(), whole=True)
    with context.access() as access:
        access.record("export", {"collection": asked.c, "as": f"obligations {form}"}, always=True)

    def write(path: Path) -> None:
        write_obligations(found, path)

    return send_written(f"obligations.{form}", FILE_TYPES[form], write)


def _catch(read: Callable[[], T]) -> Read[T]:
    """Return what is read, or what is wrong with the form."""
    try:
        return read(), None
    except NotFound:
        raise
    except (ConfigError, Refusal) as problem:
        return None, problem


def _collections(context: RequestContext) -> list[str]:
    with context.access() as access:
        return [each.name for each in access.collections() if each.documents]


def _require_form(form: str, forms: tuple[str, ...]) -> None:
    if form not in forms:
        raise NotFound("Unsupported format.", remedy=f"Choose one of {', '.join(forms)}.")


def _months(found: Dates) -> Iterator[Month]:
    """Yield the months that have a date, by weeks from Monday."""
    by_day: dict[date, list[DueDate]] = defaultdict(list)
    for each in found.dates:
        by_day[each.day].append(each)
    firsts = sorted({day.replace(day=1) for day in by_day})
    for first in firsts[:_MOST_MONTHS]:
        weeks = Calendar().monthdatescalendar(first.year, first.month)
        yield Month(
            first,
            [
                [(day, by_day.get(day, [])) if day.month == first.month else None for day in week]
                for week in weeks
            ],
        )
