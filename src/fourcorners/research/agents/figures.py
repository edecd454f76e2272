"""The figures that a statement names, and whether they are known from elsewhere.

"ninety (90) days", "ninety days" and "90 days" are one figure, "24 months" and "2 years" are, and
"USD640,000" and "640,000 US dollars"; "10 days" and "10 business days" are not, nor are
"€40 a month" and "€40 a year". Sums and shares may be rounded; periods and dates not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from fourcorners.research.agents.named_years import find_years
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.numbers import parse_number
from fourcorners.text.values.periods import PLACES
from fourcorners.text.values.quantities import (
    PART,
    PERCENT,
    Quantity,
    find_rates,
    may_be_same,
)

_PATTERNS = load_patterns("fourcorners.research.agents", "figures")
_CITES = _PATTERNS["cites"]
_PLAIN_TIMES = _PATTERNS["plain_times"]
_LABEL = re.compile(r"\b(?:\d|[IVX]+\b|[A-Z]\b)[\w.()/-]*")
_ALWAYS = _PATTERNS["always"]  # and what it means
_HOURS = "24 hours a day, 7 days a week"
_WHOLE = 100  # per cent
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
# What is done so many times a year, or after as many months or days.
_OFTEN = {"semi": "6 months", "half": "6 months", "bian": "6 months", "dail": "1 day"}
_HOURS_OF_DAY = 24  # by the clock
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_TIMES = frozenset(("month", "day", "hour", "business day"))
_LABELLED = "label"
YEAR = "year"  # one that is named, with a month or without: 2024, 2024.03
_LEAST_YEAR = 1900  # as many years are no period
_ROUNDED = 2  # digits that a rounded figure has at least
_COUNTED = 10  # below it a number without a unit ("two parties") is no figure


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it counts; `unit` is empty where that is not said.

    Attributes:
        unit: For a sum, the currencies that it may be in.
        words: As the text has it.
        number: The number as it is written: 2 for "2 years", which are 24 months. The other
            reading of a date, where nothing says whether its day or its month is first.
        rate: The time that it is for each of, or for: `year`, "18 months".
    """

    value: Decimal
    unit: str
    words: str
    number: Decimal
    span: Span
    rate: str = ""

    @property
    def name(self) -> str:
        """Its words, with the time that it is for each of."""
        if not self.rate:
            return self.words
        return f"{self.words} {'for' if self.rate.endswith('s') else 'per'} {self.rate}"

    @property
    def count(self) -> tuple[Decimal, str]:
        """Its number as it is written, with the unit: 2 and "year"."""
        return self.number, self.words.casefold().split("-")[-1].split()[-1].removesuffix("s")

    @property
    def dimension(self) -> str:
        """What it is compared with: sums of all currencies, periods, shares, dates, or numbers."""
        if self.unit in _TIMES:
            return "time"
        return "sum" if self.unit.isupper() else self.unit

    def is_known(self, known: Iterable[Figure], *, exactly: bool = False) -> bool:
        """Return whether others include it; a bare number does not match one with a unit."""
        alike = [each for each in known if self._has_value(each, exactly=exactly)]
        if any(self._has_unit(each) for each in alike):
            return True
        if not self.unit:
            return bool(alike) or any(self._begins(each) for each in known)
        return bool(alike) and not any(each.unit for each in alike)

    def is_share(self, shares: Iterable[Figure]) -> bool:
        """Return whether it is one of some shares, or the whole with one added or taken away."""
        if self.unit not in ("", PERCENT):
            return False
        value = self.value if self.unit else self.value * _WHOLE
        return any(each.value in (value, abs(value - _WHOLE)) for each in shares)

    def _begins(self, other: Figure) -> bool:
        """Return whether it is short for another: "ten" for "ten million pounds"."""
        return other.words.casefold().startswith(f"{self.words.casefold()} ")

    @property
    def days(self) -> tuple[date, ...]:
        """The days that a date may be, by both of its readings."""
        if self.unit != "date":
            return ()
        return tuple(date.fromordinal(int(each)) for each in (self.value, self.number))

    def _has_unit(self, other: Figure) -> bool:
        if self.unit.isupper() and other.unit.isupper():
            return may_be_same(self.unit, other.unit)
        return self.unit == other.unit or (self.unit, other.unit) == (YEAR, "date")

    def _has_value(self, other: Figure, *, exactly: bool) -> bool:
        if self.rate and other.rate not in ("", self.rate):
            return False
        if exactly and self.rate and not other.rate:
            return False
        if self.unit == YEAR and other.unit in (YEAR, "date") and not exactly:
            return self._includes(other)
        same = self.value == other.value
        if not (self.unit and other.unit):
            same = same or self.number == other.number
        elif self.unit == other.unit == "date" and not exactly:
            same = not {self.value, self.number}.isdisjoint((other.value, other.number))
        return same or (not exactly and self._rounds(other.value))

    def _includes(self, other: Figure) -> bool:
        """Tell whether a year, or a month of one, has another or a date in it."""
        is_whole = self.value == self.number
        days = [(Decimal(e.year), e.year + Decimal(e.month) / _WHOLE) for e in other.days]
        found = days or [(other.number, other.value)]
        return any(self.value == (year if is_whole else month) for year, month in found)

    def _rounds(self, exact: Decimal) -> bool:
        """Return whether it is a rounding of a known, more exact number."""
        if self.unit in _TIMES or self.unit in ("date", YEAR):
            return False
        digits = self.value.normalize().as_tuple()
        if len(digits.digits) < _ROUNDED or not isinstance(digits.exponent, int):
            return False
        step = Decimal(1).scaleb(digits.exponent)
        return (exact / step).quantize(Decimal(1), ROUND_HALF_UP) * step == self.value


