"""Open a PDF and its pages with pdfium: their frames, objects and renderings."""

from __future__ import annotations

import ctypes
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.archive.container import load_unchanged
from fourcorners.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfDocument, PdfPage


Rectangle = tuple[float, float, float, float]
MAX_OBJECTS = 50_000  # looked at on one page
MAX_PAGES = 20_000  # guards against endless page trees
_MAX_PIXELS = 12_000_000  # of a picture; some 50 MB while it is drawn
_COMPRESSION = 5  # compression level: 6 and more take twice the time for 3% less
REFETCH_REMEDY = (
    "Fetch it again from its source, or open it in a PDF viewer and print it to a new PDF."
)


def open_pdf(data: bytes, path: Path) -> PdfDocument:
    """Open a PDF; raise InputError if it is locked, damaged, or has too few or too many pages."""
    import pypdfium2
    from pypdfium2 import raw

    # PDFium has no error for a file without pages, and would report that of an earlier file.
    raw.FPDF_LoadDocument(b"", None)
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        code = error.err_code
        remedy = REFETCH_REMEDY
        if code == raw.FPDF_ERR_PASSWORD:
            problem = "is protected by a password"
            remedy = "Open it with the password, save it without one and add that file."
        elif code == raw.FPDF_ERR_SECURITY:
            problem = "is encrypted in a way that is not supported"
            remedy = "Print it to a new PDF from a viewer that opens it."
        elif code == raw.FPDF_ERR_FILE:  # that of the empty path: none was reported
            problem = "holds no pages"
        elif b"%%EOF" not in data[-2048:]:
            problem = "is truncated: its end is missing"
        else:
            problem = "is damaged: it does not open"
        raise InputError(f"{path}: the PDF {problem}.", remedy=remedy) from error
    count = len(pdf)
    if not 0 < count <= MAX_PAGES:
        pdf.close()
        problem = "holds no pages" if count <= 0 else f"claims {count} pages"
        raise InputError(
            f"{path}: the PDF {problem}; 1 to {MAX_PAGES} are read.", remedy=REFETCH_REMEDY
        )
    pdf.init_forms()  # draws the fields of forms that their programs left to the viewer
    return pdf


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The visible part of a page's coordinate space, and its rotation.

    The page's own space has its origin at the bottom left; the page as shown, at the top left.
    """

    left: float
    bottom: float
    right: float
    top: float
    quarter_turns: int  # clockwise

    @property
    def width(self) -> float:
        return self._sides[self.quarter_turns % 2]

    @property
    def height(self) -> float:
        return self._sides[1 - self.quarter_turns % 2]

    @property
    def _sides(self) -> tuple[float, float]:
        return self.right - self.left, self.top - self.bottom

    def to_display(self, box: Rectangle) -> Rectangle:
        """Convert (left, bottom, right, top) in page coordinates to a box on the page as shown."""
        left, bottom, right, top = box
        match self.quarter_turns:
            case 0:
                return left - self.left, self.top - top, right - self.left, self.top - bottom
            case 1:
                return bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
            case 2:
                sides = self.right - right, self.right - left
                return sides[0], bottom - self.bottom, sides[1], top - self.bottom
            case _:
                return self.top - top, self.right - right, self.top - bottom, self.right - left

    def to_display_array(self, boxes: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        left, bottom, right, top = boxes.T
        return np.stack(self.to_display((left, bottom, right, top)), axis=1)


def frame_of(page: PdfPage) -> PageFrame:
    from pypdfium2 import raw

    box = raw.FS_RECTF()
    turns = raw.FPDFPage_GetRotation(page) % 4
    if raw.FPDF_GetPageBoundingBox(page, box):
        return PageFrame(box.left, box.bottom, box.right, box.top, turns)
    width, height = page.get_size()
    return PageFrame(0.0, 0.0, *((height, width) if turns % 2 else (width, height)), turns)


def render_grey(
    page: PdfPage,
    scale: float,
    *,
    rotation: int = 0,
    draw_annots: bool = False,
    crop: Rectangle = (0, 0, 0, 0),
) -> NDArray[np.uint8]:
    """Draw a page, one byte of grey for each pixel (height, width).

    `crop` is left out at the left, bottom, right and top, in points of the page as shown.
    """
    bitmap = page.render(
        scale=scale, grayscale=True, rotation=rotation, draw_annots=draw_annots, crop=crop
    )
    pixels: NDArray[np.uint8] = bitmap.to_numpy().copy()
    bitmap.close()
    return pixels


def has_ink(page: PdfPage) -> bool:
    """Return whether a page without text has ink on it, other than a single line."""
    if not any(True for _ in page.get_objects(max_depth=1)):
        return False
    ink = render_grey(page, min(0.5, 1000 / max(*page.get_size(), 1.0))) < 200
    return bool(min(ink.any(axis=1).sum(), ink.any(axis=0).sum()) >= 3)


@dataclass(frozen=True)
class PlacedObject:
    """An object of a page or, at some `depth`, of a form on it.

    The `matrix` maps to page coordinates. Its properties are computed once.
    """

    kind: int
    address: int
    matrix: tuple[float, float, float, float, float, float]
    depth: int

    @cached_property
    def item(self) -> object:
        return object_at(self.address)

    @cached_property
    def draw_mode(self) -> tuple[bool, bool]:
        """Return whether a path is filled, and whether its line is drawn."""
        from pypdfium2 import raw

        fill, stroke = ctypes.c_int(), ctypes.c_int()
        found = raw.FPDFPath_GetDrawMode(self.item, fill, stroke)
        return bool(found and fill.value), bool(found and stroke.value)

    @cached_property
    def bounds(self) -> Rectangle | None:
        """Return (left, bottom, right, top) in the page's own space."""
        bounds = _object_bounds(self.item)
        if bounds is None or self.matrix == _IDENTITY:
            return bounds
        a, b, c, d, e, f = self.matrix
        left, bottom, right, top = bounds
        corners = [(x, y) for x in (left, right) for y in (bottom, top)]
        xs = [a * x + c * y + e for x, y in corners]
        ys = [b * x + d * y + f for x, y in corners]
        return min(xs), min(ys), max(xs), max(ys)


