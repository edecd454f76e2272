"""Write tracked changes and comments into a Word document; leave everything else unchanged.

Edits are given in offsets of the reader's text, and written when the document is saved. Words are
removed as deletions and added as insertions (ECMA-376 part 1, section 17.13.5): insertions look
like the adjacent words, and a new paragraph has the properties of its model, so that Word numbers
it. If words cannot be changed without breaking something (part of a field, a formula, a text box)
`obstacle` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.comments import CommentPart
from fourcorners.documents.docx.field_runs import FieldRuns, find_field_runs
from fourcorners.documents.docx.marks import Marks, xml_text
from fourcorners.documents.docx.placed_text import PlacedWords, read_placed_text
from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.word_file import WordFile
from fourcorners.errors import InputError
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

if TYPE_CHECKING:
    from lxml.etree import _Element

SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_BREAKS: Final = frozenset(f"{W}{name}" for name in ("tab", "ptab", "br", "cr", "noBreakHyphen"))
_AROUND: Final = frozenset(  # what may be between a paragraph and a changed run
    f"{W}{name}"
    for name in ("ins", "hyperlink", "smartTag", "sdt", "sdtContent", "customXml", "fldSimple")
)
# What a new run does not copy from the adjacent words, nor a new paragraph from its model.
_UNLIKE: Final = ("rPrChange", "vanish", "webHidden", "specVanish", "vertAlign", "rStyle")
_EMPHASIS: Final = ("b", "i", "u", "caps", "smallCaps", "highlight", "strike")
_PARAGRAPH_UNLIKE: Final = ("sectPr", "pPrChange", "framePr")
_MARK_UNLIKE: Final = ("ins", "del", "moveFrom", "moveTo", "rPrChange")
_BLOCKS: Final = (f"{W}p", f"{W}tbl", f"{W}sdt")


@dataclass(frozen=True, slots=True)
class NewWords:
    """Words of a new paragraph, formatted like those at an offset of the text."""

    text: str
    like: int


class _Kind(IntEnum):
    """What is written; at the same offset, greater values first, because deletions split words."""

    COMMENT = 0
    INSERTION = 1
    DELETION = 2


@dataclass(frozen=True, slots=True)
class _Write:
    offset: int
    kind: _Kind
    order: int
    apply: Callable[[], None]


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
        for words in self._placed.words:
            if words.node.tag == f"{W}t":  # line ends within it are read as one space
                words.node.text = words.span.text_in(self.text)
        self._fields = find_field_runs(self._body)
        self._marks = Marks(author, at, [self._body])
        self._comments = CommentPart(self._file, self._marks.signature)
        self._writes: list[_Write] = []
        self._taken: list[Span] = []

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
        if len({_paragraph_of(words.node) for words in held}) > 1:
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
        within = [each.tag for each in _paragraph_of(words.node).iterancestors()]
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
        before = "".join(each.text for each in edits if each.kind is not EditKind.INSERT)
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
                self._schedule(place.start, _Kind.DELETION, partial(self._delete, place, marks))
                continue
            if "\n" in edit.text:
                raise ValueError("words inserted into a paragraph must not contain a line end")
            write = partial(self._insert, place.start, edit.text, marks)
            self._schedule(place.start, _Kind.INSERTION, write)
        self._taken += [place for place in places if place]
        if comment and places:
            write = partial(self._comment_on, marks, comment)
            self._schedule(places[0].start, _Kind.COMMENT, write)

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

        self._schedule(after, _Kind.INSERTION, write)

    def add_comment(self, span: Span, comment: str) -> None:
        """Put a comment on the words of a span, without changing them.

        Raises:
            InputError: If the words are not in the body.
        """
        held = [each.node for each in self._placed.overlapping(span)]
        runs = [_run_above(each) for each in held if self._is_in_body(each)]
        if why := self.comment_obstacle(span):
            raise self._refusal(why, span)
        write = partial(self._comment_on, [runs[0], runs[-1]], comment)
        self._schedule(span.start, _Kind.COMMENT, write)

    def save(self) -> bytes:
        """Return the changed file; the document accepts no further edits."""
        for each in sorted(self._writes, key=attrgetter("offset", "kind", "order"), reverse=True):
            each.apply()
        self._writes.clear()
        return self._file.save()

    def _schedule(self, offset: int, kind: _Kind, apply: Callable[[], None]) -> None:
        """Schedule an edit: edits further down come first, so that offsets stay valid."""
        self._writes.append(_Write(offset, kind, len(self._writes), apply))

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
        return _paragraph_of(words.node)

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
                marks.append(self._wrap(_isolate(words, within)))
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
        mark.append(self._run(words, _model(before, after).node))
        field = self._fields.get(beside.node)
        if before is not None:
            _place_after(
                field.last if field else _split_after(before, offset), mark, self._marks.new_id
            )
        else:
            anchor = field.first if field else _run_above(beside.node)
            parent = anchor.getparent()
            within = parent is not None and parent.tag in (f"{W}ins", f"{W}hyperlink")
            (parent if within and parent is not None else anchor).addprevious(mark)
        marks.append(mark)

    def _run(self, words: str, like: _Element | None) -> _Element:
        """Return a run of words that look like those of an element."""
        run = self._body.makeelement(f"{W}r")
        properties = _run_above(like).find(f"{W}rPr") if like is not None else None
        if properties is not None:
            run.append(_copy_without(properties, _UNLIKE))
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
        made = self._body.makeelement(f"{W}p")
        properties = model.find(f"{W}pPr")
        if properties is not None:
            own = _copy_without(properties, _PARAGRAPH_UNLIKE)
            mark = own.find(f"{W}rPr")
            if mark is not None:
                own.replace(mark, _copy_without(mark, _MARK_UNLIKE))
            made.append(own)
        inserted = self._marks.create("ins")
        for each in words:
            like = self._placed.words_after(each.like) or self._placed.words_before(each.like)
            inserted.append(self._run(each.text, like.node if like else None))
        made.append(inserted)
        following = place.getnext()
        is_last = following is None or following.tag not in _BLOCKS
        # When an inserted paragraph end is rejected, Word gives the joined paragraph the properties
        # of the latter and LibreOffice those of the former. So if both are the same, or nothing
        # follows to be joined, the inserted end is that of the previous paragraph.
        takes_end = is_last or _is_same_format(place, made)
        is_marked = place.find(f"{W}pPr/{W}rPr/{W}ins") is not None
        self._marks.mark_end(place if takes_end and not is_marked else made, "ins")
        place.addnext(made)
        return inserted

    def _comment_on(self, marks: Sequence[_Element], comment: str) -> None:
        """Write a comment on the range from the first to the last of some elements."""
        tops = {_child_of_paragraph(mark) for mark in marks}
        ordered = [node for node in self._body.iter() if node in tops]
        self._comments.add(xml_text(comment), ordered[0], ordered[-1])


def _copy_without(properties: _Element, names: Sequence[str]) -> _Element:
    own = deepcopy(properties)
    for name in names:
        for node in own.findall(f"{W}{name}"):
            own.remove(node)
    return own


def _is_same_format(one: _Element, other: _Element) -> bool:
    """Return whether two paragraphs have the same properties; a section's last one never has."""
    formats: list[list[tuple[str, list[tuple[str, str]]]]] = []
    for paragraph in (one, other):
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            formats.append([])
            continue
        if properties.find(f"{W}sectPr") is not None:
            return False
        own = _copy_without(properties, ("rPr", "pPrChange"))
        formats.append([(str(each.tag), sorted(_attributes(each).items())) for each in own.iter()])
    first, second = (each if len(each) > 1 else [] for each in formats)
    return first == second


