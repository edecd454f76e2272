"""The objects that draw the words of a PDF page, each looked at once."""

from __future__ import annotations

import ctypes
import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import address_of, pdfium_function

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfTextPage

BLANKS = [number for number in range(0x3001) if chr(number).isspace()]
_FROM_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff]")


@dataclass(frozen=True, slots=True)
class TextObjects:
    """What draws the words of a page.

    Attributes:
        of: Which object draws each character of the text; -1 where none does, and of blanks.
        addresses: The objects.
        modes: How each is drawn (`FPDF_TEXTRENDERMODE_…`).
        colours: What each is filled with: red, green, blue and alpha.
        fonts: Which of `names` each is set in.
        names: The fonts; those of one name are told apart by a count.
    """

    of: NDArray[np.int64]
    addresses: Sequence[int]
    modes: NDArray[np.int64]
    colours: NDArray[np.uint32]
    fonts: NDArray[np.int64]
    names: Sequence[str]


def find_text_objects(textpage: PdfTextPage, text: str, order: Sequence[int] | None) -> TextObjects:
    """Return the objects of a page's words; `order` is where pdfium has each character.

    The letters of one object stand together, but for writing from right to left: where a word
    begins and ends with the same object, all of it is that object's.
    """
    import numpy as np

    page = address_of(textpage.raw)
    indices = np.arange(len(text)) if order is None else np.array(order, dtype=np.int64)

    def objects_at(places: NDArray[np.int64]) -> NDArray[np.uint64]:
        found = map(
            pdfium_function("FPDFText_GetTextObject", "ppi"), repeat(page), indices[places].tolist()
        )
        return np.fromiter(found, np.uint64, len(places))

    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    places = np.flatnonzero(~np.isin(codes, BLANKS))
    starts = np.flatnonzero(np.diff(places, prepend=-2) > 1)
    lengths = np.diff(starts, append=len(places))
    first, last = objects_at(places[starts]), objects_at(places[starts + lengths - 1])
    drawn, mixed = np.repeat(first, lengths), np.repeat(first != last, lengths)
    mixed |= _FROM_RIGHT_TO_LEFT.search(text) is not None
    drawn[mixed] = objects_at(places[mixed])
    found, firsts, which = np.unique(drawn, return_index=True, return_inverse=True)
    none = int(len(found) > 0 and found[0] == 0)
    of = np.full(len(text), -1)
    of[places] = which - none
    addresses = found[none:].tolist()
    colours = np.full((len(addresses), 4), (0, 0, 0, 0xFF), dtype=np.uint32)
    start, size = colours.ctypes.data, colours.itemsize
    ends = (start + size * (at + 4 * len(addresses)) for at in range(4))
    sides = [range(start + size * at, end, 4 * size) for at, end in enumerate(ends)]
    colour = pdfium_function("FPDFText_GetFillColor", "ipipppp")
    deque(map(colour, repeat(page), indices[places[firsts[none:]]].tolist(), *sides), maxlen=0)
    modes = [*map(pdfium_function("FPDFTextObj_GetTextRenderMode", "ip"), addresses)]
    fonts = [*map(pdfium_function("FPDFTextObj_GetFont", "pp"), addresses)]
    unique, numbers = np.unique(np.array(fonts, dtype=np.uint64), return_inverse=True)
    names = _names(unique.tolist())
    return TextObjects(of, addresses, np.array(modes, dtype=np.int64), colours, numbers, names)


def _names(fonts: Sequence[int]) -> list[str]:
    buffer, seen, names = ctypes.create_string_buffer(128), Counter[str](), []
    for font in fonts:
        pdfium_function("FPDFFont_GetBaseFontName", "pppp")(font, ctypes.addressof(buffer), 128)
        name = buffer.value.decode("latin-1")
        seen[name] += 1
        names.append(f"{name} {seen[name]}")
    return names
