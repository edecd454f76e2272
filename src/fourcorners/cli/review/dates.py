"""`fourcorners dates`: ends, renewals and last days for notice that are coming up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from datetime import date

    from fourcorners.reports.icalendar import CalendarDay
    from fourcorners.review.timeline.calendar import DueDate, Timeline, Words

_SHOWN = 300  # characters of words that a terminal shows


def dates(
    library: options.Library = None,
    collection: options.Collection = None,
    within: Annotated[int, option("--within DAYS", "How many days ahead.", least=0)] = 90,
    as_of: Annotated[str | None, option("--as-of DATE", "The day it is.", default="today")] = None,
    ics: Annotated[
        Path | None, option("--ics FILE", "Write the days as a calendar (iCalendar).")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the ends, renewals and days for notice coming up.

    Each has its contract and the words that say so. What is not sure enough to be listed as a fact
    stands below, to be read by a person, and is not written to the calendar.
    """
    from fourcorners.reports.icalendar import write_calendar
    from fourcorners.review.timeline.calendar import due_dates, list_timelines

    console.require_place(ics)
    today = datetime.now(UTC).date() if as_of is None else console.as_of_date(as_of)
    with console.open_library(library) as store:
        found = list_timelines(store, collection, today, timedelta(days=within))
    due = due_dates(found)
    if ics is not None:
        replace_text(ics, write_calendar(map(_calendar_day, due), datetime.now(UTC)))
    if as_json:
        console.print_json(_value(found, due, today, within))
    else:
        _print(found, due, today, within)


def _calendar_day(each: DueDate) -> CalendarDay:
    from fourcorners.reports.icalendar import CalendarDay

    unless = f", unless {each.event.unless}" if each.event.unless else ""
    return CalendarDay(
        f"{each.timeline.document}-{each.event.kind.name.lower()}-{each.event.day:%Y%m%d}@fourcorners",
        each.event.day,
        single_line(f"{each.event.kind.value.capitalize()}: {each.timeline.title}{unless}"),
        f"{single_line(each.words.where)}: {single_line(each.words.text)}",
    )


def _value(
    found: Sequence[Timeline], due: Sequence[DueDate], today: date, within: int
) -> dict[str, object]:
    return {
        "as_of": today,
        "within": within,
        "dates": [
            {
                "day": each.event.day,
                "kind": each.event.kind,
                "unless": each.event.unless or None,
                **console.attributes(each.timeline, "document name title"),
                "words": _words(each.words),
            }
            for each in due
        ],
        "to_be_read": [
            {
                **console.attributes(each, "document name title"),
                "words": [_words(words) for words in each.words],
            }
            for each in found
            if each.is_to_be_read
        ],
        "contracts": [
            {
                **console.attributes(each, "document name title"),
                **console.attributes(each.status, "standing sentence asserted"),
            }
            for each in found
        ],
    }


def _words(words: Words) -> dict[str, object]:
    return {
        **console.attributes(words, "document text where"),
        "start": words.span.start,
        "end": words.span.end,
    }


def _print(found: Sequence[Timeline], due: Sequence[DueDate], today: date, within: int) -> None:
    for each in due:
        days = (each.event.day - today).days
        when = "today" if days == 0 else f"in {console.count_noun(days, 'day')}"
        unless = f", unless {each.event.unless}" if each.event.unless else ""
        console.print_line(
            (f"{each.event.day.isoformat()}  ", "bold"),
            (f"{each.event.kind.value}{unless}", "bold"),
            (f" ({when})", "dim"),
        )
        console.print_indented(12, single_line(each.timeline.title))
        _print_words(each.words)
    to_read = [each for each in found if each.is_to_be_read]
    if to_read:
        console.print_text()
        console.print_text(("To be read by a person:", "bold yellow"))
    for timeline in to_read:
        console.print_line(("            ", ""), (single_line(timeline.title), "bold"))
        for words in timeline.words:
            _print_words(words)
    if due or to_read:
        console.print_text()
    silent = sum(not each.words for each in found)
    console.print_text(
        f"{console.count_noun(len(found), 'contract')}: {console.count_noun(len(due), 'date')} "
        f"within {console.count_noun(within, 'day')} of {today.isoformat()}, "
        f"{len(to_read)} to be read; {silent} without words about the term."
    )


def _print_words(words: Words) -> None:
    quoted = f"“{shorten(words.text, _SHOWN)}”"
    console.print_indented(12, quoted, (f" ({single_line(words.where)})", "dim"))
