"""Pictures, before their text is recognised."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from fourcorners.documents.image import read_image
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import RawFile
from fourcorners.errors import InputError


def tiff(*following: int, order: str = "<", big: bool = False) -> bytes:
    """A TIFF of pages without entries, each of which names the page that follows, by number."""
    head, size = (16, 16) if big else (8, 6)
    place, count = ("Q", "Q") if big else ("I", "H")
    sign = {"<": b"II", ">": b"MM"}[order]
    start = struct.pack(f"{order}HHH" if big else f"{order}H", *((43, 8, 0) if big else (42,)))
    places = [0, *(head + size * number for number in range(len(following)))]
    pages = b"".join(struct.pack(f"{order}{count}{place}", 0, places[each]) for each in following)
    return sign + start + struct.pack(order + place, head) + pages


def look(data: bytes) -> str:
    return read_image(RawFile(Path("scan.tif"), data, MediaType.IMAGE)).text


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_pages_that_lead_back_are_refused(order: str, big: bool) -> None:
    assert look(tiff(2, 3, 0, order=order, big=big)) == "\n"
    for pages in ((1,), (2, 1), (2, 3, 2)):
        with pytest.raises(InputError, match=r"scan\.tif: .* pages form a loop"):
            look(tiff(*pages, order=order, big=big))


def test_other_pictures_and_what_is_cut_off_are_left_to_recognition() -> None:
    assert look(b"\x89PNG\r\n\x1a\n") == "\n"
    assert look(tiff(2, 3, 0)[:-3]) == "\n"
    assert look(b"II*\0\xff\xff\xff\xff") == "\n"
