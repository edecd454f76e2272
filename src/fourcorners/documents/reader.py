"""The interface of a reader: one module per format, listed in `read.READERS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from fourcorners.documents.document import Mark, OcrWord, Page
from fourcorners.documents.fragment import Fragment
from fourcorners.documents.media_types import MediaType
from fourcorners.text.span import Span


@dataclass(frozen=True, slots=True)
class RawFile:
    path: Path
    data: bytes
    media_type: MediaType


@dataclass(frozen=True, slots=True)
class OcrHints:
    """What a file may show that its text lacks or has differently, for text recognition.

    Attributes:
        words: Words of the text drawn with other letters.
        pages: The numbers of pages that show words in addition to their text.
        images: Picture files that a document without pages shows, in order.
    """

    words: tuple[Span, ...] = ()
    pages: tuple[int, ...] = ()
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file as read; `Document` explains each part."""

    text: str
    pages: tuple[Page, ...] = ()
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()
    words: tuple[OcrWord, ...] = ()
    ocr_hints: OcrHints = OcrHints()

    @classmethod
    def from_fragment(
        cls, text: Fragment, warnings: Iterable[str] = (), images: Iterable[bytes] = ()
    ) -> Content:
        """Build from a text without pages, its marks in order of position."""
        marks = sorted(text.marks, key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
        hints = OcrHints(images=tuple(images))
        return cls(text.text, marks=tuple(marks), warnings=tuple(warnings), ocr_hints=hints)


@dataclass(frozen=True, slots=True)
class Reader:
    """A format that can be read.

    `version` increases whenever the same bytes may give a different text: spans of an older version
    then no longer point at the same words.
    """

    name: str
    version: int
    media_types: frozenset[MediaType]
    read: Callable[[RawFile], Content]
