"""Colours of letters and of their background, as red, green and blue from 0 to 255."""

from __future__ import annotations

import re

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)
_HEX = re.compile(r"#?([0-9a-fA-F]{6})")


def parse_colour(value: str) -> Colour | None:
    """Read `#rrggbb` or `rrggbb`; anything else is None."""
    match = _HEX.fullmatch(value.strip())
    if match is None:
        return None
    red, green, blue = bytes.fromhex(match[1])
    return red, green, blue


def is_similar_colour(one: Colour, other: Colour, tolerance: int) -> bool:
    return all(abs(a - b) <= tolerance for a, b in zip(one, other, strict=True))