def find_figures(
    text: str, *, with_labels: bool = False, with_counts: bool = False
) -> list[Figure]:
    """Return the dates, periods, sums, shares and other numbers of a text.

    Labels of clauses are a separate kind; counts are small numbers without a unit. "24/7" has no
    figure unless labels are asked for: a statement need not name its hours and days.
    """
    cited = [Span(*match.span()) for match in _CITES.finditer(text)]
    found = [
        replace(each, unit=_LABELLED)
        for span in (cited if with_labels else ())
        for each in _numbers(text, span)
    ]
    always = [Span(*match.span()) for match in _ALWAYS.finditer(text)]
    meant = [*_numbers(_HOURS, Span(0, len(_HOURS)))] if with_labels else []
    found += [replace(each, span=span) for span in always for each in meant]
    bare = blank_spans(text, [*cited, *always])
    dates = list(find_dates(bare, Span(0, len(bare))))
    for each in dates:
        day, other = (Decimal(day.toordinal()) for day in (each.value, each.other or each.value))
        found.append(Figure(day, "date", each.span.text_in(bare), other, each.span))
    bare = blank_spans(bare, [each.span for each in dates])
    found += (years := _years(bare, with_between=with_labels))
    bare = blank_spans(bare, {each.span for each in years})
    numbers = _numbers(bare, Span(0, len(bare)))
    found += [each for each in numbers if with_counts or each.unit or each.value >= _COUNTED]
    return sorted(found, key=lambda each: each.span)


def find_plain_times(text: str) -> list[Figure]:
    """Return the times that a text names without a number: "a week", "quarterly", "tenth day"."""
    counted = (_add_number(match) for match in _PLAIN_TIMES.finditer(text))
    return [
        replace(each, rate="")
        for words in counted
        for each in _numbers(words, Span(0, len(words)))
        if each.unit in _TIMES
    ]


def _add_number(match: re.Match[str]) -> str:
    """Return a time without a number with its number: "7 days"; empty for what is none."""
    if match["often"]:
        often = match["often"].casefold()
        unit = "year" if often.startswith("ann") else often.removesuffix("ly")
        return _OFTEN.get(often[:4], f"1 {unit}")
    if match["times"]:
        count = parse_number(match["times"].casefold().removesuffix("times"))
        return f"{_MONTHS['year'] / count:f} months" if count else ""
    if match["nth"]:
        nth = match["nth"].casefold()
        place = PLACES.get(nth) or nth.rstrip("dhnrst")
        unit = "year" if match["of"].casefold() == "anniversary" else match["of"]
        return f"{place} {match['kind'] or ''} {unit}"  # none if it is no place: "this day"
    unit = match["unit"].casefold()
    return "10 years" if unit == "decade" else f"{'1.5' if match['half'] else 1} {unit}"


