"""The recursive character splitter that LegalBench-RAG's baselines use, with exact places.

Text is cut at paragraphs, where a piece is still too long at lines, then at words, then anywhere;
pieces in a row are joined again while they fit.
"""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.text.span import Span

SEPARATORS = ("\n\n", "\n", " ", "")


def split_recursively(text: str, size: int) -> list[Span]:
    """Cut a text into consecutive spans of at most `size` characters, without white space at ends.

    Raises:
        ValueError: If `size` is not positive.
    """
    if size < 1:
        raise ValueError(f"not a size: {size}")
    pieces = _cut(text, Span(0, len(text)), size, 0)
    joined: list[Span] = []
    for piece in pieces:
        if joined and piece.end - joined[-1].start <= size:
            joined[-1] = Span(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return [span for span in (each.strip(text) for each in joined) if span]


def _cut(text: str, span: Span, size: int, level: int) -> Iterator[Span]:
    if len(span) <= size:
        yield span
        return
    separator = SEPARATORS[level]
    if not separator:
        for start in range(span.start, span.end, size):
            yield Span(start, min(start + size, span.end))
        return
    start = span.start
    while start < span.end:
        found = text.find(separator, start, span.end)
        end = found + len(separator) if found >= 0 else span.end
        yield from _cut(text, Span(start, end), size, level + 1)
        start = end
