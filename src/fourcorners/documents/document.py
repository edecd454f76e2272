"""`Document`: one file, read. Its text is canonical and never changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.text.span import Span


class TextSource(StrEnum):
    TEXT = "text"
    OCR = "ocr"
    NONE = "none"  # the page has content, but no text could be read: it needs OCR


class MarkKind(StrEnum):
    HEADER = "header"
    FOOTER = "footer"
    TABLE = "table"
    CELL = "cell"  # of the table around it; the detail is its row and column from 1: "2,3"
    FOOTNOTE = "footnote"
    TEXT_BOX = "text box"
    NUMBER = "number"  # a clause number the application computes: in the text, generated
    HEADING = "heading"  # the file itself styles the paragraph as a heading
    BOLD = "bold"
    LARGE = "large"  # a line in letters above the document's usual size; the detail says by what
    INSERTED = "inserted"
    DELETED = "deleted"  # with words: struck through, in the text; else they are in the detail
    HIDDEN = "hidden"
    COMMENT = "comment"


PageLabel = int | str  # a page as it is cited: "ii" is a string, 2 a number
STRUCK_THROUGH = "struck through"  # the detail of words that a line strikes out


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page in points, origin at the top left of the page as it is shown."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Page:
    """One page: the span of the document's text on it.

    Pages tile the text: each starts where the one before ends. `number` counts from 1; `width` and
    `height` are in points, as shown (rotation applied). `confidence` is the mean of the words',
    from 0 to 1, if text recognition read the page and found some. `label` is what the file says is
    printed on the page, if that is not its number.
    """

    number: int
    span: Span
    width: float
    height: float
    source: TextSource = TextSource.TEXT
    confidence: float | None = None
    label: str = ""

    @property
    def cited(self) -> PageLabel:
        """Return the page as it is cited."""
        if self.label.isascii() and self.label.isdecimal():
            return int(self.label)
        return self.label or self.number


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A word that text recognition read; `confidence` is the engine's own, from 0 to 1."""

    span: Span
    box: Box
    confidence: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A span to which the reader gives a meaning; `detail` holds a level, an author, a style."""

    kind: MarkKind
    span: Span
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """An object in a bucket: the bucket's section in the settings, and `s3://bucket/key`."""

    section: str
    address: str


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read.

    Attributes:
        id: The first 16 hex digits of the SHA-256 of the file's bytes: same file, same document.
        name: The file's name, for people.
        path: Where it was read from, as the user gave it.
        sha256: The whole hash of the file's bytes.
        media_type: The type of the file by its content, regardless of its extension.
        reader: The reader and its version, such as `pdf/1`.
        text: The canonical text; every span points into it.
        pages: Pages in order; empty for formats without pages.
        marks: What the reader knows beyond the words, in order of position.
        warnings: What a person should know about how it was read, each one sentence. One about
            what is missing from the text says that it is "not read".
        words: The words that text recognition read, in order; empty without recognition.
        stored: The object in a bucket that has the file's bytes; None where there is none.
    """

    id: str
    name: str
    path: str
    sha256: str
    media_type: str
    reader: str
    text: str
    pages: tuple[Page, ...] = ()
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()
    words: tuple[OcrWord, ...] = ()
    stored: StoredFile | None = None

    def words_in(self, span: Span) -> tuple[OcrWord, ...]:
        first = bisect_right(self.words, span.start, key=lambda word: word.span.end)
        last = bisect_left(self.words, span.end, key=lambda word: word.span.start)
        return self.words[first:last]

    def confidence(self, span: Span) -> float | None:
        words = self.words_in(span)
        return sum(word.confidence for word in words) / len(words) if words else None

    def page_at(self, offset: int) -> Page | None:
        return page_at(self.pages, offset)

    def page_of(self, offset: int) -> PageLabel | None:
        """Return the page of a character as it is cited; None without pages."""
        page = self.page_at(offset)
        return None if page is None else page.cited

    @property
    def unread(self) -> tuple[str, ...]:
        """Return the warnings that say that a part of the file was not read."""
        return tuple(each for each in self.warnings if "not read" in each)

    @property
    def pages_needing_ocr(self) -> tuple[int, ...]:
        return tuple(page.number for page in self.pages if page.source is TextSource.NONE)


def page_at(pages: Sequence[Page], offset: int) -> Page | None:
    at = bisect_right(pages, offset, key=lambda page: page.span.start) - 1
    return pages[max(0, at)] if pages else None


def format_page_numbers(pages: list[int]) -> str:
    """Format page numbers for people, with ranges: "Pages 3, 5-7"."""
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    names = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
    return f"Page {names}" if len(pages) == 1 else f"Pages {names}"
