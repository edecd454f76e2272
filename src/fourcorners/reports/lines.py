"""Contract words as the lines to set them in, for formats that are not HTML."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from fourcorners.text.invisible_characters import show_invisible

# Lines of a contract wrap where the page ended; a line is kept apart only after a blank line or
# before a label such as `(a)`, `7.2` or a bullet.
BREAK: Final = re.compile(
    r"(\n[ \t]*(?:\n[ \t]*)+)"
    r"|(\n)(?=[ \t]*(?:\([0-9A-Za-z]{1,5}\)|\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]"
    r"|[A-Za-z]\)|[•–·*-][ \t]))"
)


def text_lines(text: str) -> list[str]:
    """Return the lines of a text: hidden characters visible, white space runs as one space.

    Joined by white space they are the text's own words, in their order, and none is left out.
    """
    shown = show_invisible(text)
    parts, at = [], 0
    for gap in BREAK.finditer(shown):
        parts.append(shown[at : gap.start()])
        at = gap.end()
    parts.append(shown[at:])
    return [whole for part in parts if (whole := " ".join(part.split()))]


def is_right_to_left(text: str) -> bool:
    """Tell whether a text reads from right to left, by its first letter that has a direction."""
    kinds = (unicodedata.bidirectional(character) for character in text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"
