"""Pictures (PNG, JPEG, TIFF and others): pages without text, left to text recognition."""

from __future__ import annotations

import struct

from fourcorners.documents.document import Page, TextSource
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.errors import InputError
from fourcorners.text.span import Span

# By the first bytes of a TIFF: how its numbers are written, where the place of its first page's
# directory stands, how many bytes an entry of a directory has, and how their count and a place in
# the file are written (the second pair is BigTIFF's).
_TIFF = {
    b"II*\0": ("<", 4, 12, "H", "I"),
    b"MM\0*": (">", 4, 12, "H", "I"),
    b"II+\0": ("<", 8, 20, "Q", "Q"),
    b"MM\0+": (">", 8, 20, "Q", "Q"),
}


def read_image(file: RawFile) -> Content:
    """Return one page that needs text recognition; its size stands in for the picture's.

    Raises:
        InputError: If the pages of a TIFF lead back to one before: reading them would not end.
    """
    if _has_page_cycle(file.data):
        raise InputError(
            f"{file.path}: the picture is damaged: its pages lead back to one before.",
            remedy="Save it anew from a program that opens it, or scan the paper again.",
        )
    return Content("\n", pages=(Page(1, Span(0, 1), 612.0, 792.0, TextSource.NONE),))


def _has_page_cycle(data: bytes) -> bool:
    """Tell whether one of the pages of a TIFF names an earlier one, or itself, as the next."""
    known = _TIFF.get(data[:4])
    if known is None:
        return False
    order, start, entry, count, place = known
    seen: set[int] = set()
    try:
        (at,) = struct.unpack_from(order + place, data, start)
        while at:
            if at in seen:
                return True
            seen.add(at)
            (entries,) = struct.unpack_from(order + count, data, at)
            end = at + struct.calcsize(order + count) + entries * entry
            (at,) = struct.unpack_from(order + place, data, end)
    except (struct.error, OverflowError):  # it is cut off: the pages end there
        return False
    return False


READER = Reader(
    name="picture", version=1, media_types=frozenset({MediaType.IMAGE}), read=read_image
)
