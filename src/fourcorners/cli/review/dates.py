"""`fourcorners dates`: ends, renewals and last days for notice that are coming up."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from fourcorners.operations.contracts.dates import Dates
    from fourcorners.value import CitedWords

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
    is listed below for a person to read, and is not written to the calendar.
    """
    from fourcorners.operations.contracts.dates import DatesRequest, calendar_days, list_dates
    from fourcorners.reports.icalendar import write_calendar

    console.require_place(ics)
    day = None if as_of is None else console.as_of_date(as_of)
    asked = DatesRequest.from_fields(collection=collection, within=within, as_of=day)
    with console.open_access(library) as access:
        found = list_dates(access, asked)
    if ics is not None:
        replace_text(ics, write_calendar(calendar_days(found), datetime.now(UTC)))
    if as_json:
        console.print_value(found)
    else:
        _print(found)
        for note in found.set_apart:
            console.print_indented(0, (single_line(note), "yellow"))


def _print(found: Dates) -> None:
    for each in found.dates:
        days = (each.day - found.as_of).days
        when = "today" if days == 0 else f"in {console.count_noun(days, 'day')}"
        unless = f", unless {each.unless}" if each.unless else ""
        console.print_line(
            (f"{each.day.isoformat()}  ", "bold"),
            (f"{each.kind.value}{unless}", "bold"),
            (f" ({when})", "dim"),
        )
        console.print_indented(12, single_line(each.title))
        if each.arithmetic:
            console.print_indented(12, f"{each.day.isoformat()} = {each.arithmetic}")
        for words in (each.words, *each.parts):
            _print_words(words)
    if found.to_be_read:
        console.print_text()
        console.print_text(("To be read by a person:", "bold yellow"))
    says = {each.document: each.sentence for each in found.contracts}
    for contract in found.to_be_read:
        console.print_line(("            ", ""), (single_line(contract.title), "bold"))
        console.print_indented(12, single_line(says[contract.document]))
        for words in contract.words:
            _print_words(words)
    if found.dates or found.to_be_read:
        console.print_text()
    console.print_text(
        f"{console.count_noun(len(found.contracts), 'contract')}: "
        f"{console.count_noun(len(found.dates), 'date')} within "
        f"{console.count_noun(found.within, 'day')} of {found.as_of.isoformat()}, "
        f"{len(found.to_be_read)} to be read; {found.silent} without words about the term."
    )


def _print_words(words: CitedWords) -> None:
    quoted = f"“{shorten(words.text, _SHOWN)}”"
    proposed = f" · {console.proposed_by(words.proposed)}" if words.proposed else ""
    where = f" ({single_line(words.where)})"
    console.print_indented(12, quoted, (where, "dim"), (proposed, "yellow"))
