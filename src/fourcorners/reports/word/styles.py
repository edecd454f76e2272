"""The styles and the numbering of a Word report: ours, or a template's with ours added."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.reports.word.document import word_tag

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_ASSETS: Final = Path(__file__).parent.parent / "assets" / "word"


def install(document: Document, *, template: bool) -> Mapping[str, str]:
    """Give a document our styles, and return the ids of all of ours by name.

    A template's styles of the same names stay as they are, with their numbering or without any.
    """
    ours, numbering = _asset("styles.xml"), _asset("numbering.xml")
    numbers = _number(document, numbering, template=template)
    target = document.styles.element
    if not template:
        for child in list(target):
            target.remove(child)
        for child in ours:
            target.append(deepcopy(child))
    known = {_name(style).casefold(): _id(style) for style in _styles(target)}
    added = [deepcopy(style) for style in _styles(ours) if _name(style).casefold() not in known]
    names = {_id(style): _name(style) for style in _styles(ours)}
    taken = set(known.values())
    for style in added:
        identity = _id(style)
        while identity in taken:
            identity += "FC"
        _set(style, "styleId", identity)
        taken.add(identity)
        known[_name(style).casefold()] = identity
    for style in added:
        _redirect(style, names, known)
        target.append(style)
    if template:
        _renumber(added, numbers)
        _tie(document, names, known, numbers)
    return {name: known[name.casefold()] for name in names.values()}


def _asset(name: str) -> _Element:
    from docx.oxml.parser import parse_xml

    return parse_xml((_ASSETS / name).read_bytes())


def _styles(root: _Element) -> list[_Element]:
    return list(root.findall(word_tag("style")))


def _name(style: _Element) -> str:
    name = style.find(word_tag("name"))
    return "" if name is None else str(name.get(word_tag("val")))


def _id(style: _Element) -> str:
    return str(style.get(word_tag("styleId")))


def _set(node: _Element, attribute: str, value: str) -> None:
    node.set(word_tag(attribute), value)


def _redirect(style: _Element, names: Mapping[str, str], known: Mapping[str, str]) -> None:
    """Let a copied style refer to the document's styles by their ids there."""
    for tag in ("basedOn", "next", "link"):
        reference = style.find(word_tag(tag))
        if reference is not None:
            _set(reference, "val", known[names[str(reference.get(word_tag("val")))].casefold()])


def _number(document: Document, ours: _Element, *, template: bool) -> dict[str, str]:
    """Add our numbering to the document's, and return its ids there by its ids here."""
    numbering = document.part.numbering_part.element
    if not template:
        for child in list(numbering):
            numbering.remove(child)
    abstract, number = word_tag("abstractNum"), word_tag("num")
    first = 1 + _highest(numbering, abstract, "abstractNumId")
    shift = max(first, 1 + _highest(numbering, number, "numId")) - 1
    position = len(numbering.findall(abstract))
    ids: dict[str, str] = {}
    for node in ours.findall(abstract):
        copy = deepcopy(node)
        _set(copy, "abstractNumId", str(int(str(node.get(word_tag("abstractNumId")))) + shift))
        numbering.insert(position, copy)
        position += 1
    for node in ours.findall(number):
        copy = deepcopy(node)
        old = str(node.get(word_tag("numId")))
        ids[old] = str(int(old) + shift)
        _set(copy, "numId", ids[old])
        reference = copy.find(word_tag("abstractNumId"))
        if reference is not None:
            _set(reference, "val", str(int(str(reference.get(word_tag("val")))) + shift))
        numbering.append(copy)
    return ids


def _highest(root: _Element, tag: str, attribute: str) -> int:
    return max((int(str(node.get(word_tag(attribute)))) for node in root.findall(tag)), default=0)


def _renumber(added: list[_Element], numbers: Mapping[str, str]) -> None:
    """Let copied styles count by the numbering's ids in the document."""
    for style in added:
        for node in style.iter(word_tag("numId")):
            _set(node, "val", numbers[str(node.get(word_tag("val")))])


def _tie(
    document: Document,
    names: Mapping[str, str],
    known: Mapping[str, str],
    numbers: Mapping[str, str],
) -> None:
    """Let our numbering count the styles by their ids in the document, where they are ours."""
    numbering = document.part.numbering_part.element
    ours = set(numbers.values())
    ids = {
        str(each.get(word_tag("val")))
        for node in numbering.findall(word_tag("num"))
        if str(node.get(word_tag("numId"))) in ours
        for each in node.findall(word_tag("abstractNumId"))
    }
    for node in numbering.findall(word_tag("abstractNum")):
        if str(node.get(word_tag("abstractNumId"))) in ids:
            for tied in node.iter(word_tag("pStyle")):
                _set(tied, "val", known[names[str(tied.get(word_tag("val")))].casefold()])
