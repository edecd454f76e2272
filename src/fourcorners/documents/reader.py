"""What a reader is: one module a format, listed in `read.READERS`."""

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
    """What a file may show and its text does not have, or has otherwise: for text recognition.

    Attributes:
        words: Words of the text that are drawn with other letters.
        pages: The numbers of pages that show words beside their text.
        images: Picture files that a document without pages shows, in order.
    """

    words: tuple[Span, ...] = ()
    pages: tuple[int, ...] = ()
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader makes of a file; `Document` has the meaning of each part."""

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
        """Take over a text without pages, its marks in order of position."""
        marks = sorted(text.marks, key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
        hints = OcrHints(images=tuple(images))
        return cls(text.text, marks=tuple(marks), warnings=tuple(warnings), ocr_hints=hints)


@dataclass(frozen=True, slots=True)
class Reader:
    """A format that can be read.

    `version` goes up whenever the same bytes may give another text: spans of an older version
    then no longer point at the same words.
    """

    name: str
    version: int
    media_types: frozenset[MediaType]
    read: Callable[[RawFile], Content]
