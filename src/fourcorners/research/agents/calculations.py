"""Repeat the calculation of a statement from known figures.

Each operand must appear in the words quoted for the statement, or be given by the person. The only
other operands allowed convert between units that are mentioned, such as the 12 of months and years,
or add or subtract a known share: 104%, 1.04.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from fourcorners.errors import InputError
from fourcorners.research.agents.figures import Figure, find_figures
from fourcorners.research.amounts import compute

_UNIT_WORDS = {
    "year": ("year", "annual", "annum"),
    "quarter": ("quarter",),
    "month": ("month",),
    "week": ("week",),
    "day": ("day", "daily"),
    "hour": ("hour",),
}
_FACTORS: Mapping[Decimal | int, tuple[str, str]] = {
    12: ("month", "year"),
    4: ("quarter", "year"),
    3: ("month", "quarter"),
    52: ("week", "year"),
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
            or _is_share(each, [one for one in known if one.unit == "%"])
            or _is_structural(each, text, has_share=bool(shares))
        )
    ]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        named = ", ".join(dict.fromkeys(unknown))
        return Calculation("", f"it is computed from {named}, which {verb} not in the words quoted")
    return Calculation(words)


def _is_share(operand: Figure, shares: Iterable[Figure]) -> bool:
    """Tell whether an operand is a known share, added to the whole or taken from it."""
    if operand.unit not in ("", "%"):
        return False
    value = operand.value if operand.unit else operand.value * _WHOLE
    return any(each.value in (value, abs(value - _WHOLE)) for each in shares)


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
