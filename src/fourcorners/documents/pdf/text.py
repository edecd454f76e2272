"""The characters of a PDF page: their text, one for one, their places and their lines."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.annotations import PageAnnotations
from fourcorners.documents.pdf.columns import reading_order, text_rows
from fourcorners.documents.pdf.filled_fields import (
    Sign,
    drawn_signs,
    insert_fields,
    place_of,
)
from fourcorners.documents.pdf.page import (
    PageFrame,
    PlacedObject,
    Rectangle,
    fill_rows,
    frame_of,
    native_call,
    nested_objects,
)
from fourcorners.documents.pdf.replacement_text import remove_false_replacements
from fourcorners.documents.pdf.text_objects import TextObjects, find_text_objects
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage, PdfTextPage

_UNPRINTABLE = re.compile("[\x01-\x08\x0b\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BOLD_NAME = re.compile(r"bold|black|heavy|demi(?!tasse)", re.IGNORECASE)
_FORCE_BOLD_FLAG = 1 << 18  # of the flags of a font's descriptor (ISO 32000-1, table 123)
_LINE = re.compile(r"\S(?:[^\n]*\S)?")
_ANGLES = 200  # letters of a page by which it is turned
_LABEL = re.compile(r"\S{1,12}\s+(?=\S)")


@dataclass(frozen=True)
class PageText:
    """A page's text in reading order, and how to find its characters on the page.

    Character `i` of `text` is pdfium's character `order[i]`, or `i` where there is no `order`. An
    index below 0 is of a form field's stored value: its place is `field_boxes[-1 - index]`.
    """

    text: str
    order: tuple[int, ...] | None
    textpage: PdfTextPage
    frame: PageFrame
    rows: list[list[Rectangle]]  # of runs of text, in the order of drawing
    objects: Sequence[PlacedObject]
    replaced: tuple[tuple[str, str], ...] = ()  # what is shown, and what it is said to be
    field_boxes: tuple[Rectangle, ...] = ()
    inserted: tuple[Span, ...] = ()  # the words of form fields

    @cached_property
    def texts(self) -> TextObjects:
        return find_text_objects(self.textpage, self.text, self.order)

    def char_index(self, offset: int) -> int:
        return offset if self.order is None else self.order[offset]

    def char_boxes(self, span: Span) -> NDArray[np.float32]:
        """Return the boxes of a span's characters on the page as shown, one row each."""
        return self.boxes_at(range(span.start, span.end))

    def boxes_at(self, offsets: Sequence[int]) -> NDArray[np.float32]:
        if self.order is not None:
            offsets = [self.order[offset] for offset in offsets]
        boxes = self.frame.to_display_array(_character_boxes(self.textpage, offsets))
        for row, index in enumerate(offsets) if self.field_boxes else ():
            if -len(self.field_boxes) <= index < 0:
                boxes[row] = self.field_boxes[-1 - index]
        return boxes

    def bounds_of(self, spans: Sequence[Span]) -> NDArray[np.float32]:
        """Return the boxes around the characters of spans, none of them empty, one row each."""
        import numpy as np

        if not spans:
            return np.zeros((0, 4), dtype=np.float32)
        boxes = self.boxes_at([at for span in spans for at in range(span.start, span.end)])
        firsts = np.cumsum([0, *(len(span) for span in spans[:-1])])
        low = np.minimum.reduceat(boxes[:, :2], firsts)
        return np.hstack((low, np.maximum.reduceat(boxes[:, 2:], firsts)))


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a page's text as printed; `bold` is its bold part."""

    span: Span
    box: Rectangle
    bold: Span


def page_text(page: PdfPage, annotations: PageAnnotations) -> PageText:
    """Return the text of a page in reading order, column by column, with its fields in place.

    Raises:
        PdfiumError: If the page's text cannot be read.
    """
    objects = tuple(nested_objects(page))
    replaced = remove_false_replacements(page, objects)
    textpage = page.get_textpage()
    found = _page_characters(textpage)
    frame = frame_of(page)
    drawn = text_rows(textpage, frame)
    order = reading_order(textpage, frame, found, drawn)
    if order is None and not annotations.fields:
        return PageText(_clean_text(found), None, textpage, frame, drawn, objects, tuple(replaced))
    signs = list(enumerate(found))
    if order is not None:  # there is now a line end where a line of one column met the next column
        signs = [
            (index, "\n" if breaks and found[index] in " \u00a0" else found[index])
            for index, breaks in zip(order.indices, order.line_breaks, strict=True)
        ]
    inserted: tuple[Span, ...] = ()
    if annotations.fields:
        upright = _upright_frame(textpage, frame, signs)
        boxes = [upright.to_display(each.box) for each in annotations.fields]

        def boxes_of(indices: Sequence[int]) -> NDArray[np.float32]:
            return upright.to_display_array(_character_boxes(textpage, indices))

        shown: list[list[Sign]] = [[] for _ in boxes]
        if annotations.is_flattened:
            shown = drawn_signs(page, textpage, signs, boxes, boxes_of)
        filled = insert_fields(signs, annotations.fields, boxes, shown, boxes_of)
        signs, inserted = filled.signs, filled.inserted
        replaced += filled.differences
    return PageText(
        _clean_text("".join(letter for _, letter in signs)),
        tuple(index for index, _ in signs),
        textpage,
        frame,
        drawn,
        objects,
        tuple(replaced),
        tuple(place_of(frame.to_display(each.box)) for each in annotations.fields),
        inserted,
    )


