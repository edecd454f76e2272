"""Tracked changes of rows, cells and of the properties of paragraphs, cells and sections."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Final, Protocol

from fourcorners.documents.docx.marks import Marks, element_properties, put_before
from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.fingerprint import describe_plain, describe_properties

if TYPE_CHECKING:
    from lxml.etree import _Element

PROOFS: Final = frozenset(f"{W}{name}" for name in ("rPrChange", "lang", "noProof"))
"""Properties of a run that are not how it looks."""
_MARK: Final = frozenset({f"{W}rPr"})
_SECTION: Final = frozenset({f"{W}sectPr"})
_NOT_FORMER: Final = _MARK | _SECTION | {f"{W}pPrChange"}
_AFTER_MARK: Final = _SECTION | {f"{W}pPrChange"}
_REFERENCES: Final = frozenset({f"{W}headerReference", f"{W}footerReference"})
_NOT_SECTION: Final = _REFERENCES | {f"{W}sectPrChange", f"{W}footnotePr", f"{W}endnotePr"}
_NOT_CELL: Final = frozenset(f"{W}{name}" for name in ("cellIns", "cellDel", "tcPrChange"))
_SPANS: Final = frozenset(f"{W}{name}" for name in ("gridSpan", "vMerge", "hMerge"))


class Contents(Protocol):
    """What merges, writes and removes the contents of cells, notes, text boxes and margins."""

    def merge(self, box: _Element, other: _Element) -> None: ...

    def insert(self, box: _Element, other: _Element) -> None: ...

    def delete(self, box: _Element) -> None: ...


class VersionMarks(Marks):
    """What makes the marks of one author between two versions."""

    def clear_end(self, paragraph: _Element, kind: str) -> None:
        """Remove the mark of this author from the end of a paragraph."""
        for mark in paragraph.findall(f"{W}pPr/{W}rPr"):
            for node in filter(self.is_own, mark.findall(f"{W}{kind}")):
                mark.remove(node)

    def is_own(self, change: _Element) -> bool:
        return change.get(f"{W}author") == self.signature[f"{W}author"]

    def mark_row(self, row: _Element, kind: str) -> None:
        properties = row.find(f"{W}trPr")
        if properties is None:
            properties = row.makeelement(f"{W}trPr")
            exceptions = row.find(f"{W}tblPrEx")
            row.insert(0 if exceptions is None else row.index(exceptions) + 1, properties)
        put_before(properties, self.create(kind), frozenset({f"{W}trPrChange"}))

    def mark_cell(self, cell: _Element, kind: str) -> None:
        mark = self.create("cellIns" if kind == "ins" else "cellDel")
        put_before(element_properties(cell, "tcPr"), mark, frozenset({f"{W}tcPrChange"}))

    def change_paragraph(self, paragraph: _Element, former: _Element | None) -> None:
        """Record that a paragraph had other properties, unless they are the same."""
        if not self.differ(former, paragraph.find(f"{W}pPr")):
            return
        properties = element_properties(paragraph, "pPr")
        for known in properties.findall(f"{W}pPrChange"):
            properties.remove(known)
        change = self.create("pPrChange")
        change.append(_copy(former, "pPr", without=_NOT_FORMER))
        properties.append(change)

    def differ(self, one: _Element | None, other: _Element | None) -> bool:
        """Tell whether the properties of two paragraphs differ."""
        return describe_properties(one, _NOT_FORMER) != describe_properties(other, _NOT_FORMER)

    def change_cell(self, cell: _Element, properties: _Element | None) -> None:
        """Give a cell the spans of another, and record those that it had."""
        own = cell.find(f"{W}tcPr")
        held, wanted = (
            [each for each in node if each.tag in _SPANS] if node is not None else []
            for node in (own, properties)
        )
        if list(map(describe_plain, held)) == list(map(describe_plain, wanted)):
            return
        own = element_properties(cell, "tcPr")
        change = self.create("tcPrChange")
        change.append(_copy(own, "tcPr", without=_NOT_CELL))
        for node in [*held, *own.findall(f"{W}tcPrChange")]:
            own.remove(node)
        at = sum(each.tag in (f"{W}cnfStyle", f"{W}tcW") for each in own)
        for offset, node in enumerate(wanted):
            own.insert(at + offset, deepcopy(node))
        own.append(change)

    def change_section(self, section: _Element, other: _Element) -> None:
        """Give a section the properties of another, and record those that it had."""
        before, now = (describe_properties(each, _NOT_SECTION) for each in (section, other))
        if before == now:
            return
        change = self.create("sectPrChange")
        change.append(_copy(section, "sectPr", without=_REFERENCES | {f"{W}sectPrChange"}))
        for node in list(section):
            if node.tag not in _REFERENCES:
                section.remove(node)
        section.extend(deepcopy(each) for each in other if each.tag not in _NOT_SECTION)
        section.append(change)


def base_properties(paragraph: _Element) -> _Element | None:
    """Return a copy of a paragraph's properties."""
    properties = paragraph.find(f"{W}pPr")
    return None if properties is None else deepcopy(properties)


def set_properties(paragraph: _Element, properties: _Element | None) -> None:
    """Give a paragraph the properties of another; its end and its section stay its own."""
    own = element_properties(paragraph, "pPr")
    stays = [each for each in own if each.tag in _NOT_FORMER]
    own[:] = [deepcopy(e) for e in _children(properties) if e.tag not in _NOT_FORMER] + stays
    if not len(own):
        paragraph.remove(own)


def plain_properties(paragraph: _Element) -> _Element | None:
    """Return a copy of a paragraph's properties without its section and former ones.

    Marks of its end remain.
    """
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        return None
    return _copy(properties, "pPr", without=_AFTER_MARK)


def run_properties(run: _Element) -> _Element:
    """Return a copy of a run's properties without former ones; empty if it has none."""
    return _copy(run.find(f"{W}rPr"), "rPr", without=frozenset({f"{W}rPrChange"}))


def leave_list(paragraph: _Element) -> None:
    """Take a paragraph out of its list; the level that it states stays."""
    for number in paragraph.findall(f"{W}pPr/{W}numPr/{W}numId"):
        number.set(f"{W}val", "0")


def list_level(paragraph: _Element) -> str:
    """Return the level in a list that a paragraph itself states; empty if it states none."""
    level = paragraph.find(f"{W}pPr/{W}numPr/{W}ilvl")
    return "" if level is None else level.get(f"{W}val", "")


def _children(node: _Element | None) -> Sequence[_Element]:
    return () if node is None else list(node)


def _copy(node: _Element | None, name: str, *, without: frozenset[str]) -> _Element:
    from lxml import etree

    own = etree.Element(f"{W}{name}", nsmap={"w": W[1:-1]})
    own.extend(deepcopy(each) for each in _children(node) if each.tag not in without)
    return own
