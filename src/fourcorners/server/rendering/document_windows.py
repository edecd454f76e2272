"""A long document in windows: spans that tile its text, each small enough to draw at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from fourcorners.documents.document import Document, MarkKind
from fourcorners.outline.tree import Outline
from fourcorners.text.span import Span

TEXT_WINDOW = 60_000
"""Characters of a text that are drawn at once, at most: some 25 printed pages."""

PAGE_WINDOW = 100
"""Printed pages that are drawn at once, at most."""


def text_windows(document: Document, outline: Outline) -> list[Span]:
    """Return the windows of a text, cut where a reader would cut it.

    That is before a part of the outline or a row of a table, else at a blank line, at a line's end,
    between words, or where it must be.
    """
    text = document.text
    if len(text) <= TEXT_WINDOW:
        return [Span(0, len(text))]
    starts = {node.span.start for node in outline.nodes}
    starts |= {mark.span.start for mark in document.marks if mark.kind is MarkKind.CELL}
    places = sorted(starts)
    windows, start = [], 0
    while len(text) - start > TEXT_WINDOW:
        end = _cut(text, places, start)
        windows.append(Span(start, end))
        start = end
    return [*windows, Span(start, len(text))]


def _cut(text: str, places: Sequence[int], start: int) -> int:
    least, most = start + TEXT_WINDOW // 2, start + TEXT_WINDOW
    before = bisect_right(places, most) - 1
    if before >= 0 and places[before] > least:
        return places[before]
    for between in ("\n\n", "\n", " "):
        at = text.rfind(between, least, most)
        if at >= 0:
            return at + len(between)
    return most


def page_windows(document: Document) -> list[Span]:
    """Return the windows of printed pages, as the spans of the words on them."""
    firsts = document.pages[::PAGE_WINDOW]
    ends = [page.span.start for page in firsts[1:]]
    return [
        Span(first.span.start, end)
        for first, end in zip(firsts, [*ends, len(document.text)], strict=True)
    ]


def window_at(windows: Sequence[Span], offset: int) -> int:
    """Return the number, from 0, of the window that holds a character."""
    return max(0, bisect_right(windows, offset, key=lambda window: window.start) - 1)
