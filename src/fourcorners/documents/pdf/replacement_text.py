"""Replacement text (`/ActualText`): what a file says its letters spell, whatever they show.

ISO 32000-1, section 14.9.4. It is meant for ligatures and divided words; but it can make letters
that show "500,000" spell "900,000", and what a reader sees is what was agreed.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import PlacedObject, address_of, native_call

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_KEY = b"ActualText"
_MAX_MARKS = 16  # around one text
_MAX_LENGTH = 20_000  # bytes of one replacement


@dataclass(slots=True)
class _Replacement:
    text: str
    owner: object  # the first object that it covers
    mark: object
    items: list[object] = field(default_factory=list)


def remove_false_replacements(
    page: PdfPage, objects: Sequence[PlacedObject]
) -> list[tuple[str, str]]:
    """Remove replacement text from a page if its letters say something else.

    It is kept if the letters say nothing, as with fonts without a map to Unicode.

    Returns:
        The shown text and its replacement, for each that differs in letters or digits.
    """
    found = _replacements(objects)
    if not found:
        return []
    from pypdfium2 import raw

    for each in found:
        raw.FPDFPageObjMark_RemoveParam(each.owner, each.mark, _KEY)
    textpage = page.get_textpage()
    differences = []
    for each in found:
        shown = "".join(text_of(item, textpage) for item in each.items)
        if not _is_legible(shown) and _letters(each.text):
            words = b"\xfe\xff" + each.text.encode("utf-16-be", "surrogatepass")
            data = (ctypes.c_ubyte * len(words)).from_buffer_copy(words)
            raw.FPDFPageObjMark_SetBlobParam(
                page.pdf, each.owner, each.mark, _KEY, data, len(words)
            )
        elif _letters(shown) != _letters(each.text):
            differences.append((" ".join(shown.split()), " ".join(each.text.split())))
    textpage.close()
    return differences


def _replacements(objects: Sequence[PlacedObject]) -> list[_Replacement]:
    """Return the replacements of a page; one mark often covers several consecutive texts."""
    from pypdfium2 import raw

    found: dict[int, _Replacement] = {}
    length = ctypes.c_ulong()
    count = native_call("FPDFPageObj_CountMarks", "ip")
    for text in (each for each in objects if each.kind == raw.FPDF_PAGEOBJ_TEXT):
        for at in range(min(count(text.address), _MAX_MARKS)):
            item = text.item
            mark = raw.FPDFPageObj_GetMark(item, at)
            address = address_of(mark)
            if address not in found:
                if raw.FPDFPageObjMark_GetParamValueType(mark, _KEY) != raw.FPDF_OBJECT_STRING:
                    continue
                buffer = (ctypes.c_ushort * (_MAX_LENGTH // 2))()
                raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, buffer, _MAX_LENGTH, length)
                stated = bytes(buffer)[: max(0, length.value - 2)].decode("utf-16-le", "replace")
                found[address] = _Replacement(stated, item, mark)
            found[address].items.append(item)
    return list(found.values())


def text_of(item: object, textpage: PdfTextPage) -> str:
    """Return an object's part of a page's text; empty for a copy drawn on another."""
    from pypdfium2 import raw

    size = raw.FPDFTextObj_GetText(item, textpage, None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    raw.FPDFTextObj_GetText(item, textpage, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")


def _is_legible(shown: str) -> bool:
    return bool(_letters(shown)) and all(
        unicodedata.category(letter) not in ("Cc", "Cn", "Co") and letter != "\ufffd"
        for letter in shown
        if not letter.isspace()
    )


def _letters(words: str) -> str:
    plain = unicodedata.normalize("NFKC", words).casefold()
    return "".join(letter for letter in plain if letter.isalnum())
