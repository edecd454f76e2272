"""Compute with dates, periods, sums and shares, and repeat the calculation of a statement.

Each operand of a statement must appear in the words quoted for it, or be given by the person. The
only other operands allowed convert between units that are mentioned, such as the 12 of months and
years, or add or subtract a known share: 104%, 1.04.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext

from fourcorners.errors import InputError
from fourcorners.research.agents.figures import Figure, find_figures
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.numbers import format_number
from fourcorners.text.values.periods import WrittenPeriod, find_durations
from fourcorners.text.values.quantities import (
    PART,
    PERCENT,
    find_currencies,
    find_rates,
    remove_currencies,
)

_ISO = r"(\d{4}-\d{2}-\d{2})"
_STEP = re.compile(r"([+-])\s*(\w[\w\s]*)")
_STEPS = re.compile(rf"\s*{_ISO}\s*((?:{_STEP.pattern}){{1,9}})")
_BETWEEN = re.compile(
    rf"\s*(?:from\s+|between\s+)?{_ISO}\s*(?:to|until|and|\.\.)\s*{_ISO}\s*", re.I
)
_AFTER = re.compile(rf"\s*(\d{{1,5}}\s*[a-z\s]+?)\s+(after|from|before)\s+{_ISO}\s*", re.IGNORECASE)
_TIMES = re.compile(r"(?<=[\d)%\s])[x×](?=[\s\d($€£])|(?<=\)\s)of(?=\s)")
_LONGEST = 200  # characters of a calculation
_DECIMALS = 4  # of a result
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
_UNIT_WORDS = {
    "year": ("year", "annual", "annum"),
    "quarter": ("quarter",),
    "month": ("month",),
    "week": ("week",),
    "fortnight": ("fortnight",),
    "day": ("day", "daily"),
    "hour": ("hour",),
}
_FACTORS: Mapping[Decimal | int, tuple[str, str]] = {
    12: ("month", "year"),
    4: ("quarter", "year"),
    3: ("month", "quarter"),
    52: ("week", "year"),
    26: ("fortnight", "year"),
    365: ("day", "year"),
    360: ("day", "year"),
    7: ("day", "week"),
    24: ("hour", "day"),
}
_WHOLE = 100  # per cent


@dataclass(frozen=True, slots=True)
class Calculation:
    """The result of an expression, in words with the expression; or why there is none.

    Attributes:
        words: Empty where there is a problem.
    """

    words: str
    problem: str = ""

    @property
    def figures(self) -> list[Figure]:
        """The result, and what it is computed from."""
        return find_figures(self.words)


def calculate(expression: str, known: Sequence[Figure], texts: Iterable[str]) -> Calculation:
    """Compute an expression from known figures; `texts` name its units."""
    try:
        words = compute(expression)
    except InputError as error:
        return Calculation("", f"it could not be computed: {error.message}")
    text = " ".join(texts).casefold()
    operands = find_figures(expression, with_counts=True)
    shares = [each for each in (*known, *operands) if each.unit == "%"]
    unknown = [
        each.words
        for each in operands
        if not (
            each.is_known(known, exactly=True)
            or each.is_share(one for one in known if one.unit == "%")
            or _is_structural(each, text, has_share=bool(shares))
        )
    ]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        named = ", ".join(dict.fromkeys(unknown))
        return Calculation("", f"it is computed from {named}, which {verb} not in the words quoted")
    return Calculation(words)


def _is_structural(operand: Figure, text: str, *, has_share: bool) -> bool:
    """Tell whether an operand turns one unit into another, or is one of a unit that is named."""
    if operand.number == 1:
        words = operand.words.casefold()
        units = [each for each in _UNIT_WORDS if each in words]
        return operand.unit in ("", "%") or any(_is_named(each, text) for each in units)
    if operand.unit in ("", "%") and operand.value == _WHOLE:
        return has_share
    factor = _FACTORS.get(operand.value)
    return not operand.unit and factor is not None and all(_is_named(each, text) for each in factor)


def _is_named(unit: str, text: str) -> bool:
    return any(each in text for each in _UNIT_WORDS[unit])


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
        return _stepped(steps[1], _periods(steps[2]))
    if between := _BETWEEN.fullmatch(dated):
        return _apart(_day(between[1]), _day(between[2]))
    marks = {currency: mark for mark, currency in find_currencies(shown)}
    if len(marks) > 1:
        raise InputError(f"{shown!r} has more than one currency.", remedy=_REMEDY)
    return f"{shown} = {_with_currency(_format(_amount(shown)), marks)}{_result_rate(shown)}"


def _result_rate(expression: str) -> str:
    """Return what a product is for each of: a year, if it is a sum a month times 12."""
    rated = [*find_rates(expression, Span(0, len(expression)))]
    units = [unit for _, unit, _ in rated if unit]
    plain = [e for e, unit, _ in rated if not unit and not e.mark and e.unit != PERCENT]
    is_product = set(expression).isdisjoint("+-") and len(units) == len(plain) == 1
    if not is_product or plain[0].number not in _FACTORS:
        return ""
    smaller, larger = _FACTORS[plain[0].number]
    after = (each.lstrip()[:1] for each in expression.split("/")[1:])
    if any(each.isdigit() or each == "(" for each in after):  # and not "€40/month"
        smaller, larger = larger, smaller
    return f" a {larger}" if units == [smaller] else ""


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


def _periods(text: str) -> Iterator[tuple[str, WrittenPeriod]]:
    """Yield the periods that a calculation adds or takes away, each with its sign.

    Raises:
        InputError: If it adds anything else.
    """
    for sign, words in _STEP.findall(text):
        period = next(find_durations(words, Span(0, len(words))), None)
        if period is None or period.span != Span(0, len(words.rstrip())):
            raise InputError(f"{words.strip()!r} is not a period.", remedy=_REMEDY)
        yield sign, period


def _stepped(written: str, steps: Iterable[tuple[str, WrittenPeriod]]) -> str:
    day, calculation, is_business = _day(written), written, False
    for sign, period in steps:
        back = sign == "-"
        calculation += f" {sign} {period.text}"
        try:
            if period.is_business:
                day, is_business = _business(day, period.value.days * (-1 if back else 1)), True
            else:
                day = period.value.shift(day, back=back)
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
    plain = text
    for each, _, end in reversed([*find_rates(text, Span(0, len(text)))]):
        if each.again is None and each.unit in ("", PERCENT, PART):
            number = f"({each.number:f}/100)" if each.unit == PERCENT else f"({each.number:f})"
            plain = plain[: each.span.start] + number + plain[end:]
    plain = _TIMES.sub("*", remove_currencies(plain)).strip()
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


def _format(value: Decimal) -> str:
    whole = value == value.to_integral_value()
    return format_number(value if whole else round(value, _DECIMALS))
