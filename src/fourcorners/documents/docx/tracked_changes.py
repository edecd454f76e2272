"""Write tracked changes and comments into a Word document; leave everything else unchanged.

Edits are given in offsets of the reader's text, and written when the document is saved. Words are
removed as deletions and added as insertions (ECMA-376 part 1, section 17.13.5): insertions look
like the adjacent words, and a new paragraph has the properties of its model, so that Word numbers
it. If words cannot be changed without breaking something (part of a field, a formula, a text box)
`obstacle` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.comments import CommentPart
from fourcorners.documents.docx.marks import Marks, element_properties, xml_text
from fourcorners.documents.docx.placed_text import PlacedWords, read_placed_text
from fourcorners.documents.docx.runs import (
    FieldRuns,
    copy_without,
    find_field_runs,
    format_source,
    insert_after,
    is_same_format,
    paragraph_of,
    run_of,
    split_after,
    split_out,
    top_element,
)
from fourcorners.documents.docx.styles import SPACE, W
from fourcorners.documents.docx.word_file import WordFile
from fourcorners.errors import InputError
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind, texts_of

if TYPE_CHECKING:
    from lxml.etree import _Element

_BREAKS: Final = frozenset(f"{W}{name}" for name in ("tab", "ptab", "br", "cr", "noBreakHyphen"))
_AROUND: Final = frozenset(  # what may be between a paragraph and a changed run
    f"{W}{name}"
    for name in ("ins", "hyperlink", "smartTag", "sdt", "sdtContent", "customXml", "fldSimple")
)
# What a new run does not copy from the adjacent words, nor a new paragraph from its model.
_UNLIKE: Final = ("rPrChange", "vanish", "webHidden", "specVanish", "vertAlign", "rStyle")
_PARAGRAPH_UNLIKE: Final = ("sectPr", "pPrChange", "framePr")
_MARK_UNLIKE: Final = ("ins", "del", "moveFrom", "moveTo", "rPrChange")
_DELETED: Final = (f"{W}del", f"{W}moveFrom")
_CONTENT: Final = tuple(
    f"{W}{name}"
    for name in (
        *("t", "sym", "fldChar", "fldSimple", "drawing", "pict", "object", "sectPr"),
        *("footnoteReference", "endnoteReference"),
    )
)
_LINE_ENDS: Final = re.compile(r"[\r\n\t]{2,}")
_BLOCKS: Final = (f"{W}p", f"{W}tbl", f"{W}sdt")


@dataclass(frozen=True, slots=True)
class NewWords:
    """Words of a new paragraph, formatted like those at an offset of the text."""

    text: str
    like: int


def _align(words: PlacedWords) -> None:
    """Make an element's text as long as it was read: line ends in it are read as one space."""
    if words.node.tag == f"{W}t":
        words.node.text = _LINE_ENDS.sub(" ", words.node.text or "")


def _has_words(paragraph: _Element) -> bool:
    """Tell whether anything of a paragraph would stay if its deletions are accepted."""
    return any(
        all(above.tag not in _DELETED for above in node.iterancestors())
        for node in paragraph.iter(*_CONTENT)
    )


class WriteKind(IntEnum):
    """What is written; at the same offset, greater values first, because deletions split words."""

    COMMENT = 0
    INSERTION = 1
    DELETION = 2


