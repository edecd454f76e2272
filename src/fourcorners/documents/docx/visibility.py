"""Letters in a Word document that no eye sees though they are not hidden.

They are white, of the colour of their own ground, tiny, or squeezed into lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PALE_FROM = 0xF7  # of 0xFF, from which a channel counts as white
_MAX_TINY_SIZE = 2  # half-points: letters of one point and less
_MIN_SCALE = 5  # per cent of a letter's width, at which letters are lines
_COLOUR_TOLERANCE = 8  # of 255, by which colours differ that no eye tells apart
_COLOUR = re.compile(r"[0-9A-Fa-f]{6}")


def is_invisible(properties: _Element | None) -> bool | None:
    """Tell whether a run's letters are white on white or too small; None if it says neither."""
    if properties is None:
        return None
    size, width, colour = (
        _value(properties, "sz"),
        _value(properties, "w"),
        _letter_colour(properties),
    )
    if size is None and width is None and colour is None:
        return None
    if size is not None and size.isdecimal() and int(size) <= _MAX_TINY_SIZE:
        return True
    width = (width or "").removesuffix("%")
    if width.isdecimal() and int(width) <= _MIN_SCALE:
        return True
    if colour is not None and _matches_background(properties, colour):
        return True
    highlight = _value(properties, "highlight")
    grounded = has_shading(properties) or highlight not in (None, "none", "white")
    return colour is not None and _is_pale(colour) and not grounded


def _letter_colour(properties: _Element) -> str | None:
    """Return the colour of letters; one of the theme's counts before the one that is written."""
    colour = properties.find(f"{W}color")
    if colour is None:
        return None
    tinted = colour.get(f"{W}themeShade") or colour.get(f"{W}themeTint")
    if colour.get(f"{W}themeColor") in ("background1", "light1") and not tinted:
        return "FFFFFF"
    return colour.get(f"{W}val")


def _matches_background(properties: _Element, colour: str) -> bool:
    """Tell whether letters stand on a plain ground of their own, and of their own colour."""
    shade = properties.find(f"{W}shd")
    if shade is None or shade.get(f"{W}val", "clear") != "clear" or shade.get(f"{W}themeFill"):
        return False
    fill = shade.get(f"{W}fill", "auto")
    if not (_COLOUR.fullmatch(colour) and _COLOUR.fullmatch(fill)):
        return False
    pairs = ((int(colour[at : at + 2], 16), int(fill[at : at + 2], 16)) for at in (0, 2, 4))
    return all(abs(one - other) <= _COLOUR_TOLERANCE for one, other in pairs)


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
    if not _COLOUR.fullmatch(colour):
        return False
    return all(int(colour[at : at + 2], 16) >= _PALE_FROM for at in (0, 2, 4))


def _value(properties: _Element, name: str) -> str | None:
    child = properties.find(f"{W}{name}")
    return child.get(f"{W}val") if child is not None else None
