"""The figures that a statement names, and whether they are known from elsewhere.

"ninety (90) days", "ninety days" and "90 days" are one figure, "24 months" and "2 years" are, and
"10 days" and "10 business days" are not. Sums and shares may be rounded; periods and dates not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from fourcorners.outline.card.dates import find_dates
from fourcorners.review.values import parse_number
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.research.agents", "figures")
_FIGURE = _PATTERNS["figure"]
_CITES = _PATTERNS["cites"]
_LARGE = {
    "k": 3,
    "thousand": 3,
    "m": 6,
    "mn": 6,
    "million": 6,
    "bn": 9,
    "billion": 9,
}  # powers of 10
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
_TIMES = frozenset(("month", "day", "hour", "business day"))
_UNITS = {
    **dict.fromkeys(("$", "us$", "usd", "dollar"), "$"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "€"),
    **dict.fromkeys(("£", "gbp", "pound"), "£"),
    **dict.fromkeys(("%", "percent", "per cent", "percentum", "per centum"), "%"),
}
_ROUNDED = 2  # digits that a rounded figure has at least
_COUNTED = 10  # below it a number without a unit ("two parties") is no figure


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it counts; `unit` is empty where that is not said.

    Attributes:
        words: As the text has it.
    """

    value: Decimal
    unit: str
    words: str

    def is_known(self, known: Iterable[Figure]) -> bool:
        return any(self._fits(each) or self._begins(each) for each in known)

    def _begins(self, other: Figure) -> bool:
        """Tell whether it is short for another: "ten" for "ten million pounds"."""
        return not self.unit and other.words.casefold().startswith(f"{self.words.casefold()} ")

    def _fits(self, other: Figure) -> bool:
        if self.unit != other.unit and self.unit and other.unit:
            return False
        return self.value == other.value or self._rounds(other.value)

    def _rounds(self, exact: Decimal) -> bool:
        """Tell whether it is a rounding of a number that is known more exactly."""
        if self.unit in _TIMES or self.unit == "date":
            return False
        digits = self.value.normalize().as_tuple()
        if len(digits.digits) < _ROUNDED or not isinstance(digits.exponent, int):
            return False
        step = Decimal(1).scaleb(digits.exponent)
        return (exact / step).quantize(Decimal(1), ROUND_HALF_UP) * step == self.value


def find_figures(text: str, *, with_labels: bool = False) -> list[Figure]:
    """Return the dates, periods, sums, shares and other numbers of a text, and its labels."""
    bare = text if with_labels else _CITES.sub(" ", text)
    found = []
    for each in reversed(list(find_dates(bare, Span(0, len(bare))))):
        words = each.span.text_in(bare)
        found.append(Figure(Decimal(each.value.toordinal()), "date", words))
        bare = bare[: each.span.start] + " " + bare[each.span.end :]
    return [*found, *_numbers(bare)]


def _numbers(text: str) -> Iterator[Figure]:
    for match in _FIGURE.finditer(text):
        words = " ".join(match.group().split())
        for number in dict.fromkeys((match["number"], match["again"])):
            value = parse_number(number.rstrip(",")) if number else None
            if value is None:
                continue
            if match["scale"] and number == match["number"]:
                value = value.scaleb(_LARGE[match["scale"].casefold()])
            figure = _with_unit(value, match["sign"], match["unit"], match["business"], words)
            if figure.unit or figure.value >= _COUNTED:
                yield figure


def _with_unit(
    value: Decimal, sign: str | None, unit: str | None, business: str | None, words: str
) -> Figure:
    name = " ".join((sign or unit or "").casefold().split())
    if name in _MONTHS:
        return Figure(value * _MONTHS[name], "month", words)
    if name in _DAYS:
        is_business = business and name == "day"
        return Figure(value * _DAYS[name], "business day" if is_business else "day", words)
    return Figure(value, _UNITS.get(name, name), words)


def unknown_figures(statement: str, known: Collection[Figure]) -> list[str]:
    """Return the figures of a statement that are not among those known, in its words."""
    named = {each.words: each for each in find_figures(statement) if not each.is_known(known)}
    return list(named)
