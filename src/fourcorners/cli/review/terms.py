"""`fourcorners dates` and `fourcorners obligations`: what falls due, and who must do what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from fourcorners.operations.terms import Dates, DueDate
    from fourcorners.reports.icalendar import CalendarDay
    from fourcorners.review.obligations.table import ContractObligation, ObligationTime
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
    from fourcorners.operations.terms import DatesRequest, list_dates
    from fourcorners.reports.icalendar import write_calendar

    console.require_place(ics)
    day = None if as_of is None else console.as_of_date(as_of)
    asked = DatesRequest.from_fields(collection=collection, within=within, as_of=day)
    with console.open_access(library) as access:
        found = list_dates(access, asked)
    if ics is not None:
        replace_text(ics, write_calendar(map(_calendar_day, found.dates), datetime.now(UTC)))
    if as_json:
        console.print_value(found)
    else:
        _print_dates(found)
        for note in found.set_apart:
            console.print_indented(0, (single_line(note), "yellow"))


def _calendar_day(each: DueDate) -> CalendarDay:
    from fourcorners.reports.icalendar import CalendarDay

    unless = f", unless {each.unless}" if each.unless else ""
    return CalendarDay(
        f"{each.document}-{each.kind.name.lower()}-{each.day:%Y%m%d}@fourcorners",
        each.day,
        single_line(f"{each.kind.value.capitalize()}: {each.title}{unless}"),
        f"{single_line(each.words.where)}: {single_line(each.words.text)}",
    )


def _print_dates(found: Dates) -> None:
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
    console.print_indented(12, quoted, (f" ({single_line(words.where)})", "dim"))


_STATEMENT, _CONDITION, _TIME, _WHERE = 220, 110, 44, 40  # characters that a terminal shows
_SUMMARY = 90  # characters of what must be done in a calendar
_FORMATS = (".xlsx", ".ics")
_OURS = {"ours": " (ours)", "theirs": "", "": ""}


def obligations(
    library: options.Library = None,
    collection: options.Collection = None,
    contracts: options.Contracts = None,
    read_for: Annotated[
        list[str] | None,
        option(
            "--for PARTY",
            "For whom you read: what they must do comes first. May be given again, for a group.",
            default="as the review of the collection was for",
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        option(
            "--out -o FILE",
            "Write a workbook (.xlsx), or what has a day as a calendar (.ics). May be given again.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List who must do what by when, and what nobody may do.

    Each obligation has its condition, the words that say when, and the contract's own words with
    their place. A day is given where the words name it, or count from a date or an end of the term
    that is sure. They are sorted by party and day.
    """
    from fourcorners.operations.terms import ObligationsRequest, read_obligations

    targets = out or []
    for path in targets:
        if path.suffix.lower() not in _FORMATS:
            raise ConfigError(
                f"{path}: obligations are written as {' or '.join(_FORMATS)}.",
                remedy="End the name in one of these.",
            )
    console.require_place(*targets)
    with (
        console.open_access(library) as access,
        console.progress_steps("Reading contracts") as step,
    ):
        asked = ObligationsRequest.from_fields(
            collection=collection,
            documents=[access.find(each, collection).id for each in contracts or ()],
            read_for=read_for or [],
        )
        found = read_obligations(
            access, asked, lambda done, total: step("Reading contracts", done, total)
        )
    for path in targets:
        _write(found.obligations, path)
    if as_json:
        console.print_value(found)
    else:
        _print_obligations(found.obligations, found.contracts)
        for note in found.set_apart:
            console.print_indented(0, (single_line(note), "yellow"))


def _write(found: Sequence[ContractObligation], path: Path) -> None:
    from fourcorners.reports.icalendar import write_calendar
    from fourcorners.reports.workbook_obligations import write_workbook
    from fourcorners.review.obligations.table import RELIANCE
    from fourcorners.work_folder import replace_file, replace_text

    if path.suffix.lower() == ".xlsx":
        replace_file(path, lambda scratch: write_workbook(found, RELIANCE, scratch))
        return
    days = [_obligation_day(each, time) for each in found for time in each.days]
    replace_text(path, write_calendar(days, datetime.now(UTC)))


def _obligation_day(each: ContractObligation, time: ObligationTime) -> CalendarDay:
    from fourcorners.reports.icalendar import CalendarDay

    day = time.day or date.max
    unless = f" (unless {time.unless})" if time.unless else ""
    what = shorten(each.statement, _SUMMARY)
    place = " of ".join(filter(None, (each.where, each.title)))
    return CalendarDay(
        f"{each.document}-obligation-{each.action.start}-{day:%Y%m%d}@fourcorners",
        day,
        single_line(f"{each.party}: {what}{unless}"),
        f"{single_line(place)}: {single_line(each.source)}",
    )


def _print_obligations(found: Sequence[ContractObligation], read: int) -> None:
    from fourcorners.review.obligations.table import RELIANCE

    several = len({each.document for each in found}) > 1
    for (party, whose), group in groupby(found, key=lambda each: (each.party, each.whose)):
        console.print_text((f"{single_line(party)}{_OURS[whose]}", "bold"))
        _print_party([*group], several=several)
        console.print_text()
    counts = Counter(each.kind for each in found)
    with_day = sum(each.day is not None for each in found)
    by_kind = ", ".join(
        f"{console.count_noun(counts[kind], noun)}"
        for kind, noun in zip(sorted(counts), sorted(counts), strict=True)
    ).replace("dutys", "duties")
    console.print_text(
        f"{console.count_noun(read, 'contract')}: {console.count_noun(len(found), 'obligation')}"
        f"{f' ({by_kind})' if by_kind else ''}, {with_day} with a day."
    )
    console.print_indented(0, (RELIANCE, "dim"))


def _print_party(group: Sequence[ContractObligation], *, several: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console.stdout_console()
    table = Table(box=None, pad_edge=False, show_header=False, width=min(out.width, 150))
    table.add_column(width=22, style="cyan")
    table.add_column(ratio=1)
    table.add_column(width=26 if several else 10, style="dim", overflow="fold")
    for each in group:
        what = Text(shorten(each.statement, _STATEMENT))
        for condition in each.conditions:
            what.append(f" · {shorten(condition.text, _CONDITION)}", "italic")
        if each.changed_by:
            what.append(f" · changed by {', '.join(map(single_line, each.changed_by))}", "yellow")
        when = each.day.isoformat() if each.day else ""
        if each.unless:
            when += f", unless {each.unless}"
        if not when and each.time:
            when = shorten(each.time.text, _TIME)
        place = (each.where, shorten(each.title, _WHERE)) if several else (each.where,)
        table.add_row(Text(when), what, Text(single_line(", ".join(filter(None, place)))))
    out.print(table)
