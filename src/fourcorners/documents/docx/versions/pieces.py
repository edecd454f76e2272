"""Pieces of both versions of a paragraph, written as runs with tracked changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.atoms import PROPERTIES, Atom, empty_copy

if TYPE_CHECKING:
    from lxml.etree import _Element

_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"

_Step: TypeAlias = tuple[object, Callable[[], tuple["_Element", "_Element"]]]
"""An element to be in: what it is known by, and what makes it, with what in it holds others."""


@dataclass(slots=True)
class Piece:
    """An atom, or a part of words, on its way into a paragraph.

    `mark` is `ins` or `del`, or empty for what stays.
    """

    atom: Atom
    start: int
    end: int
    mark: str = ""
    path: tuple[_Element, ...] = ()


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
        if atom.run is None:
            self._append(self._enter(chain), self._copied(node, is_copy=is_copy))
            return
        chain.append(((atom.run, mark), partial(self._run, atom.run, is_copy=is_copy)))
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

    def _run(self, node: _Element, *, is_copy: bool) -> tuple[_Element, _Element]:
        own = empty_copy(node)
        properties = node.find(f"{W}rPr")
        if properties is not None:
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
    own = run.makeelement(tag, {_SPACE: "preserve"})
    own.text = text
    run.append(own)


def _removes(change: _Element) -> bool:
    return change.tag in (f"{W}del", f"{W}moveFrom")


def _drop(nodes: Sequence[_Element]) -> None:
    for node in nodes:
        parent = node.getparent()
        if parent is not None:
            parent.remove(node)
