"""What letters and boxes look like: colours, as red, green and blue from 0 to 255, and symbols."""

from __future__ import annotations

import re

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)
_HEX = re.compile(r"#?([0-9a-fA-F]{6})")
# Fonts that show symbols instead of letters.
_SYMBOL_FONTS = re.compile(
    r"symbol\b|(?:wing|web|zapf ?)dingbats?\b|(?:wing|web)dings|marlett\b|mt extra\b|adobe blank\b|"
    r"blank\b|bookshelf symbol",
    re.IGNORECASE,
)


def parse_colour(value: str) -> Colour | None:
    """Read `#rrggbb` or `rrggbb`; anything else is None."""
    match = _HEX.fullmatch(value.strip())
    if match is None:
        return None
    red, green, blue = bytes.fromhex(match[1])
    return red, green, blue


def is_similar_colour(one: Colour, other: Colour, tolerance: int) -> bool:
    return all(abs(a - b) <= tolerance for a, b in zip(one, other, strict=True))


def is_symbol_font(name: str) -> bool:
    return _SYMBOL_FONTS.match(name) is not None


def check_sign(*, ticked: bool) -> str:
    """Return a check box or a radio button with its state."""
    return "\u2612" if ticked else "\u2610"