_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_MAX_DEPTH = 8  # of forms within forms


def nested_objects(page: PdfPage, first: int = 0) -> Iterator[PlacedObject]:
    """Yield the objects of a page and those of the forms on it, in order of drawing.

    The objects before the `first` are left out.
    """
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    left = MAX_OBJECTS
    count = min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)
    on_page = native_call("FPDFPage_GetObject", "p")
    in_form = native_call("FPDFFormObj_GetObject", "ppp")
    kind_of = native_call("FPDFPageObj_GetType", "ip")
    # The open forms: their objects, and their place on the page.
    stack = [(map(on_page, repeat(page.raw), range(first, count)), _IDENTITY)]
    while stack and left > 0:
        address = next(stack[-1][0], None)
        if not address:
            stack.pop()
            continue
        left -= 1
        kind, around = kind_of(address), stack[-1][1]
        if kind != raw.FPDF_PAGEOBJ_FORM:
            yield PlacedObject(kind, address, around, len(stack) - 1)
        elif len(stack) < _MAX_DEPTH:
            form, own = object_at(address), _IDENTITY
            if raw.FPDFPageObj_GetMatrix(form, matrix):
                own = (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)
            count = min(raw.FPDFFormObj_CountObjects(form), MAX_OBJECTS)
            within = map(in_form, repeat(address), range(count))
            stack.append((within, _multiply(own, around)))


