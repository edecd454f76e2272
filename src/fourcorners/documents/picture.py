"""Pictures (PNG, JPEG, TIFF and others): pages without text, left to text recognition."""

from __future__ import annotations

from fourcorners.documents.document import Page, Source
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.sniff import MediaType
from fourcorners.text.span import Span


def read_picture(file: RawFile) -> Content:  # noqa: ARG001 - its size is known once it is read
    """Return one page that needs text recognition; its size stands in for the picture's."""
    return Content("\n", pages=(Page(1, Span(0, 1), 612.0, 792.0, Source.NONE),))


READER = Reader(
    name="picture", version=1, media_types=frozenset({MediaType.IMAGE}), read=read_picture
)
