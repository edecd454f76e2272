"""Rich text as tokens and groups: what a group says of its words, and which words nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fourcorners.documents.appearance import Colour, is_similar_colour

_TOKEN = re.compile(
    rb"(?P<control>\\(?:(?P<word>[a-zA-Z]{1,40})(?P<number>-?\d{1,10})? ?|'(?P<hex>[0-9a-fA-F]{2})"
    rb"|(?P<sign>[^a-zA-Z'])|'))|(?P<open>\{)|(?P<close>\})|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\\Z",
    re.DOTALL,
)
_BLACK = {"red": 0, "green": 0, "blue": 0}
_MAX_COLOURS = 10_000  # guards against endless tables
_WHITE_FROM = 240  # of 255, from which a colour looks like paper
_COLOUR_TOLERANCE = 8  # of 255: smaller differences in colour are invisible
MIN_HEIGHT = 50  # twentieths of a point: lower lines and rows show no letters
_MIN_WIDTH = 5  # per cent of a letter's width, at which letters are lines
_FAR = 20_000  # twentieths of a point, some 35 cm: beyond any paper that contracts are on
_MAX_TINY_SIZE = 2  # half points; smaller letters are not read


@dataclass(slots=True)
class ColourTable:
    """The colours of a file, by number; 0 is the paper's for grounds and visible for letters."""

    colours: list[Colour] = field(default_factory=list)
    channels: dict[str, int] = field(default_factory=lambda: dict(_BLACK))  # of the next colour

    def end_colours(self, count: int) -> None:
        """Add the next colour; further ones that end here are black."""
        for _ in range(min(count, _MAX_COLOURS - len(self.colours))):
            red, green, blue = self.channels.values()
            self.colours.append((red, green, blue))
            self.channels = dict(_BLACK)

    def is_white(self, number: int) -> bool:
        """Return whether a colour of the table looks like paper; 0 is the paper itself."""
        if not 0 < number < len(self.colours):
            return number == 0
        return min(self.colours[number]) >= _WHITE_FROM

    def are_similar(self, one: int, other: int) -> bool:
        named = range(1, len(self.colours))
        return (
            one in named
            and other in named
            and is_similar_colour(self.colours[one], self.colours[other], _COLOUR_TOLERANCE)
        )


@dataclass(frozen=True, slots=True)
class GroupState:
    """What a group says of its words."""

    skip: bool = False
    hidden: bool = False
    deleted: bool = False
    inserted: bool = False
    destination: str = ""  # "label", "note", "comment", "fonts" or "colours": where the words go
    colour: int = 0  # of the letters, in the file's table; 0 is visible
    background: int = 0  # of their background
    paragraph_background: int = 0  # of the paragraph's background
    size: int = 24  # of the letters, in half points
    struck: bool = False  # a line is drawn through them
    in_symbols: bool = False  # the font shows signs for letters
    letter_width: int = 100  # per cent
    line_height: int = 0  # twentieths of a point; below 0 exactly as much
    left_indent: int = 0  # twentieths of a point
    encoding: str = "cp1252"
    after_unicode: int = 1  # characters to skip after one written as \u

    def with_plain_letters(self) -> GroupState:
        return replace(
            self, hidden=False, deleted=False, inserted=False, colour=0, background=0,
            size=24, struck=False, in_symbols=False, letter_width=100,
        )  # fmt: skip

    def with_plain_paragraph(self) -> GroupState:
        return replace(self, paragraph_background=0, line_height=0, left_indent=0)

    def is_invisible(self, colours: ColourTable, *, in_shade: bool) -> bool:
        """Tell whether nobody sees the words; `in_shade` if their cell has a background."""
        if self.hidden or self.in_symbols or self.size <= _MAX_TINY_SIZE:
            return True
        squeezed = -MIN_HEIGHT <= self.line_height < 0 or self.letter_width <= _MIN_WIDTH
        if squeezed or abs(self.left_indent) >= _FAR:
            return True
        if colours.are_similar(self.colour, self.background):
            return True
        grounds = (self.background, self.paragraph_background)
        on_paper = not in_shade and all(map(colours.is_white, grounds))
        return self.colour != 0 and colours.is_white(self.colour) and on_paper


def rtf_tokens(data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """Yield the tokens, without the bytes of binary data (`bin`).

    A `bin` with more bytes than remain is invalid: it hides nothing, and is yielded as a token.
    """
    while True:
        for token in _TOKEN.finditer(data, start):
            if token["word"] == b"bin":
                start = token.end() + max(0, int(token["number"] or 0))
                if start <= len(data):
                    break
            yield token
        else:
            return
