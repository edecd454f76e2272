"""A page of a PDF as a picture, for people to look at."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.archive.container import load_unchanged
from fourcorners.documents.pdf.page import open_pdf
from fourcorners.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_PIXELS = 12_000_000  # of a picture; some 50 MB while it is drawn
_COMPRESSION = 5  # of compression: 6 and more take twice the time for 3% less


@dataclass(frozen=True, slots=True)
class PageImageRequest:
    """A page to draw: number from 1, width in pixels."""

    path: Path
    sha256: str
    page: int
    width: int


def render_page(request: PageImageRequest) -> bytes:
    """Return a page as a PNG, with what is typed into its forms; run it in a `ProcessPool`."""
    with open_pdf(load_unchanged(request.path, request.sha256), request.path) as pdf:
        if not 1 <= request.page <= len(pdf):
            raise InputError(f"{request.path}: it has no page {request.page}.")
        pdf.init_forms()
        page = pdf[request.page - 1]
        width, height = page.get_size()
        if not (width > 0 and height > 0):
            raise InputError(f"{request.path}: page {request.page} has no size.")
        scale = min(request.width / width, (_MAX_PIXELS / (width * height)) ** 0.5)
        pixels = page.render(scale=scale, rev_byteorder=True).to_numpy()
    return encode_png(pixels)


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return pixels (height, width, 1, 3 or 4 bytes of RGB) as a PNG; grey ones take a third."""
    import numpy as np

    colours = pixels[:, :, :3]
    grey = colours.shape[2] == 1 or bool(
        (colours[:, :, 0] == colours[:, :, 1]).all()
        and (colours[:, :, 1] == colours[:, :, 2]).all()
    )
    rows = colours[:, :, 0] if grey else colours.reshape(colours.shape[0], -1)
    height, width = colours.shape[:2]
    lines = np.zeros((height, rows.shape[1] + 1), dtype=np.uint8)  # each with its filter: none
    lines[:, 1:] = rows
    head = struct.pack("!IIBBBBB", width, height, 8, 0 if grey else 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _png_chunk(kind, data)
        for kind, data in (
            (b"IHDR", head),
            (b"IDAT", zlib.compress(lines.tobytes(), _COMPRESSION)),
            (b"IEND", b""),
        )
    )


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
