"""`Span`, the only way to point at words, and the algebra of sets of spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range `[start, end)` of a document's text, in Python string indices.

    Raises:
        ValueError: If `start` is negative or lies after `end`.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: start {self.start}, end {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def __bool__(self) -> bool:
        return self.end > self.start

    def text_in(self, text: str) -> str:
        """Return the words of `text` that this span covers."""
        return text[self.start : self.end]

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def intersection(self, other: Span) -> Span | None:
        """Return the characters both cover, or None where they share none."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Span(start, end) if start < end else None

    def shift(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)

    def strip(self, text: str) -> Span:
        """Return the span without the white space at its ends; empty if there is nothing else."""
        words = self.text_in(text)
        lead = len(words) - len(words.lstrip())
        start = self.start + lead
        return Span(start, max(start, self.end - (len(words) - len(words.rstrip()))))


def merge_spans(spans: Iterable[Span], *, gap: int = 0) -> list[Span]:
    """Merge spans that overlap or lie at most `gap` characters apart, in order of position."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end + gap:
            if span.end > merged[-1].end:
                merged[-1] = Span(merged[-1].start, span.end)
        else:
            merged.append(span)
    return merged


def word_spans(text: str, within: Span | None = None) -> Iterator[Span]:
    """Yield the places of the words of a text, or of a part of it, between white space."""
    limits = (within.start, within.end) if within is not None else (0,)
    return (Span(*match.span()) for match in _WORD.finditer(text, *limits))


def covered_length(spans: Iterable[Span]) -> int:
    return sum(len(span) for span in merge_spans(spans))


def intersect_spans(left: Iterable[Span], right: Iterable[Span]) -> list[Span]:
    first, second = merge_spans(left), merge_spans(right)
    shared: list[Span] = []
    i = j = 0
    while i < len(first) and j < len(second):
        both = first[i].intersection(second[j])
        if both:
            shared.append(both)
        if first[i].end <= second[j].end:
            i += 1
        else:
            j += 1
    return shared


def subtract_spans(left: Iterable[Span], right: Iterable[Span]) -> list[Span]:
    """Return the characters of the left spans that are in none of the right, disjoint."""
    found: list[Span] = []
    cuts = merge_spans(right)
    for span in merge_spans(left):
        start = span.start
        for cut in cuts:
            if cut.start < span.end and cut.end > start:
                if cut.start > start:
                    found.append(Span(start, cut.start))
                start = max(start, cut.end)
        if start < span.end:
            found.append(Span(start, span.end))
    return found
