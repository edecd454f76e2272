"""Words in a PDF page's text that no reader sees.

They are white or in their background's colour, without ink or shapes, tiny, off the page, cut off,
masked, under a shape or a picture, or on a layer that is off. In each case the page looks the same
without them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fourcorners.documents.appearance import Colour, is_similar_colour
from fourcorners.documents.pdf.image_text import image_share
from fourcorners.documents.pdf.page import (
    PageFrame,
    PlacedObject,
    Rectangle,
    address_of,
    native_call,
    object_at,
    render_grey,
)
from fourcorners.documents.pdf.replacement_text import text_of
from fourcorners.documents.pdf.text import PageText, TextLine
from fourcorners.text.span import Span, merge_spans, word_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage


_MIN_AREA = 4.0  # points: anything lower or narrower is a rule, and covers no line
_COLOUR_TOLERANCE = 24  # of 255: colours that differ by less may be drawn the same
_MAX_SHAPES = 2_000  # of one page; more is a drawing
_MAX_POINTS = 200  # of one clip
_MAX_CONTENT_MARKS = 16  # around one text


@dataclass(frozen=True, slots=True)
class _FilledShape:
    order: int
    box: Rectangle
    colour: Colour | None  # None of pictures and of what is drawn as a whole

    def contains(self, x: float, y: float) -> bool:
        return self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3]


class PageOcclusion:
    """The objects of a page, as far as they may hide words."""

    def __init__(self, objects: Sequence[PlacedObject], frame: PageFrame) -> None:
        from pypdfium2 import raw

        self._raw, self._objects, self._frame = raw, objects, frame
        self._point = (ctypes.c_float * 2)()
        first = ctypes.addressof(self._point)
        self._point_at = first, first + ctypes.sizeof(ctypes.c_float)

    def may_be_hidden(self, item: object, box: Rectangle) -> bool:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if self._raw.FPDFPageObj_HasTransparency(item) or self._is_optional(item):
            return True
        return self._is_clipped(item, x, y) or self._is_covered(item, x, y)

    def _is_optional(self, item: object) -> bool:
        raw = self._raw
        for index in range(min(raw.FPDFPageObj_CountMarks(item), _MAX_CONTENT_MARKS)):
            name, length = (ctypes.c_ushort * 8)(), ctypes.c_ulong()
            mark = raw.FPDFPageObj_GetMark(item, index)
            if (
                raw.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), length)
                and bytes(name)[: length.value].decode("utf-16-le", "replace") == "OC\0"
            ):
                return True
        return False

    def _is_clipped(self, item: object, x: float, y: float) -> bool:
        clip = native_call("FPDFPageObj_GetClipPath", "p")(item)
        if not clip:
            return False
        segment_of = native_call("FPDFClipPath_GetPathSegment", "ppii")
        count_of = native_call("FPDFClipPath_CountPathSegments", "ipi")
        point_of = native_call("FPDFPathSegment_GetPoint", "ippp")
        for path in range(max(0, native_call("FPDFClipPath_CountPaths", "ip")(clip))):
            xs, ys = [], []
            for at in range(min(count_of(clip, path), _MAX_POINTS)):
                if point_of(segment_of(clip, path, at), *self._point_at):
                    xs.append(self._point[0])
                    ys.append(self._point[1])
            if xs:
                x0, y0, x1, y1 = self._frame.to_display((min(xs), min(ys), max(xs), max(ys)))
                if not (x0 <= x <= x1 and y0 <= y <= y1):
                    return True
        return False

    def _is_covered(self, item: object, x: float, y: float) -> bool:
        """Tell whether something is drawn over the text, or a shape under it in its colour."""
        around = [each for each in self._filled_shapes if each.contains(x, y)]
        if not around:
            return False
        at, colour = self._drawing_order.get(address_of(item), -1), self._fill_colour(item)
        return any(
            each.order > at
            or (each.colour and is_similar_colour(each.colour, colour, _COLOUR_TOLERANCE))
            for each in around
        )

    @cached_property
    def _filled_shapes(self) -> list[_FilledShape]:
        raw = self._raw
        shapes: list[_FilledShape] = []
        for at, each in enumerate(self._objects):
            if each.kind == raw.FPDF_PAGEOBJ_TEXT:
                continue
            is_path = each.kind == raw.FPDF_PAGEOBJ_PATH
            if is_path and not each.draw_mode[0]:
                continue
            bounds = each.bounds
            if bounds is None or min(bounds[2] - bounds[0], bounds[3] - bounds[1]) < _MIN_AREA:
                continue
            box = self._frame.to_display(bounds)
            shapes.append(_FilledShape(at, box, self._fill_colour(each.item) if is_path else None))
            if len(shapes) >= _MAX_SHAPES:
                break
        return shapes

    @cached_property
    def _drawing_order(self) -> dict[int, int]:
        """Return the drawing order of each text, by its address in memory."""
        return {
            each.address: at
            for at, each in enumerate(self._objects)
            if each.kind == self._raw.FPDF_PAGEOBJ_TEXT
        }

    def _fill_colour(self, item: object) -> Colour:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        self._raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha)
        return red.value, green.value, blue.value


_PALE_FROM = 0xF0  # of 0xFF, from which all channels of a colour may be white on white
_MIN_SIZE = 1.5  # points: lines of less height are not read
_MIN_SCAN_SHARE = 0.5  # share of the page under a picture: words without ink were recognised
_SCALE = 2.0  # pixels per point, for the rendered page
_PIXEL_TOLERANCE = 12  # of 255, maximum difference of shades in an empty place
_MAX_SIDE = 4_000.0  # points: pages beyond are not drawn
_SAME_PLACE = 3.0  # points, by which a second drawing of a word may be shifted
_MAX_COPIES = 8  # of words at one place


def find_invisible_text(
    page: PdfPage, shown: PageText, lines: Sequence[TextLine], shapeless: Sequence[Span] = ()
) -> list[Span]:
    """Return the invisible words of a page, runs of them as one, in order of position.

    What may be covered, masked or white on white, has no ink, or has letters without a shape
    (`shapeless`), is checked on the page as drawn. These objects are removed from the page: read
    everything else before.
    """
    import numpy as np

    found = [line.span for line in lines if _is_tiny(line.box)]
    beyond = [
        word
        for line in lines
        if _is_partly_off_page(line.box, shown)
        for word in word_spans(shown.text, line.span)
    ]
    off = zip(beyond, shown.bounds_of(beyond).tolist(), strict=True)
    found += (word for word, box in off if _is_off_page(box, shown))
    words = [*_doubtful_words(page, shown, lines), *shapeless]
    doubtful: list[Span] = []
    signs: list[Span] = []
    for each in words:
        (doubtful if any(map(str.isalnum, each.text_in(shown.text))) else signs).append(each)
    width, height = shown.frame.width, shown.frame.height
    if doubtful and 0 < width <= _MAX_SIDE and 0 < height <= _MAX_SIDE:
        drawn = render_grey(page, _SCALE).astype(np.int16)
        boxes = np.rint(shown.bounds_of(doubtful) * _SCALE).astype(int).clip(0).tolist()
        seen = [
            (each, (slice(y0, y1), slice(x0, x1)))
            for each, (x0, y0, x1, y1) in zip(doubtful, boxes, strict=True)
        ]
        blank = [each for each, place in seen if _is_even(drawn[place])]
        found += blank
        if len(blank) < len(seen):
            _remove_texts(shown, doubtful)
            change = drawn - render_grey(page, _SCALE)
            found += [each for each, place in seen if _is_even(change[place])]
    found += _signs_beside(found, signs, shown.text)
    return [each.strip(shown.text) for each in merge_spans(found, gap=1)]


def _signs_beside(found: Sequence[Span], signs: Sequence[Span], text: str) -> list[Span]:
    """Return the words without letters that are next to those found, directly or in a chain."""
    ends, starts = {each.end for each in found}, {each.start for each in found}
    beside: set[Span] = set()
    for each in sorted(signs):
        before = each.start
        while before and text[before - 1].isspace():
            before -= 1
        if before in ends:
            beside.add(each)
            ends.add(each.end)
    for each in sorted(signs, reverse=True):
        after = each.end
        while after < len(text) and text[after].isspace():
            after += 1
        if after in starts:
            beside.add(each)
            starts.add(each.start)
    return sorted(beside)


def _is_even(pixels: NDArray[np.int16]) -> bool:
    """Return whether a place has only one shade, or is empty."""
    return pixels.size == 0 or int(pixels.max()) - int(pixels.min()) <= _PIXEL_TOLERANCE


def _is_off_page(box: Sequence[float], shown: PageText) -> bool:
    x0, y0, x1, y1 = box
    return x1 <= 0 or y1 <= 0 or x0 >= shown.frame.width or y0 >= shown.frame.height


def _is_partly_off_page(box: Rectangle, shown: PageText) -> bool:
    x0, y0, x1, y1 = box
    return x0 < 0 or y0 < 0 or x1 > shown.frame.width or y1 > shown.frame.height


def _is_tiny(box: Rectangle) -> bool:
    """Return whether the letters of a line, which may be rotated, are too small to be read."""
    return 0 < min(box[3] - box[1], box[2] - box[0]) < _MIN_SIZE


def _doubtful_words(page: PdfPage, shown: PageText, lines: Sequence[TextLine]) -> Iterator[Span]:
    from pypdfium2 import raw

    scanned: bool | None = None
    paint, texts = PageOcclusion(shown.objects, shown.frame), shown.texts
    pale = texts.colours[:, :3].min(axis=1, initial=0xFF) >= _PALE_FROM
    pale |= texts.colours[:, 3] <= 0xFF - _PALE_FROM
    some_pale = bool(pale.any())
    for line in lines:
        at = int(texts.of[line.span.start])
        if at >= 0 and texts.modes[at] in (
            raw.FPDF_TEXTRENDERMODE_INVISIBLE,
            raw.FPDF_TEXTRENDERMODE_CLIP,
        ):
            if scanned is None:
                scanned = image_share(page, shown.frame) >= _MIN_SCAN_SHARE
            if not scanned:
                yield line.span
            continue
        covered = at >= 0 and paint.may_be_hidden(object_at(texts.addresses[at]), line.box)
        for word in word_spans(shown.text, line.span) if covered or some_pale else ():
            of = texts.of[word.start]
            if covered or (of >= 0 and pale[of]):
                yield word


def _remove_texts(shown: PageText, spans: Sequence[Span]) -> None:
    """Remove the text objects of words from the page, with copies drawn on top of them.

    Some programs draw words twice to make them bold; pdfium has the text of one of the two.
    """
    from pypdfium2 import raw

    textpage, of = shown.textpage, shown.texts.of
    numbers = {at for span in spans for at in of[span.start : span.end].tolist()} - {-1}
    wanted = {shown.texts.addresses[at] for at in numbers}
    texts = [each for each in shown.objects if each.kind == raw.FPDF_PAGEOBJ_TEXT]
    removed = [each for each in texts if each.address in wanted]
    places: dict[tuple[int, int], list[tuple[Rectangle, str]]] = {}
    for each in removed:
        if (bounds := each.bounds) is not None:
            words = text_of(each.item, textpage)
            places.setdefault(_square(bounds), []).append((bounds, words))
    for each in texts:
        bounds = each.bounds
        if bounds is not None and any(
            all(abs(a - b) <= _SAME_PLACE for a, b in zip(bounds, place, strict=True))
            and text_of(each.item, textpage) in ("", words)
            for x, y in [_square(bounds)]
            for across in (-1, 0, 1)
            for down in (-1, 0, 1)
            for place, words in places.get((x + across, y + down), ())[:_MAX_COPIES]
        ):
            removed.append(each)
    for each in removed:
        raw.FPDFPageObj_SetIsActive(each.item, False)


def _square(bounds: Rectangle) -> tuple[int, int]:
    return int(bounds[0] // _SAME_PLACE), int(bounds[1] // _SAME_PLACE)
