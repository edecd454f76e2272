"""Periods as contracts write them: "two (2) years", "thirty-day", "the fifth anniversary".

Business days are left out, because they depend on a calendar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from fourcorners.outline.card.dates import add_months
from fourcorners.outline.parser.numbering import CARDINALS, ORDINALS
from fourcorners.text.span import Span

_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: at for at, word in enumerate(CARDINALS, 1)} | {
    word: 10 * at for at, word in enumerate(_TENS, 2)
}
_LARGE = {"hundred": 100}
_PLACES = {word: at for at, word in enumerate(ORDINALS, 1)}
_WORD = "|".join(sorted((*_SMALL, *_LARGE), key=len, reverse=True))
_IN_WORDS = rf"(?:{_WORD})(?:(?:\s+and\s+|[\s-]+)(?:{_WORD})){{0,4}}"
_BETWEEN = r"(?:calendar|consecutive|full|whole|clear|successive|additional|contract|annual)"
_UNIT = r"(?P<{0}>day|week|month|quarter|year)s?(?![\w])"
_PERIOD = re.compile(
    rf"(?<![\w.$£€])(?P<number>\d{{1,4}}(?:\.\d)?|(?:{_IN_WORDS}))\s*"
    rf"(?:\(\s*(?P<digits>\d{{1,4}})\s*\))?[\s-]*(?:{_BETWEEN}[\s-]+)*{_UNIT.format('unit')}"
    rf"|\b(?P<place>{'|'.join(sorted(_PLACES, key=len, reverse=True))}|\d{{1,2}}(?:st|nd|rd|th))\s*"
    r"(?:\(\d{1,2}(?:st|nd|rd|th)?\)\s*)?(?:annual\s+)?anniversary\b"
    r"|(?<![\w-])(?P<single>annual(?:ly)?|year[\s-]+to[\s-]+year|yearly|half[\s-](?:a[\s-])?year|month[\s-]+to[\s-]+month|"
    r"monthly|(?:an?|another|each|every|further|additional|successive|subsequent)\s+(?:year|month))(?![\w])",
    re.IGNORECASE,
)
# Units are found first, which is fast, and then the period around each of them.
_UNIT_WRITTEN = re.compile(r"day|week|month|quarter|year|anniversary|annual", re.IGNORECASE)
_BEFORE, _AFTER = 120, 30  # maximum characters of a period before and after its unit
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
_MOST_MONTHS = 100 * 12  # a longer period is a slip, or not a term


@dataclass(frozen=True, slots=True)
class Period:
    """A length of time: whole months, or days."""

    months: int = 0
    days: int = 0

    @property
    def iso(self) -> str:
        if self.days:
            return f"P{self.days}D"
        years, rest = divmod(self.months, 12)
        return f"P{years}Y" if years and not rest else f"P{self.months}M"

    def shift(self, day: date, *, back: bool = False) -> date:
        """Return the day this much later, or earlier."""
        way = -1 if back else 1
        return add_months(day, way * self.months) + timedelta(days=way * self.days)


@dataclass(frozen=True, slots=True)
class WrittenPeriod:
    value: Period
    span: Span


def find_periods(text: str, within: Span) -> Iterator[WrittenPeriod]:
    """Yield the periods written in a part of the text, in order."""
    done = within.start
    for unit in _UNIT_WRITTEN.finditer(text, within.start, within.end):
        if unit.start() < done:
            continue
        start, end = max(done, unit.start() - _BEFORE), min(within.end, unit.end() + _AFTER)
        match = _PERIOD.search(text, start, end)
        if match is None or match.start() > unit.start():
            continue
        done = match.end()
        period = _value(match)
        if period and (period.days or 0 < period.months <= _MOST_MONTHS):
            yield WrittenPeriod(period, Span(*match.span()))


def parse_period(iso: str) -> Period:
    count, unit = int(iso[1:-1]), iso[-1]
    return Period(days=count) if unit == "D" else Period(months=count * (12 if unit == "Y" else 1))


def _value(match: re.Match[str]) -> Period | None:
    if match["place"]:
        word = match["place"].lower()
        return Period(months=12 * (_PLACES.get(word) or int(re.sub(r"\D", "", word))))
    if match["single"]:
        word = match["single"].lower()
        if word.startswith("half"):
            return Period(months=6)
        return Period(months=1 if "month" in word else 12)
    count = Decimal(match["digits"]) if match["digits"] else _number(match["number"].lower())
    unit = match["unit"].lower()
    if unit in _DAYS:
        return Period(days=int(count * _DAYS[unit])) if count else None
    return Period(months=int(count * _MONTHS[unit]))


def _number(words: str) -> Decimal:
    if words[0].isdigit():
        return Decimal(words)
    total = 0
    for word in re.split(r"[\s-]+", words):
        total = max(total, 1) * 100 if word in _LARGE else total + _SMALL.get(word, 0)
    return Decimal(total)
