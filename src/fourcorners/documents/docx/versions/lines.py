"""A paragraph's atoms as one line of characters, by which two versions are compared."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

from fourcorners.documents.docx.versions.atoms import NOTE_REFERENCES, Atom
from fourcorners.documents.docx.versions.fingerprint import boxes_of
from fourcorners.documents.docx.versions.pieces import Piece
from fourcorners.text.word_differences import align_words

_FIRST_CODE: Final = 0x100000  # a plane of characters that no font assigns


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
