"""Who made a tracked change where several versions lie between two: the one that brought it.

The versions are merged two by two, and the words of each such file, with all changes rejected and
with all accepted, are those of its two versions. So each word is followed from file to file to the
one in which it came or went. A change with words of several versions is divided. What has no words
that are known is by all of them: "Versions 2 to 4".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from fourcorners.documents.docx.resolved_changes import ADDED, REMOVED
from fourcorners.documents.docx.styles import MC, SPACE, W
from fourcorners.documents.docx.versions.atoms import empty_copy
from fourcorners.documents.docx.versions.merge import MergedFile
from fourcorners.documents.docx.versions.paragraphs import copy_boxes
from fourcorners.documents.docx.word_file import MARGINS, NOTES, WordFile
from fourcorners.text.word_differences import Words, align_words

if TYPE_CHECKING:
    from lxml.etree import _Element

_TEXT: Final = frozenset({f"{W}t", f"{W}delText"})
_GAPS: Final = frozenset({f"{W}p", f"{W}tab", f"{W}br", f"{W}cr"})
_COME: Final = ADDED | {f"{W}cellIns"}
_GO: Final = REMOVED | {f"{W}cellDel"}
_HOLDERS: Final = {f"{W}rPr": f"{W}p", f"{W}trPr": f"{W}tr", f"{W}tcPr": f"{W}tc"}
_FORMS: Final = f"{MC}AlternateContent"
_UNSEEN: Final = REMOVED | {f"{MC}Fallback"}
_END: Final = "¶ "  # what the end of a paragraph is followed as
_AUTHOR: Final = f"{W}author"
_Starts: TypeAlias = "dict[_Element, list[tuple[int, int]]]"


@dataclass(frozen=True, slots=True)
class Round:
    """What one version changed.

    Attributes:
        number: That of the version.
        saved: When its file was saved, if known.
        merged: The version before it and itself as one file.
    """

    number: int
    saved: datetime | None
    merged: MergedFile


def name_versions(merged: MergedFile, rounds: Sequence[Round]) -> tuple[bytes, frozenset[str]]:
    """Return a marked file whose changes are by the versions that brought them, and their names.

    Comments keep their author.

    Args:
        merged: The first and the last version as one file.
        rounds: What each version after the first changed, in order.
    """
    file = WordFile(merged.data, Path("marked.docx"))
    whole = _Marked(file, merged.author)
    steps = [_Marked(WordFile(e.merged.data, Path("marked.docx")), e.merged.author) for e in rounds]
    numbers = [each.number for each in rounds]
    authors = _Authors(whole, {each.number: each.saved for each in rounds})
    going = [(each.view(_GO), each.view(_COME), n) for each, n in zip(steps, numbers, strict=True)]
    for kinds, ways in ((_COME, going), (_GO, [(a, r, n) for r, a, n in going[::-1]])):
        view = whole.view(kinds)
        authors.name_changes(kinds, view.starts(_follow(ways, view)))
    forms = {node for each in whole.changes for node in each.iterancestors(_FORMS)}
    for node in forms:
        copy_boxes(node)
    return file.save(), frozenset(authors.names.values())


@dataclass(frozen=True, slots=True)
class _View:
    """The words of a file with all changes of its author accepted or rejected.

    Attributes:
        changed: Whether each is in a change of this author.
    """

    words: Words
    nodes: Sequence[tuple[int, _Element]]
    changed: Sequence[bool]

    def place(self, at: int) -> tuple[_Element, int]:
        """Return the text in which a word begins, and where."""
        start = self.words.starts[at]
        first, node = self.nodes[bisect_right(self.nodes, start, key=lambda each: each[0]) - 1]
        return node, start - first

    def starts(self, numbers: Sequence[int]) -> _Starts:
        """Return where in each text the words of known versions begin."""
        found: _Starts = {}
        for at, number in enumerate(numbers):
            node, start = self.place(at)
            if number:
                found.setdefault(node, []).append((start, number))
        return found


def _follow(ways: Sequence[tuple[_View, _View, int]], target: _View) -> list[int]:
    """Return of each word of a view in which of some steps it came; 0 if it was there before.

    Each step leads from one view to the next.
    """
    numbers = [0] * len(ways[0][0].words)
    views = [*(each[0] for each in ways[1:]), target]
    for (before, after, number), following in zip(ways, views, strict=True):
        stays = [[at for at, own in enumerate(e.changed) if not own] for e in (before, after)]
        earlier, later = (
            each.words.select(at) for each, at in zip((before, after), stays, strict=True)
        )
        numbers = _carry([numbers[at] for at in stays[0]], earlier, later)
        known = dict(zip(stays[1], numbers, strict=True))
        numbers = [known.get(at, number) for at in range(len(after.words))]
        numbers = _carry(numbers, after.words, following.words)
    return numbers


def _carry(numbers: Sequence[int], words: Words, others: Words) -> list[int]:
    """Return the numbers of the same words in another text."""
    found = {j: numbers[i] for i, j in align_words(words.texts, others.texts)}
    return [found.get(at, 0) for at in range(len(others))]


class _Marked:
    """A file with the tracked changes of one author, and maybe of others."""

    def __init__(self, file: WordFile, author: str) -> None:
        self.author = author
        names = [file.main]
        for kind in (*NOTES, *MARGINS):
            names += file.related_parts_of_kind(file.main, kind)
        found = (file.xml_root(name) for name in dict.fromkeys(names))
        self._roots = [root for root in found if root is not None]
        self.nodes = [node for root in self._roots for node in root.iter()]
        self.changes = [node for node in self.nodes if node.get(_AUTHOR) == author]

    def view(self, kinds: Collection[str]) -> _View:
        """Return the words with those that come, or those that go, and without the others."""
        own = frozenset(self.changes)
        hidden = REMOVED if kinds is _COME else ADDED
        texts: list[str] = []
        nodes: list[tuple[int, _Element]] = []
        flags: list[bool] = []
        length = 0
        for node in self.nodes:
            if node.tag in _GAPS:
                texts.append(" ")
                length += 1
                above = node.findall(f"{W}pPr/{W}rPr/*")
                text = _END if node.tag == f"{W}p" else ""
            else:
                above = []
                text = (node.text or "") if node.tag in _TEXT else ""
            if text:
                above += node.iterancestors(*ADDED, *REMOVED, f"{MC}Fallback")
                if not any(each.tag in (hidden if each in own else _UNSEEN) for each in above):
                    nodes.append((length, node))
                    flags.append(any(each in own for each in above))
                    texts.append(text)
                    length += len(text)
        words = Words.read("".join(texts))
        starts = [start for start, _ in nodes]
        return _View(words, nodes, [flags[bisect_right(starts, at) - 1] for at in words.starts])


class _Authors:
    """What names the authors of one file's changes."""

    def __init__(self, marked: _Marked, dates: Mapping[int, datetime | None]) -> None:
        self._changes, self._dates = marked.changes, dates
        ids = (node.get(f"{W}id", "") for node in marked.nodes)
        self._next_id = 1 + max((int(each) for each in ids if each.isdigit()), default=0)
        first, last = min(dates), max(dates)
        self.names = {each: f"Version {each}" for each in dates}
        self.names[0] = f"Versions {first} to {last}" if first < last else f"Version {first}"
        taken = {node.get(_AUTHOR) for node in marked.nodes} - {marked.author}
        while taken & set(self.names.values()):
            self.names = {each: f"{name} (comparison)" for each, name in self.names.items()}

    def name_changes(self, kinds: Collection[str], starts: _Starts) -> None:
        """Name those of the changes that are of some kinds; whose all others are is not known."""
        for mark in self._changes:
            if mark.tag not in kinds and mark.tag not in (_GO if kinds is _COME else _COME):
                self._sign(mark, 0)
        marks = [each for each in self._changes if each.tag in kinds]
        for mark in marks:
            self._sign(mark, 0)
            if (holder := _holder(mark)) is not None:
                inside = [holder] if holder.tag == f"{W}p" else holder.iter(*_TEXT)
                if found := [number for node in inside for _, number in starts.get(node, ())]:
                    self._sign(mark, min(found) if kinds is _COME else max(found))
        for mark in marks:
            if _holder(mark) is None:
                self._divide(mark, starts)

    def _sign(self, mark: _Element, number: int) -> None:
        mark.set(_AUTHOR, self.names[number])
        moment = self._dates[number or max(self._dates)]
        if moment is not None:
            mark.set(f"{W}date", moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        elif f"{W}date" in mark.attrib:
            del mark.attrib[f"{W}date"]

    def _divide(self, mark: _Element, starts: _Starts) -> None:
        """Give each run of a change to the version that brought its words."""
        parts: list[tuple[_Element, int]] = []
        for node in list(mark):
            parts += _split_run(node, starts) if node.tag == f"{W}r" else [(node, 0)]
        # What has no words goes with the words before it, or after it at the beginning.
        last = next((number for _, number in parts if number), 0)
        mark[:] = []
        current = mark
        for at, (node, number) in enumerate(parts):
            if at and number not in (0, last):
                following = empty_copy(mark)
                following.set(f"{W}id", str(self._next_id))
                self._next_id += 1
                current.addnext(following)
                current = following
            last = number or last
            self._sign(current, last)
            current.append(node)


def _holder(mark: _Element) -> _Element | None:
    """Return the paragraph, row or cell that a mark in its properties is about."""
    above = mark.getparent()
    tag = _HOLDERS.get(above.tag) if above is not None else None
    return next(mark.iterancestors(tag), None) if tag else None


def _split_run(run: _Element, starts: _Starts) -> Iterator[tuple[_Element, int]]:
    """Yield a run in parts that are of one version each."""
    properties = run.find(f"{W}rPr")
    parts: list[tuple[_Element, int]] = []
    for node in [each for each in run if each is not properties]:
        groups = groupby(starts.get(node, ()), key=lambda each: each[1])
        firsts = [next(group) for _, group in groups]
        if len(firsts) < 2:
            parts.append((node, firsts[0][1] if firsts else 0))
            continue
        text = node.text or ""
        for (at, number), (end, _) in pairwise([(0, firsts[0][1]), *firsts[1:], (len(text), 0)]):
            part = node.makeelement(node.tag, {SPACE: "preserve"})
            part.text = text[at:end]
            parts.append((part, number))
    if len({number for _, number in parts if number}) < 2:
        yield run, next((number for _, number in parts if number), 0)
        return
    for node, number in parts:
        own = empty_copy(run)
        if properties is not None:
            own.append(deepcopy(properties))
        own.append(node)
        yield own, number
