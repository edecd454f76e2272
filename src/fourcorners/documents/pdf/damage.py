"""Signs that a PDF lost text although it opens."""

from __future__ import annotations

import re
import zlib

_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_DEFLATE_FILTER = re.compile(rb"/Filter\s*\[?\s*/(?:FlateDecode|Fl)\b")
_MAX_STREAM = 64 << 20  # bytes unpacked for this check, in all


def count_broken_streams(data: bytes) -> tuple[int, int]:
    """Count the compressed streams that do not unpack, and those that were tried.

    pdfium takes what comes before the damage and says nothing, so a file with a few flipped bytes
    may open with a twentieth of its text. Encrypted files are not checked: their streams look
    like noise by design.
    """
    if b"/Encrypt" in data:
        return 0, 0
    broken = tried = unpacked = 0
    for found in _STREAM.finditer(data):
        dictionary = data[max(0, data.rfind(b"obj", 0, found.start())) : found.start()]
        end = data.find(b"endstream", found.end())
        if end < 0 or not _DEFLATE_FILTER.search(dictionary):
            continue
        tried += 1
        engine = zlib.decompressobj()
        rest = data[found.end() : end]
        try:
            while rest and unpacked < _MAX_STREAM and not engine.eof:
                unpacked += len(engine.decompress(rest, 1 << 20))
                rest = engine.unconsumed_tail
        except zlib.error:
            broken += 1
        if unpacked >= _MAX_STREAM:
            break
    return broken, tried
