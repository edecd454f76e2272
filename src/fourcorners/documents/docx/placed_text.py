"""A Word document's text with the place of each word in its XML, for writing into it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.change_marks import TrackedChange, join_marks
from fourcorners.documents.document import Mark, MarkKind
from fourcorners.documents.docx.reader import walk_document
from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.walker import DocumentWalker
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from lxml.etree import _Element

    from fourcorners.documents.docx.styles import RunState
    from fourcorners.documents.fragment import Fragment
    from fourcorners.documents.office_package import OfficePackage

NOTE_REFERENCES = (f"{W}footnoteReference", f"{W}endnoteReference")


@dataclass(frozen=True, slots=True)
class PlacedWords:
    """Words of the text and the element from which they were read."""

    span: Span
    node: _Element

    @property
    def is_note_reference(self) -> bool:
        return self.node.tag in NOTE_REFERENCES


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A document's text, with the places of its words in order; computed numbers have none.

    Attributes:
        main: The name of the part that holds the body.
        parts: The parts that the body refers to, by kind.
        roots: The parts that hold the text, by name.
        changes: The tracked changes; `removed_element` returns what a mark of one was read from.
        comments: The comments by their ids, as the details of their marks have them.
        comment_marks: Where they are.
    """

    text: str
    words: tuple[PlacedWords, ...]
    main: str
    parts: Mapping[str, str]
    roots: Mapping[str, _Element]
    changes: tuple[TrackedChange, ...]
    comments: Mapping[str, str]
    comment_marks: tuple[Mark, ...]

    def overlapping(self, span: Span) -> tuple[PlacedWords, ...]:
        """Return the words that overlap a span."""
        first = bisect_right(self.words, span.start, key=lambda each: each.span.end)
        last = bisect_right(self.words, span.end - 1, key=lambda each: each.span.start)
        return self.words[first:last]

    def words_before(self, offset: int) -> PlacedWords | None:
        """Return the words that hold the character before an offset."""
        found = self.overlapping(Span(offset - 1, offset)) if offset else ()
        return found[0] if found else None

    def words_after(self, offset: int) -> PlacedWords | None:
        """Return the words that hold the character after an offset."""
        found = self.overlapping(Span(offset, offset + 1))
        return found[0] if found else None


def read_placed_text(package: OfficePackage, path: Path) -> PlacedText:
    """Read a document as its reader does, and record the places of its words.

    Raises:
        InputError: If it is damaged, or has no text.
    """
    read = walk_document(package, path, _PlacingWalker)
    words, offset = [], 0
    for piece in read.text.pieces:
        if isinstance(piece, _SourcedWords):
            words.append(PlacedWords(Span(offset, offset + len(piece)), piece.node))
        offset += len(piece)
    marks, text = read.text.marks, read.text.text
    return PlacedText(
        text,
        tuple(words),
        read.main,
        read.parts,
        read.roots,
        tuple(join_marks(marks, text)),
        read.walker.comments.texts,
        tuple(each for each in marks if each.kind is MarkKind.COMMENT),
    )


def removed_element(mark: Mark) -> _Element | None:
    """Return the element of words that a change removed, by its mark."""
    return mark.detail.node if isinstance(mark.detail, _SourcedWords) else None


class _SourcedWords(str):
    """A piece of a text under construction, or the detail of a mark, with its element."""

    __slots__ = ("node",)
    node: _Element

    @classmethod
    def of(cls, words: str, node: _Element) -> _SourcedWords:
        made = cls(words)
        made.node = node
        return made


class _PlacingWalker(DocumentWalker):
    def _add_character(self, node: _Element, words: Fragment, run: RunState) -> bool:
        before = len(words.pieces)
        was_character = super()._add_character(node, words, run)
        if len(words.pieces) == before + 1:
            words.pieces[-1] = _SourcedWords.of(words.pieces[-1], node)
        return was_character

    def _mark_change(self, node: _Element, words: Fragment, change: _Element | None = None) -> None:
        before = len(words.marks)
        super()._mark_change(node, words, change)
        for at in range(before, len(words.marks)):
            mark = words.marks[at]
            words.marks[at] = replace(mark, detail=_SourcedWords.of(mark.detail, node))
