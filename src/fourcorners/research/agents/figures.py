"""The figures that a statement names, and whether they are known from elsewhere.

"ninety (90) days", "ninety days" and "90 days" are one figure, "24 months" and "2 years" are, and
"USD640,000" and "640,000 US dollars"; "10 days" and "10 business days" are not. Sums and shares may
be rounded; periods and dates not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.quantities import Quantity, find_quantities, may_be_same

_PATTERNS = load_patterns("fourcorners.research.agents", "figures")
_CITES = _PATTERNS["cites"]
_LABEL = re.compile(r"\b(?:\d|[IVX]+\b|[A-Z]\b)[\w.()-]*")
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset(("a", "an", "the"))
_NEAR = 2  # words before a figure that say what it measures
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
_TIMES = frozenset(("month", "day", "hour", "business day"))
_LABELLED = "label"
_ROUNDED = 2  # digits that a rounded figure has at least
_COUNTED = 10  # below it a number without a unit ("two parties") is no figure


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it counts; `unit` is empty where that is not said.

    Attributes:
        unit: For a sum, the currencies that it may be in.
        words: As the text has it.
        number: The number as it is written: 2 for "2 years", which are 24 months.
    """

    value: Decimal
    unit: str
    words: str
    number: Decimal
    span: Span

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

    def _begins(self, other: Figure) -> bool:
        """Return whether it is short for another: "ten" for "ten million pounds"."""
        return other.words.casefold().startswith(f"{self.words.casefold()} ")

    def _has_unit(self, other: Figure) -> bool:
        if self.unit.isupper() and other.unit.isupper():
            return may_be_same(self.unit, other.unit)
        return self.unit == other.unit

    def _has_value(self, other: Figure, *, exactly: bool) -> bool:
        same = self.value == other.value
        if not (self.unit and other.unit):
            same = same or self.number == other.number
        return same or (not exactly and self._rounds(other.value))

    def _rounds(self, exact: Decimal) -> bool:
        """Return whether it is a rounding of a known, more exact number."""
        if self.unit in _TIMES or self.unit == "date":
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

    Labels of clauses are a separate kind; counts are small numbers without a unit.
    """
    cited = [Span(*match.span()) for match in _CITES.finditer(text)]
    found = [
        replace(each, unit=_LABELLED)
        for span in (cited if with_labels else ())
        for each in _numbers(text, span)
    ]
    bare = blank_spans(text, cited)
    dates = list(find_dates(bare, Span(0, len(bare))))
    for each in dates:
        day = Decimal(each.value.toordinal())
        found.append(Figure(day, "date", each.span.text_in(bare), day, each.span))
    bare = blank_spans(bare, [each.span for each in dates])
    numbers = _numbers(bare, Span(0, len(bare)))
    found += [each for each in numbers if with_counts or each.unit or each.value >= _COUNTED]
    return sorted(found, key=lambda each: each.span)


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Return a text with some words replaced by spaces."""
    for span in spans:
        text = f"{text[: span.start]}{' ' * len(span)}{text[span.end :]}"
    return text


def _numbers(text: str, within: Span) -> Iterator[Figure]:
    for quantity in find_quantities(text, within):
        words = " ".join(quantity.span.text_in(text).split())
        for number in dict.fromkeys((quantity.number, quantity.again)):
            if number is not None:
                yield _with_unit(number, quantity, words)


def _with_unit(number: Decimal, quantity: Quantity, words: str) -> Figure:
    unit = quantity.unit
    if unit in _MONTHS:
        return Figure(number * _MONTHS[unit], "month", words, number, quantity.span)
    if unit in _DAYS:
        name = "business day" if quantity.kind and unit == "day" else "day"
        return Figure(number * _DAYS[unit], name, words, number, quantity.span)
    return Figure(number, unit or quantity.currency, words, number, quantity.span)


def unknown_figures(
    statement: str, known: Collection[Figure], *, exactly: bool = False
) -> list[str]:
    """Return the figures of a statement that are not among the known ones, in its words."""
    found = find_figures(statement)
    named = {each.words: each for each in found if not each.is_known(known, exactly=exactly)}
    return list(named)


def has_unknown_labels(statement: str, quotes: Iterable[str]) -> bool:
    """Return whether a statement names a clause by a number that no quote has."""
    words = " ".join(quotes)
    labels = [
        label.rstrip(".-")
        for cite in _CITES.finditer(statement)
        for label in _LABEL.findall(cite.group())
    ]
    return not all(re.search(rf"(?<![\w.]){re.escape(each)}(?!\w)", words) for each in labels)


def contradicting_figures(statement: str, quotes: Iterable[str]) -> list[str]:
    """Return the figures of a statement for which the quotes have a different one, in its words.

    Figures of the same kind between the same words are compared: "not exceed £5 in" and "not exceed
    £9 in".
    """
    written = [(_place(each, text), each) for text in quotes for each in find_figures(text)]
    found = []
    for figure in find_figures(statement):
        before, after = _place(figure, statement)
        others = [
            each
            for (earlier, later), each in written
            if before and before == earlier and after in ("", later)
            and figure.dimension == each.dimension
        ]  # fmt: skip
        if others and not figure.is_known(others):
            found.append(figure.words)
    return list(dict.fromkeys(found))


def _place(figure: Figure, text: str) -> tuple[tuple[str, ...], str]:
    """Return the two words before a figure, and the one after it, articles left out."""
    before = [each for each in _words_of(text[: figure.span.start]) if each not in _ARTICLES]
    after = [each for each in _words_of(text[figure.span.end :]) if each not in _ARTICLES]
    return tuple(before[-_NEAR:]), next(iter(after), "")


def _words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
