"""Find candidates for a contract's date, term or notice: places with their values."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import (
    dates_of,
    find_days,
    find_partial_dates,
    most_values,
)
from fourcorners.text.values.periods import Period, WrittenPeriod

PERPETUAL = "perpetual"
_PATTERNS = load_patterns("fourcorners.outline.card.values", "candidates")
_BREAK = re.compile(r"(?<=[.;])\s+(?=[A-Z(“\"])|\n\s*\n")
_BEFORE, _AFTER = 320, 240  # maximum characters of a statement about a value
_LEAD = 40  # characters in which words before a day say that a term ends on it
_NEAR_DAYS = 45  # days between the end given by a period and the day of the year it means
_BASES = 3  # dates from which a period of the same statement may be counted


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value, its place, and what else is known of it before judging.

    Attributes:
        statement: The sentence about it, or the nearest part.
        base: The start from which an end was computed: `stated`, `effective`, `agreement`,
            `both`; else "".
    """

    value: str
    span: Span
    statement: Span
    base: str = ""


def statement_around(text: str, span: Span) -> Span:
    """Return the sentence around a span, cut if it is long."""
    low = max(0, span.start - _BEFORE)
    breaks = [*_BREAK.finditer(text, low, span.start)]
    high = min(len(text), span.end + _AFTER)
    after = _BREAK.search(text, span.end, high)
    return Span(breaks[-1].end() if breaks else low, after.start() if after else high)


def date_candidates(text: str) -> list[Candidate]:
    """Return every date of a text in order, including those with a blank day or month."""
    whole = [(each.value.isoformat(), each.span) for each in dates_of(text)]
    ends = {span.end - 1 for _, span in whole}
    found = find_partial_dates(text, Span(0, len(text)))
    partial = islice((each for each in found if each[1].end - 1 not in ends), most_values(text))
    return [
        Candidate(value, span, statement_around(text, span))
        for value, span in sorted((*whole, *partial), key=lambda each: each[1].start)
    ]


def end_candidates(
    text: str,
    dates: Sequence[Candidate],
    periods: Sequence[WrittenPeriod],
    starts: Mapping[str, str],
) -> list[Candidate]:
    """Return what may be the end of the first term.

    A date as it is written (all are given in order); a period counted from a date in its statement
    or from one of `starts` (dates, and which start each is); and words of a term without end.
    """
    found = [*dates]
    for match in _PATTERNS["perpetual"].finditer(text):
        span = Span(*match.span())
        found.append(Candidate(PERPETUAL, span, statement_around(text, span)))
    places = [each.span.start for each in dates]
    for period in periods:
        near = statement_around(text, period.span)
        if not _PATTERNS["term"].search(text, near.start, near.end):
            continue
        beside = dates[bisect_left(places, near.start) : bisect_left(places, near.end)]
        stated = [each.value for each in beside if len(each.value) == 10][:_BASES]
        bases = [*((value, "stated") for value in stated), *starts.items()]
        day = _day_of_end(text, near)
        found.extend(
            Candidate(_on_day(_end(period.value, value), day), period.span, near, base)
            for value, base in bases
        )
    return found


def _day_of_end(text: str, statement: Span) -> tuple[int, int] | None:
    """Return the day of the year on which a statement ends a term: "expiring May 31st"."""
    for month, day, span in find_days(text, statement):
        if _PATTERNS["ends"].search(text, max(statement.start, span.start - _LEAD), span.start):
            return month, day
    return None


def _on_day(end: str, day: tuple[int, int] | None) -> str:
    """Return the end on the named day, if the period ends near it."""
    if day is None or len(end) != len("2005-04-30"):
        return end
    computed = date.fromisoformat(end)
    for year in (computed.year, computed.year - 1, computed.year + 1):
        try:
            named = date(year, *day)
        except ValueError:
            continue
        if abs((named - computed).days) <= _NEAR_DAYS:
            return named.isoformat()
    return end


def _end(period: Period, start: str) -> str:
    """Return the end of a period from a start whose day may be blank."""
    if len(start) == 10:
        return period.shift(date.fromisoformat(start)).isoformat()
    if period.days or (len(start) == 4 and period.months % 12):
        return start[:4] if period.days else str(int(start[:4]) + period.months // 12)
    filled = date.fromisoformat(f"{start}-01" if len(start) == 7 else f"{start}-01-01")
    return period.shift(filled).isoformat()[: len(start)]


def renewal_candidates(text: str, periods: Sequence[WrittenPeriod]) -> list[Candidate]:
    """Return the periods in statements about renewal, and words of renewal without end."""
    found = [*_about(text, periods, _PATTERNS["renews"])]
    for match in _PATTERNS["endless"].finditer(text):
        span = Span(*match.span())
        near = statement_around(text, span)
        if _PATTERNS["renews"].search(text, near.start, near.end):
            found.append(Candidate(PERPETUAL, span, near))
    return found


def notice_candidates(text: str, periods: Sequence[WrittenPeriod]) -> list[Candidate]:
    """Return the periods in statements about notice."""
    return [*_about(text, periods, _PATTERNS["notice"])]


def _about(
    text: str, periods: Sequence[WrittenPeriod], words: re.Pattern[str]
) -> Iterator[Candidate]:
    for period in periods:
        near = statement_around(text, period.span)
        if words.search(text, near.start, near.end):
            yield Candidate(period.value.iso, period.span, near)
