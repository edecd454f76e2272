"""Find running headers and footers: lines that recur at the edge of most pages.

A text without pages still has them, as lines that recur at long distances.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TypeVar

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.text.span import Span

Line = TypeVar("Line")
MIN_PAGE_SHARE = 0.6  # of the pages with text
MIN_PAGES = 3  # on fewer a repetition proves nothing
EDGE_SHARE = 0.16  # the part of a page's height, at top and bottom, that is margin
EDGE_LINES = 4  # lines examined at each end of a page's text

_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"(?<!\w)[ivxlc]+(?!\w)")

_LINE = re.compile(r"^[^\w\n]*\w[^\n]*", re.MULTILINE)
_LONGEST = 160  # characters of a line that may return
_APART = 800  # median characters between two of its places: lines of a table are closer
# A number alone on its line, or behind a gap at the end of the last line above an empty one.
_PAGE_NUMBER = re.compile(
    r"^[^\S\n]*(?:[-–—][^\S\n]*)?(\d{1,3})(?:[^\S\n]*[-–—])?[^\S\n]*$|"
    r"(?<=\S)[^\S\n]{2,}(\d{1,3})[^\S\n]*(?=\n[^\S\n]*\n)",
    re.MULTILINE,
)
_SHORTEST = 300  # characters of a page between two numbers
_HEADS = re.compile(
    r"\W*(?:article|section|clause|exhibit|schedule|annex|appendix|attachment|part|chapter)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line near the start or end of a page's text; its `height` is 0 at the top, 1 below."""

    span: Span
    text: str
    height: float

    @property
    def kind(self) -> MarkKind | None:
        if self.height < EDGE_SHARE:
            return MarkKind.HEADER
        return MarkKind.FOOTER if self.height > 1 - EDGE_SHARE else None

    @property
    def key(self) -> tuple[MarkKind | None, str]:
        """Return what is the same on each page: the place and the words without numbers."""
        words = _NUMBER.sub("#", " ".join(self.text.casefold().split()))
        if len(words) <= 12:
            words = _ROMAN.sub("#", words)
        return self.kind, words


def edge_lines(text: str, page: Span) -> list[Span]:
    lines = []
    start = page.start
    for line in page.text_in(text).split("\n"):
        if line.strip():
            lines.append(Span(start, start + len(line)).strip(text))
        start += len(line) + 1
    return outer_lines(lines)


def outer_lines(lines: list[Line]) -> list[Line]:
    return lines if len(lines) <= 2 * EDGE_LINES else lines[:EDGE_LINES] + lines[-EDGE_LINES:]


def mark_running_headers(pages: Iterable[list[EdgeLine]]) -> Iterator[Mark]:
    written = [page for page in pages if page]
    if len(written) < MIN_PAGES:
        return
    least = max(MIN_PAGES, MIN_PAGE_SHARE * len(written))
    often = Counter(key for page in written for key in {line.key for line in page})
    for page in written:
        for line in page:
            if line.kind is not None and often[line.key] >= least:
                yield Mark(line.kind, line.span)


def find_running_lines(text: str) -> list[Span]:
    """Return the lines of a text that recur as if on each page, and its page numbers."""
    places: dict[str, list[Span]] = defaultdict(list)
    for match in _LINE.finditer(text):
        line = Span(*match.span()).strip(text)
        if len(line) <= _LONGEST and not _HEADS.match(line.text_in(text)):
            places[EdgeLine(line, line.text_in(text), 0).key[1]].append(line)
    return sorted(
        line
        for lines in places.values()
        if len(lines) >= MIN_PAGES
        and median(after.start - before.end for before, after in pairwise(lines)) >= _APART
        for line in lines
    )


def find_page_numbers(text: str) -> list[Span]:
    """Return the numbers that count the pages of a text: at least three, each after the last."""
    longest: dict[int, tuple[Span, ...]] = {}  # by its last number
    for match in _PAGE_NUMBER.finditer(text):
        number, span = int(match[1] or match[2]), Span(*match.span()).strip(text)
        before = (longest.get(each, ()) for each in (number - 1, number - 2))  # one may be lost
        chains = [each for each in before if each and span.start - each[-1].end >= _SHORTEST]
        chain = (*max(chains, key=len, default=()), span)
        if len(chain) >= len(longest.get(number, ())):
            longest[number] = chain
    found = max(longest.values(), key=len, default=())
    return [*found] if len(found) >= MIN_PAGES else []
