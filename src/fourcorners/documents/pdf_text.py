"""The characters of a PDF page: their text, one for one, their places and their lines."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.documents.pdf_columns import reading_order, runs
from fourcorners.documents.pdf_page import Frame, Rectangle, frame_of
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage, PdfTextPage

_UNPRINTABLE = re.compile("[\x01-\x08\x0b\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BOLD_NAME = re.compile(r"bold|black|heavy|demi(?!tasse)", re.IGNORECASE)
_FORCED_BOLD = 1 << 18  # of the flags of a font's descriptor (ISO 32000-1, table 123)
_HEAVY = 600  # of the weights from 100 to 900; 400 is usual
_LABEL = re.compile(r"\S{1,12}\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's text in reading order, and how to find its characters on the page.

    Character `i` of `text` is pdfium's character `order[i]`, or `i` where there is no `order`.
    """

    text: str
    order: tuple[int, ...] | None
    textpage: PdfTextPage
    frame: Frame
    runs: list[Rectangle]

    def index(self, offset: int) -> int:
        """Return pdfium's index of a character of the text."""
        return offset if self.order is None else self.order[offset]

    def box(self, offset: int) -> Rectangle:
        """Return where a character stands on the page as shown."""
        from pypdfium2 import raw

        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self.textpage, self.index(offset), box)
        return self.frame.shown((box.left, box.bottom, box.right, box.top))

    def boxes(self, span: Span) -> NDArray[np.float32]:
        """Return where the characters of a span stand on the page as shown, one row each."""
        places = range(span.start, span.end) if self.order is None else self.order[slice_of(span)]
        return self.frame.shown_all(character_boxes(self.textpage, places))


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a page's text as it stands on paper; `bold` is its bold part."""

    span: Span
    box: Rectangle
    bold: Span


def slice_of(span: Span) -> slice:
    """Return the span as an index."""
    return slice(span.start, span.end)


def page_text(page: PdfPage, textpage: PdfTextPage) -> PageText:
    """Return the text of a page in reading order: column after column where there are columns."""
    found = _characters(textpage)
    frame = frame_of(page)
    drawn = runs(textpage, frame)
    order = reading_order(textpage, frame, found, drawn)
    if order is None:
        return PageText(_cleaned(found), None, textpage, frame, drawn)
    # Where a line of one column met the next column there is an end of line now.
    pieces = [
        "\n" if breaks and found[index] in " \u00a0" else found[index]
        for index, breaks in zip(order.indices, order.breaks, strict=True)
    ]
    return PageText(_cleaned("".join(pieces)), order.indices, textpage, frame, drawn)


def _characters(textpage: PdfTextPage) -> str:
    """Return pdfium's characters, one for each of its indices."""
    count = textpage.count_chars()
    text: str = textpage.get_text_range(errors="surrogatepass") if count > 0 else ""
    if len(text) != count:  # pdfium left some out of its string: ask for each
        text = "".join(chr(code(textpage, index)) for index in range(count))
    return text


def _cleaned(text: str) -> str:
    text = text.replace("\ufffe", "-").replace("\u037e", ";").replace("\r", " ").replace("\0", " ")
    return _UNPRINTABLE.sub("\ufffd", text)


def code(textpage: PdfTextPage, index: int) -> int:
    """Return a character's code, as far as there is such a character."""
    from pypdfium2 import raw

    found: int = raw.FPDFText_GetUnicode(textpage, index)
    return found if found < 0x110000 else 0xFFFD


def character_boxes(textpage: PdfTextPage, indices: range | tuple[int, ...]) -> NDArray[np.float32]:
    """Return (left, bottom, right, top) of each character, in the page's own space."""
    import numpy as np
    from pypdfium2 import raw

    boxes = (raw.FS_RECTF * max(len(indices), 1))()
    first, size = boxes[0], ctypes.sizeof(raw.FS_RECTF)
    ask, at = raw.FPDFText_GetLooseCharBox, ctypes.byref
    for place, index in enumerate(indices):
        ask(textpage, index, at(first, place * size))
    fields = np.frombuffer(boxes, dtype=np.float32).reshape(-1, 4)[: len(indices)]
    return fields[:, [0, 3, 2, 1]]  # FS_RECTF has left, top, right, bottom


def text_lines(page: PageText) -> Iterator[TextLine]:
    """Yield the lines of a page that hold words, with their place and their bold part."""
    face = _Face(page.textpage)
    start = 0
    for line in page.text.split("\n"):
        words = Span(start, start + len(line)).strip(page.text)
        start += len(line) + 1
        if not words:
            continue
        x0, y0, x1, y1 = page.box(words.start)
        a0, b0, a1, b1 = page.box(words.end - 1)
        box = min(x0, a0), min(y0, b0), max(x1, a1), max(y1, b1)
        yield TextLine(words, box, _bold_part(page, words, face))


def _bold_part(page: PageText, words: Span, face: _Face) -> Span:
    """Return the bold words at a line's start, or after its label; empty if there are none."""
    start = words.start
    if not face.is_bold(page.index(start)):
        label = _LABEL.match(page.text, start, words.end)
        if label is None or not face.is_bold(page.index(label.end())):
            return Span(start, start)
        start = label.end()
    if face.is_bold(page.index(words.end - 1)):
        return Span(start, words.end)
    bold, plain = start, words.end - 1  # halved until they meet: a line changes once, as a rule
    while plain - bold > 1:
        middle = (bold + plain) // 2
        if face.is_bold(page.index(middle)):
            bold = middle
        else:
            plain = middle
    return Span(start, plain).strip(page.text)


class _Face:
    """Asks for the weight of a page's letters; one buffer serves all questions."""

    def __init__(self, textpage: PdfTextPage) -> None:
        self._textpage = textpage
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()

    def is_bold(self, index: int) -> bool:
        """Tell whether a character is bold, by its font's name, flags or weight, or by outline."""
        from pypdfium2 import raw

        textpage, name, flags = self._textpage, self._name, self._flags
        if not raw.FPDFText_GetFontInfo(textpage, index, name, 128, flags):
            return False
        if flags.value & _FORCED_BOLD or _BOLD_NAME.search(name.value.decode("latin-1")):
            return True
        if raw.FPDFText_GetFontWeight(textpage, index) >= _HEAVY:
            return True
        item = raw.FPDFText_GetTextObject(textpage, index)
        if not item:
            return False
        return bool(raw.FPDFTextObj_GetTextRenderMode(item) == raw.FPDF_TEXTRENDERMODE_FILL_STROKE)
