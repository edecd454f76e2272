"""Letters that look like others, and characters that show nothing: a text as an eye takes it.

The normalised view (`text.normal`) does away with what typesetters do. This is about what someone
does who wants a word to look like one thing and to be another.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from fourcorners.text.span import Span, merge_spans

# Small and capital letters of Cyrillic and Greek that no eye tells from Latin ones. Greek letters
# that chemists and physicians put into Latin words (α, β, γ, κ, μ) are not among them.
_CYRILLIC = dict(
    zip("аеорсухіјѕԁԛԝһӏАВЕКМНОРСТУХІЈЅ", "aeopcyxijsdqwhlABEKMHOPCTYXIJS", strict=True)
)
_GREEK = dict(zip("οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oABEZHIKMNOPTYX", strict=True))
_WIDE = {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)}
_TAGS = {chr(0xE0000 + code): chr(code) for code in range(0x20, 0x7F)}
_LATIN = str.maketrans({**_CYRILLIC, **_GREEK, **_WIDE, **_TAGS})
_UNSEEN = "\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0001"
_NOTHING = re.compile(f"[{_UNSEEN}]+")
_ALIKE = "".join((*_CYRILLIC, *_GREEK))
_ODD = re.compile(f"[{_UNSEEN}{_ALIKE}\uff01-\uff5e\U000e0020-\U000e007e]")

_MIXED = re.compile(rf"\b(?=\w*[A-Za-z])(?=\w*[{_ALIKE}])[A-Za-z{_ALIKE}]{{3,}}\b")
_TURNED = re.compile("[\u202d\u202e][^\n\u202c]{0,200}")
_SPELT = re.compile("[\U000e0000-\U000e007f]+")
_SPLIT = re.compile("[A-Za-z]+(?:[\u200b-\u200d\u2060-\u2064\ufeff]+[A-Za-z]+)+")
_BROAD = re.compile("[\uff21-\uff3a\uff41-\uff5a]{3,}")
_LEAST_SPLIT = 3  # words with something unseen inside: fewer come with copying from a web page


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text as an eye takes it, and where each of its characters comes from, if any is elsewhere.

    Character `i` comes from character `offsets[i]` of the source, or `i` where there are none.
    """

    text: str
    offsets: array[int] | None = field(default=None, repr=False)

    def to_source(self, span: Span) -> Span:
        """Return the characters of the source that a span, which is not empty, stands for."""
        if self.offsets is None:
            return span
        return Span(self.offsets[span.start], self.offsets[span.end - 1] + 1)


def to_plain_text(text: str) -> PlainText:
    """Return a text in the letters that it seems to have, without what shows nothing."""
    if _ODD.search(text) is None:
        return PlainText(text)
    if _NOTHING.search(text) is None:
        return PlainText(text.translate(_LATIN))
    pieces, offsets, done = [], array("I"), 0
    for found in _NOTHING.finditer(text):
        pieces.append(text[done : found.start()])
        offsets.extend(range(done, found.start()))
        done = found.end()
    pieces.append(text[done:])
    offsets.extend(range(done, len(text)))
    return PlainText("".join(pieces).translate(_LATIN), offsets)


def find_disguised_words(text: str) -> tuple[Span, ...]:
    """Return the words that are not what they seem, in order of position.

    Such are words of Latin and look-alike letters, writing that is turned round, letters that show
    nothing, wide letters, and, if there are several, words with something unseen between letters.
    """
    if text.isascii() or _ODD.search(text) is None:
        return ()
    found = [*_spans(_MIXED, text), *_spans(_TURNED, text), *_spans(_SPELT, text)]
    found += _spans(_BROAD, text)
    split = _spans(_SPLIT, text)
    if len(split) >= _LEAST_SPLIT:
        found += split
    return tuple(merge_spans(found))


def _spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    matches: Iterable[re.Match[str]] = pattern.finditer(text)
    return [Span(*each.span()) for each in matches]
