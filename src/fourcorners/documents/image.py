"""Pictures (PNG, JPEG, TIFF and others): pages without text, left to text recognition."""

from __future__ import annotations

import struct

from fourcorners.documents.document import Page, TextSource
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.errors import InputError
from fourcorners.text.span import Span

# By the first bytes of a TIFF: the format of its numbers, the offset of the pointer to its first
# page's directory, the bytes of a directory entry, and the formats of their count and of a file
# offset (the second pair is BigTIFF's).
_TIFF = {
    b"II*\0": ("<", 4, 12, "H", "I"),
    b"MM\0*": (">", 4, 12, "H", "I"),
    b"II+\0": ("<", 8, 20, "Q", "Q"),
    b"MM\0+": (">", 8, 20, "Q", "Q"),
}


MAX_PAGES = 500  # of one file that are recognised


def read_image(file: RawFile) -> Content:
    """Return one page that needs text recognition, with a placeholder for the picture's size.

    Raises:
        InputError: If the pages of a TIFF lead back to an earlier one: reading would not end.
    """
    links, has_cycle = _page_links(file.data)
    if has_cycle:
        raise InputError(
            f"{file.path}: the picture is damaged: its pages form a loop.",
            remedy="Open it in another program and save it again, or scan the paper again.",
        )
    warnings: tuple[str, ...] = ()
    if len(links) > MAX_PAGES:
        warnings = (f"It has {len(links):,} pages: the first {MAX_PAGES} are read. Split it.",)
    page = Page(1, Span(0, 1), 612.0, 792.0, TextSource.NONE)
    return Content("\n", pages=(page,), warnings=warnings)


def first_pages(data: bytes) -> bytes:
    """Return a picture with as many of its pages as are recognised; only a TIFF has several."""
    links, _ = _page_links(data)
    if len(links) <= MAX_PAGES:
        return data
    order, _, _, _, place = _TIFF[data[:4]]
    cut = bytearray(data)
    struct.pack_into(order + place, cut, links[MAX_PAGES - 1], 0)
    return bytes(cut)


def _page_links(data: bytes) -> tuple[list[int], bool]:
    """Return the place of each page's link to the next in a TIFF, and whether they form a loop."""
    known = _TIFF.get(data[:4])
    if known is None:
        return [], False
    order, start, entry, count, place = known
    seen: set[int] = set()
    links: list[int] = []
    try:
        (at,) = struct.unpack_from(order + place, data, start)
        while at:
            if at in seen:
                return links, True
            seen.add(at)
            (entries,) = struct.unpack_from(order + count, data, at)
            links.append(at + struct.calcsize(order + count) + entries * entry)
            (at,) = struct.unpack_from(order + place, data, links[-1])
    except (struct.error, OverflowError):  # it is cut off: the pages end there
        return links[:-1], False
    return links, False


READER = Reader(
    name="picture", version=1, media_types=frozenset({MediaType.IMAGE}), read=read_image
)
