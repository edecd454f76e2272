"""Clause numbers, as Word counts them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a multilevel list, in Word's terms."""

    format: str
    text: str
    reference: str
    legal: bool = False  # w:isLgl: numbers of the levels above are shown as decimals


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a contract numbers its clauses and its schedules."""

    levels: tuple[Level, ...]
    schedule: Level
    inner: tuple[Level, ...]


UK = (
    Level("decimal", "%1.", "%1"),
    Level("decimal", "%1.%2", "%1.%2"),
    Level("lowerLetter", "(%3)", "%1.%2(%3)"),
    Level("lowerRoman", "(%4)", "%1.%2(%3)(%4)"),
)
US_ITEMS = (
    Level("lowerLetter", "(%3)", "%1.%2(%3)"),
    Level("lowerRoman", "(%4)", "%1.%2(%3)(%4)"),
)
US_ROMAN = (
    Level("upperRoman", "ARTICLE %1", "%1"),
    Level("decimal", "Section %1.%2", "%1.%2", legal=True),
    *US_ITEMS,
)
US_ZERO = (
    Level("decimal", "ARTICLE %1", "%1"),
    Level("decimalZero", "Section %1.%2", "%1.%2"),
    *US_ITEMS,
)
GERMAN = (
    Level("decimal", "§ %1", "%1"),
    Level("decimal", "(%2)", "%1 (%2)"),
    Level("lowerLetter", "%3)", "%1 (%2) %3)"),
    Level("lowerRoman", "%4)", "%1 (%2) %3) %4)"),
)
SCHEDULE = Level("decimal", "Schedule %1", "%1")
EXHIBIT = Level("upperLetter", "EXHIBIT %1", "%1")
ANNEX = Level("decimal", "Annex %1", "%1")
SCHEMES = {
    "uk": Scheme(UK, SCHEDULE, UK),
    "us-roman": Scheme(US_ROMAN, EXHIBIT, UK),
    "us-zero": Scheme(US_ZERO, EXHIBIT, UK),
    "german": Scheme(GERMAN, ANNEX, UK),
}


def roman(number: int) -> str:
    """Write a number below 40 in capital Roman numerals."""
    tens, ones = divmod(number, 10)
    units = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return "X" * tens + units[ones]


FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda n: f"{n:02d}",
    "lowerLetter": lambda n: chr(96 + n),
    "upperLetter": lambda n: chr(64 + n),
    "lowerRoman": lambda n: roman(n).lower(),
    "upperRoman": roman,
}


@dataclass(slots=True)
class Counter:
    """The state of one multilevel list."""

    levels: tuple[Level, ...]
    counts: list[int] = field(default_factory=lambda: [0] * 4)

    def advance(self, depth: int) -> None:
        """Count one more paragraph at a depth; deeper levels begin again."""
        self.counts[depth] += 1
        self.counts[depth + 1 :] = [0] * (len(self.counts) - depth - 1)

    def write(self, depth: int, template: str) -> str:
        """Fill ``%1`` to ``%4`` of a label or a reference."""

        def number(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            plain = self.levels[depth].legal and index < depth
            return FORMATS["decimal" if plain else self.levels[index].format](self.counts[index])

        return re.sub(r"%(\d)", number, template)
