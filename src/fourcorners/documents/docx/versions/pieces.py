"""Two versions of a paragraph as lines of characters, and pieces of them as tracked runs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final, TypeAlias

from fourcorners.documents.docx.styles import SPACE, W
from fourcorners.documents.docx.versions.atoms import NOTE_REFERENCES, PROPERTIES, Atom, empty_copy
from fourcorners.documents.docx.versions.fingerprint import boxes_of, describe_plain
from fourcorners.text.word_differences import align_words

if TYPE_CHECKING:
    from lxml.etree import _Element

_FIRST_CODE: Final = 0x100000  # a plane of characters that no font assigns

_Step: TypeAlias = tuple[object, Callable[[], tuple["_Element", "_Element"]]]
"""An element to be in: what it is known by, and what makes it, with what in it holds others."""


@dataclass(slots=True)
class Piece:
    """An atom, or a part of words, on its way into a paragraph.

    `mark` is `ins` or `del`, or empty for what stays; `format` is how the words of a run look in
    the second version if they stay and look otherwise.
    """

    atom: Atom
    start: int
    end: int
    mark: str = ""
    path: tuple[_Element, ...] = ()
    format: _Element | None = None


@dataclass(slots=True)
class ParagraphWriter:
    """What puts pieces in order into runs, and these into links, controls and tracked changes.

    `adapt` is applied to each element that is copied from the second version, and `copies` lists
    those copies with their originals.
    """

    new_mark: Callable[[str], _Element]
    new_id: Callable[[], str]
    adapt: Callable[[_Element], None]
    copies: list[tuple[_Element, _Element]] = field(default_factory=list)
    _top: list[_Element] = field(default_factory=list)
    _open: list[tuple[object, _Element]] = field(default_factory=list)
    _used: set[_Element] = field(default_factory=set)

    def write(self, paragraph: _Element, pieces: Sequence[Piece]) -> None:
        """Replace all of a paragraph but its properties."""
        self._top, self._open, self._used = [], [], set()
        for piece in pieces:
            self._add(piece)
        for node in list(paragraph):
            if node.tag != f"{W}pPr":
                paragraph.remove(node)
        paragraph.extend(self._top)
        for control in list(paragraph.iter(f"{W}sdt")):
            self._mark_control(control)

    def _mark_control(self, control: _Element) -> None:
        """Track that a content control goes if all that it holds does."""
        content = control.find(f"{W}sdtContent")
        if content is None or not len(content) or any(e.tag != f"{W}del" for e in content):
            return
        marks = [self.new_mark(f"customXmlDelRange{edge}") for edge in ("Start", "End") * 2]
        author = f"{W}author"
        if any(each.get(author) != marks[0].get(author) for each in content):
            return
        for start, end in ((0, 1), (2, 3)):
            number = marks[start].get(f"{W}id", "")
            marks[end].attrib.clear()
            marks[end].set(f"{W}id", number)
        control.addprevious(marks[0])
        content.insert(0, marks[1])
        content.append(marks[2])
        control.addnext(marks[3])

    def _add(self, piece: Piece) -> None:
        atom, node = piece.atom, piece.atom.node
        if atom.parts and (node is None or piece.mark):
            for part in atom.parts:
                self._add(Piece(part, 0, len(part.text or ""), piece.mark, piece.path))
            return
        assert node is not None  # noqa: S101
        is_copy = piece.mark == "ins"
        mark = piece.mark if atom.key else ""
        chain: list[_Step] = [
            (each, partial(self._shell, each, is_copy=is_copy and each in atom.path))
            for each in piece.path
        ]
        if mark:
            chain.append((mark, partial(self._mark, mark)))
        chain += [(change, partial(self._change, change)) for change in atom.changes]
        if mark == "del" and any(not _removes(each) for each in atom.changes):
            # LibreOffice accepts what somebody else inserted unless it goes in that, too.
            chain.append((f"{mark} again", partial(self._mark, mark)))
        if atom.run is None:
            self._append(self._enter(chain), self._copied(node, is_copy=is_copy))
            return
        make = partial(self._run, atom.run, piece.format, is_copy=is_copy)
        look = None if piece.format is None else describe_plain(piece.format)
        chain.append(((atom.run, mark, look), make))
        run = self._enter(chain)
        assert run is not None  # noqa: S101
        is_deleted = mark == "del" or any(_removes(each) for each in atom.changes)
        if atom.text is not None:
            _add_words(run, atom.text[piece.start : piece.end], is_deleted=is_deleted)
            return
        own = self._copied(node, is_copy=is_copy)
        for code in own.iter(f"{W}instrText") if is_deleted else ():
            code.tag = f"{W}delInstrText"
        run.append(own)

    def _enter(self, chain: Sequence[_Step]) -> _Element | None:
        """Open the elements of a chain that are not open, and return the innermost."""
        depth = 0
        while (
            depth < len(chain)
            and depth < len(self._open)
            and chain[depth][0] == self._open[depth][0]
        ):
            depth += 1
        del self._open[depth:]
        for key, make in chain[depth:]:
            outer, inner = make()
            self._append(self._open[-1][1] if self._open else None, outer)
            self._open.append((key, inner))
        return self._open[-1][1] if self._open else None

    def _append(self, parent: _Element | None, node: _Element) -> None:
        if parent is None:
            self._top.append(node)
        else:
            parent.append(node)

    def _shell(self, node: _Element, *, is_copy: bool) -> tuple[_Element, _Element]:
        """Return an element like one around runs, without them, and what in it holds runs."""
        own = empty_copy(node)
        for child in node:
            if child.tag in PROPERTIES:
                own.append(deepcopy(child))
        if node in self._used:  # what divides it makes it two
            _drop(own.findall(f"{W}sdtPr/{W}id"))
        self._used.add(node)
        if is_copy:
            self.adapt(own)
        if node.tag == f"{W}sdt":
            content = own.makeelement(f"{W}sdtContent")
            own.append(content)
            return own, content
        return own, own

    def _mark(self, kind: str) -> tuple[_Element, _Element]:
        own = self.new_mark(kind)
        return own, own

    def _change(self, node: _Element) -> tuple[_Element, _Element]:
        own = empty_copy(node)
        if node in self._used:
            own.set(f"{W}id", self.new_id())
        self._used.add(node)
        return own, own

    def _run(
        self, node: _Element, wanted: _Element | None, *, is_copy: bool
    ) -> tuple[_Element, _Element]:
        own = empty_copy(node)
        properties = node.find(f"{W}rPr")
        if wanted is not None:
            change = self.new_mark("rPrChange")
            former = wanted.makeelement(f"{W}rPr") if properties is None else deepcopy(properties)
            change.append(former)
            own.append(deepcopy(wanted))
            own[0].append(change)
        elif properties is not None:
            own.append(deepcopy(properties))
        if is_copy:
            self.adapt(own)
        return own, own

    def _copied(self, node: _Element, *, is_copy: bool) -> _Element:
        if not is_copy:
            return node
        own = deepcopy(node)
        own.tail = None
        self.adapt(own)
        self.copies.append((own, node))
        return own


def _add_words(run: _Element, text: str, *, is_deleted: bool) -> None:
    tag = f"{W}delText" if is_deleted else f"{W}t"
    if len(run) and run[-1].tag == tag:
        run[-1].text = (run[-1].text or "") + text
        return
    own = run.makeelement(tag, {SPACE: "preserve"})
    own.text = text
    run.append(own)


def _removes(change: _Element) -> bool:
    return change.tag in (f"{W}del", f"{W}moveFrom")


def _drop(nodes: Sequence[_Element]) -> None:
    for node in nodes:
        parent = node.getparent()
        if parent is not None:
            parent.remove(node)


class Line:
    """Atoms in order; words are their characters, any other atom with width is one character."""

    def __init__(self, atoms: Sequence[Atom], codes: dict[str, str]) -> None:
        self.atoms = atoms
        self._starts: list[int] = []
        shown: list[str] = []
        size = 0
        for each in atoms:
            self._starts.append(size)
            own = (each.text or "") if each.is_words else codes[each.key] if each.key else ""
            shown.append(own)
            size += len(own)
        self._ends = [start + len(own) for start, own in zip(self._starts, shown, strict=True)]
        self.text = "".join(shown)

    def pieces(self, at: int, size: int, mark: str) -> Iterator[Piece]:
        """Yield what characters stand for, with the marks without width before each."""
        for number in self._range(at, at + size):
            atom, start = self.atoms[number], self._starts[number]
            length = len(atom.text or "")
            if atom.is_words:
                first, beyond = max(0, at - start), min(length, at + size - start)
                yield Piece(atom, first, beyond, mark, atom.path)
            else:
                yield Piece(atom, 0, length, mark, atom.path)

    def width(self, piece: Piece) -> int:
        """Return how many characters a piece is in this line."""
        return piece.end - piece.start if piece.atom.is_words else bool(piece.atom.key)

    def rest(self, mark: str = "") -> Iterator[Piece]:
        """Yield the marks without width after all characters."""
        for number in range(bisect_left(self._starts, len(self.text)), len(self.atoms)):
            if self._ends[number] == self._starts[number]:
                yield Piece(self.atoms[number], 0, 0, mark, self.atoms[number].path)

    def points(self, at: int, size: int) -> list[int]:
        """Return where marks without width are before some characters."""
        return [
            self._starts[number]
            for number in self._range(at, at + size)
            if self._starts[number] == self._ends[number]
        ]

    def objects(self, at: int, size: int) -> list[Atom]:
        """Return what is no words among some characters."""
        found = (self.atoms[number] for number in self._range(at, at + size))
        return [each for each in found if each.key and not each.is_words]

    def atom_of(self, at: int) -> Atom:
        """Return the atom of a character."""
        number = bisect_right(self._starts, at) - 1
        return self.atoms[number]

    def spans(self, at: int, size: int) -> Iterator[tuple[Atom, int]]:
        """Yield the atoms with width among some characters, and where each starts there."""
        for number in self._range(at, at + size):
            if self._ends[number] > self._starts[number]:
                yield self.atoms[number], max(at, self._starts[number])

    def anchors(self) -> list[tuple[str, int]]:
        """Return the notes and text boxes: what they are compared by, and where they are."""
        return [
            (atom.key, start)
            for atom, start in zip(self.atoms, self._starts, strict=True)
            if atom.node is not None
            and atom.key
            and (atom.node.tag in NOTE_REFERENCES or boxes_of(atom.node))
        ]

    def _range(self, at: int, beyond: int) -> range:
        if at == beyond:
            return range(0)
        first = bisect_left(self._starts, at)
        if first and self._ends[first - 1] > at:
            first -= 1
        return range(first, bisect_left(self._starts, beyond))


def make_lines(old: Sequence[Atom], new: Sequence[Atom]) -> tuple[Line, Line]:
    """Return both versions of a paragraph, in which the same atoms are the same characters."""
    written = {
        ord(letter)
        for each in (*old, *new)
        if each.is_words
        for letter in each.text or ""
        if ord(letter) >= _FIRST_CODE
    }
    free = (chr(code) for code in count(_FIRST_CODE) if code not in written)
    keys = dict.fromkeys(each.key for each in (*old, *new) if each.key and not each.is_words)
    codes = dict(zip(keys, free, strict=False))
    return Line(old, codes), Line(new, codes)


def anchor_places(old: Line, new: Line) -> list[tuple[int, int]]:
    """Return places that belong together: both ends, and either side of a note or box of both."""
    firm = old.anchors(), new.anchors()
    places = [(0, 0)]
    for i, j in align_words([key for key, _ in firm[0]], [key for key, _ in firm[1]]):
        at, by = firm[0][i][1], firm[1][j][1]
        places += [(at, by), (at + 1, by + 1)]
    return [*places, (len(old.text), len(new.text))]
