"""The styles of OpenDocument texts: whether words are visible, and list and heading numbers.

Numbers are not stored in the file. Follows OpenDocument 1.3 part 3: section 19.880 (continued
lists), 16.30 to 16.34 (list styles).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.documents.appearance import (
    WHITE,
    Colour,
    is_similar_colour,
    is_symbol_font,
    parse_colour,
)
from fourcorners.documents.number_formats import format_number

if TYPE_CHECKING:
    from lxml.etree import _Element


LEVELS = 10  # as OpenDocument has
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_STYLES = {
    "1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
    "01": "decimalZero", "1st": "ordinal",
}  # fmt: skip
_PLACE = re.compile(r"%(\d{1,2})%")
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_RELEVANT_PROPERTIES = (
    *(
        f"{_FO}{name}"
        for name in ("color", "font-size", "background-color", "line-height", "margin-left")
    ),
    *(f"{STYLE}{name}" for name in ("row-height", "text-line-through-style", "text-scale")),
    *(f"{STYLE}{name}" for name in ("text-line-through-type", "font-name")),
    f"{_FO}font-family",
    *(f"{_DRAW}{name}" for name in ("fill", "fill-color")),
    f"{TEXT}display",
    f"{STYLE}use-window-font-color",
)
_SIZE = re.compile(r"([\d.]{1,10})(pt|px|in|cm|mm|pc|%)\Z")
_POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.35, "mm": 2.835, "pc": 12.0}
_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{1,9})?)(pt|px|in|cm|mm|pc)")
_MIN_HEIGHT = 2.5  # points: lower lines and rows show no letters
_MIN_SCALE = 5  # per cent of a letter's width, at which letters are lines
_FAR = 1_000.0  # points: beyond any paper that contracts are on
_MAX_TINY_SIZE = 1.0  # points; smaller letters are not read
_COLOUR_TOLERANCE = 16  # of 255: smaller differences in colour are invisible
_MAX_PARENTS = 50  # guards against circular inheritance


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How words are displayed; None for a colour that the program chooses, which is visible."""

    hidden: bool = False
    colour: Colour | None = None
    background: Colour = WHITE
    size: float = 12.0
    struck: bool = False  # a line is drawn through them
    squeezed: bool = False  # of no height or width, or beyond the paper
    in_symbols: bool = False  # the font shows signs for letters

    @property
    def is_invisible(self) -> bool:
        if self.squeezed or self.in_symbols:
            return True
        if self.hidden or self.size <= _MAX_TINY_SIZE:
            return True
        return self.colour is not None and is_similar_colour(
            self.colour, self.background, _COLOUR_TOLERANCE
        )


DEFAULT_STYLE = TextStyle()


class Styles:
    def __init__(self, *roots: _Element | None) -> None:
        self._properties_given: dict[tuple[str, str], Mapping[str, str]] = {}
        self._parents: dict[tuple[str, str], str] = {}
        self._page = WHITE
        for root in (each for each in roots if each is not None):
            for node in root.iter(f"{STYLE}style", f"{STYLE}default-style"):
                key = (node.get(f"{STYLE}family", ""), node.get(f"{STYLE}name", ""))
                self._properties_given[key] = dict(_properties(node))
                self._parents[key] = node.get(f"{STYLE}parent-style-name", "")
            for node in root.iter(f"{STYLE}page-layout-properties"):
                self._page = parse_colour(node.get(f"{_FO}background-color", "")) or self._page

    @property
    def page_style(self) -> TextStyle:
        return TextStyle(background=self._page)

    def derive(self, text_style: TextStyle, family: str, name: str | None) -> TextStyle:
        for properties in self._inherited_properties(family, name or ""):
            text_style = _apply_properties(text_style, properties)
        return text_style

    def _inherited_properties(self, family: str, name: str) -> list[Mapping[str, str]]:
        found: list[Mapping[str, str]] = []
        while name and len(found) < _MAX_PARENTS:
            key = (family, name) if (family, name) in self._properties_given else ("", name)
            if key not in self._properties_given:
                break
            found.append(self._properties_given[key])
            name = self._parents[key]
        return found[::-1]