def _multiply(
    inner: tuple[float, float, float, float, float, float],
    outer: tuple[float, float, float, float, float, float],
) -> tuple[float, float, float, float, float, float]:
    """Return the matrix that applies the inner one, then the outer one."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (
        a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t,
        e * q + f * s + u,
    )  # fmt: skip


def _object_bounds(item: object) -> Rectangle | None:
    """Return (left, bottom, right, top) of an object in the space in which it is drawn."""
    from pypdfium2 import raw

    sides = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(item, *sides):
        return None
    left, bottom, right, top = (side.value for side in sides)
    return left, bottom, right, top


def address_of(item: object) -> int:
    """Return the memory address of an object of pdfium; 0 for none."""
    return ctypes.cast(item, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def object_at(address: int) -> object:
    from pypdfium2 import raw

    return ctypes.cast(address, raw.FPDF_PAGEOBJECT)


@cache
def native_call(name: str, signature: str) -> Callable[..., int]:
    """Return a function of pdfium that is fast to call, for a million calls.

    The `signature` has a letter for what is returned and for each argument: `p` is an address as a
    number and `i` a number. Without letters for arguments ctypes converts them, which is three
    times as fast: pointers as such, and 32-bit numbers.
    """
    from pypdfium2 import raw

    kinds = [{"p": ctypes.c_size_t, "i": ctypes.c_int}[letter] for letter in signature]
    address = ctypes.cast(getattr(raw, name), ctypes.c_void_p).value
    if address is None:
        raise RuntimeError(f"pdfium has no {name}")
    return ctypes.PYFUNCTYPE(*kinds)(address)


_ROWS = 2_048  # filled in before they are copied
_Number = type[ctypes.c_float] | type[ctypes.c_double] | type[ctypes.c_uint]


def fill_rows(
    name: str, textpage: object, indices: Sequence[int], kind: _Number, pointers: int
) -> NDArray[np.float64]:
    """Return the four numbers that a function of pdfium fills in for each character of a page.

    It takes the given number of `pointers`: one to all four, or one to each.
    """
    import numpy as np

    view, columns = _row_buffer(kind, pointers)
    look = native_call(name, "i")
    found = np.zeros((len(indices), 4), dtype=view.dtype)
    for first in range(0, len(indices), _ROWS):
        part = indices[first : first + _ROWS]
        view[: len(part)] = 0
        deque(map(look, repeat(textpage), part, *columns), maxlen=0)
        found[first : first + len(part)] = view[: len(part)]
    return found


@cache
def _row_buffer(kind: _Number, pointers: int) -> tuple[NDArray[np.float64], list[list[object]]]:
    import numpy as np

    buffer, size = (kind * (4 * _ROWS))(), ctypes.sizeof(kind)
    columns: list[list[object]] = [
        [ctypes.byref(buffer, size * (4 * row + at)) for row in range(_ROWS)]
        for at in range(pointers)
    ]
    return np.ctypeslib.as_array(buffer).reshape(_ROWS, 4), columns


@dataclass(frozen=True, slots=True)
class PageImageRequest:
    """A page to draw: number from 1, width in pixels."""

    path: Path
    sha256: str
    page: int
    width: int


def render_page(request: PageImageRequest) -> bytes:
    """Return a page as a PNG, with the contents of its forms; run it in a `ProcessPool`."""
    with open_pdf(load_unchanged(request.path, request.sha256), request.path) as pdf:
        page = pdf[request.page - 1]
        width, height = page.get_size()
        if not (width > 0 and height > 0):
            raise InputError(f"{request.path}: page {request.page} has no size.")
        scale = min(request.width / width, (_MAX_PIXELS / (width * height)) ** 0.5)
        pixels = page.render(scale=scale, rev_byteorder=True).to_numpy()
    return encode_png(pixels)


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return pixels (height, width, 1, 3 or 4 bytes of RGB) as a PNG.

    A page in grey has sixteen greys, and one of few colours a palette of them, each a sixteenth of
    its range: the eye sees no difference in letters, and the picture takes half the bytes. Pictures
    of many colours stay as they are.
    """
    import numpy as np

    height, width = pixels.shape[:2]
    colours = pixels[:, :, :3]
    coarse = ((colours.astype(np.uint16) * 15 + 127) // 255).astype(np.uint16)
    if coarse.shape[2] == 1 or bool((coarse == coarse[:, :, :1]).all()):
        return _png((width, height, 4, 0), _pack_halves(coarse[:, :, 0].astype(np.uint8)))
    codes = coarse @ np.array([256, 16, 1], dtype=np.uint16)
    used = np.flatnonzero(np.bincount(codes.ravel(), minlength=4096))
    if len(used) > 256:
        return _png((width, height, 8, 2), colours.reshape(height, -1))
    places = np.zeros(4096, dtype=np.uint8)
    places[used] = np.arange(len(used))
    palette = np.stack((used >> 8, used >> 4 & 15, used & 15), axis=1).astype(np.uint8) * 17
    rows, is_small = places[codes], len(used) <= 16
    packed = _pack_halves(rows) if is_small else rows
    return _png((width, height, 4 if is_small else 8, 3), packed, palette.tobytes())


def _pack_halves(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Put two pixels of four bits into each byte."""
    import numpy as np

    even = np.pad(rows, ((0, 0), (0, rows.shape[1] % 2)))
    halves: NDArray[np.uint8] = np.bitwise_or(even[:, ::2] << np.uint8(4), even[:, 1::2])
    return halves


def _png(head: tuple[int, int, int, int], rows: NDArray[np.uint8], palette: bytes = b"") -> bytes:
    """Return a PNG; `head` has its width and height, the bits of a sample, and the colour type."""
    import numpy as np

    lines = np.zeros((rows.shape[0], rows.shape[1] + 1), dtype=np.uint8)  # filter of each: none
    lines[:, 1:] = rows
    chunks = [(b"IHDR", struct.pack("!IIBBBBB", *head, 0, 0, 0))]
    chunks += [(b"PLTE", palette)] if palette else []
    chunks += [(b"IDAT", zlib.compress(lines.tobytes(), _COMPRESSION)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(*chunk) for chunk in chunks)


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
