"""Find columns whose lines were drawn across the page, by their gutter, and put them in order.

Most programs write one column after the other, and pdfium keeps that order. Some draw line by line,
left and right in turn; then the words of two columns are interleaved. Tables look similar, but
their rows are meant to be read across: only columns of running prose are separated.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import PageFrame, Rectangle

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

MIN_GAP = 9.0  # points between the columns, at least
MIN_ROWS = 6  # with a word in both columns, at least
MIN_COLUMN_WIDTH = 90.0  # points of width, at least
MIN_FILLED_SHARE = 0.8  # share of its column's width that a line of prose fills in the median
ALIGNMENT_TOLERANCE = 4.0  # points by which the starts of lines may differ
MAX_RECTANGLES = 20_000  # of one page; more is a drawing, or worse


@dataclass(frozen=True, slots=True)
class ReadingOrder:
    """The characters of a page in reading order; `breaks` marks spaces that end a line now."""

    indices: tuple[int, ...]
    line_breaks: tuple[bool, ...]


def _text_runs(textpage: PdfTextPage, frame: PageFrame) -> list[Rectangle]:
    from pypdfium2 import raw

    page = textpage.raw
    left, top, right, bottom = (ctypes.c_double() for _ in range(4))
    found = []
    for index in range(min(raw.FPDFText_CountRects(textpage, 0, -1), MAX_RECTANGLES)):
        raw.FPDFText_GetRect(page, index, left, top, right, bottom)
        found.append(frame.to_display((left.value, bottom.value, right.value, top.value)))
    return found


def text_rows(textpage: PdfTextPage, frame: PageFrame) -> list[list[Rectangle]]:
    """Return the lines of a page as shown; a wide gap separates the segments of a line."""
    lines: list[list[Rectangle]] = []
    for box in _text_runs(textpage, frame):
        last = lines[-1][-1] if lines else None
        if last is None or not _is_beside(last, box) or box[0] < last[2] - (last[3] - last[1]):
            lines.append([box])
        elif box[0] - last[2] < max(MIN_GAP, 0.8 * (last[3] - last[1])):
            top, bottom = min(last[1], box[1]), max(last[3], box[3])
            lines[-1][-1] = last[0], top, max(last[2], box[2]), bottom
        else:
            lines[-1].append(box)
    return lines


def _is_beside(one: Rectangle, other: Rectangle) -> bool:
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared >= 0.5 * min(one[3] - one[1], other[3] - other[1])


def reading_order(
    textpage: PdfTextPage, frame: PageFrame, text: str, lines: list[list[Rectangle]]
) -> ReadingOrder | None:
    """Return the reading order of a page's characters, or None if they already have it."""
    gutter = _find_gutter([line for line in lines if len(line) == 2])
    if gutter is None:
        return None
    pieces = list(_segments(textpage, frame, text, gutter))
    order: list[tuple[range, bool]] = []
    zone: list[_LineSegment] = []
    moved = False
    for piece in [*pieces, None]:
        if piece is not None and piece.side:
            zone.append(piece)
            continue
        if sum(each.broken for each in zone) >= MIN_ROWS:
            zone.sort(key=lambda each: each.side == "right")
            moved = True
        order += [(each.places, each.broken) for each in zone]
        zone = []
        if piece is not None:
            order.append((piece.places, False))
    if not moved:
        return None
    indices = [index for places, _ in order for index in places]
    breaks = [broken and index == places[-1] for places, broken in order for index in places]
    return ReadingOrder(tuple(indices), tuple(breaks))


@dataclass(frozen=True, slots=True)
class _Gutter:
    """The blank stripe between two columns: its middle, and its minimum width."""

    x: float
    width: float


def _find_gutter(pairs: list[list[Rectangle]]) -> _Gutter | None:
    if len(pairs) < MIN_ROWS:
        return None
    middles = sorted((left[2] + right[0]) / 2 for left, right in pairs)
    best = max(
        middles[:: len(middles) // 200 + 1],
        key=lambda x: sum(left[2] < x < right[0] for left, right in pairs),
    )
    pairs = [pair for pair in pairs if pair[0][2] < best < pair[1][0]]
    if len(pairs) < MIN_ROWS:
        return None
    first, second = min(pair[0][0] for pair in pairs), min(pair[1][0] for pair in pairs)
    ends = max(pair[0][2] for pair in pairs), max(pair[1][2] for pair in pairs)
    widths = ends[0] - first, ends[1] - second
    if min(widths) < MIN_COLUMN_WIDTH or max(widths) > 1.7 * min(widths):
        return None
    filled = [
        median((pair[side][2] - pair[side][0]) / widths[side] for pair in pairs) for side in (0, 1)
    ]
    aligned = sum(pair[1][0] - second <= ALIGNMENT_TOLERANCE for pair in pairs)
    if min(filled) < MIN_FILLED_SHARE or aligned < 0.6 * len(pairs):
        return None
    return _Gutter(
        (ends[0] + second) / 2 if ends[0] < second else best,
        min(right[0] - left[2] for left, right in pairs),
    )


@dataclass(frozen=True, slots=True)
class _LineSegment:
    """A part of a line: on one side of the gutter, or (side empty) across it."""

    places: range
    side: str
    broken: bool = False  # the line continued in the other column


def _segments(
    textpage: PdfTextPage, frame: PageFrame, text: str, gutter: _Gutter
) -> Iterator[_LineSegment]:
    from pypdfium2 import raw

    box = raw.FS_RECTF()
    for start, end in _lines(text):
        parts: list[_LineSegment] = []
        side, piece, reached = "", start, 0.0
        for index in range(start, end):
            if text[index].isspace() or text[index] == "\ufffe":
                continue
            raw.FPDFText_GetLooseCharBox(textpage, index, box)
            x0, _, x1, _ = frame.to_display((box.left, box.bottom, box.right, box.top))
            here = "left" if (x0 + x1) / 2 < gutter.x else "right"
            if side not in ("", here):
                apart = x0 - reached >= 0.8 * gutter.width and text[index - 1] in " \u00a0"
                if side == "right" or not apart:
                    parts, piece, side = [], start, ""  # the line runs across the page
                    break
                parts.append(_LineSegment(range(piece, index), side, broken=True))
                piece = index
            side, reached = here, x1
        yield from parts
        yield _LineSegment(range(piece, end), side)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for index, sign in enumerate(text):
        if sign in "\n\ufffe":
            yield start, index + 1
            start = index + 1
    if start < len(text):
        yield start, len(text)