def _properties(node: _Element) -> Iterator[tuple[str, str]]:
    for each in node:
        for name in _RELEVANT_PROPERTIES:
            value = each.get(name)
            if value is not None:
                yield name, value


def _apply_properties(text_style: TextStyle, properties: Mapping[str, str]) -> TextStyle:
    hidden, colour, size = text_style.hidden, text_style.colour, text_style.size
    if f"{TEXT}display" in properties:
        hidden = properties[f"{TEXT}display"] != "true"
    if f"{_FO}color" in properties:
        colour = parse_colour(properties[f"{_FO}color"])
    if properties.get(f"{STYLE}use-window-font-color") == "true":
        colour = None
    grounds = [properties.get(f"{_FO}background-color", "")]
    if properties.get(f"{_DRAW}fill", "solid") == "solid":
        grounds.append(properties.get(f"{_DRAW}fill-color", ""))
    backgrounds = [text_style.background, *filter(None, map(parse_colour, grounds))]
    length = _SIZE.match(properties.get(f"{_FO}font-size", ""))
    if length and length[1].count(".") < 2 and length[1] != ".":
        scale = size / 100 if length[2] == "%" else _POINTS[length[2]]
        size = float(length[1]) * scale
    struck, in_symbols = text_style.struck, text_style.in_symbols
    for name in ("text-line-through-style", "text-line-through-type"):
        if f"{STYLE}{name}" in properties:
            struck = properties[f"{STYLE}{name}"] != "none"
    for name in (f"{_FO}font-family", f"{STYLE}font-name"):
        if name in properties:
            in_symbols = is_symbol_font(properties[name].strip("'\" "))
    squeezed = text_style.squeezed or _is_squeezed(properties)
    return TextStyle(hidden, colour, backgrounds[-1], size, struck, squeezed, in_symbols)


def _is_squeezed(properties: Mapping[str, str]) -> bool:
    lengths = {name: _points(properties.get(name, "")) for name in properties}
    low = (lengths.get(name) for name in (f"{_FO}line-height", f"{STYLE}row-height"))
    scale = properties.get(f"{STYLE}text-scale", "100%").removesuffix("%")
    return (
        any(height is not None and height <= _MIN_HEIGHT for height in low)
        or abs(lengths.get(f"{_FO}margin-left") or 0) >= _FAR
        or (scale.isdecimal() and int(scale) <= _MIN_SCALE)
    )


def _points(length: str) -> float | None:
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _POINTS[match[2]] if match else None


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list counts and is displayed; `pattern` has `%1%` for a level's number."""

    style: str = ""  # as number formats name it; empty if nothing is counted
    pattern: str = ""
    start: int = 1


@dataclass(slots=True)
class Counters:
    counts: list[int | None] = field(default_factory=lambda: [None] * LEVELS)

    def next_label(self, levels: dict[int, Level], at: int, start: int | None) -> str:
        """Count an item of a level, from 0, and return its label; empty if it has none."""
        level = levels.get(at, Level())
        before = self.counts[at]
        following = level.start if before is None else before + 1
        self.counts[at] = following if start is None else start
        self.counts[at + 1 :] = [None] * (LEVELS - at - 1)
        if level.style == "bullet":
            return "\u2022"

        def fill_place(place: re.Match[str]) -> str:
            other = int(place.group(1)) - 1
            shown = levels.get(other, Level())
            count = self.counts[other] if 0 <= other < LEVELS else None
            return format_number(shown.start if count is None else count, shown.style or "none")

        return _PLACE.sub(fill_place, level.pattern).strip() if level.style else ""


class Numbering:
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
    return int(value) if value and re.fullmatch(r"-?\d{1,6}", value) else None
