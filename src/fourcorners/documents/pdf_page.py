"""What stands on a PDF page besides its text: where, and whether there is anything at all."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

Rectangle = tuple[float, float, float, float]
_SCALE = 100  # pdfium answers in whole units; these make them hundredths of a point


def shown(page: PdfPage, box: Rectangle) -> Rectangle:
    """Turn a box of the page's own space (left, bottom, right, top) into one of the page as shown.

    The origin of the answer is the page's top left; rotation and crop box are applied.
    """
    from pypdfium2 import raw

    width, height = page.get_size()
    left, bottom, right, top = box
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for px, py in ((left, bottom), (right, top)):
        raw.FPDF_PageToDevice(
            page, 0, 0, round(width * _SCALE), round(height * _SCALE), 0, px, py, x, y
        )
        corners.append((x.value / _SCALE, y.value / _SCALE))
    (xa, ya), (xb, yb) = corners
    return min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)


def shows_something(page: PdfPage) -> bool:
    """Tell whether a page without text has ink on it, beyond a lone line."""
    if not any(True for _ in page.get_objects(max_depth=1)):
        return False
    bitmap = page.render(scale=0.5, grayscale=True, draw_annots=False)
    stride, width = bitmap.stride, bitmap.width
    pixels = bytes(bitmap.buffer)
    rows = [pixels[i * stride : i * stride + width] for i in range(bitmap.height)]
    bitmap.close()
    darker = bytes(1 if value < 200 else 0 for value in range(256))
    inked = [row.translate(darker) for row in rows]
    columns = bytearray(width)
    for row in inked:
        if any(row):
            columns = bytearray(a | b for a, b in zip(columns, row, strict=True))
    return sum(map(any, inked)) >= 3 and sum(columns) >= 3


def picture_share(page: PdfPage) -> float:
    """Return the part of the page's area that its largest picture covers."""
    from pypdfium2 import raw

    width, height = page.get_size()
    largest = 0.0
    for item in page.get_objects(max_depth=1):
        if item.type == raw.FPDF_PAGEOBJ_IMAGE or (
            item.type == raw.FPDF_PAGEOBJ_FORM and _form_has_image(item.raw)
        ):
            x0, y0, x1, y1 = shown(page, item.get_bounds())
            across = min(x1, width) - max(x0, 0.0)
            down = min(y1, height) - max(y0, 0.0)
            largest = max(largest, max(across, 0.0) * max(down, 0.0))
    return largest / (width * height) if width and height else 0.0


def _form_has_image(form: object, depth: int = 0) -> bool:
    from pypdfium2 import raw

    for index in range(raw.FPDFFormObj_CountObjects(form)):
        item = raw.FPDFFormObj_GetObject(form, index)
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            return True
        if kind == raw.FPDF_PAGEOBJ_FORM and depth < 8 and _form_has_image(item, depth + 1):
            return True
    return False
