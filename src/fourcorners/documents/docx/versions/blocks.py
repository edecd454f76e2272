"""The paragraphs and tables of two versions of a body, cell, note or margin as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.alignment import (
    Item,
    align_items,
    in_order,
    put_after,
    words_of,
)
from fourcorners.documents.docx.versions.atoms import BOX, CHANGES, NOTE_REFERENCES
from fourcorners.documents.docx.versions.fingerprint import FingerprintReader
from fourcorners.documents.docx.versions.paragraphs import Paragraphs
from fourcorners.documents.docx.versions.properties import (
    VersionMarks,
    base_properties,
    leave_list,
    list_level,
    set_properties,
)
from fourcorners.documents.docx.versions.tables import Tables
from fourcorners.documents.docx.versions.transfer import Transfer

if TYPE_CHECKING:
    from lxml.etree import _Element

_AROUND: Final = frozenset(
    f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")
)


@dataclass(slots=True)
class _Output:
    """A block of the merged version; `mark` is `ins`, `del`, or empty for what stays."""

    node: _Element
    mark: str
    former: _Element | None = None  # what a paragraph's properties were


@dataclass(slots=True)
class Blocks:
    """What merges, writes and removes blocks.

    Attributes:
        readers: What reads what atoms of the first and the second version are compared by.
        bookmarks: The names of bookmarks that are taken.
        report: What is called with a change that Word has no mark for, and where it is.
        formats: Whether the look of words that stay is tracked, too.
        sections: The properties of sections that belong together in both versions.
    """

    marks: VersionMarks
    transfer: Transfer
    readers: tuple[FingerprintReader, FingerprintReader]
    bookmarks: set[str]
    report: Callable[[str, _Element], None]
    formats: bool = False
    paragraphs: Paragraphs = field(init=False)
    tables: Tables = field(init=False)
    sections: list[tuple[_Element, _Element]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tables = Tables(self.marks, self.transfer, self)
        self.paragraphs = Paragraphs(
            self.marks,
            self.transfer,
            self,
            self.readers,
            self.bookmarks,
            self.report,
            self.formats,
        )

    def merge(self, box: _Element, other: _Element) -> None:
        """Track what leads from one version of a body, cell, note, margin or box to the other."""
        old, new = list(blocks_of(box)), list(blocks_of(other))
        pairs = align_items([_item(each) for each in old], [_item(each) for each in new])
        output: list[_Output] = []
        for left, right in in_order(pairs, len(old), len(new)):
            if left is not None and right is not None:
                output.append(self._merge_block(old[left], new[right]))
            elif left is not None:
                output.append(self._delete_block(old[left]))
            elif right is not None:
                made = self._insert_block(new[right])
                put_after(box, output[-1].node if output else None, made.node, old)
                output.append(made)
        self._keep_last_end(output)
        gone, come = (
            [e.node for e in output if e.mark == mark and e.node.tag == f"{W}p"]
            for mark in ("del", "ins")
        )
        _mark_moves(gone, come, self.marks)

    def insert(self, box: _Element, other: _Element) -> None:
        """Fill a copy of a cell, note, margin or box with blocks that come."""
        for node in list(box):
            if not node.tag.endswith("Pr"):
                box.remove(node)
        for block in blocks_of(other):
            box.append(self._insert_block(block).node)

    def delete(self, box: _Element) -> None:
        """Track that all contents of a cell, note, margin or box go."""
        for block in list(blocks_of(box)):
            self._delete_block(block)

    def _merge_block(self, node: _Element, other: _Element) -> _Output:
        if node.tag == f"{W}tbl":
            self.tables.merge(node, other)
            return _Output(node, "")
        former = base_properties(node)
        self.paragraphs.merge(node, other)
        self._pair_sections(node, other)
        return _Output(node, "", former)

    def _pair_sections(self, node: _Element, other: _Element) -> None:
        own, wanted = (each.find(f"{W}pPr/{W}sectPr") for each in (node, other))
        if own is not None and wanted is not None:
            self.sections.append((own, wanted))
        elif own is not None:
            self.report("the end of a section is not there", node)
        elif wanted is not None:
            self.report("a section ends", node)

    def _delete_block(self, node: _Element) -> _Output:
        if node.tag == f"{W}tbl":
            self.tables.delete(node)
            return _Output(node, "del")
        former = base_properties(node)
        self.paragraphs.delete(node)
        if node.find(f"{W}pPr/{W}sectPr") is not None:
            self.report("the end of a section is not there", node)
            return _Output(node, "", former)
        self.marks.mark_end(node, "del")
        return _Output(node, "del", former)

    def _insert_block(self, other: _Element) -> _Output:
        if other.tag == f"{W}tbl":
            return _Output(self.tables.insert(other), "ins")
        own = self.paragraphs.insert(other)
        self.marks.mark_end(own, "ins")
        if other.find(f"{W}pPr/{W}sectPr") is not None:
            self.report("a section ends", own)
        return _Output(own, "ins")

    def _keep_last_end(self, output: Sequence[_Output]) -> None:
        """Mark the end before what comes or goes last, because the last end cannot be removed.

        Programs differ in which properties a joined paragraph has, so both are made the same.
        """
        beyond = len(output)
        mark = output[-1].mark if output else ""
        while beyond and output[beyond - 1].mark == mark and mark:
            beyond -= 1
        trailing = output[beyond:]
        if not trailing or not beyond or any(e.node.tag != f"{W}p" for e in output[beyond - 1 :]):
            return
        before, last = output[beyond - 1], trailing[-1]
        if before.node.getparent() is not last.node.getparent():
            return
        if before.node.find(f"{W}pPr/{W}sectPr") is not None:
            return
        if list_level(before.node) == list_level(last.node):
            self.marks.mark_end(before.node, mark)
            self.marks.clear_end(last.node, mark)
        # Else the last end stays without words, and without a number.
        if mark == "ins":
            self.marks.change_paragraph(last.node, before.former)
        elif last.node.find(f"{W}pPr/{W}pPrChange") is None:
            if list_level(before.node) == list_level(last.node):
                set_properties(last.node, base_properties(before.node))
            else:
                leave_list(last.node)
            self.marks.change_paragraph(last.node, last.former)


def blocks_of(box: _Element) -> Iterator[_Element]:
    """Yield the paragraphs and tables of a box, those in content controls too."""
    for node in box:
        if node.tag in (f"{W}p", f"{W}tbl"):
            yield node
        elif node.tag in _AROUND:
            yield from blocks_of(node)


def _item(node: _Element) -> Item:
    """Return what a block is aligned by.

    Word joins adjacent tables, and has no mark for the end of a section: both are anchors. Nor can
    the level of a list change where it stays.
    """
    if node.tag == f"{W}tbl":
        return Item("table", words_of(node), is_anchor=True)
    is_end = node.find(f"{W}pPr/{W}sectPr") is not None
    kind = f"{'section' if is_end else 'paragraph'} {list_level(node)}"
    return Item(kind, words_of(node), is_anchor=is_end)


_LEAST: Final = 5  # words of a paragraph that moves; a shorter one is the same by chance
_NEVER: Final = (*NOTE_REFERENCES, BOX, f"{W}sdt", f"{W}drawing", f"{W}pict", f"{W}object")
_KINDS: Final = {"del": "moveFrom", "ins": "moveTo"}
_TYPED: Final = {f"{W}delText": f"{W}t", f"{W}delInstrText": f"{W}instrText"}


def _mark_moves(gone: Iterable[_Element], come: Iterable[_Element], marks: VersionMarks) -> None:
    """Write paragraphs that are all of one that goes and of one that comes as moves."""
    left, right = _by_words(gone, "del", marks), _by_words(come, "ins", marks)
    for words in left.keys() & right.keys():
        if len(left[words]) == len(right[words]) == 1:
            name = f"move{marks.new_id()}"
            for paragraphs, kind in ((left[words], "del"), (right[words], "ins")):
                _write(paragraphs[0], kind, name, marks)


def _by_words(
    paragraphs: Iterable[_Element], kind: str, marks: VersionMarks
) -> dict[tuple[str, ...], list[_Element]]:
    found: dict[tuple[str, ...], list[_Element]] = defaultdict(list)
    for each in paragraphs:
        words = words_of(each)
        if len(words) >= _LEAST and _is_whole(each, kind, marks):
            found[words].append(each)
    return found


def _is_whole(paragraph: _Element, kind: str, marks: VersionMarks) -> bool:
    """Tell whether a paragraph and its end are one change of this author and of nobody else."""
    changes = list(paragraph.iter(*CHANGES))
    end = paragraph.find(f"{W}pPr/{W}rPr/{W}{kind}")
    return (
        end is not None
        and all(marks.is_own(each) and each.tag == f"{W}{kind}" for each in changes)
        and next(paragraph.iter(*_NEVER), None) is None
    )


def _write(paragraph: _Element, kind: str, name: str, marks: VersionMarks) -> None:
    own = _KINDS[kind]
    for change in paragraph.iter(f"{W}{kind}"):
        change.tag = f"{W}{own}"
    for node in paragraph.iter(*_TYPED):
        node.tag = _TYPED[str(node.tag)]
    start = marks.create(f"{own}RangeStart")
    start.set(f"{W}name", name)
    end = paragraph.makeelement(f"{W}{own}RangeEnd", {f"{W}id": start.get(f"{W}id", "")})
    properties = paragraph.find(f"{W}pPr")
    paragraph.insert(0 if properties is None else paragraph.index(properties) + 1, start)
    paragraph.append(end)
