"""Whether an OpenDocument text shows its words: by the styles of what they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.documents.colours import WHITE, Colour, is_similar_colour, parse_colour
from fourcorners.documents.odf.numbering import STYLE, TEXT

if TYPE_CHECKING:
    from lxml.etree import _Element

_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_RELEVANT_PROPERTIES = (
    *(f"{_FO}{name}" for name in ("color", "font-size", "background-color")),
    *(f"{_DRAW}{name}" for name in ("fill", "fill-color")),
    f"{TEXT}display",
    f"{STYLE}use-window-font-color",
)
_SIZE = re.compile(r"([\d.]{1,10})(pt|px|in|cm|mm|pc|%)\Z")
_POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.35, "mm": 2.835, "pc": 12.0}
_MAX_TINY_SIZE = 1.0  # points; smaller letters are not read
_COLOUR_TOLERANCE = 16  # of 255, by which colours differ that no eye tells apart
_MAX_PARENTS = 50  # against styles that inherit in a circle


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How words show; a colour that is None is what the program chooses, which is seen."""

    hidden: bool = False
    colour: Colour | None = None
    background: Colour = WHITE
    size: float = 12.0

    @property
    def is_invisible(self) -> bool:
        if self.hidden or self.size <= _MAX_TINY_SIZE:
            return True
        return self.colour is not None and is_similar_colour(
            self.colour, self.background, _COLOUR_TOLERANCE
        )


DEFAULT_STYLE = TextStyle()


class Styles:
    def __init__(self, *roots: _Element | None) -> None:
        self._said: dict[tuple[str, str], Mapping[str, str]] = {}
        self._parents: dict[tuple[str, str], str] = {}
        self._page = WHITE
        for root in (each for each in roots if each is not None):
            for node in root.iter(f"{STYLE}style", f"{STYLE}default-style"):
                key = (node.get(f"{STYLE}family", ""), node.get(f"{STYLE}name", ""))
                self._said[key] = dict(_properties(node))
                self._parents[key] = node.get(f"{STYLE}parent-style-name", "")
            for node in root.iter(f"{STYLE}page-layout-properties"):
                self._page = parse_colour(node.get(f"{_FO}background-color", "")) or self._page

    @property
    def page_style(self) -> TextStyle:
        return TextStyle(background=self._page)

    def derive(self, text_style: TextStyle, family: str, name: str | None) -> TextStyle:
        for said in self._inherited_properties(family, name or ""):
            text_style = _apply_properties(text_style, said)
        return text_style

    def _inherited_properties(self, family: str, name: str) -> list[Mapping[str, str]]:
        """Return what a style says, after what those say that it is made from."""
        found: list[Mapping[str, str]] = []
        while name and len(found) < _MAX_PARENTS:
            key = (family, name) if (family, name) in self._said else ("", name)
            if key not in self._said:
                break
            found.append(self._said[key])
            name = self._parents[key]
        return found[::-1]


def _properties(node: _Element) -> Iterator[tuple[str, str]]:
    for each in node:
        for name in _RELEVANT_PROPERTIES:
            value = each.get(name)
            if value is not None:
                yield name, value


def _apply_properties(text_style: TextStyle, said: Mapping[str, str]) -> TextStyle:
    hidden, colour, size = text_style.hidden, text_style.colour, text_style.size
    if f"{TEXT}display" in said:
        hidden = said[f"{TEXT}display"] != "true"
    if f"{_FO}color" in said:
        colour = parse_colour(said[f"{_FO}color"])
    if said.get(f"{STYLE}use-window-font-color") == "true":
        colour = None
    grounds = [said.get(f"{_FO}background-color", "")]
    if said.get(f"{_DRAW}fill", "solid") == "solid":
        grounds.append(said.get(f"{_DRAW}fill-color", ""))
    backgrounds = [text_style.background, *filter(None, map(parse_colour, grounds))]
    length = _SIZE.match(said.get(f"{_FO}font-size", ""))
    if length and length[1].count(".") < 2 and length[1] != ".":
        scale = size / 100 if length[2] == "%" else _POINTS[length[2]]
        size = float(length[1]) * scale
    return TextStyle(hidden, colour, backgrounds[-1], size)
