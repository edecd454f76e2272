"""One paragraph of two versions as one with tracked changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.atoms import (
    NOTE_REFERENCES,
    Atom,
    read_atoms,
)
from fourcorners.documents.docx.versions.fingerprint import (
    MC,
    RELATION,
    FingerprintReader,
    boxes_of,
    describe_properties,
)
from fourcorners.documents.docx.versions.pieces import (
    Line,
    ParagraphWriter,
    Piece,
    anchor_places,
    make_lines,
)
from fourcorners.documents.docx.versions.properties import (
    PROOFS,
    Contents,
    VersionMarks,
    base_properties,
    plain_properties,
    run_properties,
    set_properties,
)
from fourcorners.documents.docx.versions.transfer import Transfer
from fourcorners.text.word_differences import EditKind, diff_words

if TYPE_CHECKING:
    from lxml.etree import _Element

_LINKED: Final = f"{RELATION}id"
_COPIED: Final = frozenset(f"{W}{name}" for name in ("hyperlink", "dir", "bdo"))


@dataclass(slots=True)
class Paragraphs:
    """What merges, writes and removes the contents of paragraphs.

    Attributes:
        unchanged_notes: The references that stay, in the first and in the second version.
        gone_notes: Those of the first version that go.
        bookmarks: The names that are taken.
        report: What is called with a change that Word has no mark for, and where it is.
        formats: Whether words that stay get the look of the second version, as a change.
    """

    marks: VersionMarks
    transfer: Transfer
    boxes: Contents
    readers: tuple[FingerprintReader, FingerprintReader]
    bookmarks: set[str]
    report: Callable[[str, _Element], None]
    formats: bool = False
    unchanged_notes: list[tuple[_Element, _Element]] = field(default_factory=list)
    gone_notes: list[_Element] = field(default_factory=list)

    def merge(self, paragraph: _Element, other: _Element) -> None:
        """Track what leads from one version of a paragraph to the other."""
        old, new = self._atoms(paragraph, 0), self._atoms(other, 1)
        paths: dict[_Element, _Element] = {}
        pieces = list(self._merge(*make_lines(old, new), paths))
        for wrapper, own in paths.items():
            numbers = own.get(_LINKED), wrapper.get(_LINKED)
            if self.readers[0].target(numbers[0] or "") != self.readers[1].target(numbers[1] or ""):
                self.report("a link leads to another place", paragraph)
        if any(piece.mark or piece.format is not None for piece in pieces):
            self._write(paragraph, pieces)
        former, properties = base_properties(paragraph), plain_properties(other)
        if properties is not None:
            self.transfer.adapt(properties)
        if former is None or former.find(f"{W}pPrChange") is None:
            set_properties(paragraph, properties)
            self.marks.change_paragraph(paragraph, former)
        elif self.marks.differ(former, properties):
            self.report("other properties of a paragraph", paragraph)

    def delete(self, paragraph: _Element) -> None:
        """Track that all of a paragraph's contents go; its end stays."""
        atoms = self._atoms(paragraph, 0)
        self._leave(atoms)
        self._write(paragraph, [_entire(each, "del") for each in atoms])

    def insert(self, other: _Element) -> _Element:
        """Return a paragraph of the second version whose contents come; its end is not marked."""
        own = other.makeelement(f"{W}p")
        properties = plain_properties(other)
        if properties is not None:
            self.transfer.adapt(properties)
            own.append(properties)
        atoms = self._atoms(other, 1)
        self._write(own, list(_in_wrappers((_entire(each, "ins") for each in atoms), {})))
        return own

    def _atoms(self, paragraph: _Element, side: int) -> list[Atom]:
        reader = self.readers[side]
        if side:
            reader.bookmarks = frozenset(_whole_bookmarks(paragraph, self.bookmarks))
        return read_atoms(paragraph, reader)

    def _write(self, paragraph: _Element, pieces: Sequence[Piece]) -> None:
        writer = ParagraphWriter(self.marks.create, self.marks.new_id, self.transfer.adapt)
        writer.write(paragraph, pieces)
        for copy, original in writer.copies:
            for box, other in zip(boxes_of(copy), boxes_of(original), strict=True):
                self.boxes.insert(box, other)
            copy_boxes(copy)

    def _merge(self, old: Line, new: Line, paths: dict[_Element, _Element]) -> Iterator[Piece]:
        """Yield the pieces; `paths` gets the links and controls of both that belong together."""
        edits = list(_edits(old, new))
        for edit in edits:
            if edit.kind is EditKind.EQUAL:
                for atom, at in new.spans(edit.new, edit.size):
                    _match_paths(old.atom_of(edit.old + at - edit.new), atom, paths)
        for edit in edits:
            if edit.kind is EditKind.INSERT:
                yield from _in_wrappers(new.pieces(edit.new, edit.size, "ins"), paths)
            elif edit.kind is EditKind.DELETE:
                self._leave(old.objects(edit.old, edit.size))
                yield from old.pieces(edit.old, edit.size, "del")
            else:
                self._stay(old.objects(edit.old, edit.size), new.objects(edit.new, edit.size))
                pieces = _unchanged(old, new, edit, paths)
                yield from self._format(pieces, old, new, edit) if self.formats else pieces
        yield from old.rest()
        yield from _in_wrappers(new.rest("ins"), paths)

    def _format(
        self, pieces: Iterable[Piece], old: Line, new: Line, edit: _Edit
    ) -> Iterator[Piece]:
        """Yield pieces that stay, with how they look in the second version if that differs."""
        at = edit.new
        for piece in pieces:
            size = old.width(piece)
            if piece.mark or not size:
                yield piece
                continue
            spans = list(new.spans(at, size))
            ends = [start for _, start in spans[1:]] + [at + size]
            for (atom, start), end in zip(spans, ends, strict=True):
                first = piece.start + (start - at if piece.atom.is_words else 0)
                beyond = first + end - start if piece.atom.is_words else piece.end
                wanted = self._other_format(piece.atom, atom)
                yield Piece(piece.atom, first, beyond, "", piece.path, wanted)
            at += size

    def _other_format(self, one: Atom, other: Atom) -> _Element | None:
        """Return the properties of a run of the second version if they differ from the first's."""
        if one.run is None or other.run is None or one.changes or one.parts:
            return None
        own = one.run.find(f"{W}rPr")
        wanted = run_properties(other.run)
        self.transfer.adapt(wanted)
        if describe_properties(own, PROOFS) == describe_properties(wanted, PROOFS):
            return None
        if own is not None and own.find(f"{W}rPrChange") is not None:
            self.report("words look otherwise", one.run)
            return None
        return wanted

    def _stay(self, old: Iterable[Atom], new: Iterable[Atom]) -> None:
        for one, other in zip(old, new, strict=True):
            if one.node is None or other.node is None:
                continue
            if one.node.tag in NOTE_REFERENCES:
                self.unchanged_notes.append((one.node, other.node))
            boxes = boxes_of(one.node)
            for box, wanted in zip(boxes, boxes_of(other.node), strict=True):
                self.boxes.merge(box, wanted)
            if boxes:
                copy_boxes(one.node)

    def _leave(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            if atom.node is None:
                continue
            if atom.node.tag in NOTE_REFERENCES:
                self.gone_notes.append(atom.node)
            boxes = boxes_of(atom.node)
            for box in boxes:
                self.boxes.delete(box)
            if boxes:
                copy_boxes(atom.node)


@dataclass(frozen=True, slots=True)
class _Edit:
    """Characters in a row that stay, go or come, and where they are in both lines."""

    kind: EditKind
    old: int
    new: int
    size: int


def _edits(old: Line, new: Line) -> Iterator[_Edit]:
    for (i, j), (i_end, j_end) in pairwise(anchor_places(old, new)):
        at, by = i, j
        for each in diff_words(old.text[i:i_end], new.text[j:j_end]):
            yield _Edit(each.kind, at, by, len(each.text))
            at += len(each.text) * (each.kind is not EditKind.INSERT)
            by += len(each.text) * (each.kind is not EditKind.DELETE)


def _unchanged(
    old: Line, new: Line, edit: _Edit, paths: dict[_Element, _Element]
) -> Iterator[Piece]:
    """Yield what stays, with the marks without width that come in it."""
    at = 0
    for place in dict.fromkeys(new.points(edit.new, edit.size)):
        size = place - edit.new - at
        yield from old.pieces(edit.old + at, size, "")
        at += size
        points = (each for each in new.pieces(place, 1, "ins") if not each.atom.key)
        yield from _in_wrappers(points, paths)
    yield from old.pieces(edit.old + at, edit.size - at, "")


def _match_paths(one: Atom, other: Atom, paths: dict[_Element, _Element]) -> None:
    for own, wrapper in zip(one.path, other.path, strict=False):
        if own.tag == wrapper.tag:
            paths.setdefault(wrapper, own)


def _in_wrappers(pieces: Iterable[Piece], paths: dict[_Element, _Element]) -> Iterator[Piece]:
    """Yield pieces of the second version, in the links and controls of the first where it can."""
    for piece in pieces:
        piece.path = tuple(
            paths.get(each, each) for each in piece.path if each in paths or each.tag in _COPIED
        )
        yield piece


def _entire(atom: Atom, mark: str) -> Piece:
    return Piece(atom, 0, len(atom.text or ""), mark, atom.path)


def copy_boxes(node: _Element) -> None:
    """Write the contents of text boxes again in the forms of them for older programs."""
    for choice in node.iter(f"{MC}AlternateContent"):
        form, older = choice.find(f"{MC}Choice"), choice.find(f"{MC}Fallback")
        if form is None or older is None:
            continue
        boxes, repeated = boxes_of(form), boxes_of(older)
        for box, other in zip(boxes, repeated, strict=False):
            other[:] = [deepcopy(each) for each in box]


def _whole_bookmarks(paragraph: _Element, taken: set[str]) -> Iterator[_Element]:
    """Yield the starts and ends of bookmarks that are whole in a paragraph, and are not taken."""
    ends = {each.get(f"{W}id"): each for each in paragraph.iter(f"{W}bookmarkEnd")}
    for start in paragraph.iter(f"{W}bookmarkStart"):
        end = ends.get(start.get(f"{W}id"))
        if end is not None and start.get(f"{W}name") not in taken:
            taken.add(start.get(f"{W}name", ""))
            yield from (start, end)
