"""The objects that draw the words of a PDF page, each read once."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import fill_rows, native_call

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfTextPage

_FROM_RIGHT_TO_LEFT = (0x590, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF), (0x10800, 0x10FFF)


@cache
def _blanks() -> NDArray[np.bool_]:
    import numpy as np

    return np.array([chr(code).isspace() for code in range(0x3002)])


def is_blank(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which of the characters are white space."""
    found: NDArray[np.bool_] = _blanks()[codes.clip(max=len(_blanks()) - 1)]
    return found


@dataclass(frozen=True, slots=True)
class TextObjects:
    """The objects that draw the words of a page.

    Attributes:
        of: The object that draws each character of the text; -1 for none, and for blanks.
        addresses: The objects.
        modes: Their render modes (`FPDF_TEXTRENDERMODE_…`).
        colours: Their fill colours: red, green, blue and alpha.
        fonts: The index in `names` of each object's font.
        names: The fonts; those with the same name are distinguished by a count.
    """

    of: NDArray[np.int64]
    addresses: Sequence[int]
    modes: NDArray[np.int64]
    colours: NDArray[np.float64]
    fonts: NDArray[np.int64]
    names: Sequence[str]


def find_text_objects(textpage: PdfTextPage, text: str, order: Sequence[int] | None) -> TextObjects:
    """Return the objects of a page's words; `order` is pdfium's index of each character.

    The letters of one object are contiguous, except in right-to-left writing: if a word begins and
    ends with the same object, all of it belongs to that object.
    """
    import numpy as np

    page = textpage.raw
    indices = np.arange(len(text)) if order is None else np.array(order, dtype=np.int64)

    def objects_at(places: NDArray[np.int64]) -> NDArray[np.uint64]:
        look = native_call("FPDFText_GetTextObject", "p")
        found = map(look, repeat(page), indices[places].tolist())
        return np.fromiter(found, np.uint64, len(places))

    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    places = np.flatnonzero(~is_blank(codes))
    starts = np.flatnonzero(np.diff(places, prepend=-2) > 1)
    lengths = np.diff(starts, append=len(places))
    first, last = objects_at(places[starts]), objects_at(places[starts + lengths - 1])
    drawn, mixed = np.repeat(first, lengths), np.repeat(first != last, lengths)
    mixed |= any(((low <= codes) & (codes <= high)).any() for low, high in _FROM_RIGHT_TO_LEFT)
    drawn[mixed] = objects_at(places[mixed])
    found, firsts, which = np.unique(drawn, return_index=True, return_inverse=True)
    none = int(len(found) > 0 and found[0] == 0)
    of = np.full(len(text), -1)
    of[places] = which - none
    addresses = found[none:].tolist()
    drawn_first = indices[places[firsts[none:]]].tolist()
    colours = fill_rows("FPDFText_GetFillColor", page, drawn_first, ctypes.c_uint, 4)
    modes = [*map(native_call("FPDFTextObj_GetTextRenderMode", "ip"), addresses)]
    fonts = [*map(native_call("FPDFTextObj_GetFont", "pp"), addresses)]
    unique, numbers = np.unique(np.array(fonts, dtype=np.uint64), return_inverse=True)
    names = _names(unique.tolist())
    return TextObjects(of, addresses, np.array(modes, dtype=np.int64), colours, numbers, names)


def _names(fonts: Sequence[int]) -> list[str]:
    buffer, seen, names = ctypes.create_string_buffer(128), Counter[str](), []
    for font in fonts:
        native_call("FPDFFont_GetBaseFontName", "pppp")(font, ctypes.addressof(buffer), 128)
        name = buffer.value.decode("latin-1")
        seen[name] += 1
        names.append(f"{name} {seen[name]}")
    return names
