"""The normalised view of a text: what a reader sees as the same words, with the way back.

A document's text is never changed; a search or a quote that someone retyped meets it here.
Normalised are white space (each run is one space), hyphenation at line ends, quotation marks,
dashes, ligatures, and characters that print as nothing. Case is kept.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fourcorners.text.span import Span

# Characters that print as nothing: soft hyphen, zero-width, direction, byte order mark.
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
_INVISIBLE_RUN = re.compile(f"[{_INVISIBLE}]+")
_SINGLE_REPLACEMENTS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u0060\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d", "-"),
    "\ufffe": "-",
    "\u037e": ";",
    "\u2024": ".",
    "\u2044": "/",
}
_MULTIPLE_REPLACEMENTS = {
    "\u2026": "...",
    **{
        ligature: unicodedata.normalize("NFKC", ligature)
        for ligature in "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
    },
}
_SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_TABLE = str.maketrans({**_SINGLE_REPLACEMENTS, **dict.fromkeys(_SPACES, " ")})
# A hyphen between a letter and a line end, with a small letter after it, was put there by a
# typesetter; a longer run of space is one space. What changes one character for one is left to
# `_TABLE`, which keeps every offset.
_HYPHENS = "-\u2010\u00ad\ufffe"
_CHANGES = re.compile(
    rf"(?P<broken>(?<=[^\W\d_])[{_HYPHENS}][ \t\u00a0]*(?:\r\n?|\n)\s*(?=[a-z]))"
    rf"|(?P<empty>[\s{_INVISIBLE}]{{2,}}|[{_INVISIBLE}])"
    rf"|(?P<multiple>[{''.join(_MULTIPLE_REPLACEMENTS)}])"
)
_ALIKE = ('"“”„', "'‘’", "-‐‑–—")  # signs of one meaning


@dataclass(frozen=True, slots=True)
class NormalText:
    """A text as it reads, and where each of its characters comes from.

    Character `i` shows the source's characters from `offsets[i]` to `ends[i]`; between them may
    lie characters that show nothing.
    """

    text: str
    offsets: array[int]
    ends: array[int]

    def to_source(self, span: Span) -> Span:
        """Return the characters of the source that a span of this view shows."""
        if span.end > len(self.text):
            raise IndexError(f"{span} is not in a text of {len(self.text)} characters")
        if span:
            return Span(self.offsets[span.start], self.ends[span.end - 1])
        if span.start < len(self.text):
            return Span(self.offsets[span.start], self.offsets[span.start])
        last = self.ends[-1] if self.ends else 0
        return Span(last, last)

    def from_source(self, span: Span) -> Span:
        """Return the characters of this view that show any of the source's span."""
        start = bisect_right(self.ends, span.start)
        return Span(start, max(start, bisect_left(self.offsets, span.end)))


def normalise_text(text: str) -> NormalText:
    pieces: list[str] = []
    offsets, ends = array("I"), array("I")
    done = 0
    for match in _CHANGES.finditer(text):
        start, end = match.span()
        if start > done:
            pieces.append(text[done:start])
            offsets.extend(range(done, start))
            ends.extend(range(done + 1, start + 1))
        done = end
        kind = match.lastgroup
        if kind == "multiple":
            shown = _MULTIPLE_REPLACEMENTS[match.group()]
        elif kind == "empty" and not _INVISIBLE_RUN.fullmatch(text, start, end):
            shown = " "
        else:
            continue
        pieces.append(shown)
        offsets.extend([start] * len(shown))
        ends.extend([end] * len(shown))
    pieces.append(text[done:])
    offsets.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return NormalText("".join(pieces).translate(_TABLE), offsets, ends)


def find_phrase(text: str, phrase: str, most: int) -> list[Span]:
    """Return the first places of a phrase, in order; none of an empty one.

    Case, lines and kinds of sign do not matter.
    """
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
