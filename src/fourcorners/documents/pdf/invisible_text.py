"""Words in a PDF page's text that no reader sees.

They are white or of their ground's colour, without ink, tiny, off the page, cut off, under a shape,
or on a layer that is off.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.occlusion import PageOcclusion
from fourcorners.documents.pdf.page import Rectangle, image_share
from fourcorners.documents.pdf.text import PageText, TextLine
from fourcorners.text.span import Span, merge_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage

_PALE_FROM = 0xF0  # of 0xFF, from which all channels of a colour may be white on white
_MIN_SIZE = 1.5  # points: lines of less height are not read
_MIN_SCAN_SHARE = (
    0.5  # of the page's area under a picture: words without ink are what was recognised
)
_SCALE = 2.0  # pixels a point, for the look at the page
_PIXEL_TOLERANCE = 12  # of 255, by which the shades of an empty place differ
_MAX_SIDE = 4_000.0  # points: pages beyond are not drawn
_WORD = re.compile(r"\S+")


def find_invisible_text(page: PdfPage, shown: PageText, lines: Sequence[TextLine]) -> list[Span]:
    """Return the words of a page that nobody sees, runs of them as one, in order of position.

    What could be covered or white on white, or has no ink, is looked for on the page as drawn.
    """
    found = [line.span for line in lines if _is_off_page(line.box, shown) or _is_tiny(line.box)]
    doubtful = list(_doubtful_words(page, shown, lines))
    width, height = shown.frame.width, shown.frame.height
    if doubtful and 0 < width <= _MAX_SIDE and 0 < height <= _MAX_SIDE:
        drawn = _render_grey(page)
        found += [span for span in doubtful if _is_blank(drawn, shown, span)]
    return [each.strip(shown.text) for each in merge_spans(found, gap=1)]


def _is_off_page(box: Rectangle, shown: PageText) -> bool:
    x0, y0, x1, y1 = box
    return x1 <= 0 or y1 <= 0 or x0 >= shown.frame.width or y0 >= shown.frame.height


def _is_tiny(box: Rectangle) -> bool:
    """Tell whether the letters of a line, which may be turned, are too small to be read."""
    return 0 < min(box[3] - box[1], box[2] - box[0]) < _MIN_SIZE


def _doubtful_words(page: PdfPage, shown: PageText, lines: Sequence[TextLine]) -> Iterator[Span]:
    from pypdfium2 import raw

    textpage = shown.textpage.raw
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    scanned: bool | None = None
    paint = PageOcclusion(page, shown.frame)
    for line in lines:
        item = raw.FPDFText_GetTextObject(textpage, shown.char_index(line.span.start))
        mode = raw.FPDFTextObj_GetTextRenderMode(item) if item else None
        if mode in (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP):
            if scanned is None:
                scanned = image_share(page, shown.frame) >= _MIN_SCAN_SHARE
            if not scanned:
                yield line.span
            continue
        covered = bool(item) and paint.may_be_hidden(item, line.box)
        for word in _WORD.finditer(shown.text, line.span.start, line.span.end):
            if covered:
                yield Span(*word.span())
                continue
            index = shown.char_index(word.start())
            if not raw.FPDFText_GetFillColor(textpage, index, red, green, blue, alpha):
                continue
            pale = min(red.value, green.value, blue.value) >= _PALE_FROM
            if pale or alpha.value <= 0xFF - _PALE_FROM:
                yield Span(*word.span())


def _render_grey(page: PdfPage) -> NDArray[np.uint8]:
    import numpy as np

    bitmap = page.render(scale=_SCALE, grayscale=True, draw_annots=False)
    pixels = np.frombuffer(bytes(bitmap.buffer), np.uint8).reshape(bitmap.height, bitmap.stride)
    pixels = pixels[:, : bitmap.width].copy()
    bitmap.close()
    return pixels


def _is_blank(drawn: NDArray[np.uint8], shown: PageText, span: Span) -> bool:
    boxes = shown.char_boxes(span)
    x0, y0 = (max(0, round(float(boxes[:, at].min()) * _SCALE)) for at in (0, 1))
    x1, y1 = (max(0, round(float(boxes[:, at].max()) * _SCALE)) for at in (2, 3))
    place = drawn[y0:y1, x0:x1]
    return place.size == 0 or int(place.max()) - int(place.min()) <= _PIXEL_TOLERANCE
