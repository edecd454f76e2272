"""Find where words are on the page, from the text layer or from text recognition."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.archive.container import load_unchanged
from fourcorners.documents.document import Box, Document, OcrWord, TextSource
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.pdf.annotations import load_page
from fourcorners.documents.pdf.page import Rectangle, open_pdf
from fourcorners.documents.pdf.text import PageText, page_text
from fourcorners.documents.pdf.text_objects import is_blank
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_MAX_TILT = 0.7  # sine of the angle up to which writing runs across the page


def span_boxes(path: Path, document: Document, span: Span) -> list[Box]:
    """Return where the words of `span` are on the page: one box per line, in reading order.

    The box of a recognised word that is only partly in the span is cut by the share of its letters.
    A document without pages has no boxes.

    Raises:
        InputError: If the file is needed and has changed since `document` was read.
    """
    found = list(_ocr_boxes(document, span))
    digital = [page for page in document.pages if page.source is TextSource.TEXT]
    if document.media_type == MediaType.PDF and any(page.span.overlaps(span) for page in digital):
        found += [box for _, box in line_boxes(path, document, span)]
    return sorted(found, key=lambda box: box.page)


def page_lines(path: Path, document: Document, number: int) -> list[tuple[Span, Box]]:
    """Return the lines of a page, numbered from 1, with their places on it, in reading order.

    Raises:
        InputError: If the file is needed and has changed since `document` was read.
    """
    page = document.pages[number - 1]
    if page.source is TextSource.TEXT and document.media_type == MediaType.PDF:
        return list(line_boxes(path, document, page.span))
    here = [word for word in document.words if word.box.page == number]
    return list(_word_lines(document, here, Span(0, len(document.text))))


def needs_file(document: Document) -> bool:
    """Return whether places on its pages are found in its file; else they are in its words."""
    return any(page.source is TextSource.TEXT for page in document.pages)


def _ocr_boxes(document: Document, span: Span) -> Iterator[Box]:
    return (box for _, box in _word_lines(document, document.words_in(span), span))


def _word_lines(
    document: Document, words: Sequence[OcrWord], span: Span
) -> Iterator[tuple[Span, Box]]:
    line = last = None
    start = end = 0
    for word in words:
        box = _clip_word(word, span)
        is_end = last is None or not _is_same_row(last, box)
        if line is None or is_end or "\n" in document.text[end : word.span.start]:
            if line is not None:
                yield Span(start, end), line
            line, start = box, max(span.start, word.span.start)
        else:
            low = min(line.x0, box.x0), min(line.y0, box.y0)
            line = Box(box.page, *low, max(line.x1, box.x1), max(line.y1, box.y1))
        last, end = box, min(span.end, word.span.end)
    if line is not None:
        yield Span(start, end), line


def _is_same_row(word: Box, following: Box) -> bool:
    height = max(word.y1 - word.y0, following.y1 - following.y0)
    apart = abs(word.y0 + word.y1 - following.y0 - following.y1) / 2
    return word.page == following.page and apart <= 0.5 * height


def _clip_word(word: OcrWord, span: Span) -> Box:
    box, letter = word.box, (word.box.x1 - word.box.x0) / max(1, len(word.span))
    before = max(0, span.start - word.span.start)
    after = max(0, word.span.end - span.end)
    return Box(box.page, box.x0 + before * letter, box.y0, box.x1 - after * letter, box.y1)


def line_boxes(path: Path, document: Document, span: Span) -> Iterator[tuple[Span, Box]]:
    with open_pdf(load_unchanged(path, document.sha256), path) as pdf:
        for page in document.pages[_page_index(document, span.start) :]:
            if page.span.start >= span.end:
                break
            here = page.span.intersection(span)
            here = here.strip(document.text) if here else None
            if not here or page.source is not TextSource.TEXT:
                continue
            sheet, annotations = load_page(pdf, page.number - 1)
            start = page.span.start
            for line, box in _lines(page_text(sheet, annotations), here.shift(-start)):
                yield line.shift(start), Box(page.number, *box)
            sheet.close()


def _page_index(document: Document, offset: int) -> int:
    return max(0, bisect_right(document.pages, offset, key=lambda page: page.span.start) - 1)


def _lines(text: PageText, span: Span) -> Iterator[tuple[Span, Rectangle]]:
    """Join the boxes of a span's characters into one rectangle per line.

    A line ends where the next character is at another height (pdfium's line ends are not enough,
    because it omits them after a hyphen), and where other words come before it.
    """
    import numpy as np

    if not span:
        return
    width, height = text.frame.width, text.frame.height
    whole = text.char_boxes(Span(0, len(text.text)))
    codes = np.frombuffer(text.text.encode("utf-32-le"), dtype=np.uint32)
    signs = ~is_blank(codes)
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
    import numpy as np

    before, after = own[:-1], own[1:]
    heights = np.minimum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    beside = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    gap = after[:, 0] - before[:, 2]
    cut = (beside < 0.5 * heights) | (gap > heights) | (after[:, 2] < before[:, 0] - heights)
    ends = np.flatnonzero(cut) + 1
    return np.concatenate(([0], ends)), np.concatenate((ends, [len(own)]))


def _is_continuation(line: list[float], piece: list[float], others: NDArray[np.float32]) -> bool:
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
    x0, y0, x1, y1 = line
    return (x0, y0, x1, y1) if across else (y0, x0, y1, x1)


def _is_horizontal(text: PageText, offset: int) -> bool:
    """Return whether the text runs horizontally on the page as shown, in either direction."""
    from pypdfium2 import raw

    index = text.char_index(offset)
    if index < 0:
        return True
    angle = raw.FPDFText_GetCharAngle(text.textpage, index)
    return abs(math.sin(angle - math.radians(90 * text.frame.quarter_turns))) < _MAX_TILT
