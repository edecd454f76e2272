"""Characters that show nothing, or that reorder what is shown, made visible."""

from __future__ import annotations

import re
from collections.abc import Iterator

# C0 and C1 controls (without tab and the line ends below), zero-width characters, marks and
# overrides of direction (Unicode TR 9), tag characters, lone surrogates, and noncharacters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")


_NOT_PLAIN = re.compile(f"{_INVISIBLE.pattern}|{_LINE_ENDS.pattern}")


_UNNAMED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

_REFUSED = re.compile("[\x00\ud800-\udfff]")


def find_refused_character(text: str) -> str:
    """Return the visible name of the first character that no library can hold; empty if none.

    It is NUL, which PostgreSQL refuses, or half of a surrogate pair, which UTF-8 does not have.
    """
    found = _REFUSED.search(text)
    return character_name(found.group()) if found else ""


def find_unnamed(name: str) -> str:
    """Return the visible name of the first character that no name may have; empty if none.

    It is a control character or one that changes the direction of text. White space is to be
    made single spaces first; joiners are part of words.
    """
    found = _UNNAMED.search(name)
    return character_name(found.group()) if found else ""


def character_name(character: str) -> str:
    """Return the visible name of a character, such as `⟦U+202E⟧`."""
    return f"⟦U+{ord(character):04X}⟧"


def split_invisible(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the text in order as (is a hidden character's name, what to show).

    Every kind of line end becomes a line feed.
    """
    plain = _LINE_ENDS.sub("\n", text)
    start = 0
    for hidden in _INVISIBLE.finditer(plain):
        if hidden.start() > start:
            yield False, plain[start : hidden.start()]
        yield True, character_name(hidden.group())
        start = hidden.end()
    if start < len(plain):
        yield False, plain[start:]


def show_invisible(text: str) -> str:
    if _NOT_PLAIN.search(text) is None:
        return text
    return "".join(piece for _, piece in split_invisible(text))


def single_line(text: str) -> str:
    """Return the text on one line: hidden characters visible, white space runs as one space."""
    return " ".join(show_invisible(text).split())


def shorten(text: str, limit: int) -> str:
    """Return the text on one line, cut at a word and ended by `…` if longer than `limit`."""
    whole = single_line(text)
    if len(whole) <= limit:
        return whole
    head = whole[: limit - 1]
    at_word = head.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > limit // 2 else head).rstrip(" ,;:") + "…"
