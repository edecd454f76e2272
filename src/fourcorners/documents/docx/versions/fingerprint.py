"""What the signs, drawings and formulas of two files are compared by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.atoms import BOX, NOTE_REFERENCES

if TYPE_CHECKING:
    from lxml.etree import _Element

    from fourcorners.documents.docx.word_file import WordFile

RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_RANGES: Final = (
    *("bookmark", "commentRange", "perm", "moveFromRange", "moveToRange"),
    *(f"customXml{kind}Range" for kind in ("Ins", "Del", "MoveFrom", "MoveTo")),
)
POINTS: Final = frozenset(
    f"{W}{name}"
    for name in (
        *(f"{kind}{edge}" for kind in _RANGES for edge in ("Start", "End")),
        *("proofErr", "lastRenderedPageBreak", "commentReference"),
    )
)
"""Elements without width, which mean nothing for the words."""
_FLEETING: Final = ("rsid", "paraid", "textid", "anchorid", "editid", "spid", "gfxdata")


@dataclass(slots=True)
class FingerprintReader:
    """What reads what the elements of one part are compared by.

    Attributes:
        notes: For each note reference by kind and id, what it is compared by.
        bookmarks: Those that are part of a paragraph; None if all are.
    """

    file: WordFile
    part: str
    notes: dict[tuple[str, str], str]
    bookmarks: frozenset[_Element] | None = None
    _targets: dict[str, str] = field(default_factory=dict)

    def __call__(self, node: _Element) -> str | None:
        if node.tag in POINTS:
            return "" if self.bookmarks is None or node in self.bookmarks else None
        if node.tag in NOTE_REFERENCES:
            kind = NOTE_REFERENCES[node.tag]
            return self.notes.get((kind, node.get(f"{W}id", "")), f"{kind}\0none")
        return "\0".join(self._describe(node))

    def _describe(self, node: _Element) -> Iterator[str]:
        yield str(node.tag)
        for name, value in sorted((str(name), str(value)) for name, value in node.attrib.items()):
            if name.startswith(RELATION):
                yield f"{name}={self.target(value)}"
            elif not _is_fleeting(node, name):
                yield f"{name}={value}"
        yield node.text or "" if node.tag.endswith(("}t", "Text")) else ""
        for child in node:
            if node.tag == f"{MC}AlternateContent" and child.tag == f"{MC}Fallback":
                continue
            if child.tag != BOX and child.tag not in POINTS:
                yield from self._describe(child)
        yield "/"

    def target(self, name: str) -> str:
        """Return what a relation leads to: an address, or a part's bytes."""
        if name not in self._targets:
            relation = self.file.relations(self.part).get(name)
            if relation is None or relation.is_external:
                found = relation.target if relation else ""
            else:
                found = hashlib.sha256(self.file.read(relation.target) or b"").hexdigest()
            self._targets[name] = found
        return self._targets[name]


def describe_properties(node: _Element | None, without: frozenset[str]) -> list[str]:
    """Return what properties are compared by, those of some names left out."""
    children = node if node is not None else ()
    return [describe_plain(child) for child in children if child.tag not in without]


def describe_plain(node: _Element) -> str:
    """Return what an element of a format is compared by."""
    attributes = sorted(
        f"{name!s}={value!s}"
        for name, value in node.attrib.items()
        if not _is_fleeting(node, str(name))
    )
    return "\0".join([str(node.tag), *attributes, *map(describe_plain, node), "/"])


def _is_fleeting(node: _Element, name: str) -> bool:
    """Tell whether an attribute only tells elements apart, or one save from another."""
    local = name.rpartition("}")[2].lower()
    is_drawn = not str(node.tag).startswith(W)
    return local.startswith(_FLEETING) or (is_drawn and local in ("id", "name"))


def boxes_of(node: _Element) -> list[_Element]:
    """Return the text boxes in a drawing; not those in them, nor those for older programs."""
    found: list[_Element] = []
    for child in node:
        if child.tag == BOX:
            found.append(child)
        elif child.tag != f"{MC}Fallback":
            found += boxes_of(child)
    return found
