"""Paragraphs that go in one place and come whole in another, written as moves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.alignment import words_of
from fourcorners.documents.docx.versions.atoms import BOX, CHANGES, NOTE_REFERENCES
from fourcorners.documents.docx.versions.properties import VersionMarks

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEAST: Final = 5  # words of a paragraph that moves; a shorter one is the same by chance
_NEVER: Final = (*NOTE_REFERENCES, BOX, f"{W}sdt", f"{W}drawing", f"{W}pict", f"{W}object")
_KINDS: Final = {"del": "moveFrom", "ins": "moveTo"}
_TYPED: Final = {f"{W}delText": f"{W}t", f"{W}delInstrText": f"{W}instrText"}


def mark_moves(gone: Iterable[_Element], come: Iterable[_Element], marks: VersionMarks) -> None:
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