def _attributes(node: _Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in node.attrib.items()}


def _run_above(node: _Element) -> _Element:
    return next(above for above in (node, *node.iterancestors()) if above.tag == f"{W}r")


def _paragraph_of(node: _Element) -> _Element:
    return next(above for above in node.iterancestors() if above.tag == f"{W}p")


def _child_of_paragraph(node: _Element) -> _Element:
    """Return the ancestor of an element that is a child of its paragraph."""
    inner = node
    for above in node.iterancestors():
        if above.tag == f"{W}p":
            return inner
        inner = above
    raise ValueError("an element in no paragraph")


def _model(before: PlacedWords | None, after: PlacedWords | None) -> PlacedWords:
    """Return the words next to a place whose format new ones copy: the plainer of two."""
    beside = [each for each in (before, after) if each is not None]
    own = [each for each in beside if not each.is_note_reference]
    if len(own) == 2 and _paragraph_of(own[0].node) is not _paragraph_of(own[1].node):
        own = own[:1]
    return min(own or beside, key=lambda each: _emphasis(_run_above(each.node)))


def _emphasis(run: _Element) -> int:
    return sum(run.find(f"{W}rPr/{W}{name}") is not None for name in _EMPHASIS)


def _isolate(words: PlacedWords, span: Span) -> _Element:
    """Return a separate run with just the words of a span."""
    start, end = span.start - words.span.start, span.end - words.span.start
    if end < len(words.node.text or ""):
        _split_text(words.node, end)
    if start:
        run = _split_text(words.node, start)
    else:
        run = _run_above(words.node)
        if any(each.tag != f"{W}rPr" for each in words.node.itersiblings(preceding=True)):
            run = _split_run(run, words.node)
    content = [each for each in run if each.tag != f"{W}rPr"]
    if len(content) > 1:
        _split_run(run, content[1])
    return run


def _split_after(words: PlacedWords, offset: int) -> _Element:
    """Split a run so that it ends at an offset within or after words, and return it."""
    local, following = offset - words.span.start, words.node.getnext()
    if local < len(words.node.text or ""):
        _split_text(words.node, local)
    elif following is not None:
        _split_run(_run_above(words.node), following)
    return _run_above(words.node)


def _split_text(node: _Element, at: int) -> _Element:
    """Split a text element and its run; return the run that begins with the rest."""
    text = node.text or ""
    rest = node.makeelement(f"{W}t", {SPACE: "preserve"})
    node.text, rest.text = text[:at], text[at:]
    node.set(SPACE, "preserve")
    node.addnext(rest)
    return _split_run(_run_above(node), rest)


def _split_run(run: _Element, first: _Element) -> _Element:
    """Move an element of a run, and all after it, into a separate run after it."""
    other = run.makeelement(f"{W}r", _attributes(run))
    properties = run.find(f"{W}rPr")
    if properties is not None:
        other.append(deepcopy(properties))
    for node in [first, *first.itersiblings()]:
        other.append(node)
    run.addnext(other)
    return other


def _place_after(run: _Element, mark: _Element, new_id: Callable[[], str]) -> None:
    """Put an insertion after a run; split a surrounding one by another author there."""
    parent = run.getparent()
    assert parent is not None  # noqa: S101
    if parent.tag == f"{W}ins":
        rest = list(run.itersiblings())
        if rest:
            other = parent.makeelement(f"{W}ins", {**_attributes(parent), f"{W}id": new_id()})
            other.extend(rest)
            parent.addnext(other)
        run = parent
    above = run.getparent()
    if above is not None and above.tag == f"{W}hyperlink" and run.getnext() is None:
        run = above
    run.addnext(mark)
