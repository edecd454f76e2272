"""Amounts as contracts write them: of money, shares of something, and the fees of a period.

They are normalised: "five million pounds" is `£5,000,000`, "twelve (12) months' fees" is
`12 months’ fees`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from fourcorners.text.span import Span
from fourcorners.text.values.dates import WrittenDate
from fourcorners.text.values.numbers import format_number
from fourcorners.text.values.periods import WrittenPeriod, count_noun, measured_by
from fourcorners.text.values.quantities import PERCENT, Quantity, find_quantities

_SIGNS = {"USD": "$", "GBP": "£", "EUR": "€"}
_OF = re.compile(
    r"\s+of\s+(?:(?:the|all|its|their|such|that)\s+){0,2}[A-Za-z][\w’'-]*(?-i:(?:\s+[A-Z][\w’'-]*){0,4})",
    re.IGNORECASE,
)
_PAID = re.compile(
    r"\b(?P<what>fees|charges|amounts?|sums|price|royalties|purchases)\b[^.;]{0,60}?"
    r"\b(?P<paid>paid|payable|due|invoiced|received)\b",
    re.IGNORECASE,
)
_IN_PERIOD = re.compile(r"[^.;]{0,80}?\b(?:in|during|for|over)\b[^.;]{0,40}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount in a form to compare and print, and where it is written."""

    text: str
    span: Span


Written: TypeAlias = WrittenDate | WrittenPeriod | Amount
W = TypeVar("W", bound=Written)


def distinct(found: Iterable[W]) -> list[W]:
    """Return values without those that occurred before."""
    first: dict[str, W] = {}
    for each in found:
        first.setdefault(each.text, each)
    return [*first.values()]


def find_amounts(text: str, within: Span) -> list[Amount]:
    """Return the amounts of a part of the text, in order of place.

    They have forms such as `$1,000,000`, `125% of the Charges`, `12 months’ fees` and `fees paid in
    12 months`.
    """
    quantities = [*find_quantities(text, within)]
    amounts = filter(None, (_read(text, each, within) for each in quantities))
    found = (*_paid_in_periods(text, quantities, within), *amounts)
    apart: list[Amount] = []
    for each in sorted(found, key=lambda each: (each.span.start, -each.span.end)):
        if not apart or each.span.start >= apart[-1].span.end:
            apart.append(each)
    return apart


def _read(text: str, quantity: Quantity, within: Span) -> Amount | None:
    start, end = quantity.span.start, quantity.span.end
    if quantity.unit == PERCENT:
        of = _OF.match(text, end, within.end)
        words = f" {' '.join(of.group().split())}" if of else ""
        return Amount(
            f"{format_number(quantity.number)}%{words}", Span(start, of.end() if of else end)
        )
    if quantity.mark:
        return Amount(f"{_sign(quantity)}{format_number(quantity.number)}", quantity.span)
    measured = measured_by(text, quantity, within)
    if measured is None:
        return None
    period = count_noun(quantity.number, quantity.unit)
    mark = "’" if period.endswith("s") else "’s"
    return Amount(f"{period}{mark} {measured['what'].casefold()}", Span(start, measured.end()))


def _sign(quantity: Quantity) -> str:
    """Return how a currency is written before a number; one of several is as the text has it."""
    currency = quantity.currency
    return _SIGNS.get(currency) or f"{currency if len(currency) == 3 else quantity.mark} "


def _paid_in_periods(text: str, quantities: Iterable[Quantity], within: Span) -> Iterator[Amount]:
    """Yield what was paid in a period: "the fees paid by it in the twelve months before"."""
    periods = [each for each in quantities if each.unit in ("month", "year")]
    done = within.start
    for paid in _PAID.finditer(text, within.start, within.end):
        for period in periods:
            start, end = period.span.start, period.span.end
            if start > done <= paid.start() and _IN_PERIOD.fullmatch(text, paid.end(), start):
                counted = count_noun(period.number, period.unit)
                words = f"{paid['what']} {paid['paid']}".casefold()
                yield Amount(f"{words} in {counted}", Span(paid.start(), end))
                done = end
                break
