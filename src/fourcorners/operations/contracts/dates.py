"""Dates: ends, renewals and last days for notice that fall due in contracts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from pydantic import Field

from fourcorners.operations.access import SET_APART, Access
from fourcorners.outline.card.term import EventKind, Standing
from fourcorners.reports.icalendar import CalendarDay, proposal_note, write_calendar
from fourcorners.reports.workbook import write_rows
from fourcorners.review.calendar import QuotedWords, Timeline, due_dates, list_timelines
from fourcorners.text.invisible_characters import single_line
from fourcorners.value import CitedWords, Day, Value


class DatesRequest(Value):
    """Which dates: those of a collection, or of all that may be read."""

    collection: str | None = Field(default=None, max_length=500)
    within: int = Field(default=90, ge=0, le=36_500, description="How many days ahead.")
    as_of: Day | None = Field(default=None, description="The day it is; today if null.")


class DueDate(Value):
    """A day on which something falls due in a contract, and the words that say so."""

    day: date
    kind: EventKind
    unless: str | None = Field(description="What may keep it from happening.")
    arithmetic: str | None = Field(description="How the day is computed; null if written out.")
    document: str
    name: str
    title: str
    words: CitedWords
    parts: list[CitedWords] = Field(description="The words behind the other parts of the sum.")


class UnsureTerm(Value):
    """A contract whose words about its term a person must read."""

    document: str
    name: str
    title: str
    words: list[CitedWords]


class TermStatus(Value):
    """Where a contract's term is on the day, in a sentence, and whether that is a fact."""

    document: str
    name: str
    title: str
    standing: Standing
    sentence: str
    asserted: bool


class Dates(Value):
    """What falls due, in order; what is to be read is not among it."""

    as_of: date
    within: int
    dates: list[DueDate]
    to_be_read: list[UnsureTerm]
    contracts: list[TermStatus]
    silent: int = Field(description="Contracts without words about their term.")
    set_apart: list[str] = Field(default_factory=list, description=SET_APART)


def list_dates(access: Access, asked: DatesRequest) -> Dates:
    """List what falls due in contracts from a day on.

    Raises:
        NotFound: If they may not know of the collection.
    """
    day = asked.as_of or datetime.now(UTC).date()
    ahead = min(timedelta(days=asked.within), date.max - day)
    found = list_timelines(access.common(), access.documents(asked.collection), day, ahead)
    access.record("dates", {"collection": asked.collection or "", "contracts": len(found)})
    return Dates(
        as_of=day,
        within=asked.within,
        dates=[
            DueDate(
                day=each.event.day,
                kind=each.event.kind,
                unless=each.event.unless or None,
                arithmetic=each.event.arithmetic or None,
                words=_cite(each.words),
                parts=[*map(_cite, each.parts)],
                **_contract(each.timeline),
            )
            for each in due_dates(found)
        ],
        to_be_read=[
            UnsureTerm(words=[*map(_cite, each.words)], **_contract(each))
            for each in found
            if each.is_to_be_read
        ],
        contracts=[TermStatus.make(each.status, **_contract(each)) for each in found],
        silent=sum(not each.words for each in found),
        set_apart=access.set_apart([each.document for each in found]),
    )


FORMS = ("ics", "xlsx")
"""What dates are written as."""
_HEADS = (
    ("Day", 11), ("What", 18), ("Unless", 22), ("Contract", 40), ("Clause", 22),
    ("The contract's words", 70), ("How it is computed", 40),
)  # fmt: skip


def write_dates(found: Dates, path: Path, *, quotes: bool = True) -> None:
    """Write what falls due as a calendar or a workbook, by the path's suffix.

    Without `quotes` a calendar has no words of the contracts besides their titles.
    """
    if path.suffix == ".ics":
        text = write_calendar(calendar_days(found, quotes=quotes), datetime.now(UTC))
        path.write_text(text, encoding="utf-8", newline="")
        return
    rows = (
        (
            each.day, each.kind.value, each.unless or "", each.title, each.words.where,
            single_line(each.words.text), each.arithmetic or "",
        )
        for each in found.dates
    )  # fmt: skip
    facts = (
        ("As of", found.as_of.isoformat()),
        ("Days ahead", f"{found.within:,}"),
        ("Contracts", f"{len(found.contracts):,}"),
        ("To be read by a person", f"{len(found.to_be_read):,}"),
        ("Without words about the term", f"{found.silent:,}"),
    )
    write_rows(path, "Dates", _HEADS, rows, facts)


def calendar_days(found: Dates, *, quotes: bool = True) -> Iterator[CalendarDay]:
    """Yield an entry for each day on which something falls due."""
    for each in found.dates:
        unless = f", unless {each.unless}" if each.unless else ""
        proposed = proposal_note(name for w in (each.words, *each.parts) for name in w.proposed)
        yield CalendarDay(
            f"{each.document}-{each.kind.name.lower()}-{each.day:%Y%m%d}@fourcorners",
            each.day,
            single_line(f"{each.kind.value.capitalize()}: {each.title}{unless}{proposed}"),
            f"{single_line(each.words.where)}: {single_line(each.words.text)}" if quotes else "",
        )


def _contract(timeline: Timeline) -> dict[str, str]:
    return {"document": timeline.document, "name": timeline.name, "title": timeline.title}


def _cite(words: QuotedWords) -> CitedWords:
    return CitedWords(
        document=words.document,
        where=words.where,
        text=words.text,
        start=words.span.start,
        end=words.span.end,
        proposed=words.proposed,
    )
