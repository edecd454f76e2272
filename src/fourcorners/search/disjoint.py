"""Passages found, made disjoint: no character is shown, or counted, twice."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fourcorners.text.span import Span, merge_spans

MAX_LENGTH = 4_000
"""Overlapping passages become one of at most this many characters; beyond, the worse one is cut."""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage found: its row in the index, its place, and the exact places that matched."""

    row: int
    document: str
    ordinal: int
    node: int | None
    span: Span
    matched: tuple[Span, ...]


def add_disjoint(placed: list[FoundPassage], found: FoundPassage, text: str) -> None:
    """Add a passage to better ones, disjoint from them.

    It is merged with the best one of its document that it overlaps; where the whole would be too
    long, or touch a third, it is cut to the longer part outside. What lies inside a better one
    adds only its matches.
    """
    for at, better in enumerate(placed):
        if better.document != found.document or not better.span.overlaps(found.span):
            continue
        whole = Span(min(better.span.start, found.span.start), max(better.span.end, found.span.end))
        others = placed[:at] + placed[at + 1 :]
        touches = any(one.document == found.document and one.span.overlaps(whole) for one in others)
        if whole == better.span or (len(whole) <= MAX_LENGTH and not touches):
            matched = tuple(merge_spans((*better.matched, *found.matched)))
            placed[at] = replace(better, span=whole, matched=matched)
            return
        left = Span(found.span.start, max(found.span.start, better.span.start))
        right = Span(min(found.span.end, better.span.end), found.span.end)
        rest = max(left, right, key=len).strip(text)
        matched = tuple(one for one in found.matched if rest.contains(one))
        found = replace(found, span=rest, matched=matched)
        if not rest:
            return
    placed.append(found)