class TrackedDocument:
    """A Word document to mark up as one author; `text` is the reader's text.

    Raises:
        InputError: If it is damaged, or holds no text.
    """

    def __init__(self, data: bytes, path: Path, *, author: str, at: datetime) -> None:
        self._file = WordFile(data, path)
        self._path = path
        self._placed = read_placed_text(self._file, path)
        self.text = self._placed.text
        self._body = self._placed.roots[self._placed.main]
        self._fields = find_field_runs(self._body)
        self._marks = Marks(author, at, [self._body])
        self._comments = CommentPart(self._file, self._marks.signature)
        self._writes: list[tuple[int, WriteKind, int, Callable[[], None]]] = []  # by offset
        self._taken: list[Span] = []
        self._shortened: dict[_Element, None] = {}  # paragraphs of which words were deleted

    def obstacle(self, span: Span) -> str:
        """Say why the words of a span cannot be changed; empty if they can.

        For an empty span, say why nothing can be inserted there.
        """
        if any(span.overlaps(each) for each in self._taken):
            return "the words are changed already"
        if not span:
            return self._insertion_obstacle(span.start)
        held = self._placed.overlapping(span)
        for words in held:
            if not words.is_note_reference and (why := self._change_obstacle(words, span)):
                return why
        if len({paragraph_of(words.node) for words in held}) > 1:
            return "it runs over the end of a paragraph"
        edges = [span.start, *(at for each in held for at in (each.span.start, each.span.end))]
        for start, end in zip(edges[::2], [*edges[1::2], span.end], strict=True):
            if self.text[max(start, span.start) : end].strip():
                return "Word computes it"
        return ""

    def _change_obstacle(self, words: PlacedWords, span: Span) -> str:
        """Say why words cannot be removed together with the others of a span."""
        if words.node.tag != f"{W}t" and words.node.tag not in _BREAKS:
            return "there is a symbol, a formula or a form there"
        if not self._is_in_body(words.node):
            return "it is a note at the foot of a page"
        above = [each.tag for each in words.node.iterancestors()]
        inline = above[: above.index(f"{W}p")] if f"{W}p" in above else above
        if f"{W}txbxContent" in above:
            return "it is a text box"
        if any(tag != f"{W}r" and tag not in _AROUND for tag in inline):
            return "the words were moved, or are part of something other than a paragraph"
        field = self._fields.get(words.node)
        if field is not None and not all(
            span.contains(each.span)
            for each in self._placed.words
            if self._fields.get(each.node) is field
        ):
            return "it is part of what a field shows, such as a cross-reference"
        return ""

    def _insertion_obstacle(self, offset: int) -> str:
        before, after = self._placed.words_before(offset), self._placed.words_after(offset)
        beside = before or after
        if beside is None:
            return "Word computes these words"
        field = self._fields.get(beside.node)
        if field is not None and after and field is self._fields.get(after.node):
            return "it is within what a field shows, such as a cross-reference"
        if beside.is_note_reference:
            return ""
        return self._change_obstacle(beside, Span(0, len(self.text)))

    def paragraph_obstacle(self, offset: int) -> str:
        """Say why no paragraph can be added after the one at an offset; empty if one can."""
        words = self._placed.words_after(offset) or self._placed.words_before(offset)
        if words is None or not self._is_in_body(words.node):
            return "there is no paragraph of the body there"
        within = [each.tag for each in paragraph_of(words.node).iterancestors()]
        if any(
            tag not in (f"{W}body", f"{W}document", f"{W}sdt", f"{W}sdtContent") for tag in within
        ):
            return "it is in a table or a text box"
        return ""

    def comment_obstacle(self, span: Span) -> str:
        """Say why no comment can be put on the words of a span; empty if one can."""
        if not any(self._is_in_body(each.node) for each in self._placed.overlapping(span)):
            return "the words are not in the body"
        return ""

    def replace(self, span: Span, edits: Sequence[Edit], comment: str = "") -> None:
        """Change the words of a span by edits, and give the reason in a comment.

        Raises:
            InputError: If the words cannot be changed (`obstacle`).
            ValueError: If the edits do not start from the words of the span, or add paragraphs.
        """
        before, _ = texts_of(edits)
        if before != span.text_in(self.text):
            raise ValueError(f"the edits start from {before!r}, not from the words at {span}")
        marks: list[_Element] = []
        places: list[Span] = []
        offset = span.start
        for edit in edits:
            place = Span(offset, offset + (edit.kind is not EditKind.INSERT) * len(edit.text))
            offset = place.end
            if edit.kind is EditKind.EQUAL:
                continue
            self._require_free(place)
            places.append(place)
            if edit.kind is EditKind.DELETE:
                self._schedule(place.start, WriteKind.DELETION, partial(self._delete, place, marks))
                continue
            if "\n" in edit.text:
                raise ValueError("words inserted into a paragraph must not contain a line end")
            write = partial(self._insert, place.start, edit.text, marks)
            self._schedule(place.start, WriteKind.INSERTION, write)
        self._taken += [place for place in places if place]
        if comment and places:
            write = partial(self._comment_on, marks, comment)
            self._schedule(places[0].start, WriteKind.COMMENT, write)

    def insert_paragraph(
        self, after: int, like: int, words: Sequence[NewWords], comment: str = ""
    ) -> None:
        """Add a paragraph after the one at an offset, with the properties of the one at another.

        Raises:
            InputError: If there is no paragraph of the body at either.
        """
        place, model = self._paragraph_at(after), self._paragraph_at(like)

        def write() -> None:
            made = self._new_paragraph(place, model, words)
            if comment:
                self._comment_on([made], comment)

        self._schedule(after, WriteKind.INSERTION, write)

    def add_comment(self, span: Span, comment: str) -> None:
        """Put a comment on the words of a span, without changing them.

        Raises:
            InputError: If the words are not in the body.
        """
        held = [each.node for each in self._placed.overlapping(span)]
        runs = [run_of(each) for each in held if self._is_in_body(each)]
        if why := self.comment_obstacle(span):
            raise self._refusal(why, span)
        write = partial(self._comment_on, [runs[0], runs[-1]], comment)
        self._schedule(span.start, WriteKind.COMMENT, write)

    def save(self) -> bytes:
        """Return the changed file; the document accepts no further edits."""
        for _, _, _, apply in sorted(self._writes, reverse=True):
            apply()
        self._writes.clear()
        for paragraph in self._shortened:
            following = paragraph.getnext()
            is_last = following is None or following.tag != f"{W}p"
            is_gone = paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None
            if not is_last and not is_gone and not _has_words(paragraph):
                self._marks.mark_end(paragraph, "del")
        self._shortened.clear()
        return self._file.save()

    def _schedule(self, offset: int, kind: WriteKind, apply: Callable[[], None]) -> None:
        """Schedule an edit: edits further down come first, so that offsets stay valid."""
        self._writes.append((offset, kind, len(self._writes), apply))

    def _is_in_body(self, node: _Element) -> bool:
        return node.getroottree().getroot() is self._body

    def _require_free(self, span: Span) -> None:
        if why := self.obstacle(span):
            raise self._refusal(why, span)

    def _refusal(self, why: str, span: Span) -> InputError:
        words = " ".join(self.text[span.start : max(span.end, span.start + 40)].split())[:60]
        return InputError(
            f"{self._path}: “{words}” cannot be changed: {why}.",
            remedy="Make this change in Word by hand.",
        )

    def _paragraph_at(self, offset: int) -> _Element:
        words = self._placed.words_after(offset) or self._placed.words_before(offset)
        if words is None or not self._is_in_body(words.node):
            raise self._refusal("there is no paragraph of the body there", Span(offset, offset))
        return paragraph_of(words.node)

    def _delete(self, span: Span, marks: list[_Element]) -> None:
        """Mark the words of a span as deleted, in addition to existing marks."""
        fields: list[FieldRuns] = []
        for words in reversed(self._placed.overlapping(span)):
            if words.is_note_reference:
                continue  # the note stays
            field = self._fields.get(words.node)
            if field is None:
                within = span.intersection(words.span)
                assert within is not None  # noqa: S101
                _align(words)
                self._shortened[paragraph_of(words.node)] = None
                marks.append(self._wrap(split_out(words, within)))
            elif field not in fields:
                fields.append(field)
                marks += [self._wrap(run) for run in field.expand()]

    def _wrap(self, run: _Element) -> _Element:
        """Wrap a run in a deletion."""
        mark = self._marks.create("del")
        run.addprevious(mark)
        mark.append(run)
        for name, deleted in (("t", "delText"), ("instrText", "delInstrText")):
            for node in list(run.iter(f"{W}{name}")):
                node.tag = f"{W}{deleted}"
                node.set(SPACE, "preserve")
        return mark

    def _insert(self, offset: int, words: str, marks: list[_Element]) -> None:
        before, after = self._placed.words_before(offset), self._placed.words_after(offset)
        beside = before or after
        assert beside is not None  # noqa: S101
        mark = self._marks.create("ins")
        mark.append(self._run(words, format_source(before, after).node))
        field = self._fields.get(beside.node)
        if before is not None:
            _align(before)
            last = field.last if field else split_after(before, offset)
            insert_after(last, mark, self._marks.new_id)
        else:
            anchor = field.first if field else run_of(beside.node)
            parent = anchor.getparent()
            within = parent is not None and parent.tag in (f"{W}ins", f"{W}hyperlink")
            (parent if within and parent is not None else anchor).addprevious(mark)
        marks.append(mark)

    def _run(self, words: str, like: _Element | None) -> _Element:
        """Return a run of words that look like those of an element."""
        run = self._body.makeelement(f"{W}r")
        properties = run_of(like).find(f"{W}rPr") if like is not None else None
        if properties is not None:
            run.append(copy_without(properties, _UNLIKE))
        for at, part in enumerate(xml_text(words).split("\t")):
            if at:
                run.append(run.makeelement(f"{W}tab"))
            if part:
                text = run.makeelement(f"{W}t", {SPACE: "preserve"})
                text.text = part
                run.append(text)
        return run

    def _new_paragraph(
        self, place: _Element, model: _Element, words: Sequence[NewWords]
    ) -> _Element:
        made = self._paragraph_like(model)
        inserted = self._marks.create("ins")
        for each in words:
            like = self._placed.words_after(each.like) or self._placed.words_before(each.like)
            inserted.append(self._run(each.text, like.node if like else None))
        made.append(inserted)
        following = place.getnext()
        is_last = following is None or following.tag not in _BLOCKS
        # When an inserted paragraph end is rejected, Word gives the joined paragraph the properties
        # of the latter and LibreOffice those of the former. So if both are the same, or nothing
        # follows to be joined, the inserted end is that of the previous paragraph. If nothing
        # follows and they differ, rejecting the latter's format restores the former's.
        is_same = is_same_format(place, made)
        takes_end = is_last or is_same
        if is_last and not is_same:
            self._note_former_format(made, place)
        is_marked = place.find(f"{W}pPr/{W}rPr/{W}ins") is not None
        self._marks.mark_end(place if takes_end and not is_marked else made, "ins")
        place.addnext(made)
        return inserted

    def _note_former_format(self, made: _Element, former: _Element) -> None:
        """Note the properties of another paragraph as those that a new one had before."""
        change = self._marks.create("pPrChange")
        properties = former.find(f"{W}pPr")
        change.append(
            made.makeelement(f"{W}pPr")
            if properties is None
            else copy_without(properties, ("rPr", *_PARAGRAPH_UNLIKE))
        )
        element_properties(made, "pPr").append(change)

    def _paragraph_like(self, model: _Element) -> _Element:
        made = self._body.makeelement(f"{W}p")
        properties = model.find(f"{W}pPr")
        if properties is not None:
            own = copy_without(properties, _PARAGRAPH_UNLIKE)
            mark = own.find(f"{W}rPr")
            if mark is not None:
                own.replace(mark, copy_without(mark, _MARK_UNLIKE))
            made.append(own)
        return made

    def _comment_on(self, marks: Sequence[_Element], comment: str) -> None:
        """Write a comment on the range from the first to the last of some elements."""
        tops = {top_element(mark) for mark in marks}
        ordered = [node for node in self._body.iter() if node in tops]
        self._comments.add(xml_text(comment), ordered[0], ordered[-1])
