"""Where words stand on paper: a rectangle for each line of a span, and the lines of a page."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.archive.container import load_bytes
from fourcorners.documents.document import Box, Document, TextSource
from fourcorners.documents.pdf.file import load_page, open_pdf
from fourcorners.documents.pdf.page import Rectangle
from fourcorners.documents.pdf.text import PageText, page_text, text_lines
from fourcorners.errors import InputError
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLANKS = [number for number in range(0x3001) if chr(number).isspace()]
_MIN_LEVEL_OVERLAP = (
    0.7  # sine of the angle up to which writing runs across the page rather than along it
)


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of the document's text: where it stands, the height of its letters, its bold part."""

    span: Span
    box: Box
    height: float
    bold: Span


def span_boxes(path: Path, document: Document, span: Span) -> list[Box]:
    """Return where the words of `span` stand on paper: one box a line, in reading order.

    Raises:
        InputError: If the file is no longer the one that `document` was read from.
    """
    wanted = [
        part
        for page in document.pages
        if (part := page.span.intersection(span)) and part.strip(document.text)
    ]
    return [box for _, box in _span_lines(path, document, wanted)]


def line_boxes(path: Path, document: Document) -> Iterator[tuple[Span, Box]]:
    """Yield every line of the document's text with its exact box.

    Raises:
        InputError: If the file is no longer the one that `document` was read from.
    """
    yield from _span_lines(path, document, [page.span for page in document.pages])


def printed_lines(path: Path, document: Document) -> Iterator[PrintedLine]:
    """Yield the lines of the document's text as they are printed, with what tells a heading.

    Raises:
        InputError: If the file is no longer the one that `document` was read from.
    """
    for number, start, text in _pages(path, document, [page.span for page in document.pages]):
        for line in text_lines(text):
            yield PrintedLine(
                line.span.shift(start),
                Box(number, *_clip_to_page(text, line.box)),
                line.box[3] - line.box[1],
                line.bold.shift(start),
            )


def _span_lines(path: Path, document: Document, wanted: list[Span]) -> Iterator[tuple[Span, Box]]:
    for number, start, text in _pages(path, document, wanted):
        page = document.pages[number - 1].span
        for part in wanted:
            here = part.intersection(page)
            if here is not None:
                for span, box in _lines(text, here.strip(document.text).shift(-start)):
                    yield span.shift(start), Box(number, *box)


def _pages(
    path: Path, document: Document, wanted: list[Span]
) -> Iterator[tuple[int, int, PageText]]:
    """Yield number, start and text of the pages that hold the spans."""
    data = load_bytes(path)
    if hashlib.sha256(data).hexdigest() != document.sha256:
        raise InputError(f"{path}: the file has changed since it was read.", remedy="Add it again.")
    with open_pdf(data, path) as pdf:
        for page in document.pages:
            if not any(page.span.overlaps(span) for span in wanted):
                continue
            if page.source is not TextSource.TEXT or not page.span.text_in(document.text).strip():
                continue
            sheet = load_page(pdf, page.number - 1)
            yield page.number, page.span.start, page_text(sheet, sheet.get_textpage())
            sheet.close()


def _lines(text: PageText, span: Span) -> Iterator[tuple[Span, Rectangle]]:
    """Join the boxes of a span's characters into one rectangle a line.

    A line ends where the next character stands on another height (pdfium's own line ends are not
    enough, for it leaves them out after a hyphen), and where other words stand before it does.
    """
    import numpy as np

    if not span:
        return
    width, height = text.frame.width, text.frame.height
    whole = text.char_boxes(Span(0, len(text.text)))
    codes = np.frombuffer(text.text.encode("utf-32-le"), dtype=np.uint32)
    signs = ~np.isin(codes, _BLANKS)
    whole = whole.clip(0, np.array([width, height, width, height], dtype=np.float32))
    signs &= (whole[:, 2] > whole[:, 0]) & (whole[:, 3] > whole[:, 1])
    places = np.flatnonzero(signs)
    others = whole[places]
    mine = (places >= span.start) & (places < span.end)
    places, own = places[mine], others[mine]
    if not len(places):
        return
    across = _is_horizontal(text, int(places[0]))
    if not across:
        own, others = own[:, [1, 0, 3, 2]], others[:, [1, 0, 3, 2]]
    first, last = _split_row(own)
    line: list[float] | None = None
    start = end = 0
    corners = np.hstack(
        (np.minimum.reduceat(own[:, :2], first), np.maximum.reduceat(own[:, 2:], first))
    )
    for a, b, piece in zip(first.tolist(), last.tolist(), corners.tolist(), strict=True):
        if line is not None and _is_continuation(line, piece, others):
            line = [*map(min, line[:2], piece[:2]), *map(max, line[2:], piece[2:])]
        else:
            if line is not None:
                yield Span(start, end), _oriented_box(line, across=across)
            line, start = piece, int(places[a])
        end = int(places[b - 1]) + 1
    if line is not None:
        yield Span(start, end), _oriented_box(line, across=across)


def _split_row(own: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut a row of characters wherever one does not simply follow the one before."""
    import numpy as np

    before, after = own[:-1], own[1:]
    heights = np.minimum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    beside = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    gap = after[:, 0] - before[:, 2]
    cut = (beside < 0.5 * heights) | (gap > heights) | (after[:, 2] < before[:, 0] - heights)
    ends = np.flatnonzero(cut) + 1
    return np.concatenate(([0], ends)), np.concatenate((ends, [len(own)]))


def _is_continuation(line: list[float], piece: list[float], others: NDArray[np.float32]) -> bool:
    """Tell whether a piece stands on the line, with no other words between."""
    beside = min(line[3], piece[3]) - max(line[1], piece[1])
    if beside < 0.5 * min(line[3] - line[1], piece[3] - piece[1]):
        return False
    left, right = min(line[2], piece[2]), max(line[0], piece[0])
    if right - left <= 1:
        return True
    x, y = (others[:, 0] + others[:, 2]) / 2, (others[:, 1] + others[:, 3]) / 2
    between = (left < x) & (x < right) & (min(line[1], piece[1]) < y)
    return not bool((between & (y < max(line[3], piece[3]))).any())


def _oriented_box(line: list[float], *, across: bool) -> Rectangle:
    a, b, c, d = line
    return (a, b, c, d) if across else (b, a, d, c)


def _clip_to_page(text: PageText, box: Rectangle) -> Rectangle:
    """Return the part of a box that lies on the page."""
    x0, y0, x1, y1 = box
    width, height = text.frame.width, text.frame.height
    return (
        min(max(x0, 0.0), width),
        min(max(y0, 0.0), height),
        min(max(x1, 0.0), width),
        min(max(y1, 0.0), height),
    )


def _is_horizontal(text: PageText, offset: int) -> bool:
    """Tell whether the text runs from left to right or back, not up or down the page as shown."""
    from pypdfium2 import raw

    angle = raw.FPDFText_GetCharAngle(text.textpage, text.char_index(offset))
    return abs(math.sin(angle - math.radians(90 * text.frame.quarter_turns))) < _MIN_LEVEL_OVERLAP
