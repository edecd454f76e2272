"""The footnotes or endnotes of two versions: which belong together, and which come or go."""

from __future__ import annotations

from copy import deepcopy
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
from fourcorners.documents.docx.versions.atoms import NOTE_REFERENCES, empty_copy
from fourcorners.documents.docx.versions.properties import Contents
from fourcorners.documents.docx.versions.transfer import Transfer
from fourcorners.documents.docx.word_file import WordFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element

_MEDIA: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_SEPARATORS: Final = frozenset({"separator", "continuationSeparator", "continuationNotice"})


@dataclass(slots=True)
class Notes:
    """The notes of one kind in both versions.

    Attributes:
        keys: What a reference to each note is compared by, in the first and the second version.
    """

    kind: str
    old: WordFile
    new: WordFile
    keys: tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]
    _before: list[_Element] = field(init=False)
    _after: list[_Element] = field(init=False)
    _pairs: list[tuple[int, int]] = field(init=False)
    _are_in_order: bool = field(init=False)

    def __post_init__(self) -> None:
        self._before, self._after = (
            _entries(file.related_root(self.kind)) for file in (self.old, self.new)
        )
        self._are_in_order = all(
            list(_references(file, self.kind)) == [_number(each) for each in notes]
            for file, notes in ((self.old, self._before), (self.new, self._after))
        )
        items = [[Item("note", words_of(each)) for each in e] for e in (self._before, self._after)]
        self._pairs = align_items(*items)
        order = in_order(self._pairs, len(self._before), len(self._after))
        for number, places in enumerate(order):
            for keys, notes, at in zip(self.keys, (self._before, self._after), places, strict=True):
                if at is not None:
                    keys[self.kind, notes[at].get(f"{W}id", "")] = f"{self.kind}\0{number}"

    def write(
        self,
        contents: Contents,
        transfer: Transfer,
        stays: Sequence[tuple[_Element, _Element]],
        gone: Sequence[_Element],
    ) -> None:
        """Merge notes whose references stay; write those that come, remove those that go."""
        if not self._before and not self._after:
            return
        stay = {_number(one): _number(other) for one, other in self._pairs_of_kind(stays)}
        removed = {_number(each) for each in gone if self._is_own(each)} - set(stay)
        main = self.old.xml_root(self.old.main)
        come = [
            each
            for each in transfer.references
            if self._is_own(each) and each.getroottree().getroot() is main
        ]
        numbers: dict[str, str] = {other: one for one, other in stay.items()}
        wanted = {_number(each) for each in come} - set(numbers)
        root = self._root()
        transfer.parts = (self._part(self.old), self._part(self.new))
        last: _Element | None = None
        for left, right in in_order(self._pairs, len(self._before), len(self._after)):
            one = self._before[left] if left is not None else None
            other = self._after[right] if right is not None else None
            if (
                one is not None
                and other is not None
                and not (_number(one) in removed or _number(other) in wanted)
            ):
                contents.merge(one, other)
                numbers.setdefault(_number(other), _number(one))
                last = one
                continue
            if one is not None:
                contents.delete(one)
                last = one
            if other is not None:
                made = self._insert(contents, other)
                numbers[_number(other)] = _number(made)
                put_after(root, last, made, self._before)
                last = made
        for each in come:
            each.set(f"{W}id", numbers.get(_number(each), "0"))
        if self._are_in_order:
            self._put_in_order(root)

    def _put_in_order(self, root: _Element) -> None:
        """Number notes in the order in which they are cited: LibreOffice reads them so."""
        places = {number: at for at, number in enumerate(_references(self.old, self.kind))}
        notes = sorted(_entries(root), key=lambda note: places.get(_number(note), len(places)))
        root[:] = [*(each for each in root if each not in notes), *notes]
        main = self.old.xml_root(self.old.main)
        free = sorted(map(_number, notes), key=int)
        numbers = dict(zip(map(_number, notes), free, strict=True))
        cited = (each for each in main.iter(*NOTE_REFERENCES)) if main is not None else ()
        for node in [*notes, *filter(self._is_own, cited)]:
            node.set(f"{W}id", numbers.get(_number(node), _number(node)))

    def _pairs_of_kind(
        self, stays: Sequence[tuple[_Element, _Element]]
    ) -> list[tuple[_Element, _Element]]:
        return [pair for pair in stays if self._is_own(pair[0])]

    def _is_own(self, reference: _Element) -> bool:
        return NOTE_REFERENCES.get(str(reference.tag)) == self.kind

    def _part(self, file: WordFile) -> str:
        return file.related_parts(file.main).get(self.kind, "")

    def _root(self) -> _Element:
        """Return the part of the first version, made with the separators of the second."""
        media_type = f"{_MEDIA}{self.kind}+xml"
        if self.old.related_root(self.kind) is None:
            root = self.old.needed_root(self.kind, f"{W}{self.kind}", media_type)
            other = self.new.related_root(self.kind)
            for note in other if other is not None else ():
                if note.get(f"{W}type") in _SEPARATORS:
                    root.append(deepcopy(note))
        return self.old.needed_root(self.kind, f"{W}{self.kind}", media_type)

    def _insert(self, contents: Contents, other: _Element) -> _Element:
        made = empty_copy(other)
        held = [_number(each) for each in self._root()]
        made.set(f"{W}id", str(1 + max((int(n) for n in held if n.isdigit()), default=0)))
        contents.insert(made, other)
        return made


def _references(file: WordFile, kind: str) -> Iterator[str]:
    """Yield the numbers of the notes of a kind in the order in which they are cited."""
    root = file.xml_root(file.main)
    for tag in (each for each, own in NOTE_REFERENCES.items() if own == kind):
        yield from (_number(each) for each in (root.iter(tag) if root is not None else ()))


def _entries(root: _Element | None) -> list[_Element]:
    notes = list(root) if root is not None else []
    return [each for each in notes if each.get(f"{W}type") not in _SEPARATORS]


def _number(node: _Element) -> str:
    return node.get(f"{W}id", "")
