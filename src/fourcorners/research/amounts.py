"""Compute with dates, periods, sums and shares."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext

from fourcorners.errors import InputError
from fourcorners.outline.card.dates import add_months, find_dates
from fourcorners.research.currencies import find_currencies, remove_currencies
from fourcorners.text.span import Span

_ISO = r"(\d{4}-\d{2}-\d{2})"
_STEP = re.compile(
    r"\s*([+-])\s*(\d{1,5})\s*(business\s+days?|days?|weeks?|months?|years?)\s*", re.IGNORECASE
)
_STEPS = re.compile(rf"\s*{_ISO}((?:{_STEP.pattern}){{1,9}})", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"\s*(?:from\s+|between\s+)?{_ISO}\s*(?:to|until|and|\.\.)\s*{_ISO}\s*", re.I
)
_AFTER = re.compile(rf"\s*(\d{{1,5}}\s*[a-z\s]+?)\s+(after|from|before)\s+{_ISO}\s*", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|per\s?cent\b)", re.IGNORECASE)
_TIMES = re.compile(r"(?<=[\d)%\s])[x×](?=[\s\d($€£])|(?<=\)\s)of(?=\s)")
_LONGEST = 200  # characters of a calculation
_DIGITS = 40  # digits of decimal arithmetic
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
    """Compute with dates and amounts; return the expression with the result and its unit.

    Raises:
        InputError: If it is not such an expression.
    """
    shown = " ".join(expression.split())
    if not shown or len(shown) > _LONGEST:
        raise InputError("there is nothing to compute.", remedy=_REMEDY)
    dated = _with_iso_dates(shown)
    if after := _AFTER.fullmatch(dated):
        dated = f"{after[3]} {'-' if after[2].casefold() == 'before' else '+'} {after[1]}"
    if steps := _STEPS.fullmatch(dated):
        return _stepped(steps[1], _STEP.findall(steps[2]))
    if between := _BETWEEN.fullmatch(dated):
        return _apart(_day(between[1]), _day(between[2]))
    marks = {currency: mark for mark, currency in find_currencies(shown)}
    if len(marks) > 1:
        raise InputError(f"{shown!r} has more than one currency.", remedy=_REMEDY)
    return f"{shown} = {_with_currency(_format_number(_amount(shown)), marks)}"


def _with_iso_dates(text: str) -> str:
    for each in reversed(list(find_dates(text, Span(0, len(text))))):
        text = text[: each.span.start] + each.value.isoformat() + text[each.span.end :]
    return text


def _with_currency(number: str, marks: Mapping[str, str]) -> str:
    for currency, mark in marks.items():
        if not mark[-1].isalpha():
            return f"{mark}{number}"
        return f"{mark if len(currency.split()) > 1 else currency} {number}"
    return number


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise InputError(f"{written} is not a date.", remedy=_REMEDY) from None


def _stepped(written: str, steps: Sequence[tuple[str, str, str]]) -> str:
    day, calculation, is_business = _day(written), written, False
    for sign, count, unit in steps:
        number = int(count) * (1 if sign == "+" else -1)
        kind = " ".join(unit.casefold().split()).rstrip("s")
        calculation += f" {sign} {count} {unit}"
        try:
            if kind == "business day":
                day, is_business = _business(day, number), True
            elif kind in ("day", "week"):
                day += timedelta(days=number * (7 if kind == "week" else 1))
            else:
                day = add_months(day, months=number * (12 if kind == "year" else 1))
        except (OverflowError, ValueError):
            raise InputError(f"{calculation} is not a date.", remedy=_REMEDY) from None
    calculation += f" = {day.isoformat()} ({day:%A})"
    return f"{calculation}; public holidays are not known" if is_business else calculation


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
    plain = remove_currencies(_PERCENT.sub(r"(\1/100)", _THOUSANDS.sub("", text)))
    plain = _TIMES.sub("*", plain).strip()
    try:
        tree = ast.parse(plain, mode="eval")
        with localcontext() as context:
            context.prec = _DIGITS
            return _valued(tree.body)
    except (SyntaxError, ValueError, InvalidOperation, DivisionByZero, RecursionError):
        raise InputError(f"{text!r} is not a sum.", remedy=_REMEDY) from None


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
