"""The list and heading numbers of OpenDocument texts, which stand nowhere in the file.

Rules of OpenDocument 1.3 part 3: section 19.880 (continued lists), 16.30 to 16.34 (list styles).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.documents.number_formats import format_number

if TYPE_CHECKING:
    from lxml.etree import _Element

LEVELS = 10  # as OpenDocument has
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_STYLES = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "01": "decimalZero",
    "1st": "ordinal",
}
_PLACE = re.compile(r"%(\d{1,2})%")


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list counts and looks; `pattern` has `%1%` for a level's number."""

    style: str = ""  # as `numeral` knows it; empty where nothing is counted
    pattern: str = ""
    start: int = 1


@dataclass(slots=True)
class Counters:
    counts: list[int | None] = field(default_factory=lambda: [None] * LEVELS)

    def next_label(self, levels: dict[int, Level], at: int, start: int | None) -> str:
        """Count an item of a level, from 0, and return its label; empty if it has none."""
        level = levels.get(at, Level())
        before = self.counts[at]
        if start is not None:
            self.counts[at] = start
        else:
            self.counts[at] = level.start if before is None else before + 1
        self.counts[at + 1 :] = [None] * (LEVELS - at - 1)
        if level.style == "bullet":
            return "\u2022"

        def written(place: re.Match[str]) -> str:
            other = int(place.group(1)) - 1
            shown = levels.get(other, Level())
            count = self.counts[other] if 0 <= other < LEVELS else None
            return format_number(shown.start if count is None else count, shown.style or "none")

        return _PLACE.sub(written, level.pattern).strip() if level.style else ""


class Numbering:
    """The list styles of a document, and its lists counting as they go by."""

    def __init__(self, *roots: _Element | None) -> None:
        self._styles: dict[str, dict[int, Level]] = {}
        self._outline: dict[int, Level] = {}
        for root in (each for each in roots if each is not None):
            for node in root.iter(f"{TEXT}list-style"):
                self._styles[node.get(f"{STYLE}name", "")] = _parse_levels(node)
            for node in root.iter(f"{TEXT}outline-style"):
                self._outline = _parse_levels(node)
        self._lists: dict[str, Counters] = {}  # by id
        self._last: dict[str, Counters] = {}  # by style
        self._headings = Counters()

    def open_list(self, node: _Element, style: str) -> Counters:
        continued = node.get(f"{TEXT}continue-list", "")
        if continued in self._lists:
            counters = self._lists[continued]
        elif node.get(f"{TEXT}continue-numbering") == "true" and style in self._last:
            counters = self._last[style]
        else:
            counters = Counters()
        self._last[style] = counters
        name = node.get("{http://www.w3.org/XML/1998/namespace}id", "")
        if name:
            self._lists[name] = counters
        return counters

    def item_label(self, counters: Counters, style: str, at: int, start: int | None) -> str:
        return counters.next_label(self._styles.get(style, {}), min(at, LEVELS - 1), start)

    def heading_label(self, at: int, start: int | None) -> str:
        if not self._outline.get(at, Level()).style:
            return ""
        return self._headings.next_label(self._outline, min(at, LEVELS - 1), start)


def _parse_levels(node: _Element) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for level in node:
        at = parse_number(level.get(f"{TEXT}level"))
        if at is None or not 1 <= at <= LEVELS:
            continue
        if level.tag == f"{TEXT}list-level-style-bullet":
            levels[at - 1] = Level("bullet")
            continue
        style = _STYLES.get(level.get(f"{STYLE}num-format", ""), "")
        start = parse_number(level.get(f"{TEXT}start-value"))
        levels[at - 1] = Level(style, _label_pattern(level, at), 1 if start is None else start)
    return levels


def _label_pattern(level: _Element, at: int) -> str:
    stated = level.get(f"{_LOEXT}num-list-format")
    if stated is not None:
        return stated
    shown = parse_number(level.get(f"{TEXT}display-levels")) or 1
    numbers = ".".join(f"%{each}%" for each in range(max(1, at - shown + 1), at + 1))
    return level.get(f"{STYLE}num-prefix", "") + numbers + level.get(f"{STYLE}num-suffix", "")


def parse_number(value: str | None) -> int | None:
    """Return a small whole number, or None where there is none."""
    return int(value) if value and re.fullmatch(r"-?\d{1,6}", value) else None
