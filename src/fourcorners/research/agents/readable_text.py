"""Split a contract into what a model may point at: sentences, and the short lines between them.

Search ignores very short sentences; a price list or an item of two words is included here. Headings
are given as places; running headers and page numbers are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fourcorners.documents.running_headers import find_running_lines
from fourcorners.outline.exclusions import Exclusion, ExclusionKind
from fourcorners.text.span import Span

_LABEL = re.compile(
    r"\W*(?:(?:article|section|exhibit|schedule|annex|appendix)\W*)?(?:\d{0,2}(?:\.\d{1,2})*|[A-Za-z]{1,4})\W*",
    re.IGNORECASE,
)
_SUM = re.compile(r"[$€£¥%]")
_SIGNED = re.compile(
    r"\W*(?:by|name|title|its)\s*:|\W*/s/|[\W_]*signed\s+by\b|[\W_]*signatures?(?:\s+pages?)?\W*$",
    re.I,
)
_UNENDED = re.compile(
    r"(?:,|\b(?:the|an?|of|and|or|to|by|in|for|with|shall|that|this|such))$"
)  # words that do not end a sentence
_JOINED = 400  # characters of short lines, such as rows of a table, that are joined into one


@dataclass(frozen=True, slots=True)
class ReadableText:
    """A text with its sentences in order.

    Attributes:
        running: Running headers and page numbers.
        orders: Words that are addressed to a machine; no sentence contains them.
    """

    text: str
    sentences: tuple[Span, ...]
    running: tuple[Span, ...]
    orders: tuple[Span, ...]

    def show(self, span: Span) -> str:
        """Return words on one line, without running headers and footers."""
        return " ".join(" ".join(part.text_in(self.text) for part in self._parts(span)).split())

    def _parts(self, span: Span) -> Iterator[Span]:
        return without_lines(span, self.running)


def make_readable(
    text: str,
    sentences: Sequence[Span],
    headings: Iterable[Span],
    exclusions: Sequence[Exclusion] = (),
) -> ReadableText:
    """Return a text with its ordered sentences and what is between them.

    `headings` are those of clauses that have words below them; `exclusions` are not evidence.
    """
    running = find_running_lines(text)
    unread = sorted([*running, *(each.span for each in exclusions)])
    passed = sorted([*unread, *headings])
    found: list[Span] = []
    for each in sentences:
        if not _has_words(text, without_lines(each, running)):
            continue
        if found and _runs_on(text, found[-1], each, running):
            found[-1] = Span(found[-1].start, each.end)
        elif not all(_LABEL.fullmatch(part.text_in(text)) for part in without_lines(each, passed)):
            found.append(each)
    edges = [0, *(edge for each in sentences for edge in (each.start, each.end)), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        gap = without_lines(Span(start, max(start, end)), unread)
        found += _join_lines(_short_lines(text, gap, passed), passed)
    orders = tuple(each.span for each in exclusions if each.kind is ExclusionKind.ORDERS)
    return ReadableText(text, tuple(sorted(found)), tuple(running), orders)


def _runs_on(text: str, before: Span, after: Span, running: Sequence[Span]) -> bool:
    """Return whether a sentence continues after the end of a page."""
    between = Span(before.end, max(before.end, after.start))
    if _has_words(text, without_lines(between, running)):
        return False
    words = before.text_in(text).rstrip()
    parts = (part.text_in(text).split() for part in without_lines(after, running))
    first = next((each[0][0] for each in parts if each), "")
    if first.islower():
        return words[-1:] not in ".;:!?"
    return first.isalpha() and bool(_UNENDED.search(words))


def without_lines(span: Span, lines: Sequence[Span]) -> Iterator[Span]:
    """Yield the parts of a span that are outside the ordered lines."""
    start = span.start
    for line in lines:
        if line.end <= start or line.start >= span.end:
            continue
        if line.start > start:
            yield Span(start, line.start)
        start = line.end
    if start < span.end:
        yield Span(start, span.end)


def _has_words(text: str, parts: Iterable[Span]) -> bool:
    return any(each.isalnum() for part in parts for each in part.text_in(text))


def _short_lines(text: str, parts: Iterable[Span], passed: Sequence[Span]) -> Iterator[Span]:
    """Yield the lines that contain more than a heading, label or signature."""
    for part in parts:
        start = part.start
        for line in part.text_in(text).split("\n"):
            span = Span(start, start + len(line)).strip(text)
            rest = " ".join(each.text_in(text) for each in without_lines(span, passed)).strip()
            is_label = _LABEL.fullmatch(rest) and not _SUM.search(rest)
            if not (is_label or _SIGNED.match(rest)) and _has_words(text, [span]):
                yield span
            start += len(line) + 1


def _join_lines(lines: Iterable[Span], passed: Sequence[Span]) -> Iterator[Span]:
    """Join consecutive lines, up to a length."""
    joined: Span | None = None
    for line in lines:
        if joined is not None:
            between = Span(joined.end, line.start)
            whole = Span(joined.start, line.end)
            if len(whole) <= _JOINED and not any(between.overlaps(each) for each in passed):
                joined = whole
                continue
            yield joined
        joined = line
    if joined is not None:
        yield joined
