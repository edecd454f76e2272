"""Compare the rows of a question to a collection: the longest, the earliest, the sum."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from itertools import groupby

from fourcorners.research.answer import ContractRow
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.numbers import format_number
from fourcorners.text.values.periods import parse_period, period_parts
from fourcorners.text.values.quantities import find_quantities

MOST = ("longest", "latest", "newest", "highest", "largest", "biggest", "greatest")
LEAST = ("shortest", "earliest", "oldest", "lowest", "smallest", "soonest")
SUMS = ("total", "sum", "altogether")
_DAYS = 30  # of a month, to compare periods


def size_of(value: str) -> str:
    """Return an answer for programs as a number with its unit; empty for words."""
    if period_parts(value):
        period = parse_period(value)
        return f"{period.months * _DAYS + period.days} days"
    whole = Span(0, len(value))
    if dates := [*find_dates(value, whole)]:
        return f"{dates[0].value.toordinal()} day"
    sums = [each for each in find_quantities(value, whole) if each.mark]
    return f"{sums[0].number} {sums[0].mark}" if len(sums) == 1 else ""


def compare_rows(question: str, rows: Iterable[ContractRow]) -> str:
    """Return the longest, the earliest or the sum of the rows' values, with the contracts."""
    tokens = tokenize(question).tokens
    measured = [
        (Decimal(each.size.split()[0]), each.size.split()[1], each) for each in rows if each.size
    ]
    word = next((each for each in tokens if each in (*MOST, *LEAST, *SUMS)), "")
    if not word or len({unit for _, unit, _ in measured}) != 1:
        return ""
    if word in SUMS:
        unit = measured[0][1]
        total = sum((size for size, _, _ in measured), Decimal(0))
        parts = " + ".join(format_number(size) for size, _, _ in measured)
        return "" if unit in ("day", "days") else f"{unit}{format_number(total)}: {parts}."
    measured.sort(key=lambda each: each[0], reverse=word in MOST)
    _, best = next(groupby(measured, key=lambda each: each[0]))
    named = "; ".join(f"“{each.title}”: {each.value}" for _, _, each in best)
    return f"{word.capitalize()} of {len(measured)}: {named}."
