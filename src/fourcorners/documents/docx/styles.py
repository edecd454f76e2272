"""Word's styles, as far as they affect numbers, headings and hidden text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from fourcorners.documents.appearance import is_similar_colour, is_symbol_font, parse_colour

if TYPE_CHECKING:
    from lxml.etree import _Element


SPACE = "{http://www.w3.org/XML/1998/namespace}space"
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
TEXT = frozenset({f"{W}t", f"{W}delText", f"{_MATH}t"})
_PALE_FROM = 0xF7  # of 0xFF: from here a channel counts as white
_MAX_TINY_SIZE = 2  # half-points: letters of one point and less
_MIN_SCALE = 5  # per cent of a letter's width, below which letters look like lines
_COLOUR_TOLERANCE = 8  # of 255: smaller differences in colour are invisible
_HEADING_NAME = re.compile(r"heading (\d)$")
_MAX_DEPTH = 64  # styles based on styles; Word allows eleven
_ON = ("1", "true", "on")
_BODY_LEVEL = 9  # the outline level of text that is no heading


def is_invisible(properties: _Element | None) -> bool | None:
    """Tell whether a run's letters are white on white or too small; None if it says neither."""
    if properties is None:
        return None
    size, width = val_attribute(properties, "sz"), val_attribute(properties, "w")
    colour = _letter_colour(properties)
    if size is None and width is None and colour is None:
        return None
    if size is not None and size.isdecimal() and int(size) <= _MAX_TINY_SIZE:
        return True
    width = (width or "").removesuffix("%")
    if width.isdecimal() and int(width) <= _MIN_SCALE:
        return True
    if colour is not None and _matches_background(properties, colour):
        return True
    highlight = val_attribute(properties, "highlight")
    grounded = has_shading(properties) or highlight not in (None, "none", "white")
    return colour is not None and _is_pale(colour) and not grounded


def _letter_colour(properties: _Element) -> str | None:
    colour = properties.find(f"{W}color")
    if colour is None:
        return None
    tinted = colour.get(f"{W}themeShade") or colour.get(f"{W}themeTint")
    if colour.get(f"{W}themeColor") in ("background1", "light1") and not tinted:
        return "FFFFFF"
    return colour.get(f"{W}val")


def _matches_background(properties: _Element, colour: str) -> bool:
    """Return whether letters have a plain background in their own colour."""
    shade = properties.find(f"{W}shd")
    if shade is None or shade.get(f"{W}val", "clear") != "clear" or shade.get(f"{W}themeFill"):
        return False
    letters, fill = parse_colour(colour), parse_colour(shade.get(f"{W}fill", "auto"))
    return bool(letters and fill and is_similar_colour(letters, fill, _COLOUR_TOLERANCE))


def has_shading(properties: _Element | None) -> bool:
    shade = properties.find(f"{W}shd") if properties is not None else None
    if shade is None:
        return False
    fill = shade.get(f"{W}fill", "auto")
    pattern = shade.get(f"{W}val", "clear")
    return shade.get(f"{W}themeFill") is not None or (
        pattern not in ("clear", "nil") or (fill != "auto" and not _is_pale(fill))
    )


def _is_pale(colour: str) -> bool:
    channels = parse_colour(colour)
    return channels is not None and min(channels) >= _PALE_FROM


class ParagraphFormat(NamedTuple):
    """The properties that a paragraph or a style sets itself; None if unset."""

    number: str | None = None
    level: int | None = None
    outline: int | None = None
    hidden: bool | None = None
    invisible: bool | None = None
    has_shading: bool | None = None
    bold: bool | None = None
    struck: bool | None = None


@dataclass(frozen=True, slots=True)
class Style:
    id: str
    name: str
    based_on: str | None
    format: ParagraphFormat


