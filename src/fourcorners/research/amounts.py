"""Dates, periods, sums and shares in a contract's words, and reckoning with them by code."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext
from enum import StrEnum

from fourcorners.errors import InputError
from fourcorners.outline.card.dates import add_months, find_dates
from fourcorners.text.span import Span


class AmountKind(StrEnum):
    DATE = "date"
    PERIOD = "period"
    SUM = "sum"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Amount:
    kind: AmountKind
    span: Span
    words: str


_ONES = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred)"
)
_COUNT = rf"(?:{_ONES}(?:[- ]{_ONES})*\s*(?:\(\s*\d+\s*\))?|\d+(?:\.\d+)?|\(\s*\d+\s*\))"
_PERIOD = re.compile(
    rf"\b{_COUNT}[\s-]+(?:(?:business|calendar|working|consecutive|full)\s+)*"
    r"(?:hours?|days?|weeks?|months?|quarters?|years?)\b(?:[’']s?)?",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"(?:(?:US|CA|AU|HK|S)?\$|€|£|¥|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|RMB|INR)\b)\s?\d[\d,]*(?:\.\d+)?"
    r"(?:\s{0,9}(?:million|billion|thousand)\b|\s?(?:m|bn|k)\b)?"
    r"|\b\d[\d,]*(?:\.\d+)?\s{0,9}(?:million|billion|thousand)?\s{0,9}"
    r"(?:dollars|euros?|pounds(?:\s+sterling)?|francs|yen|USD|EUR|GBP|CHF)\b",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"\b{_COUNT}\s*(?:%|per\s?cent\b)(?:\s*\(\s*\d+(?:\.\d+)?\s*%\s*\))?", re.IGNORECASE
)
_PATTERNS = (
    (AmountKind.PERIOD, _PERIOD),
    (AmountKind.SUM, _SUM),
    (AmountKind.SHARE, _SHARE),
)


def find_amounts(text: str, within: Span) -> list[Amount]:
    found = [
        Amount(AmountKind.DATE, each.span, " ".join(each.span.text_in(text).split()))
        for each in find_dates(text, within)
    ]
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text, within.start, within.end):
            span = Span(*match.span())
            found.append(Amount(kind, span, " ".join(match.group().split())))
    return sorted(found, key=lambda each: each.span)


_ISO = r"(\d{4}-\d{2}-\d{2})"
_STEP = re.compile(
    rf"\s*{_ISO}\s*([+-])\s*(\d{{1,5}})\s*(business\s+days?|days?|weeks?|months?|years?)\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"\s*(?:from\s+|between\s+)?{_ISO}\s*(?:to|until|and|\.\.)\s*{_ISO}\s*", re.I
)
_AFTER = re.compile(rf"\s*(\d{{1,5}}\s*[a-z\s]+?)\s+(after|from|before)\s+{_ISO}\s*", re.IGNORECASE)
_CURRENCY = re.compile(
    r"(?:US|CA|AU|HK|S)?\$|[€£¥]|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD)\b", re.IGNORECASE
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|per\s?cent\b)", re.IGNORECASE)
_TIMES = re.compile(r"(?<=[\d)%\s])[x×](?=[\s\d($€£])|(?<=\)\s)of(?=\s)")
_LONGEST = 200  # characters of a calculation
_DIGITS = 40  # of decimal arithmetic
_OPERATIONS: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
_REMEDY = (
    "Write “1 March 2024 + 90 days”, “2024-01-01 to 2025-03-31”, or a sum in one currency: "
    "“12 * $4,500 * 110%”."
)


def compute(expression: str) -> str:
    """Return what dates and amounts come to, in words with the result and its unit.

    Raises:
        InputError: If it is no such expression.
    """
    shown = " ".join(expression.split())
    if not shown or len(shown) > _LONGEST:
        raise InputError("there is nothing to reckon.", remedy=_REMEDY)
    dated = _with_iso_dates(shown)
    if after := _AFTER.fullmatch(dated):
        dated = f"{after[3]} {'-' if after[2].casefold() == 'before' else '+'} {after[1]}"
    if step := _STEP.fullmatch(dated):
        return _stepped(*step.groups())
    if between := _BETWEEN.fullmatch(dated):
        return _apart(_day(between[1]), _day(between[2]))
    currencies = {each.upper() for each in _CURRENCY.findall(shown)}
    if len(currencies) > 1:
        raise InputError(f"{shown!r} has more than one currency.", remedy=_REMEDY)
    return f"{shown} = {_with_currency(_format_number(_amount(shown)), currencies)}"


def _with_iso_dates(text: str) -> str:
    for each in reversed(list(find_dates(text, Span(0, len(text))))):
        text = text[: each.span.start] + each.value.isoformat() + text[each.span.end :]
    return text


def _with_currency(number: str, currencies: Iterable[str]) -> str:
    for currency in currencies:
        return f"{currency} {number}" if currency.isalpha() else f"{currency}{number}"
    return number


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise InputError(f"{written} is no date.", remedy=_REMEDY) from None


def _stepped(written: str, sign: str, count: str, unit: str) -> str:
    start, number = _day(written), int(count) * (1 if sign == "+" else -1)
    kind = " ".join(unit.casefold().split()).rstrip("s")
    try:
        if kind == "business day":
            end = _business(start, number)
        elif kind in ("day", "week"):
            end = start + timedelta(days=number * (7 if kind == "week" else 1))
        else:
            end = add_months(start, months=number * (12 if kind == "year" else 1))
    except (OverflowError, ValueError):
        raise InputError(f"{written} {sign} {count} {unit} is no date.", remedy=_REMEDY) from None
    reckoning = f"{written} {sign} {count} {unit} = {end.isoformat()} ({end:%A})"
    return f"{reckoning}; public holidays are not known" if kind == "business day" else reckoning


def _business(start: date, number: int) -> date:
    step, left, day = (1 if number >= 0 else -1), abs(number), start
    while left:
        day += timedelta(days=step)
        left -= day.weekday() < 5
    return day


def _apart(first: date, last: date) -> str:
    days = (last - first).days
    months = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    return f"{first} to {last} = {days} days ({months} whole months)"


def _amount(text: str) -> Decimal:
    plain = _CURRENCY.sub("", _PERCENT.sub(r"(\1/100)", _THOUSANDS.sub("", text)))
    plain = _TIMES.sub("*", plain).strip()
    try:
        tree = ast.parse(plain, mode="eval")
        with localcontext() as context:
            context.prec = _DIGITS
            return _valued(tree.body)
    except (SyntaxError, ValueError, InvalidOperation, DivisionByZero, RecursionError):
        raise InputError(f"{text!r} is no sum.", remedy=_REMEDY) from None


def _valued(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Decimal(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_valued(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        return _OPERATIONS[type(node.op)](_valued(node.left), _valued(node.right))
    raise ValueError("not a sum")


def _format_number(value: Decimal) -> str:
    if value == value.to_integral_value():
        return f"{int(value):,}"
    return f"{round(value, 4).normalize():,f}"
