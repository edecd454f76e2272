"""A Word file whose parts can be changed, added and related to each other."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.office_package import OfficePackage, Relation, relations_part

if TYPE_CHECKING:
    from lxml.etree import _Element

KINDS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
NOTES: Final = ("footnotes", "endnotes")
MARGINS: Final = ("header", "footer")
_RELATIONS: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_TYPES: Final = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_CATALOGUE: Final = "[Content_Types].xml"


class WordFile(OfficePackage):
    """A Word file; what is changed in the roots of its parts is in what `save` returns.

    Parts in which nothing is changed stay byte for byte.
    """

    def __init__(self, data: bytes, path: Path) -> None:
        super().__init__(data, path)
        self._roots: dict[str, _Element | None] = {}
        self._copied: dict[str, bytes] = {}
        self._names: dict[str, str] = {}  # of copied parts, by what they are called there
        self.main = self.related_parts("").get("officeDocument", "word/document.xml")

    def xml_root(self, name: str) -> _Element | None:
        if name not in self._roots:
            self._roots[name] = super().xml_root(name)
        return self._roots[name]

    def save(self) -> bytes:
        changed = {
            name: root
            for name, root in self._roots.items()
            if root is not None and self._is_changed(name, root)
        }
        return self.with_parts({**changed, **self._copied})

    def _is_changed(self, name: str, root: _Element) -> bool:
        from lxml import etree

        former = super().xml_root(name)
        return former is None or etree.tostring(former) != etree.tostring(root)

    @property
    def body(self) -> _Element:
        """Return the body; a file without one has an empty body."""
        root = self.xml_root(self.main)
        body = root.find(f"{W}body") if root is not None else None
        if body is None:
            raise self._damaged_error("it has no text part")
        return body

    def related_root(self, kind: str) -> _Element | None:
        """Return a part of a kind of which a file has one, such as `styles`."""
        name = self.related_parts(self.main).get(kind)
        return self.xml_root(name) if name else None

    def needed_root(self, kind: str, tag: str, media_type: str, relations: str = KINDS) -> _Element:
        """Return a part of a kind of which a file has one; an empty one is added if it has none."""
        root = self.related_root(kind)
        if root is None:
            name = self.name_for(posixpath.join(posixpath.dirname(self.main), f"{kind}.xml"))
            root = self._root(name, tag)
            self.add_root(name, root, media_type)
            self.relate(self.main, f"{relations}{kind}", name)
        return root

    def parts_of_kinds(self, *kinds: str) -> list[str]:
        """Return the parts of some kinds to which the main part refers, by name."""
        names = (name for kind in kinds for name in self.related_parts_of_kind(self.main, kind))
        return sorted(name for name in names if self.xml_root(name) is not None)

    def read(self, name: str) -> bytes | None:
        return self._copied.get(name) or self.read_part(name)

    def relations(self, part: str) -> dict[str, Relation]:
        """Return what a part refers to by the ids that its elements name."""
        return {each.id: each for each in self.relationships(part)}

    def relate(self, part: str, kind: str, target: str, *, is_external: bool = False) -> str:
        """Make a part refer to another, or to a place outside, and return the id of that."""
        from lxml import etree

        held = self.relations(part)
        for each in held.values():
            if (each.kind, each.target, each.is_external) == (kind, target, is_external):
                return each.id
        number = next(n for n in count(1) if f"rIdV{n}" not in held)
        name = f"rIdV{number}"
        own = self._root(relations_part(part), f"{_RELATIONS}Relationships")
        attributes = {"Id": name, "Type": kind, "Target": target if is_external else f"/{target}"}
        if is_external:
            attributes["TargetMode"] = "External"
        etree.SubElement(own, f"{_RELATIONS}Relationship", attributes)
        return name

    def add_root(self, name: str, root: _Element, media_type: str) -> None:
        self._roots[name] = root
        self._declare(name, media_type)

    def copy_part(self, other: WordFile, name: str) -> str:
        """Copy a part of another file with all that it refers to; return its name here."""
        if name in self._names:
            return self._names[name]
        data = other.read(name) or b""
        own = self._names[name] = name if self.read(name) == data else self.name_for(name)
        if self._holds(own):
            return own
        self._copied[own] = data
        self._declare(own, other.media_type(name))
        for each in other.relations(name).values():
            target = each.target if each.is_external else self.copy_part(other, each.target)
            self._keep_relation(own, each, target)
        return own

    def name_for(self, name: str) -> str:
        """Return the name if no part has it, else one like it."""
        stem, suffix = posixpath.splitext(name)
        names = (name, *(f"{stem}-{n}{suffix}" for n in range(2, 10_000)))
        return next(each for each in names if not self._holds(each))

    def media_type(self, name: str) -> str:
        root = self._root(_CATALOGUE, f"{_TYPES}Types")
        suffix = name.rpartition(".")[2].lower()
        for each in root:
            if each.get("PartName") == f"/{name}":
                return each.get("ContentType", "")
        for each in root:
            if each.get("Extension", "").lower() == suffix:
                return each.get("ContentType", "")
        return "application/octet-stream"

    def _keep_relation(self, part: str, relation: Relation, target: str) -> None:
        """Make a copied part refer to the same under the same id."""
        from lxml import etree

        own = self._root(relations_part(part), f"{_RELATIONS}Relationships")
        made = etree.SubElement(own, f"{_RELATIONS}Relationship")
        made.set("Id", relation.id)
        made.set("Type", relation.kind)
        made.set("Target", target if relation.is_external else f"/{target}")
        if relation.is_external:
            made.set("TargetMode", "External")

    def _holds(self, name: str) -> bool:
        return name in self._copied or name in self._entries or self._roots.get(name) is not None

    def _declare(self, name: str, media_type: str) -> None:
        from lxml import etree

        root = self._root(_CATALOGUE, f"{_TYPES}Types")
        if self.media_type(name) != media_type:
            attributes = {"PartName": f"/{name}", "ContentType": media_type}
            etree.SubElement(root, f"{_TYPES}Override", attributes)

    def _root(self, name: str, tag: str) -> _Element:
        from lxml import etree

        root = self.xml_root(name)
        if root is None:
            root = etree.Element(tag, nsmap={"w": W[1:-1]} if tag.startswith(W) else None)
            self._roots[name] = root
        return root


def sections(body: _Element) -> Iterator[_Element]:
    """Yield the properties of each section in order."""
    yield from (each for each in body.iter(f"{W}sectPr") if each.getparent() is not None)