class Styles:
    def __init__(self, root: _Element | None) -> None:
        self._styles: dict[str, Style] = {}
        self._resolved: dict[str, ParagraphFormat] = {}
        self.default = ""
        self.bold = False  # the document's defaults
        if root is None:
            return
        self.bold = on_off(root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"), "b") or False
        for node in root.iterfind(f"{W}style"):
            style = Style(
                id=node.get(f"{W}styleId", ""),
                name=(val_attribute(node, "name") or "").lower(),
                based_on=val_attribute(node, "basedOn"),
                format=paragraph_format(node.find(f"{W}pPr"), node.find(f"{W}rPr")),
            )
            self._styles[style.id] = style
            if node.get(f"{W}type") == "paragraph" and node.get(f"{W}default") in _ON:
                self.default = style.id

    def chain(self, style_id: str) -> Iterator[Style]:
        seen: set[str] = set()
        style = self._styles.get(style_id)
        while style is not None and style.id not in seen and len(seen) < _MAX_DEPTH:
            seen.add(style.id)
            yield style
            style = self._styles.get(style.based_on or "")

    def resolve(self, style_id: str) -> ParagraphFormat:
        """Return the style's properties, including inherited ones."""
        known = self._resolved.get(style_id)
        if known is None:
            columns = zip(*(style.format for style in self.chain(style_id)), strict=True)
            values = (
                next((each for each in column if each is not None), None) for column in columns
            )
            known = self._resolved[style_id] = ParagraphFormat(*values)
        return known

    def heading_level(self, style_id: str, direct: ParagraphFormat) -> int | None:
        """Return the level of a heading, from 1 (0 for the title), or None for other text."""
        outline = direct.outline
        if outline is None:
            outline = self.resolve(style_id).outline
        if outline is not None:
            return outline + 1 if outline < _BODY_LEVEL else None
        for style in self.chain(style_id):
            if match := _HEADING_NAME.match(style.name):
                return int(match.group(1))
            if style.name == "title":
                return 0
        return None


def paragraph_format(properties: _Element | None, run: _Element | None) -> ParagraphFormat:
    numbering = properties.find(f"{W}numPr") if properties is not None else None
    return ParagraphFormat(
        number=val_attribute(numbering, "numId"),
        level=parse_integer(val_attribute(numbering, "ilvl")),
        outline=parse_integer(val_attribute(properties, "outlineLvl")),
        hidden=on_off(run, "vanish"),
        invisible=is_invisible(run),
        has_shading=has_shading(properties) or None,
        bold=on_off(run, "b"),
        struck=_is_struck(run),
    )


def _is_struck(properties: _Element | None) -> bool | None:
    """Return whether letters are struck through, once or twice; None if that is not set."""
    given = [on_off(properties, name) for name in ("strike", "dstrike")]
    return None if given == [None, None] else any(given)


def val_attribute(parent: _Element | None, name: str) -> str | None:
    child = parent.find(f"{W}{name}") if parent is not None else None
    return child.get(f"{W}val") if child is not None else None


def on_off(parent: _Element | None, name: str) -> bool | None:
    """Return whether a child element switches something on or off; None if there is none."""
    child = parent.find(f"{W}{name}") if parent is not None else None
    return child.get(f"{W}val", "on") in _ON if child is not None else None


def parse_integer(word: str | None) -> int | None:
    """Read a number; an invalid one counts as absent, as in Word."""
    try:
        return int(word) if word is not None else None
    except ValueError:
        return None


def _font_of(properties: _Element | None) -> str | None:
    """Return the font of a run's Latin letters, if it names one."""
    fonts = properties.find(f"{W}rFonts") if properties is not None else None
    return fonts.get(f"{W}ascii") if fonts is not None else None


@dataclass(frozen=True, slots=True)
class RunState:
    hidden: bool = False
    invisible: bool = False
    style_bold: bool = False
    bold: bool = False
    struck: bool = False
    in_symbols: bool = False  # the font shows signs for letters
    change: str | None = None  # who inserted the words

    @classmethod
    def of_paragraph(cls, style: ParagraphFormat, styles: Styles) -> RunState:
        """Return the state in which a paragraph of a style begins."""
        bold = _first_given(style.bold, styles.bold)
        seen = style.hidden or False, style.invisible or False
        return cls(*seen, bold, bold, struck=style.struck or False)

    def derive(self, properties: _Element | None, styles: Styles) -> RunState:
        style = styles.resolve(val_attribute(properties, "rStyle") or "")
        bold = on_off(properties, "b")
        if bold is None and style.bold is not None:  # a style within a style turns it off again
            bold = self.style_bold != style.bold
        font = _font_of(properties)
        return replace(
            self,
            struck=_first_given(_is_struck(properties), style.struck, self.struck),
            in_symbols=self.in_symbols if font is None else is_symbol_font(font),
            hidden=_first_given(on_off(properties, "vanish"), style.hidden, self.hidden),
            invisible=_first_given(is_invisible(properties), style.invisible, self.invisible),
            bold=_first_given(bold, self.bold),
        )


def _first_given(*values: bool | None) -> bool:
    return next((each for each in values if each is not None), False)
