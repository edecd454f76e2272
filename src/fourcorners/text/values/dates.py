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
from fourcorners.text.values.numbers import DATA, IN_WORDS, any_of, ordinal_text, parse_number
from fourcorners.text.values.quantities import find_quantities

MONTHS = tuple(map(str.capitalize, DATA["months"]))
_STARTS = [each[:3] for each in DATA["months"]]
_SHORT = [each[:3] for each in MONTHS if each != "May"]
_MONTH = (
    rf"(?P<{{0}}>(?:{'|'.join((*MONTHS, *map(str.upper, MONTHS)))})\b"
    rf"|(?:{'|'.join(_SHORT)}|Sept)\b\.?)"
)
_SPELT_YEAR = rf"(?i:two\s+thousand|nineteen\s+hundred)(?i:(?:\s+and)?[\s-]+{IN_WORDS})?"
_YEAR = rf"(?P<{{0}}>(?:19|20)\d\d(?!\d)|{_SPELT_YEAR})"
_TH = r"\s?(?:s\s?t|n\s?d|r\s?d|t\s?h)\b"  # scanned texts tear the letters apart
_DAYS = tuple(map(ordinal_text, range(1, 32)))
_DATE = re.compile(
    # March 14, 2023
    rf"(?<![^\W_]){_MONTH.format('m1')}\s+(?P<d1>\d{{1,2}})(?:{_TH})?(?:\s*,\s*|\s+(?:of\s+)?)"
    rf"{_YEAR.format('y1')}"
    # 14 March 2023; 14th day of March, 2023
    rf"|(?<![\d/.-])(?P<d2>\d{{1,2}})(?:{_TH})?(?:\s+(?i:day))?(?:\s+(?i:of))?[\s-]+{_MONTH.format('m2')}"
    rf"(?:\s*[,.]\s*|[\s-]+(?:(?:in\s+the\s+year|day\s+of)\s+)?){_YEAR.format('y2')}"
    # first (1st) day of January, 1996; the first of January two thousand and six
    rf"|\b(?P<w5>(?i:{any_of(_DAYS)}))\s+"
    r"(?:\(\d{1,2}[a-z]{0,2}\)\s+)?(?i:(?:day\s+)?of)\s+"
    rf"{_MONTH.format('m5')}\s*,?\s+{_YEAR.format('y5')}"
    # 2023-03-14
    r"|(?<![\d/.-])(?P<y3>(?:19|20)\d\d)-(?P<n3>\d{1,2})-(?P<d3>\d{1,2})(?![\d/-])"
    # 3/14/2023 or 14/3/2023, as the text shows; 11.1.10 is the number of a clause
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
    r"|(?<![\d/.-])(?P<d3>[0-3]?\d)\.(?P<n3>0?[1-9]|1[0-2])\.(?![\d/-])"  # 30.09.
)


# Years are found first, which is fast, and then the date around each of them.
_YEAR_WRITTEN = re.compile(rf"(?:19|20)\d\d|\d[/-]\d{{1,2}}[/-]\d\d|{_SPELT_YEAR}")
_BEFORE_YEAR, _AFTER_YEAR = 90, 8
_FEW_VALUES, _A_VALUE = 300, 1_000  # dates that are examined, and characters for each more
_CLOSING = 5_000  # characters at the end, where a contract is signed


_IN_FIGURES = re.compile(
    r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(?:(?:19|20)\d\d|\d\d)(?![\d/.-]*\w)"
)
# A law by its place: "laws of the State of New York", "under English law".
_PLACE = r"[A-Z]\w+(?:\s[A-Z]\w+)?"
_LAW = re.compile(
    r"\b[Ll]aws?\s+(?:\w+\s+){0,3}?(?:of|in)\s+(?:the\s+)?(?:[A-Z][a-z]+\s+of\s+)?"
    rf"(?P<of>{_PLACE})|\b(?:by|under)\s+(?P<by>{_PLACE})\s+law\b"
    rf"|(?P<which>{_PLACE})\s+[Ll]aw\s+(?:shall|will|governs|applies|controls)\b"
)
_MONTH_FIRST = re.compile(any_of(map(re.escape, DATA["month_first"])))


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date and its place.

    Attributes:
        other: The same figures with day and month exchanged, where nothing says which is first.
    """

    value: date
    span: Span
    other: date | None = None

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
        is_day_first = _is_day_first(text) if match["a4"] else False
        value = _value(match, day_first=bool(is_day_first))
        if value:
            other = _value(match, day_first=True) if is_day_first is None else None
            yield WrittenDate(value, Span(*match.span()), other if other != value else None)


@lru_cache(maxsize=8)
def _is_day_first(text: str) -> bool | None:
    """Return whether dates in figures have the day first; None where nothing, or both, says so.

    Dates that can be read in one way only decide; else the laws that are named and the currencies.
    """
    figures = [(int(first), int(second)) for first, _, second in _IN_FIGURES.findall(text)]
    known = {first > 12 for first, second in figures if (first > 12) != (second > 12)}
    if not known:
        laws = (each["of"] or each["by"] or each["which"] for each in _LAW.finditer(text))
        known = {_MONTH_FIRST.match(place) is None for place in laws}
        if known != {True}:  # many countries have dollars
            sums = islice(find_quantities(text, Span(0, len(text))), most_values(text))
            known |= {each.currency != "USD" for each in sums if each.mark}
    return known.pop() if len(known) == 1 else None


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
                yield f"{_year(match['y1'] or match['y2'])}{month}", Span(*match.span())


def find_days(text: str, within: Span) -> Iterator[tuple[int, int, Span]]:
    """Yield the days of the year that are named, as month and day, with or without a year."""
    for match in _DAY_OF_YEAR.finditer(text, within.start, within.end):
        named = match["m1"] or match["m2"]
        month = _month(named) if named else int(match["n3"])
        yield month, int(match["d1"] or match["d2"] or match["d3"]), Span(*match.span())


def _value(match: re.Match[str], *, day_first: bool) -> date | None:
    group = match.group
    if named := next((kind for kind in "12" if group(f"m{kind}")), ""):
        parts = (_year(group(f"y{named}")), _month(group(f"m{named}")), int(group(f"d{named}")))
    elif group("m5"):
        parts = (_year(group("y5")), _month(group("m5")), _DAYS.index(group("w5").lower()) + 1)
    elif group("y3"):
        parts = (int(group("y3")), int(group("n3")), int(group("d3")))
    else:
        year = int(group("y4"))
        if year < 100:
            year += 2000 if year < 50 else 1900
        first, second = int(group("a4")), int(group("b4"))
        day_first = first > 12 or (day_first and second <= 12)
        parts = (year, second, first) if day_first else (year, first, second)
    try:
        return date(*parts)
    except ValueError:
        return None


def _year(words: str) -> int:
    return int(parse_number(" ".join(words.split())) or 0)


def _month(name: str) -> int:
    return _STARTS.index(name[:3].lower()) + 1


def add_months(start: date, months: int) -> date:
    """Return the same day a number of months later, or that month's last day."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))
