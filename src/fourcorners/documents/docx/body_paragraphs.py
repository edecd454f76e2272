"""The paragraphs of a Word file's body as Word counts them, with their places in the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.docx.placed_text import PlacedWords, read_placed_text
from fourcorners.documents.docx.styles import W
from fourcorners.documents.office_package import OfficePackage
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from lxml.etree import _Element


@dataclass(frozen=True, slots=True)
class BodyParagraph:
    """A paragraph with words, as they would be with all tracked changes accepted.

    Attributes:
        number: Its place among all paragraphs of the body, from 0; cells of tables count.
        text: Its words, without a number that Word computes and without references to notes.
        pieces: Where the words are in the document's text, in order.
    """

    number: int
    text: str
    pieces: tuple[Span, ...]

    @property
    def start(self) -> int:
        return self.pieces[0].start

    def offset_of(self, place: int) -> int | None:
        """Return where in the paragraph a character of the document is; None if it is not there."""
        at = 0
        for piece in self.pieces:
            if piece.start <= place < piece.end:
                return at + place - piece.start
            at += len(piece)
        return None

    def span_of(self, place: Span) -> Span | None:
        """Return where in the paragraph all words of a span are, side by side; else None."""
        first, last = self.offset_of(place.start), self.offset_of(place.end - 1)
        if first is None or last is None or last + 1 - first != len(place):
            return None
        return Span(first, last + 1)


def read_body_paragraphs(data: bytes, path: Path) -> tuple[BodyParagraph, ...]:
    """Return the paragraphs of a Word file's body that have words, in order.

    Raises:
        InputError: If the file is damaged, or has no text.
    """
    placed = read_placed_text(OfficePackage(data, path), path)
    boxes = f"{W}txbxContent"
    numbers = {
        node: number
        for number, node in enumerate(
            each
            for each in placed.roots[placed.main].iter(f"{W}p")
            if next(each.iterancestors(boxes), None) is None
        )
    }
    found = []
    words = [each for each in placed.words if not each.is_note_reference]
    for node, group in groupby(words, key=_paragraph):
        if node is not None and (number := numbers.get(node)) is not None:
            pieces = tuple(each.span for each in group)
            text = "".join(each.text_in(placed.text) for each in pieces)
            found.append(BodyParagraph(number, text, pieces))
    return tuple(found)


def paragraph_at(paragraphs: Sequence[BodyParagraph], place: int) -> BodyParagraph | None:
    """Return the paragraph that holds a character of the document's text."""
    at = bisect_right(paragraphs, place, key=lambda each: each.start) - 1
    found = paragraphs[at] if at >= 0 else None
    return found if found is not None and found.offset_of(place) is not None else None


def _paragraph(words: PlacedWords) -> _Element | None:
    return next(words.node.iterancestors(f"{W}p"), None)
