"""Find dates as contracts write them."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice

from fourcorners.text.span import Span
from fourcorners.text.values.numbers import DATA, any_of, ordinal_text

MONTHS = tuple(map(str.capitalize, DATA["months"]))
_STARTS = [each[:3] for each in DATA["months"]]
_SHORT = [each[:3] for each in MONTHS if each != "May"]
_MONTH = (
    rf"(?P<{{0}}>(?:{'|'.join((*MONTHS, *map(str.upper, MONTHS)))})\b"
    rf"|(?:{'|'.join(_SHORT)}|Sept)\b\.?)"
)
_YEAR = r"(?P<{0}>(?:19|20)\d\d)(?!\d)"
_TH = r"\s?(?:s\s?t|n\s?d|r\s?d|t\s?h)\b"  # scanned texts tear the letters apart
_DAYS = tuple(map(ordinal_text, range(1, 32)))
_DATE = re.compile(
    # March 14, 2023
    rf"(?<![^\W_]){_MONTH.format('m1')}\s+(?P<d1>\d{{1,2}})(?:{_TH})?(?:\s*,\s*|\s+(?:of\s+)?)"
    rf"{_YEAR.format('y1')}"
    # 14 March 2023; 14th day of March, 2023
    rf"|(?<![\d/.-])(?P<d2>\d{{1,2}})(?:{_TH})?(?:\s+(?i:day))?(?:\s+(?i:of))?[\s-]+{_MONTH.format('m2')}"
    rf"(?:\s*[,.]\s*|[\s-]+(?:(?:in\s+the\s+year|day\s+of)\s+)?){_YEAR.format('y2')}"
    # first (1st) day of January, 1996
    rf"|\b(?P<w5>(?i:{any_of(_DAYS)}))\s+"
    r"(?:\(\d{1,2}[a-z]{0,2}\)\s+)?(?i:day\s+of)\s+"
    rf"{_MONTH.format('m5')}\s*,?\s+{_YEAR.format('y5')}"
    # 2023-03-14
    r"|(?<![\d/.-])(?P<y3>(?:19|20)\d\d)-(?P<n3>\d{1,2})-(?P<d3>\d{1,2})(?![\d/-])"
    # 3/14/2023, month first unless that is not a month; 11.1.10 is the number of a clause
    r"|(?<![\d/.-])(?P<a4>\d{1,2})(?P<sep>[/.-])(?P<b4>\d{1,2})(?P=sep)"
    r"(?P<y4>(?:19|20)\d\d|(?<!\.)\d\d)(?![\d/.-]*\w)"
)


# A date with a blank in it: "March __, 1999", "this [ ] day of May 2003", "________, 2019".
_BLANK = r"(?:_{2,}|_?\[[^\]\n]{0,14}\]|[●•]|…|\.{3,})"
_PARTIAL = re.compile(
    rf"(?<![^\W_]){_MONTH.format('m1')}[\s,]*(?:{_BLANK}[\s,]*(?:{_TH})?[\s,]*){{0,3}}(?:of\s+)?{_YEAR.format('y1')}"
    rf"|(?:{_BLANK}[\s,/-]*|\b(?:of|on|the)\s*,\s+){_YEAR.format('y2')}"
)

_DAY_OF_YEAR = re.compile(
    rf"(?<![^\W_]){_MONTH.format('m1')}\s+(?P<d1>[0-3]?\d)(?:{_TH})?(?![\d,./]*\d)"
    rf"|(?<![\d/.-])(?P<d2>[0-3]?\d)(?:{_TH})?\s+(?:day\s+of\s+)?{_MONTH.format('m2')}"
)


# Years are found first, which is fast, and then the date around each of them.
_YEAR_WRITTEN = re.compile(r"(?:19|20)\d\d|\d[/-]\d{1,2}[/-]\d\d")
_BEFORE_YEAR, _AFTER_YEAR = 90, 8
_FEW_VALUES, _A_VALUE = 300, 1_000  # dates that are examined, and characters for each more
_CLOSING = 5_000  # characters at the end, where a contract is signed


@dataclass(frozen=True, slots=True)
class WrittenDate:
    value: date
    span: Span

    @property
    def text(self) -> str:
        """The date in ISO 8601."""
        return self.value.isoformat()


def find_dates(text: str, within: Span) -> Iterator[WrittenDate]:
    """Yield the dates written in a part of the text, in order; skip impossible ones."""
    done = within.start
    for year in _YEAR_WRITTEN.finditer(text, within.start, within.end):
        if year.start() < done:
            continue
        start = max(done, year.start() - _BEFORE_YEAR)
        match = _DATE.search(text, start, min(within.end, year.end() + _AFTER_YEAR))
        if match is None:
            continue
        done = match.end()
        value = _value(match)
        if value:
            yield WrittenDate(value, Span(*match.span()))


def most_values(text: str) -> int:
    """Return how many dates, or periods, of a text are examined: more than a contract has."""
    return _FEW_VALUES + len(text) // _A_VALUE


@lru_cache(maxsize=2)
def dates_of(text: str) -> tuple[WrittenDate, ...]:
    """Return the dates of a whole text, in order.

    If a text has more than `most_values`, only the first, and those at its end, where it is signed.
    """
    found = [*islice(find_dates(text, Span(0, len(text))), most_values(text))]
    last = max(found[-1].span.end if found else 0, len(text) - _CLOSING)
    return (*found, *find_dates(text, Span(last, len(text))))


def find_partial_dates(text: str, within: Span) -> Iterator[tuple[str, Span]]:
    """Yield the dates with a blank day, or day and month, as `2005-04` or `2005`."""
    for year in _YEAR_WRITTEN.finditer(text, within.start, within.end):
        start = max(within.start, year.start() - _BEFORE_YEAR)
        for match in _PARTIAL.finditer(text, start, min(within.end, year.end())):
            if match.end() == year.end():
                month = f"-{_month(match['m1']):02d}" if match["m1"] else ""
                yield f"{match['y1'] or match['y2']}{month}", Span(*match.span())


def find_days(text: str, within: Span) -> Iterator[tuple[int, int, Span]]:
    """Yield the days of the year that are named, as month and day, with or without a year."""
    for match in _DAY_OF_YEAR.finditer(text, within.start, within.end):
        month = _month(match["m1"] or match["m2"])
        yield month, int(match["d1"] or match["d2"]), Span(*match.span())


def _value(match: re.Match[str]) -> date | None:
    group = match.group
    if named := next((kind for kind in "12" if group(f"m{kind}")), ""):
        parts = (int(group(f"y{named}")), _month(group(f"m{named}")), int(group(f"d{named}")))
    elif group("m5"):
        parts = (int(group("y5")), _month(group("m5")), _DAYS.index(group("w5").lower()) + 1)
    elif group("y3"):
        parts = (int(group("y3")), int(group("n3")), int(group("d3")))
    else:
        year = int(group("y4"))
        if year < 100:
            year += 2000 if year < 50 else 1900
        first, second = int(group("a4")), int(group("b4"))
        parts = (year, first, second) if first <= 12 else (year, second, first)
    try:
        return date(*parts)
    except ValueError:
        return None


def _month(name: str) -> int:
    return _STARTS.index(name[:3].lower()) + 1


def add_months(start: date, months: int) -> date:
    """Return the same day a number of months later, or that month's last day."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))
