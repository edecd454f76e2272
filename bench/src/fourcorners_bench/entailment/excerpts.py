"""What of some ranked words is read where there is room for so many characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fourcorners.text.span import Span

MIN_EXCERPT = 40
"""Characters of the beginning of a sentence that are worth reading."""
_WORDS_END = re.compile(r"\s+")
_CLAUSE_ENDS = re.compile(r"[;:,.)](?=\s)")
_MIN_EXCERPT_SHARE = (
    0.95  # of the room, from which the end of a clause is better than that of a word
)


def excerpts(text: str, ranked: Iterable[Span], room: int) -> list[Span]:
    """Return the best spans that fit in `room` characters, and the start of the next one."""
    shown: list[Span] = []
    for span in ranked:
        if len(span) > room:
            begins = excerpt_start(text, span, room)
            return [*shown, begins] if begins else shown
        shown.append(span)
        room -= len(span)
    return shown


def excerpt_start(text: str, span: Span, room: int) -> Span | None:
    """Return so much of a span as fits, to the end of a word; None if that says nothing."""
    words = Span(span.start, min(span.end, span.start + room)).text_in(text)
    if len(words) == len(span):
        return span
    ends = [each.start() for each in _WORDS_END.finditer(words)]
    clauses = [each.end() for each in _CLAUSE_ENDS.finditer(words)]
    end = max(
        (each for each in clauses if each >= _MIN_EXCERPT_SHARE * room),
        default=max(ends, default=0),
    )
    return Span(span.start, span.start + end) if end >= MIN_EXCERPT else None
