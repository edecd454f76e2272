"""Join words divided by a line end, a soft hyphen or an invisible character.

Most hyphens at the end of a line belong to a compound ("third-party"), so what is one word is
looked up in a list of the words of contracts (`training.words.list` makes it). PDFs have lost
the line's end: within a line, where a part is no word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_NOTHING = "\u00ad\u200b-\u200d\u2060-\u2064\ufeff"
_LINE = r"[ \t\u00a0]*(?:\r\n?|\n)\s*"
# What may divide a word: characters that show nothing, with or without a line's end; a hyphen.
# The letter before is looked at last, since letters are everywhere.
_DIVISION = re.compile(
    rf"[-\u2010\ufffe{_NOTHING}](?<=[^\W\d_].)"
    rf"(?:(?P<unseen>(?<=[{_NOTHING}])(?:[{_NOTHING}]*|(?<=\u00ad){_LINE})(?=[^\W\d_]))"
    rf"|(?<=[-\u2010\ufffe])(?P<line>{_LINE})?(?=[a-z]{{2}}))"
)
_BEFORE = re.compile(r"[^\W\d_]+\Z")
_AFTER = re.compile(r"[a-z]+(?![^\W\d_])")
_LONGEST = 40  # letters of a half that is looked at; no word of the list is as long


@dataclass(frozen=True, slots=True)
class JoinedText:
    """A text with its divided words joined, and the way back.

    Before the character `places[i]` of `text` the source has `lengths[i]` characters more, those
    before the earlier places included.
    """

    text: str
    places: list[int]
    lengths: list[int]

    def source_start(self, at: int) -> int:
        """Return the place of a character in the source."""
        found = bisect_right(self.places, at)
        return at + (self.lengths[found - 1] if found else 0)

    def source_end(self, at: int) -> int:
        """Return the end of the preceding character in the source."""
        return self.source_start(at - 1) + 1


def join_words(text: str) -> JoinedText | None:
    """Return the text with its divided words joined; None if there are none."""
    pieces: list[str] = []
    places: list[int] = []
    lengths: list[int] = []
    done = gone = 0
    for start, end in _divisions(text):
        pieces.append(text[done:start])
        places.append(start - gone)
        gone += end - start
        lengths.append(gone)
        done = end
    if not places:
        return None
    pieces.append(text[done:])
    return JoinedText("".join(pieces), places, lengths)


def _divisions(text: str) -> Iterator[tuple[int, int]]:
    for found in _DIVISION.finditer(text):
        start, end = found.span()
        if found["unseen"] is not None or _is_one_word(
            text, start, end, at_line_end=bool(found["line"])
        ):
            yield start, end


def _is_one_word(text: str, start: int, end: int, *, at_line_end: bool) -> bool:
    before = _BEFORE.search(text, max(0, start - _LONGEST), start)
    after = _AFTER.match(text, end, end + _LONGEST)
    if before is None or after is None:
        return False
    first, second = before.group().lower(), after.group()
    words = _words()
    if f"{first}-{second}" in words:
        return False
    if first + second not in words:
        return False
    return at_line_end or first not in words or second not in words


@cache
def _words() -> frozenset[str]:
    return frozenset((files("fourcorners.text") / "words.txt").read_text("ascii").split())
