"""Running headers and footers: lines that return at the edge of most pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.text.span import Span

Line = TypeVar("Line")
SHARE = 0.6  # of the pages with text
FEWEST_PAGES = 3
EDGE = 0.16  # the part of a page's height, at top and bottom, that is margin
LINES = 4  # looked at from each end of a page's text

_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"(?<!\w)[ivxlc]+(?!\w)")


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line near the start or end of a page's text; its `height` is 0 at the top, 1 below."""

    span: Span
    words: str
    height: float

    @property
    def kind(self) -> MarkKind | None:
        """Tell which margin the line stands in."""
        if self.height < EDGE:
            return MarkKind.HEADER
        return MarkKind.FOOTER if self.height > 1 - EDGE else None

    @property
    def key(self) -> tuple[MarkKind | None, str]:
        """Return what stays the same from page to page: the place and the words but numbers."""
        words = _NUMBER.sub("#", _SPACE.sub(" ", self.words.casefold()).strip())
        if len(words) <= 12:
            words = _ROMAN.sub("#", words)
        return self.kind, words


def edges(text: str, page: Span) -> list[Span]:
    """Return the first and last few lines of a page that hold words."""
    lines = []
    start = page.start
    for line in page.of(text).split("\n"):
        if line.strip():
            lines.append(Span(start, start + len(line)).strip(text))
        start += len(line) + 1
    return outermost(lines)


def outermost(lines: list[Line]) -> list[Line]:
    """Return the first and last few lines of a page."""
    return lines if len(lines) <= 2 * LINES else lines[:LINES] + lines[-LINES:]


def running(pages: Iterable[list[EdgeLine]]) -> Iterator[Mark]:
    """Yield a mark for each line that stands in the same margin of most pages."""
    written = [page for page in pages if page]
    if len(written) < FEWEST_PAGES:
        return
    often = Counter(key for page in written for key in {line.key for line in page})
    for page in written:
        for line in page:
            kind = line.kind
            if kind is not None and often[line.key] >= max(FEWEST_PAGES, SHARE * len(written)):
                yield Mark(kind, line.span)
