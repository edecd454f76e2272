"""Fonts that show symbols instead of letters."""

from __future__ import annotations

import re

_SYMBOL_FONTS = re.compile(
    r"symbol\b|(?:wing|web|zapf ?)dingbats?\b|(?:wing|web)dings|marlett\b|mt extra\b|adobe blank\b|"
    r"blank\b|bookshelf symbol",
    re.IGNORECASE,
)


def is_symbol_font(name: str) -> bool:
    return _SYMBOL_FONTS.match(name) is not None