def has_other_unit(statement: str, quotes: Sequence[str]) -> bool:
    """Tell whether a statement has a time of its quotes with another number, or without one."""
    own = [each for quote in quotes for each in find_figures(quote)]
    known = [*own, *(each for quote in quotes for each in find_plain_times(quote))]
    return any(
        each.is_known(known, exactly=True) and each.count not in {one.count for one in known}
        for each in find_figures(statement)
        if each.unit in _TIMES
    ) or any(each.is_known(own, exactly=True) for each in find_plain_times(statement))


def _years(text: str, *, with_between: bool) -> list[Figure]:
    """Return the years that a text names, but for the numbers of sums and of periods."""
    named = [each for each in find_years(text) if with_between or not each.is_between]
    if not named:
        return []
    counted = [
        each.span
        for each in _numbers(text, Span(0, len(text)))
        if each.unit and not (each.unit == "month" and each.number >= _LEAST_YEAR)
    ]
    return [
        Figure(
            each.year + Decimal(each.month) / _WHOLE,
            YEAR,
            each.span.text_in(text),
            Decimal(each.year),
            each.span,
        )
        for each in named
        if not any(each.span.overlaps(span) for span in counted)
    ]


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Return a text with some words replaced by spaces."""
    for span in spans:
        text = f"{text[: span.start]}{' ' * len(span)}{text[span.end :]}"
    return text


def _numbers(text: str, within: Span) -> Iterator[Figure]:
    rated = [*find_rates(text, within)]
    for at, (quantity, rate, end) in enumerate(rated):
        words = " ".join(quantity.span.text_in(text).split())
        if not rate and quantity.mark and at + 1 < len(rated):
            following = rated[at + 1][0]
            if text[end : following.span.start].strip() in ("for", "over"):
                rate = _length(following)
        for number in dict.fromkeys((quantity.number, quantity.again)):
            if number is not None:
                yield replace(_with_unit(number, quantity, words), rate=rate)


def _length(time: Quantity) -> str:
    """Return for what time a sum is; a unit of time if it is one."""
    if time.unit not in _MONTHS:
        return ""
    months = time.number * _MONTHS[time.unit]
    return next((each for each, size in _MONTHS.items() if size == months), f"{months:f} months")


def _with_unit(number: Decimal, quantity: Quantity, words: str) -> Figure:
    unit = quantity.unit
    if unit in _MONTHS:
        return Figure(number * _MONTHS[unit], "month", words, number, quantity.span)
    if unit in _DAYS:
        name = "business day" if quantity.kind and unit == "day" else "day"
        return Figure(number * _DAYS[unit], name, words, number, quantity.span)
    if unit == "hour" and number % _HOURS_OF_DAY == 0:
        return Figure(number / _HOURS_OF_DAY, "day", words, number, quantity.span)
    if unit == PART:
        return Figure(round(number * 100, 2), PERCENT, words, number, quantity.span)
    return Figure(number, unit or quantity.currency, words, number, quantity.span)


def unknown_figures(
    statement: str, known: Collection[Figure], *, exactly: bool = False
) -> list[str]:
    """Return the figures of a statement that are not among the known ones, in its words."""
    found = find_figures(statement)
    unknown = (each for each in found if not each.is_known(known, exactly=exactly))
    return list(dict.fromkeys(each.name for each in unknown))


def has_unknown_labels(statement: str, quotes: Iterable[str]) -> bool:
    """Return whether a statement names a clause by a number that no quote has."""
    words = " ".join(quotes)
    labels = [
        label.rstrip(".-")
        for cite in _CITES.finditer(statement)
        for label in _LABEL.findall(cite.group())
    ]
    return not all(re.search(rf"(?<![\w.]){re.escape(each)}(?!\w)", words) for each in labels)
