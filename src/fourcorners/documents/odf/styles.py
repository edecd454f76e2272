"""Whether an OpenDocument text shows its words: by the styles of what they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.documents.odf.numbering import STYLE_NAMESPACE, TEXT_NAMESPACE

if TYPE_CHECKING:
    from lxml.etree import _Element

_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_RELEVANT_PROPERTIES = (
    *(f"{_FO}{name}" for name in ("color", "font-size", "background-color")),
    *(f"{_DRAW}{name}" for name in ("fill", "fill-color")),
    f"{TEXT_NAMESPACE}display",
    f"{STYLE_NAMESPACE}use-window-font-color",
)
_HEX = re.compile(r"#([0-9a-fA-F]{6})\Z")
_SIZE = re.compile(r"([\d.]{1,10})(pt|px|in|cm|mm|pc|%)\Z")
_POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.35, "mm": 2.835, "pc": 12.0}
_MAX_TINY_SIZE = 1.0  # points; smaller letters are not read
_COLOUR_TOLERANCE = 16  # of 255, by which colours differ that no eye tells apart
_MAX_PARENTS = 50
Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How words show.

    Attributes:
        colour: Of the letters; None for what the program chooses, which is seen.
        ground: What they stand on.
        size: Of the letters, in points.
    """

    hidden: bool = False
    colour: Colour | None = None
    background: Colour = WHITE
    size: float = 12.0

    @property
    def is_invisible(self) -> bool:
        if self.hidden or self.size <= _MAX_TINY_SIZE:
            return True
        return self.colour is not None and all(
            abs(one - other) <= _COLOUR_TOLERANCE
            for one, other in zip(self.colour, self.background, strict=True)
        )


DEFAULT_STYLE = TextStyle()


class Styles:
    def __init__(self, *roots: _Element | None) -> None:
        self._said: dict[tuple[str, str], Mapping[str, str]] = {}
        self._parents: dict[tuple[str, str], str] = {}
        self._page = WHITE
        for root in roots:
            for node in (
                root.iter(f"{STYLE_NAMESPACE}style", f"{STYLE_NAMESPACE}default-style")
                if root is not None
                else ()
            ):
                key = (
                    node.get(f"{STYLE_NAMESPACE}family", ""),
                    node.get(f"{STYLE_NAMESPACE}name", ""),
                )
                self._said[key] = dict(_properties(node))
                self._parents[key] = node.get(f"{STYLE_NAMESPACE}parent-style-name", "")
            for node in (
                root.iter(f"{STYLE_NAMESPACE}page-layout-properties") if root is not None else ()
            ):
                self._page = _parse_colour(node.get(f"{_FO}background-color", "")) or self._page

    @property
    def page_style(self) -> TextStyle:
        return TextStyle(background=self._page)

    def derive(self, look: TextStyle, family: str, name: str | None) -> TextStyle:
        """Return how words look in an element of a style, within what looks as given."""
        for said in self._inherited_properties(family, name or ""):
            look = _apply_properties(look, said)
        return look

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


def _apply_properties(look: TextStyle, said: Mapping[str, str]) -> TextStyle:
    display = said.get(f"{TEXT_NAMESPACE}display")
    if display is not None:
        look = replace(look, hidden=display != "true")
    if f"{_FO}color" in said:
        look = replace(look, colour=_parse_colour(said[f"{_FO}color"]))
    if said.get(f"{STYLE_NAMESPACE}use-window-font-color") == "true":
        look = replace(look, colour=None)
    grounds = [said.get(f"{_FO}background-color", "")]
    if said.get(f"{_DRAW}fill", "solid") == "solid":
        grounds.append(said.get(f"{_DRAW}fill-color", ""))
    for ground in map(_parse_colour, grounds):
        look = replace(look, background=ground) if ground else look
    size = _SIZE.match(said.get(f"{_FO}font-size", ""))
    if size:
        points = float(size[1]) if size[1].count(".") < 2 and size[1] != "." else look.size
        percent = look.size * points / 100
        look = replace(look, size=percent if size[2] == "%" else points * _POINTS[size[2]])
    return look


def _parse_colour(said: str) -> Colour | None:
    found = _HEX.match(said.strip())
    if found is None:
        return None
    whole = int(found[1], 16)
    return (whole >> 16, whole >> 8 & 255, whole & 255)
