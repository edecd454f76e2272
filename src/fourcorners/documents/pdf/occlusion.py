"""Why words of a PDF page may not show though they have ink: what lies over them, or cuts them off.

These are grounds for doubt, told from the page's objects; what is doubtful is looked at as drawn.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import MAX_OBJECTS, PageFrame, Rectangle

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

Colour = tuple[int, int, int]
_MIN_AREA = 4.0  # points: what is lower or narrower is a rule, and covers no line
_COLOUR_TOLERANCE = 24  # of 255, by which colours differ that may be one as they are drawn
_MAX_SHAPES = 2_000  # of one page; more is a drawing
_MAX_POINTS = 200  # of one clip
_MAX_CONTENT_MARKS = 16  # around one text


@dataclass(frozen=True, slots=True)
class _FilledShape:
    """A filled shape: when it is drawn, where it is on the page as shown, and its colour."""

    order: int
    box: Rectangle
    colour: Colour

    def contains(self, x: float, y: float) -> bool:
        return self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3]


class PageOcclusion:
    """The objects of a page, as far as they may keep words from being seen."""

    def __init__(self, page: PdfPage, frame: PageFrame) -> None:
        from pypdfium2 import raw

        self._raw, self._page, self._frame = raw, page, frame

    def may_be_hidden(self, item: object, box: Rectangle) -> bool:
        """Tell whether a text, of which a line stands in a box as shown, may not show."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return (
            self._is_optional(item) or self._is_clipped(item, x, y) or self._is_covered(item, x, y)
        )

    def _is_optional(self, item: object) -> bool:
        """Tell whether the text is on a layer, which may be off."""
        raw = self._raw
        name, length = (ctypes.c_ushort * 8)(), ctypes.c_ulong()
        for index in range(min(raw.FPDFPageObj_CountMarks(item), _MAX_CONTENT_MARKS)):
            mark = raw.FPDFPageObj_GetMark(item, index)
            if (
                raw.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), length)
                and bytes(name)[: length.value].decode("utf-16-le", "replace") == "OC\0"
            ):
                return True
        return False

    def _is_clipped(self, item: object, x: float, y: float) -> bool:
        raw = self._raw
        clip = raw.FPDFPageObj_GetClipPath(item)
        if not clip:
            return False
        a, b = ctypes.c_float(), ctypes.c_float()
        for path in range(max(0, raw.FPDFClipPath_CountPaths(clip))):
            xs, ys = [], []
            for at in range(min(raw.FPDFClipPath_CountPathSegments(clip, path), _MAX_POINTS)):
                segment = raw.FPDFClipPath_GetPathSegment(clip, path, at)
                if raw.FPDFPathSegment_GetPoint(segment, a, b):
                    xs.append(a.value)
                    ys.append(b.value)
            if xs:
                x0, y0, x1, y1 = self._frame.to_display((min(xs), min(ys), max(xs), max(ys)))
                if not (x0 <= x <= x1 and y0 <= y <= y1):
                    return True
        return False

    def _is_covered(self, item: object, x: float, y: float) -> bool:
        """Tell whether a shape is drawn over the text, or under it in its colour."""
        around = [each for each in self._filled_shapes if each.contains(x, y)]
        if not around:
            return False
        at, colour = self._drawing_order.get(_object_address(item), -1), self._fill_colour(item)
        return any(each.order > at or _is_similar_colour(each.colour, colour) for each in around)

    @cached_property
    def _filled_shapes(self) -> list[_FilledShape]:
        raw = self._raw
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        sides = [ctypes.c_float() for _ in range(4)]
        found: list[_FilledShape] = []
        for at in range(min(raw.FPDFPage_CountObjects(self._page), MAX_OBJECTS)):
            item = raw.FPDFPage_GetObject(self._page, at)
            if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_PATH:
                continue
            filled = raw.FPDFPath_GetDrawMode(item, fill, stroke) and fill.value
            if not filled or not raw.FPDFPageObj_GetBounds(item, *sides):
                continue
            left, bottom, right, top = (each.value for each in sides)
            if min(right - left, top - bottom) < _MIN_AREA:
                continue
            box = self._frame.to_display((left, bottom, right, top))
            found.append(_FilledShape(at, box, self._fill_colour(item)))
            if len(found) >= _MAX_SHAPES:
                break
        return found

    @cached_property
    def _drawing_order(self) -> dict[int | None, int]:
        """Return when each text of the page itself is drawn, by where it is in memory."""
        raw = self._raw
        found = {}
        for at in range(min(raw.FPDFPage_CountObjects(self._page), MAX_OBJECTS)):
            item = raw.FPDFPage_GetObject(self._page, at)
            if raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_TEXT:
                found[_object_address(item)] = at
        return found

    def _fill_colour(self, item: object) -> Colour:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        self._raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha)
        return red.value, green.value, blue.value


def _is_similar_colour(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) <= _COLOUR_TOLERANCE for a, b in zip(one, other, strict=True))


def _object_address(item: object) -> int | None:
    return ctypes.cast(item, ctypes.c_void_p).value  # type: ignore[arg-type]
