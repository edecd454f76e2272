"""Periods as contracts write them: "two (2) years", "thirty-day", "the fifth anniversary"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from heapq import merge

from fourcorners.text.span import Span
from fourcorners.text.values.dates import add_months
from fourcorners.text.values.numbers import any_of, format_number, ordinal_text
from fourcorners.text.values.quantities import Quantity, find_times

PLACES = {ordinal_text(place): place for place in range(1, 100)}
"""Ordinal numbers in words: "tenth"."""
_SINGLE = re.compile(
    rf"\b(?P<place>{any_of(PLACES)}|\d{{1,2}}(?:st|nd|rd|th))\s*"
    r"(?:\(\d{1,2}(?:st|nd|rd|th)?\)\s*)?(?:(?:annual\s+)?anniversary|(?P<day>day)(?=\s+(?:before|prior|preceding)))\b"
    r"|(?<![\w-])(?P<single>annual(?:ly)?|year[\s-]+to[\s-]+year|yearly|half[\s-](?:a[\s-])?year|month[\s-]+to[\s-]+month|"
    r"monthly|(?:an?|another|each|every|further|additional|successive|subsequent)\s+(?:year|month))(?![\w])",
    re.IGNORECASE,
)
# Units are found first, which is fast, and then the period around each of them.
_UNIT = re.compile(r"[aAdDmMyY](?i:nnual|nniversary|ay\s+(?:before|p)|onth|ear)")
_BEFORE, _AFTER = 60, 30  # maximum characters of a period before and after its unit
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_LENGTHS = _MONTHS.keys() | _DAYS.keys()
_DAYS_A_MONTH = 30  # for a part of a month
_MOST_MONTHS = 100 * 12  # a longer period is a slip, or not a term
_MEASURES = re.compile(
    r"['’]?s?['’]?\s+(?P<what>fees|charges|payments|royalties|rent|revenues?|purchases)\b",
    re.IGNORECASE,
)
_ISO = re.compile(r"P(?=\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?")
_ISO_UNITS = ("year", "month", "week", "day")


@dataclass(frozen=True, slots=True)
class Period:
    """A length of time: whole months and days."""

    months: int = 0
    days: int = 0

    @property
    def iso(self) -> str:
        years, rest = divmod(self.months, 12)
        months = f"{years}Y" if years and not rest else f"{self.months}M" if self.months else ""
        return f"P{months}{self.days}D" if self.days or not months else f"P{months}"

    def times(self, number: int) -> Period:
        return Period(self.months * number, self.days * number)

    def shift(self, day: date, *, back: bool = False) -> date:
        """Return the day this much later, or earlier."""
        way = -1 if back else 1
        return add_months(day, way * self.months) + timedelta(days=way * self.days)


@dataclass(frozen=True, slots=True)
class WrittenPeriod:
    """A period and its place.

    Attributes:
        count: None if it is not counted: "annual".
        unit: In the singular, with its kind: `day`, `business day`.
    """

    value: Period
    span: Span
    count: Decimal | None = None
    unit: str = ""
    is_business: bool = False

    @property
    def text(self) -> str:
        """The period as it is counted: "30 days", "10 business days"."""
        return "" if self.count is None else count_noun(self.count, self.unit)


def find_periods(text: str, within: Span) -> Iterator[WrittenPeriod]:
    """Yield the periods of a term, a notice or a deadline, in order.

    Business days are left out, because they depend on a calendar.
    """
    end = within.start
    quantities = find_times(text, within)
    counts = (_as_period(each) for each in quantities if _is_period(text, each))
    found = merge(counts, _singles(text, within), key=lambda each: each.span.start)
    for each in found:
        if each.span.start < end or each.is_business:
            continue
        if 0 < each.value.months <= _MOST_MONTHS or (each.value.days and not each.value.months):
            end = each.span.end
            yield each


def find_durations(text: str, within: Span) -> Iterator[WrittenPeriod]:
    """Yield the periods that are counted, business days too, and that measure no fees."""
    for quantity in find_times(text, within):
        if _is_period(text, quantity) and not measured_by(text, quantity, within):
            yield _as_period(quantity)


def measured_by(text: str, quantity: Quantity, within: Span) -> re.Match[str] | None:
    """Return what a period measures, as `what`, if that is no time: "twelve months' fees"."""
    if not _is_period(text, quantity):
        return None
    return _MEASURES.match(text, quantity.span.end, within.end)


def _is_period(text: str, quantity: Quantity) -> bool:
    before = text[max(0, quantity.span.start - 1) : quantity.span.start]
    return quantity.unit in _LENGTHS and not (before.isalnum() or before in (*"_.$£€",))


def _as_period(quantity: Quantity) -> WrittenPeriod:
    kind = f"{quantity.kind} " if quantity.kind else ""
    return WrittenPeriod(
        _length(quantity.number, quantity.unit),
        quantity.span,
        quantity.number,
        f"{kind}{quantity.unit}",
        is_business=bool(quantity.kind),
    )


def _length(count: Decimal, unit: str) -> Period:
    if unit in _DAYS:
        return Period(days=int(count * _DAYS[unit]))
    months, part = divmod(count * _MONTHS[unit], 1)
    return Period(int(months), int(part * _DAYS_A_MONTH))


def count_noun(count: Decimal, noun: str) -> str:
    return f"{format_number(count)} {noun}{'' if count == 1 else 's'}"


def _singles(text: str, within: Span) -> Iterator[WrittenPeriod]:
    """Yield the periods that are not counted: "annual", "the fifth anniversary"."""
    done = within.start
    for unit in _UNIT.finditer(text, within.start, within.end):
        if unit.start() < done:
            continue
        start, end = max(done, unit.start() - _BEFORE), min(within.end, unit.end() + _AFTER)
        match = _SINGLE.search(text, start, end)
        if match and match.start() <= unit.start():
            done = match.end()
            yield WrittenPeriod(_single(match), Span(*match.span()))


def _single(match: re.Match[str]) -> Period:
    if match["place"]:
        word = " ".join(match["place"].lower().split())
        place = PLACES.get(word) or int(re.sub(r"\D", "", word))
        return Period(days=place) if match["day"] else Period(months=12 * place)
    word = match["single"].lower()
    if word.startswith("half"):
        return Period(months=6)
    return Period(months=1 if "month" in word else 12)


def parse_period(iso: str) -> Period:
    parts = {unit: count for count, unit in period_parts(iso)}
    if not parts:
        raise ValueError(f"{iso!r} is not a period")
    months, days = (
        sum(parts.get(unit, 0) * size for unit, size in sizes.items()) for sizes in (_MONTHS, _DAYS)
    )
    return Period(months, days)


def period_parts(iso: str) -> list[tuple[int, str]]:
    """Return the counts of an ISO 8601 period with their units; none of what is no period."""
    match = _ISO.fullmatch(iso)
    counted = zip(match.groups(), _ISO_UNITS, strict=True) if match else ()
    return [(int(count), unit) for count, unit in counted if count]


def describe_period(period: Period) -> str:
    """Return a period in words: "18 months", "1 year"."""
    whole = period.months // 12 if period.months % 12 == 0 else 0
    pairs = ((period.days, "day"), (whole, "year"), (period.months, "month"))
    count, noun = next((count, noun) for count, noun in pairs if count)
    return f"{count} {noun}{'' if count == 1 else 's'}"
