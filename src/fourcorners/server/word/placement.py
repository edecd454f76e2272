"""Where words and changes are in the document that is open in Word.

Word's own interface knows paragraphs and can search in them, but knows no offsets of ours. So each
place names its paragraph by number and by words, and the pane checks the words before it acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from fourcorners.documents.docx.body_paragraphs import (
    BodyParagraph,
    paragraph_at,
    read_body_paragraphs,
)
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError
from fourcorners.operations.markup.word_file import word_original
from fourcorners.redline.proposal import NewClause, ProposedChange
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind
from fourcorners.value import Value

if TYPE_CHECKING:
    from fourcorners.documents.document import Document
    from fourcorners.settings import Settings

_SECONDS = 60.0  # after which a file is given up
_FILES = 16  # whose paragraphs are remembered
_ELSEWHERE = (
    "This change cannot be made here: its words are in several paragraphs, or outside the body."
)


class WordPlace(Value):
    """Words in a paragraph of the open document.

    Attributes:
        paragraph: Its number among all paragraphs of the body.
        text: All its words, as they were when it was read.
    """

    paragraph: int
    text: str
    start: int = 0
    end: int = 0


class WordEdit(Value):
    """Words to replace at a place; with an empty place, words that come in there."""

    place: WordPlace
    added: str = ""


class WordRun(Value):
    """Words of a new paragraph, and words that they should look like."""

    text: str
    like: WordPlace | None = None


class WordParagraph(Value):
    """A paragraph to add, and the one that it should look like."""

    like: WordPlace
    runs: list[WordRun]


class PaneChange(Value):
    """A change as the pane puts it into the open document.

    Attributes:
        obstacle: Why it cannot be put in there, in a sentence; empty if it can.
        after: The paragraph after which paragraphs are added.
    """

    id: str = ""
    comment: str = ""
    obstacle: str = ""
    edits: list[WordEdit] = Field(default_factory=list)
    after: WordPlace | None = None
    paragraphs: list[WordParagraph] = Field(default_factory=list)


def document_paragraphs(settings: Settings, document: Document) -> tuple[BodyParagraph, ...]:
    """Return the paragraphs of the Word file that a document was read from, in order.

    Raises:
        InputError: If it is not there any more, or is no Word file.
    """
    data = word_original(settings, document)
    if data is None:
        raise InputError(
            "the Word file of this contract is not there any more.",
            remedy="Read the open document again.",
        )
    return _read(_File(data, document), settings.memory_mb << 20)


class _File:
    """A file that is known by its hash, so that its paragraphs can be remembered."""

    def __init__(self, data: bytes, document: Document) -> None:
        self.data, self.name, self.sha256 = data, document.name, document.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _File) and other.sha256 == self.sha256


def _paragraphs(order: tuple[bytes, str]) -> tuple[BodyParagraph, ...]:
    """Read the file; this runs in the worker process."""
    data, name = order
    return read_body_paragraphs(data, Path(name))


def _describe(order: tuple[bytes, str]) -> str:
    return order[1]


@lru_cache(_FILES)
def _read(file: _File, memory: int) -> tuple[BodyParagraph, ...]:
    pool = ProcessPool(_paragraphs, jobs=1, memory=memory, seconds=_SECONDS, name=_describe)
    with pool:
        for _, outcome in pool.run([(file.data, file.name)]):
            if isinstance(outcome, FourcornersError):
                raise outcome
            return outcome
    raise InputError("the file could not be read.", remedy="Try again.")


def place_words(paragraphs: Sequence[BodyParagraph], span: Span | None) -> WordPlace | None:
    """Return where words are; of words in several paragraphs, those in the first with any."""
    for place in range(span.start, span.end) if span else ():
        paragraph = paragraph_at(paragraphs, place)
        if paragraph is not None:
            assert span is not None  # noqa: S101 - it has places
            start = paragraph.offset_of(place) or 0
            last = max(
                each
                for each in map(paragraph.offset_of, range(place, span.end))
                if each is not None
            )
            return _place(paragraph, Span(start, last + 1))
    return None


def first_place(paragraphs: Sequence[BodyParagraph], quotes: Sequence[Quote]) -> WordPlace | None:
    """Return where the first words are that are in the body."""
    places = (place_words(paragraphs, each.span) for each in quotes)
    return next((each for each in places if each is not None), None)


def place_replacement(
    paragraphs: Sequence[BodyParagraph], span: Span, added: str, comment: str
) -> PaneChange:
    """Return a change that puts words in the place of others, or says why it cannot be made."""
    place = _edit_place(paragraphs, span)
    if place is None or "\n" in added:
        return PaneChange(comment=comment, obstacle=_ELSEWHERE)
    return PaneChange(comment=comment, edits=[WordEdit(place=place, added=added)])


def place_change(
    paragraphs: Sequence[BodyParagraph], change: ProposedChange, identity: str, comment: str
) -> PaneChange:
    """Return how a change is put into the open document, or why it cannot be."""
    made = PaneChange(id=identity, comment=comment)
    if change.new_clause is not None:
        return _place_clause(paragraphs, change.new_clause, made)
    edits = []
    for span, added in _replacements(change.edits, change.span.start):
        place = _edit_place(paragraphs, span)
        if place is None:
            return made.model_copy(update={"obstacle": _ELSEWHERE})
        edits.append(WordEdit(place=place, added=added))
    return made.model_copy(update={"edits": edits})


def _replacements(edits: Sequence[Edit], start: int) -> Iterator[tuple[Span, str]]:
    """Yield the words that go, each with those that come in their place."""
    at, gone, added = start, 0, ""
    for each in (*edits, Edit(EditKind.EQUAL, "")):
        if each.kind is EditKind.DELETE:
            gone += len(each.text)
        elif each.kind is EditKind.INSERT:
            added += each.text
        else:
            if gone or added:
                yield Span(at, at + gone), added
            at, gone, added = at + gone + len(each.text), 0, ""


def _edit_place(paragraphs: Sequence[BodyParagraph], span: Span) -> WordPlace | None:
    if span:
        paragraph = paragraph_at(paragraphs, span.start)
        inner = paragraph.span_of(span) if paragraph else None
        return _place(paragraph, inner) if paragraph and inner else None
    before = paragraph_at(paragraphs, span.start - 1) if span.start else None
    if before is not None:
        at = (before.offset_of(span.start - 1) or 0) + 1
        return _place(before, Span(at, at))
    after = paragraph_at(paragraphs, span.start)
    return _place(after, Span(0, 0)) if after is not None else None


def _place_clause(
    paragraphs: Sequence[BodyParagraph], clause: NewClause, made: PaneChange
) -> PaneChange:
    after = _nearest(paragraphs, clause.after)
    likes = [_nearest(paragraphs, each.like) for each in clause.paragraphs]
    if after is None or None in likes:
        return made.model_copy(update={"obstacle": _ELSEWHERE})
    added = [
        WordParagraph(
            like=_place(like, Span(0, 0)),
            runs=[WordRun(text=run.text, like=_sample(paragraphs, run.like)) for run in each.runs],
        )
        for each, like in zip(clause.paragraphs, likes, strict=True)
        if like is not None
    ]
    return made.model_copy(update={"after": _place(after, Span(0, 0)), "paragraphs": added})


def _nearest(paragraphs: Sequence[BodyParagraph], place: int) -> BodyParagraph | None:
    """Return the paragraph at a place, or next to it where the place is between its words."""
    for near in (place, place - 1, place + 1):
        if (found := paragraph_at(paragraphs, near)) is not None:
            return found
    return None


def _sample(paragraphs: Sequence[BodyParagraph], place: int) -> WordPlace | None:
    paragraph = _nearest(paragraphs, place)
    if paragraph is None:
        return None
    start = paragraph.offset_of(place) or 0
    return _place(paragraph, Span(start, min(start + 1, len(paragraph.text))))


def _place(paragraph: BodyParagraph, inner: Span) -> WordPlace:
    return WordPlace(
        paragraph=paragraph.number, text=paragraph.text, start=inner.start, end=inner.end
    )