def _upright_frame(textpage: PdfTextPage, frame: PageFrame, signs: Sequence[Sign]) -> PageFrame:
    """Return the page as turned for its words to be read, also if it is shown sideways."""
    from pypdfium2 import raw

    seen = [index for index, letter in signs if not letter.isspace()]
    sample = seen[:: len(seen) // _ANGLES + 1]
    angles = (raw.FPDFText_GetCharAngle(textpage, index) for index in sample)
    turns = Counter(round(-angle / (math.pi / 2)) % 4 for angle in angles)
    return replace(frame, quarter_turns=turns.most_common(1)[0][0]) if turns else frame


def _page_characters(textpage: PdfTextPage) -> str:
    from pypdfium2 import raw

    count = textpage.count_chars()
    text: str = textpage.get_text_range(errors="surrogatepass") if count > 0 else ""
    if len(text) != count:  # pdfium omitted some from its string: read each one
        codes = (raw.FPDFText_GetUnicode(textpage, index) for index in range(count))
        text = "".join(chr(code if code < 0x110000 else 0xFFFD) for code in codes)
    return text


def _clean_text(text: str) -> str:
    text = text.replace("\ufffe", "-").replace("\u037e", ";").replace("\r", " ").replace("\0", " ")
    return _UNPRINTABLE.sub("\ufffd", text)


def _character_boxes(textpage: PdfTextPage, indices: Sequence[int]) -> NDArray[np.float32]:
    """Return (left, bottom, right, top) of each character, in page coordinates."""
    boxes = fill_rows("FPDFText_GetLooseCharBox", textpage.raw, indices, ctypes.c_float, 1)
    return boxes[:, [0, 3, 2, 1]].astype("float32", copy=False)  # from left, top, right, bottom


def text_lines(page: PageText) -> list[TextLine]:
    face = _FontWeight(page.textpage)
    spans = [Span(*match.span()) for match in _LINE.finditer(page.text)]
    measured = [_without_fields(span, page) for span in spans] if page.inserted else spans
    ends = [offset for span in measured for offset in (span.start, span.end - 1)]
    boxes = page.boxes_at(ends).tolist() if ends else []
    lines = []
    for span, (x0, y0, x1, y1), (a0, b0, a1, b1) in zip(
        spans, boxes[::2], boxes[1::2], strict=True
    ):
        box = min(x0, a0), min(y0, b0), max(x1, a1), max(y1, b1)
        lines.append(TextLine(span, box, _bold_span(page, span, face)))
    return lines


def _without_fields(line: Span, page: PageText) -> Span:
    """Return a line without form fields at its ends; the whole line if it has nothing else."""
    start, end = line.start, line.end
    for each in page.inserted:
        if each.start <= start < each.end:
            start = each.end
        if each.start < end <= each.end:
            end = each.start
    rest = Span(start, end).strip(page.text) if start < end else None
    return rest or line


def _bold_span(page: PageText, words: Span, face: _FontWeight) -> Span:
    start = words.start
    if not face.is_bold(page.char_index(start)):
        label = _LABEL.match(page.text, start, words.end)
        if label is None or not face.is_bold(page.char_index(label.end())):
            return Span(start, start)
        start = label.end()
    if face.is_bold(page.char_index(words.end - 1)):
        return Span(start, words.end)
    bold, plain = start, words.end - 1  # bisected: a line usually changes once
    while plain - bold > 1:
        middle = (bold + plain) // 2
        if face.is_bold(page.char_index(middle)):
            bold = middle
        else:
            plain = middle
    return Span(start, plain).strip(page.text)


class _FontWeight:
    """Reads the weight of a page's letters, once for each font, with one buffer."""

    def __init__(self, textpage: PdfTextPage) -> None:
        self._page = textpage.raw
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._known: dict[tuple[int, int], bool] = {}

    def is_bold(self, index: int) -> bool:
        """Return whether a character is bold, by its font's name or flags, or by its outline."""
        item = native_call("FPDFText_GetTextObject", "p")(self._page, index)
        if not item:
            return False
        font = native_call("FPDFTextObj_GetFont", "pp")(item)
        mode = native_call("FPDFTextObj_GetTextRenderMode", "ip")(item)
        if (font, mode) not in self._known:
            self._known[font, mode] = self._look(index, mode)
        return self._known[font, mode]

    def _look(self, index: int, mode: int) -> bool:
        from pypdfium2 import raw

        if not raw.FPDFText_GetFontInfo(self._page, index, self._name, 128, self._flags):
            return False
        if self._flags.value & _FORCE_BOLD_FLAG or _is_bold_name(self._name.value):
            return True
        return bool(mode == raw.FPDF_TEXTRENDERMODE_FILL_STROKE)


@lru_cache(maxsize=256)
def _is_bold_name(name: bytes) -> bool:
    return _BOLD_NAME.search(name.decode("latin-1")) is not None
