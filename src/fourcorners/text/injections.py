"""Find words that are addressed to a machine, and letters that are not what they seem.

Words addressed to a machine are instructions to ignore instructions, forms of address, and turns of
a fake conversation with fake answers: a contract needs none of them. Nor does it need instructions
to its reviewer that say what a summary must conclude. Look-alike letters make a word look like one
thing and be another.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import TypeAlias

from fourcorners.text.patterns import load_yaml
from fourcorners.text.span import Span, merge_spans

# Small and capital letters of Cyrillic and Greek that look the same as Latin ones. Greek letters
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
_REVERSED = re.compile("\u202e[^\n\u202c]*\u202c?")
# One word whose letters are separated, always by the same character.
_LETTERS = re.compile(
    r"\b[A-Za-z](?P<gap>[ \xa0]|[ \xa0]?[-.·_*/|][ \xa0]?)[A-Za-z](?:(?P=gap)[A-Za-z])+(?![^\W_])"
)
_NUMBER = re.compile(r"\s*(?:\d[\d.]*|\(\w+\))\s+")  # of a clause, before its first word
_LATIN_SIGN = re.compile("[A-Za-z0-9]")
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
        """Return the characters of the source for a span that is not empty."""
        if self.offsets is None:
            return span
        return Span(self.offsets[span.start], self.offsets[span.end - 1] + 1)


def to_plain_text(text: str) -> PlainText:
    """Return a text in the letters that it seems to have, without what shows nothing."""
    if text.isascii():
        return PlainText(text)
    latin = _latin_letters(text)
    if _NOTHING.search(text) is None:
        return PlainText(text.translate(latin))
    pieces, offsets, done = [], array("I"), 0
    for found in _NOTHING.finditer(text):
        pieces.append(text[done : found.start()])
        offsets.extend(range(done, found.start()))
        done = found.end()
    pieces.append(text[done:])
    offsets.extend(range(done, len(text)))
    return PlainText("".join(pieces).translate(latin), offsets)


def _latin_letters(text: str) -> dict[int, str]:
    """Return what the letters of a text seem to be: those of other alphabets, styled, accented."""
    found = {}
    for letter in set(text):
        if not letter.isascii() and ord(letter) not in _LATIN:
            plain = unicodedata.normalize("NFKD", letter)[0]
            plain = _LATIN.get(ord(plain), plain)
            if plain.isascii() and plain.isalpha():
                found[ord(letter)] = plain
    return {**_LATIN, **found}


def to_joined_text(text: str) -> PlainText:
    """Return a text with the letters of spaced words joined, such as "i g n o r e"."""
    pieces, offsets, done = [], array("I"), 0
    for found in _LETTERS.finditer(text):
        size = len(found["gap"])
        for gap in range(found.start() + 1, found.end(), size + 1):
            pieces.append(text[done:gap])
            offsets.extend(range(done, gap))
            done = gap + size
    if not pieces:
        return PlainText(text)
    offsets.extend(range(done, len(text)))
    return PlainText("".join([*pieces, text[done:]]), offsets)


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


def find_reversed_words(text: str) -> tuple[Span, ...]:
    """Return Latin letters and digits that are shown from right to left, and read otherwise."""
    if "\u202e" not in text:
        return ()
    return tuple(
        each for each in _spans(_REVERSED, text) if _LATIN_SIGN.search(text, each.start, each.end)
    )


def _spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    matches: Iterable[re.Match[str]] = pattern.finditer(text)
    return [Span(*each.span()) for each in matches]


_AROUND = 300  # characters around a rare word in which the patterns are tried
_NEXT = 80  # characters between two instructions that are reported as one
_FILE = files("fourcorners.text").joinpath("injection.yaml").read_text("utf-8")
_INJECTION = load_yaml(_FILE)


def _any_of(*groups: str) -> str:
    """Return one expression for the patterns of some groups, with what they share put in."""
    listed = "|".join(
        f"(?:{''.join(each.splitlines())})" for name in groups for each in _INJECTION[name]
    )
    while shared := set(re.findall(r"<([a-z]+)>", listed)) & _INJECTION.keys():
        for each in shared:
            listed = listed.replace(f"<{each}>", "".join(_INJECTION[each].splitlines()))
    return listed


_FLAGS = re.IGNORECASE | re.MULTILINE
_MARKERS: dict[str, list[str]] = _INJECTION["markers"]
_PATTERNS = (
    (_MARKERS["orders"], re.compile(_any_of("orders", "foreign"), _FLAGS)),
    (_MARKERS["readers"], re.compile(_any_of("readers"), _FLAGS)),
)
_FOREIGN = ((_MARKERS["orders"], re.compile(_any_of("foreign"), _FLAGS)),)
_Patterns: TypeAlias = tuple[tuple[list[str], re.Pattern[str]], ...]
_ENCODED = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{24,}={0,2}(?![\w+/])")


@lru_cache(maxsize=2)  # a contract that is read asks several times
def find_injections(text: str) -> tuple[Span, ...]:
    """Return the words that instruct a machine, or a reader who reports on a text; in order.

    Words in letters that only look like Latin ones count as what they look like, and so does what
    base64 hides; separated letters are read as words.
    """
    seen = to_plain_text(text)
    found = [seen.to_source(span) for span in _matches(_PATTERNS, seen.text)]
    joined = to_joined_text(seen.text)
    if joined.offsets is not None:
        matches = _matches(_PATTERNS, joined.text)
        found += [seen.to_source(joined.to_source(span)) for span in matches]
    if seen.text != text:  # other alphabets were taken for Latin: read them as they are, too
        found += _matches(_FOREIGN, text)
    found += [
        Span(*each.span())
        for each in _ENCODED.finditer(text)
        if any(True for _ in _matches(_PATTERNS, _decoded(each.group())))
    ]
    return tuple(_joined_in_lines(text, (each.strip(text) for each in found)))


def _joined_in_lines(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield orders, those near each other in a line as one: the next line may be another clause."""
    last: Span | None = None
    for each in merge_spans(found):
        if last is None or each.start > last.end + _NEXT or "\n" in text[last.end : each.start]:
            if last is not None:
                yield last
            last = each
        else:
            last = Span(last.start, each.end)
    if last is not None:
        yield last


def _matches(patterns: _Patterns, text: str) -> Iterator[Span]:
    small = text.replace("İ", "I").lower()  # of the same length, but for letters hardly ever used
    for markers, pattern in patterns:
        for window in _windows(small, markers):
            for found in pattern.finditer(text, window.start, window.end):
                number = _NUMBER.match(text, *found.span())
                span = Span(number.end() if number else found.start(), found.end())
                if span.text_in(text).strip():
                    yield span


def _windows(small: str, markers: Iterable[str]) -> list[Span]:
    found = []
    for word in markers:
        at = small.find(word)
        while at >= 0:
            found.append(Span(max(0, at - _AROUND), min(len(small), at + _AROUND)))
            at = small.find(word, at + _AROUND // 2)
    return merge_spans(found)


def _decoded(words: str) -> str:
    whole = words.rstrip("=")
    try:
        return base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
