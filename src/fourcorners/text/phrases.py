"""Words looked for as a reader remembers them: case, lines and kinds of sign do not matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from fourcorners.text.span import Span

_ALIKE = ('"“”„', "'‘’", "-‐‑–—")


def find_phrase(text: str, phrase: str, most: int) -> list[Span]:
    """Return the first places of a phrase, in order; none of an empty one."""
    words = phrase.split()
    if not words:
        return []
    pattern = r"\s++".join("".join(map(_sign, word)) for word in words)
    return list(islice(_places(re.compile(pattern, re.IGNORECASE), text), most))


def _places(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (Span(*match.span()) for match in pattern.finditer(text))


def _sign(character: str) -> str:
    alike = next((each for each in _ALIKE if character in each), "")
    return f"[{re.escape(alike)}]" if alike else re.escape(character)
