"""Years and months of years that a text names: "in 2023 and 2024", "2024/25", "May 2024"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import MONTHS

_PATTERNS = load_patterns("fourcorners.research.agents", "named_years")
_YEAR = _PATTERNS["year"]
_LEAD = _PATTERNS["lead"]
_AFTER = _PATTERNS["after"]
_JOINED = _PATTERNS["joined"]
_LONGEST_LEAD = 24  # characters before a year that say that it is one
_LONGEST_JOIN = 40  # characters between two years of a list
_STARTS = [each[:3] for each in MONTHS]
_CENTURY = 100  # years
_FIRST = 2000  # of years with two digits


@dataclass(frozen=True, slots=True)
class NamedYear:
    """A year, or a month of it.

    Attributes:
        month: 0 for the whole year.
        series: Which list of years in the text it belongs to.
        is_between: Whether the text names only years before and after it: "2023 to 2026".
    """

    year: int
    month: int
    span: Span
    series: int
    is_between: bool = False


def find_years(text: str) -> Iterator[NamedYear]:
    """Yield the years that a text names; a bare "2024" is a number like others.

    A year is known by a word before or after it, or by a month, or is in a list with one that is.
    """
    found = [*_YEAR.finditer(text)]
    joins = [_join(text, *pair) for pair in pairwise(found)]
    series = [0]
    for join in joins:
        series.append(series[-1] + (join is None))
    numbered = zip(series, found, [None, *joins], strict=False)
    for number, listed in groupby(numbered, key=lambda each: each[0]):
        own = [*listed]
        if any(_is_named(text, each) for _, each, _ in own):
            last = 0
            for _, match, join in own:
                for each in _read(match, number):
                    if join and join["range"]:
                        between = range(last + 1, each.year)
                        yield from (
                            NamedYear(year, 0, each.span, number, is_between=True)
                            for year in between
                        )
                        join = None
                    last = each.year
                    yield each


def _join(text: str, one: re.Match[str], other: re.Match[str]) -> re.Match[str] | None:
    if other.start() - one.end() > _LONGEST_JOIN:
        return None
    return _JOINED.fullmatch(text, one.end(), other.start())


def _is_named(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - _LONGEST_LEAD) : match.start()]
    has_mark = match["month"] or match["short"] or _is_season(match)
    return bool(has_mark or _LEAD.search(before) or _AFTER.match(text, match.end()))


def _is_season(match: re.Match[str]) -> bool:
    """Tell whether two years are those of one season: 2024/25."""
    return bool(match["next"]) and int(match["next"][-2:]) == (int(match["year"]) + 1) % _CENTURY


def _read(match: re.Match[str], series: int) -> Iterator[NamedYear]:
    span = Span(*match.span())
    if match["short"]:
        yield NamedYear(_FIRST + int(match["short"]), 0, span, series)
        return
    year = int(match["year"])
    month = _STARTS.index(match["month"][:3].title()) + 1 if match["month"] else 0
    yield NamedYear(year, month, span, series)
    if _is_season(match):
        yield NamedYear(year + 1, 0, span, series)
