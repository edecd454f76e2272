"""Two versions of a Word file as one with tracked changes.

Rejected it is the first version, accepted the second, in the body, in tables, text boxes, notes,
headers and footers. Tracked changes of other people stay as they are in each version. What Word
has no mark for stays as in the first version, and is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.docx.comments import CommentPart
from fourcorners.documents.docx.marks import xml_text
from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.alignment import words_of
from fourcorners.documents.docx.versions.blocks import Blocks
from fourcorners.documents.docx.versions.fingerprint import FingerprintReader
from fourcorners.documents.docx.versions.margins import Margins
from fourcorners.documents.docx.versions.notes import Notes
from fourcorners.documents.docx.versions.properties import VersionMarks
from fourcorners.documents.docx.versions.transfer import Transfer
from fourcorners.documents.docx.word_file import MARGINS, NOTES, WordFile

if TYPE_CHECKING:
    from lxml.etree import _Element


@dataclass(frozen=True, slots=True)
class MergedFile:
    """A Word file with tracked changes.

    Attributes:
        author: Whom they name; another than anyone who has changes in either version.
        untracked: What differs and is not tracked, because Word has no mark for it.
        format_changes: How many runs of words and paragraphs stay and look otherwise.
    """

    data: bytes
    author: str
    untracked: tuple[str, ...]
    format_changes: int = 0


def merge_versions(
    before: bytes,
    after: bytes,
    paths: tuple[Path, Path],
    *,
    author: str,
    at: datetime,
    formatting: bool = False,
) -> MergedFile:
    """Track what leads from one version of a Word file to the other.

    With formatting, words that stay and look otherwise are changes, too.

    Raises:
        InputError: If either is damaged.
    """
    old, new = (WordFile(data, path) for data, path in zip((before, after), paths, strict=True))
    parts = [[each.main, *each.parts_of_kinds(*NOTES, *MARGINS)] for each in (old, new)]
    authors = {
        node.get(f"{W}author", "")
        for file, names in zip((old, new), parts, strict=True)
        for name in names
        for node in _nodes(file, name)
    }
    own = xml_text(author)
    while own in authors:
        own += " (comparison)"
    roots = [root for name in parts[0] if (root := old.xml_root(name)) is not None]
    return _Merge(old, new, VersionMarks(own, at, roots), formatting=formatting).run(own)


class _Merge:
    """The merging of one pair of files."""

    def __init__(
        self, old: WordFile, new: WordFile, marks: VersionMarks, *, formatting: bool
    ) -> None:
        self._formatting = formatting
        self._old, self._new, self._marks = old, new, marks
        self._untracked: list[tuple[str, _Element]] = []
        self._keys: tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]] = ({}, {})
        names = (node.get(f"{W}name") for node in _nodes(old, old.main))
        self._bookmarks = {name for name in names if name}
        self._transfer = Transfer(old, new, marks.new_id, (old.main, new.main))

    def run(self, author: str) -> MergedFile:
        notes = [Notes(kind, self._old, self._new, self._keys) for kind in NOTES]
        margins = Margins(self._old, self._new)
        blocks = self._blocks(self._old.main, self._new.main)
        body, other = self._old.body, self._new.body
        if _embedded(self._old) != _embedded(self._new):
            self._report("another document is embedded", body)
        blocks.merge(body, other)
        stays, gone = blocks.paragraphs.unchanged_notes, blocks.paragraphs.gone_notes
        for kind, each in zip(NOTES, notes, strict=True):
            parts = (file.related_parts(file.main).get(kind, "") for file in (self._old, self._new))
            each.write(self._blocks(*parts), self._transfer, stays, gone)
        pairs = blocks.sections
        ends = body.find(f"{W}sectPr"), other.find(f"{W}sectPr")
        if ends[0] is not None and ends[1] is not None:
            pairs.append((ends[0], ends[1]))
        self._merge_margins(margins, pairs)
        for section, wanted in pairs:
            self._marks.change_section(section, wanted)
        self._comment(body)
        untracked = tuple(what for what, _ in self._untracked)
        format_changes = self._marks.counts["rPrChange"] + self._marks.counts["pPrChange"]
        return MergedFile(self._old.save(), author, untracked, format_changes)

    def _blocks(self, before: str, after: str) -> Blocks:
        self._transfer.parts = before, after
        readers = (
            FingerprintReader(self._old, before, self._keys[0]),
            FingerprintReader(self._new, after, self._keys[1], frozenset()),
        )
        return Blocks(
            self._marks, self._transfer, readers, self._bookmarks, self._report, self._formatting
        )

    def _report(self, what: str, node: _Element) -> None:
        self._untracked.append((what, node))

    def _merge_margins(self, margins: Margins, pairs: list[tuple[_Element, _Element]]) -> None:
        done: dict[str, str] = {}
        made: dict[str, str] = {}
        for pair in margins.pairs(pairs):
            root, other = self._old.xml_root(pair.before), self._new.xml_root(pair.after)
            if root is None and other is not None:
                added = margins.add(pair, made)
                if added is not None:
                    self._blocks(added[0], pair.after).insert(added[1], other)
            elif root is not None and pair.before in done:
                first = self._new.xml_root(done[pair.before])
                if _words(first) != _words(other):
                    self._report(f"a {pair.kind} is another in one section", pair.section)
            elif root is not None:
                done[pair.before] = pair.after
                blocks = self._blocks(pair.before, pair.after)
                if other is None:
                    blocks.delete(root)
                else:
                    blocks.merge(root, other)
        for name in margins.unpaired(pairs):
            if _words(self._new.xml_root(name)):
                self._report("a header or footer of a section that comes", self._old.body)

    def _comment(self, body: _Element) -> None:
        """Say in comments what is not tracked; what is not in the body, at its beginning."""
        if not self._untracked:
            return
        comments = CommentPart(self._old, self._marks.signature)
        first = next(body.iter(f"{W}p"), None)
        for what, node in self._untracked:
            place = next(
                (each for each in (node, *node.iterancestors()) if each.tag == f"{W}p"), None
            )
            if place is None or body not in place.iterancestors():
                place = first
            if place is not None:
                comments.add(f"Not tracked: in the other version, {what}.", place, place)


def _embedded(file: WordFile) -> list[bytes | None]:
    """Return the documents that are shown as part of a file."""
    parts = file.related_parts_of_kind(file.main, "aFChunk")
    return [file.read(part) for part in parts]


def _words(root: _Element | None) -> tuple[str, ...]:
    return words_of(root) if root is not None else ()


def _nodes(file: WordFile, name: str) -> Iterator[_Element]:
    root = file.xml_root(name)
    yield from root.iter() if root is not None else ()
