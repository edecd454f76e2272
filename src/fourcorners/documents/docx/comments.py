"""The part of a Word document that holds its comments; created if missing."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import SPACE, W
from fourcorners.documents.office_package import OfficePackage

if TYPE_CHECKING:
    from lxml.etree import _Element

_KIND: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
_RELATIONS: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_TYPES: Final = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
_CATALOGUE: Final = "[Content_Types].xml"


class CommentPart:
    """The comments of a document, to which new ones of one author are added."""

    def __init__(
        self,
        package: OfficePackage,
        main: str,
        parts: Mapping[str, str],
        signature: Mapping[str, str],
    ) -> None:
        self._package, self._main, self._signature = package, main, signature
        self._name = parts.get("comments", "")
        self._root: _Element | None = package.xml_root(self._name) if self._name else None
        self._is_new = self._root is None
        numbers = [each.get(f"{W}id", "") for each in self._root] if self._root is not None else []
        self._next = 1 + max((int(each) for each in numbers if each.isdigit()), default=-1)
        self._added = False

    def add(self, text: str) -> str:
        """Add a comment, a paragraph for each line, and return its number."""
        from lxml import etree

        if self._root is None:
            self._root = etree.Element(f"{W}comments", nsmap={"w": W[1:-1]})
        number = str(self._next)
        self._next += 1
        self._added = True
        initials = "".join(word[0] for word in self._signature[f"{W}author"].split() if word)
        comment = etree.SubElement(
            self._root,
            f"{W}comment",
            {f"{W}id": number, **self._signature, f"{W}initials": initials[:4].upper()},
        )
        for line in text.splitlines():
            run = etree.SubElement(etree.SubElement(comment, f"{W}p"), f"{W}r")
            etree.SubElement(run, f"{W}t", {SPACE: "preserve"}).text = line
        return number

    def changed_parts(self) -> dict[str, _Element]:
        """Return the parts of the file that the added comments change."""
        if not self._added or self._root is None:
            return {}
        if not self._is_new:
            return {self._name: self._root}
        folder, base = posixpath.split(self._main)
        name = posixpath.join(folder, "comments.xml")
        return {
            name: self._root,
            **self._related(posixpath.join(folder, "_rels", f"{base}.rels")),
            **self._declared(name),
        }

    def _related(self, relations: str) -> dict[str, _Element]:
        from lxml import etree

        root = self._package.xml_root(relations)
        if root is None:
            root = etree.Element(f"{_RELATIONS}Relationships")
        taken = {each.get("Id") for each in root}
        name = next(each for n in range(len(taken) + 1) if (each := f"rIdC{n}") not in taken)
        etree.SubElement(
            root,
            f"{_RELATIONS}Relationship",
            {"Id": name, "Type": _KIND, "Target": "comments.xml"},
        )
        return {relations: root}

    def _declared(self, name: str) -> dict[str, _Element]:
        from lxml import etree

        root = self._package.xml_root(_CATALOGUE)
        if root is None or any(each.get("PartName") == f"/{name}" for each in root):
            return {}
        etree.SubElement(
            root, f"{_TYPES}Override", {"PartName": f"/{name}", "ContentType": _MEDIA_TYPE}
        )
        return {_CATALOGUE: root}
