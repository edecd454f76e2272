"""Plain text: the characters of the file and nothing else, so that offsets made elsewhere hold."""

from __future__ import annotations

from fourcorners.documents.encoding import decode_text
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader


def read_plain(file: RawFile) -> Content:
    decoded = decode_text(file.data)
    return Content(text=decoded.text, warnings=decoded.warnings)


READER = Reader(name="plain", version=1, media_types=frozenset({MediaType.TEXT}), read=read_plain)
