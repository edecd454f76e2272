"""Find what a page shows in addition to its text layer: pictures, and letters drawn as shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import (
    MAX_OBJECTS,
    PageFrame,
    PlacedObject,
    Rectangle,
    render_grey,
)
from fourcorners.text.span import word_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage

    from fourcorners.documents.pdf.text import PageText

_MIN_WIDTH, _MIN_HEIGHT = 20.0, 6.0  # points: smaller pictures have no words
_LETTER_SIDES = 1.5, 40.0  # points, between which a shape may be a letter
_MIN_LETTERS = 12  # shapes of that size on a page that may be words
_MIN_SEGMENTS = 60  # of one shape that may be a word
_MARGIN = 1.0  # points around the text that belong to it
_MIN_CONTRAST = 60  # of 255, between letters and their background
_MIN_CHANGES = 6  # changes between light and dark along a row of pixels: a word has more
_MAX_SIDE = 4_000.0  # points: pages beyond are not drawn


def has_image_text(page: PdfPage, shown: PageText, known: set[bytes]) -> bool:
    """Return whether a page shows what may be words outside its text.

    `known` holds what was seen on earlier pages, such as a logo, which does not count again.
    """
    frame = shown.frame
    if not 0 < max(frame.width, frame.height) <= _MAX_SIDE:
        return False
    regions = list(_regions(shown.objects, frame))
    if not regions:
        return False
    drawn = blank_text(render_grey(page, 1.0), shown, 1.0)
    new = False
    for x0, y0, x1, y1 in regions:
        place = drawn[max(0, int(y0)) : int(y1) + 1, max(0, int(x0)) : int(x1) + 1]
        if not _may_be_words(place):
            continue
        name = hashlib.sha256(place.tobytes() + repr(place.shape).encode()).digest()
        new = new or name not in known
        known.add(name)
    return new


def blank_text(drawn: NDArray[np.uint8], shown: PageText, scale: float) -> NDArray[np.uint8]:
    """Return a page as drawn, with the places of its text left blank."""
    blank = drawn.copy()
    for x0, y0, x1, y1 in shown.bounds_of([*word_spans(shown.text)]).tolist():
        rows = slice(max(0, int((y0 - _MARGIN) * scale)), max(0, int((y1 + _MARGIN) * scale) + 1))
        left, right = int((x0 - _MARGIN) * scale), int((x1 + _MARGIN) * scale) + 1
        blank[rows, max(0, left) : max(0, right)] = 255
    return blank


def _may_be_words(place: NDArray[np.uint8]) -> bool:
    if place.size == 0 or int(place.max()) - int(place.min()) < _MIN_CONTRAST:
        return False
    middle = (int(place.max()) + int(place.min())) // 2
    dark = place < middle
    changes = (dark[:, 1:] != dark[:, :-1]).sum(axis=1)
    return int((changes >= _MIN_CHANGES).sum()) >= _MIN_HEIGHT / 2


def _regions(objects: Sequence[PlacedObject], frame: PageFrame) -> Iterator[Rectangle]:
    """Yield the places of pictures, and of shapes that may be letters.

    These are many shapes of the size of letters, or one with as many lines as a word.
    """
    from pypdfium2 import raw

    least, most = _LETTER_SIDES
    letters: list[Rectangle] = []
    for each in objects:
        is_path = each.kind == raw.FPDF_PAGEOBJ_PATH
        if not is_path and each.kind not in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
            continue
        if is_path and not each.draw_mode[0]:
            continue
        bounds = each.bounds
        if bounds is None:
            continue
        x0, y0, x1, y1 = frame.to_display(bounds)
        if is_path and least <= x1 - x0 <= most and least <= y1 - y0 <= most:
            letters.append((x0, y0, x1, y1))
        elif x1 - x0 < _MIN_WIDTH or y1 - y0 < _MIN_HEIGHT:
            continue
        elif not is_path or raw.FPDFPath_CountSegments(each.item) >= _MIN_SEGMENTS:
            yield x0, y0, x1, y1
    if len(letters) >= _MIN_LETTERS:
        left, top, right, bottom = zip(*letters, strict=True)
        yield min(left), min(top), max(right), max(bottom)


def image_share(page: PdfPage, frame: PageFrame) -> float:
    from pypdfium2 import raw

    largest = 0.0
    for number, item in enumerate(page.get_objects(max_depth=1)):
        if number >= MAX_OBJECTS:
            break
        is_form = item.type == raw.FPDF_PAGEOBJ_FORM
        if item.type == raw.FPDF_PAGEOBJ_IMAGE or (is_form and _form_has_image(item.raw)):
            x0, y0, x1, y1 = frame.to_display(item.get_bounds())
            across = min(x1, frame.width) - max(x0, 0.0)
            down = min(y1, frame.height) - max(y0, 0.0)
            largest = max(largest, max(across, 0.0) * max(down, 0.0))
    area = frame.width * frame.height
    return largest / area if area else 0.0


def _form_has_image(form: object, depth: int = 0) -> bool:
    from pypdfium2 import raw

    for index in range(raw.FPDFFormObj_CountObjects(form)):
        item = raw.FPDFFormObj_GetObject(form, index)
        kind = raw.FPDFPageObj_GetType(item)
        is_form = kind == raw.FPDF_PAGEOBJ_FORM and depth < 8
        if kind == raw.FPDF_PAGEOBJ_IMAGE or (is_form and _form_has_image(item, depth + 1)):
            return True
    return False
