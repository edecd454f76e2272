"""What an element of one file needs in another: its styles, lists, pictures, links and ids."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W, val_attribute
from fourcorners.documents.docx.versions.atoms import NOTE_REFERENCES
from fourcorners.documents.docx.versions.fingerprint import MC, RELATION, describe_properties
from fourcorners.documents.docx.word_file import WordFile

if TYPE_CHECKING:
    from lxml.etree import _Element

_STYLES: Final = frozenset(f"{W}{name}" for name in ("pStyle", "rStyle", "tblStyle"))
_OF_STYLE: Final = ("basedOn", "next", "link")
_WORD_2010: Final = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_DRAWN: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_LISTS: Final = frozenset(f"{W}{name}" for name in ("nsid", "tmpl", "name"))
_MEDIA: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml."


@dataclass(slots=True)
class Transfer:
    """What takes copies of elements of the second file into the first.

    Attributes:
        parts: The parts of both files between which elements are copied now.
        references: The note references that were copied.
    """

    old: WordFile
    new: WordFile
    new_id: Callable[[], str]
    parts: tuple[str, str]
    references: list[_Element] = field(default_factory=list)
    _styles: dict[str, str] = field(default_factory=dict)
    _lists: dict[str, str] = field(default_factory=dict)
    _bookmarks: dict[tuple[str, str], str] = field(default_factory=dict)

    def adapt(self, copy: _Element) -> None:
        """Make a copy fit in the first file."""
        for node in copy.iter():
            if node.tag in _STYLES:
                node.set(f"{W}val", self._style(node.get(f"{W}val", "")))
            elif node.tag == f"{W}numId":
                node.set(f"{W}val", self._list(node.get(f"{W}val", "")))
            elif node.tag in NOTE_REFERENCES:
                self.references.append(node)
            elif node.tag == _DRAWN:
                node.set("id", self.new_id())
            elif node.tag in (f"{W}bookmarkStart", f"{W}bookmarkEnd"):
                node.set(f"{W}id", self._bookmark(node.get(f"{W}id", "")))
            self._adapt_attributes(node)
        for choice in list(copy.iter(f"{MC}Choice")):
            self._declare(choice)
        for properties in list(copy.iter(f"{W}sdtPr")):
            for number in properties.findall(f"{W}id"):
                properties.remove(number)

    def _adapt_attributes(self, node: _Element) -> None:
        for name, value in list(node.attrib.items()):
            if str(name).startswith(RELATION):
                node.set(name, self._relation(str(value)))
            elif str(name) in (f"{_WORD_2010}paraId", f"{_WORD_2010}textId"):
                del node.attrib[name]

    def _declare(self, choice: _Element) -> None:
        """Declare the namespaces that an alternative says it needs by their prefixes alone."""
        from lxml import etree

        root = self.new.xml_root(self.parts[1])
        known = root.nsmap if root is not None else {}
        needed = {name: known[name] for name in choice.get("Requires", "").split() if name in known}
        parent = choice.getparent()
        if parent is None or needed.items() <= choice.nsmap.items():
            return
        made = etree.Element(choice.tag, {"Requires": choice.get("Requires", "")}, nsmap=needed)
        made.extend(list(choice))
        parent.replace(choice, made)

    def _bookmark(self, number: str) -> str:
        """Return an id for a bookmark: the same for its start and its end."""
        key = self.parts[1], number
        if key not in self._bookmarks:
            self._bookmarks[key] = self.new_id()
        return self._bookmarks[key]

    def _relation(self, name: str) -> str:
        old_part, new_part = self.parts
        relation = self.new.relations(new_part).get(name)
        if relation is None:
            return name
        target = relation.target
        if not relation.is_external:
            target = self.old.copy_part(self.new, target)
        return self.old.relate(old_part, relation.kind, target, is_external=relation.is_external)

    def _style(self, name: str) -> str:
        if name in self._styles:
            return self._styles[name]
        own, other = self.old.related_root("styles"), self.new.related_root("styles")
        wanted = _by_attribute(other, "styleId").get(name)
        held = _by_attribute(own, "styleId")
        self._styles[name] = name
        if name in held or wanted is None:
            return name
        title = val_attribute(wanted, "name")
        for number, style in held.items():
            if val_attribute(style, "name") == title:
                self._styles[name] = number
                return number
        made = deepcopy(wanted)
        made.attrib.pop(f"{W}default", "")
        self.old.needed_root("styles", f"{W}styles", f"{_MEDIA}styles+xml").append(made)
        for kind in _OF_STYLE:
            for node in made.findall(f"{W}{kind}"):
                node.set(f"{W}val", self._style(node.get(f"{W}val", "")))
        for node in made.iter(f"{W}numId"):
            node.set(f"{W}val", self._list(node.get(f"{W}val", "")))
        return name

    def _list(self, number: str) -> str:
        """Return the list of the first file that is one of the second, added if there is none."""
        if number not in self._lists:
            self._lists[number] = number
            self._lists[number] = self._find_list(number)
        return self._lists[number]

    def _find_list(self, number: str) -> str:
        own, other = self.old.related_root("numbering"), self.new.related_root("numbering")
        wanted = _by_attribute(other, "numId").get(number)
        if wanted is None:
            return number
        held = _by_attribute(own, "numId")
        abstracts = [_by_attribute(root, "abstractNumId") for root in (own, other)]
        form = _list_form(wanted, abstracts[1])
        if number in held and _list_form(held[number], abstracts[0]) == form:
            return number
        if wanted.find(f"{W}lvlOverride") is None:
            for name, each in held.items():
                if _list_form(each, abstracts[0]) == form:
                    return name
        root = self.old.needed_root("numbering", f"{W}numbering", f"{_MEDIA}numbering+xml")
        made = deepcopy(wanted)
        name = _next_number(held)
        made.set(f"{W}numId", name)
        self._take_abstract(made, root, abstracts)
        last = root.find(f"{W}numIdMacAtCleanup")
        if last is None:
            root.append(made)
        else:
            last.addprevious(made)
        return name

    def _take_abstract(
        self, made: _Element, root: _Element, abstracts: list[dict[str, _Element]]
    ) -> None:
        """Make a list refer to how it is numbered, which is added if the first file lacks it."""
        node = made.find(f"{W}abstractNumId")
        wanted = abstracts[1].get(val_attribute(made, "abstractNumId") or "")
        if node is None or wanted is None:
            return
        form = describe_properties(wanted, _LISTS)
        for name, each in abstracts[0].items():
            if describe_properties(each, _LISTS) == form:
                node.set(f"{W}val", name)
                return
        abstract = deepcopy(wanted)
        name = _next_number(abstracts[0])
        abstract.set(f"{W}abstractNumId", name)
        node.set(f"{W}val", name)
        for style in abstract.iter(f"{W}pStyle"):
            style.set(f"{W}val", self._style(style.get(f"{W}val", "")))
        first = root.find(f"{W}num")
        if first is None:
            root.append(abstract)
        else:
            first.addprevious(abstract)


def _by_attribute(root: _Element | None, name: str) -> dict[str, _Element]:
    found: dict[str, _Element] = {}
    for node in root if root is not None else ():
        value = node.get(f"{W}{name}")
        if value is not None:
            found.setdefault(value, node)
    return found


def _list_form(number: _Element, abstracts: dict[str, _Element]) -> tuple[list[str], list[str]]:
    """Return what lists are compared by: how they are numbered, and where they differ from that."""
    abstract = abstracts.get(val_attribute(number, "abstractNumId") or "")
    own = describe_properties(number, frozenset({f"{W}abstractNumId"}))
    return describe_properties(abstract, _LISTS), own


def _next_number(held: dict[str, _Element]) -> str:
    return str(1 + max((int(each) for each in held if each.isdigit()), default=0))
