"""Whether a file with tracked changes becomes what it should: read again, from its bytes.

All words are compared, with other people's tracked changes as marks, the levels of lists, cells,
fields and pictures; not how they look. It shares nothing with what writes the file.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.docx.styles import W
from fourcorners.documents.office_package import OfficePackage
from fourcorners.text.invisible_characters import shorten

if TYPE_CHECKING:
    from lxml.etree import _Element

_NOTES: Final = {"footnotes": "footnote", "endnotes": "endnote"}
_MARGINS: Final = ("header", "footer")
_RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CHANGES: Final = {"ins": "+", "moveTo": "+", "del": "-", "moveFrom": "-"}
_SIGNS: Final = {
    "tab": "\t",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "-",
    "footnoteReference": "[footnote]",
    "endnoteReference": "[endnote]",
}
_NO_WORDS: Final = frozenset(
    {"pPr", "rPr", "sdtPr", "sdtEndPr", "tblPr", "tblGrid", "trPr", "tcPr", "sectPr", "Fallback"}
)
_NO_LINES: Final = "[no words]"  # of the header or footer of a section
_SHOWN: Final = 80  # characters of words that differ


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of a file that are not what they should become when all changes are resolved."""

    accepted: bool
    place: str
    expected: str
    found: str

    def __str__(self) -> str:
        done = "accepted" if self.accepted else "rejected"
        expected, found = (
            f"“{shorten(each, _SHOWN)}”" if each else "nothing"
            for each in (self.expected, self.found)
        )
        return f"{self.place}: with all changes {done} it reads {found}, not {expected}"


def find_differences(
    marked: bytes,
    before: bytes,
    after: bytes,
    *,
    author: str | Collection[str],
    formatting: bool = False,
) -> list[Difference]:
    """Return where a file is not the first version when an author's changes are rejected.

    Nor the second when they are accepted. With formatting, words must look the same, too.
    """
    path = Path("marked.docx")
    found: list[Difference] = []
    for accepted, expected in ((False, before), (True, after)):
        own = resolve_changes(marked, path, accept=accepted, author=author)
        found += _differences(
            _lines(expected, formatting), _lines(own, formatting), accepted=accepted
        )
    return found


_Line = tuple[str, str]


def _differences(
    expected: list[_Line], found: list[_Line], *, accepted: bool
) -> Iterator[Difference]:
    if expected == found:
        return
    for tag, i, i_end, j, j_end in SequenceMatcher(None, expected, found, False).get_opcodes():
        if tag == "equal":
            continue
        for at in range(max(i_end - i, j_end - j)):
            place, one = expected[i + at] if i + at < i_end else ("", "")
            other_place, other = found[j + at] if j + at < j_end else ("", "")
            yield Difference(accepted, place or other_place, one, other)


def _lines(data: bytes, formatting: bool) -> list[_Line]:
    """Return the lines of a file that have words, and what each is part of."""
    package = OfficePackage(data, Path("marked.docx"))
    main = package.related_parts("").get("officeDocument", "word/document.xml")
    parts = [("body", main)]
    for kind, name in _NOTES.items():
        parts += ((name, part) for part in sorted(package.related_parts_of_kind(main, kind)))
    lines = [
        line for place, part in parts for line in _part_lines(package, place, part, formatting)
    ]
    for place in _MARGINS:
        last: list[_Line] = []
        for part in _shown_margins(package, main, place):
            own = _part_lines(package, place, part, formatting) or [(place, _NO_LINES)]
            # A section may have the words of the one before it in a part or by inheritance.
            lines += own if own != last else []
            last = own
    return lines


def _part_lines(package: OfficePackage, place: str, part: str, formatting: bool) -> list[_Line]:
    root = package.xml_root(part)
    if root is None:
        return []
    reader = _PartReader(package, part, formatting)
    lines = [(place, line) for line in reader.blocks(root)]
    lines += ((f"text box in the {place}", line) for line in reader.boxes)
    return [(place, line) for place, line in lines if line.strip()]


def _shown_margins(package: OfficePackage, main: str, kind: str) -> Iterator[str]:
    """Yield the headers or footers of all sections, type by type, and those that none has."""
    root = package.xml_root(main)
    sections = [] if root is None else [*root.iter(f"{W}sectPr")]
    targets = {each.id: each.target for each in package.relationships(main)}
    unused = dict.fromkeys(sorted(package.related_parts_of_kind(main, kind)))
    for of in ("default", "first", "even"):
        part = ""
        for section in sections:
            for each in section.findall(f"{W}{kind}Reference"):
                if each.get(f"{W}type", "default") == of:
                    part = targets.get(each.get(f"{_RELATION}id", ""), "")
            unused.pop(part, None)
            yield part
    yield from unused


@dataclass(slots=True)
class _PartReader:
    """What reads one part; `boxes` are the lines of its text boxes."""

    package: OfficePackage
    part: str
    formatting: bool
    boxes: list[str] = field(default_factory=list)
    _look: str = ""
    _whole: int = 0  # depth in fields and other people's changes, which have the look that they had
    _codes: list[list[str]] = field(default_factory=list)

    def blocks(self, parent: _Element) -> Iterator[str]:
        for node in parent:
            name = _name(node)
            if name == "tbl":
                for row in _rows(node):
                    cells = (each for each in row.iterdescendants(f"{W}tc"))
                    own = (each for each in cells if _nearest(each, "tr") is row)
                    yield " | ".join(" / ".join(self.blocks(each)) for each in own)
            elif name == "p":
                level = node.find(f"{W}pPr/{W}numPr/{W}ilvl")
                words = "".join(self.words(node))
                if words or level is not None:
                    yield (f"#{level.get(f'{W}val')} " if level is not None else "") + words
            elif name not in _NO_WORDS:
                yield from self.blocks(node)

    def words(self, parent: _Element) -> Iterator[str]:
        for node in parent:
            name = _name(node)
            if name in _NO_WORDS:
                continue
            if name in _CHANGES and str(node.tag).startswith(W):
                self._whole += 1
                yield f"{{{_CHANGES[name]}{''.join(self.words(node))}}}"
                self._whole -= 1
            elif name in ("t", "delText"):
                yield from self._format(node)
                yield node.text or ""
            elif name in _SIGNS:
                yield _SIGNS[name]
            elif name == "sym":
                yield f"[{node.get(f'{W}font')} {node.get(f'{W}char')}]"
            elif name == "fldSimple":
                self._whole += 1
                yield f"{{{' '.join((node.get(f'{W}instr') or '').split())}}}"
                yield from self.words(node)
                self._whole -= 1
            elif name == "fldChar":
                yield from self._field(node)
            elif name in ("instrText", "delInstrText"):
                if self._codes:
                    self._codes[-1].append(node.text or "")
            elif name == "txbxContent":
                own = _PartReader(self.package, self.part, self.formatting)
                self.boxes += own.blocks(node)
                self.boxes += own.boxes
            else:
                yield from self._pictures(node)
                yield from self.words(node)

    def _format(self, node: _Element) -> Iterator[str]:
        """Yield how words look, where they look otherwise than those before."""
        if not self.formatting or not node.text or self._whole or self._codes:
            return
        properties = node.find(f"../{W}rPr")
        look = " ".join(
            "=".join((_name(each), *map(str, each.attrib.values())))
            for each in (properties if properties is not None else ())
            if _name(each) not in ("rPrChange", "lang", "noProof")
        )
        if look != self._look:
            self._look = look
            yield f"<{look}>"

    def _field(self, node: _Element) -> Iterator[str]:
        kind = node.get(f"{W}fldCharType")
        if kind == "begin":
            self._codes.append([])
        elif self._codes and kind == "separate":
            yield f"{{{' '.join(''.join(self._codes[-1]).split())}}}"
            self._codes[-1] = []
        elif self._codes and kind == "end":
            rest = " ".join("".join(self._codes.pop()).split())
            yield f"{{{rest}}}" if rest else ""

    def _pictures(self, node: _Element) -> Iterator[str]:
        """Yield what a drawing shows: each picture by its bytes."""
        for attribute, value in node.attrib.items():
            if str(attribute) in (f"{_RELATION}embed", f"{_RELATION}id") and _name(node) in (
                "blip",
                "imagedata",
            ):
                yield f"[picture {self._picture(str(value))}]"

    def _picture(self, number: str) -> str:
        folder, base = posixpath.split(self.part)
        root = self.package.xml_root(posixpath.join(folder, "_rels", f"{base}.rels"))
        for relation in root if root is not None else ():
            if relation.get("Id") == number:
                target = relation.get("Target", "")
                place = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                data = self.package.read_part(place)
                return target if data is None else hashlib.sha256(data).hexdigest()[:12]
        return "missing"


def _name(node: _Element) -> str:
    return str(node.tag).rpartition("}")[2]


def _rows(table: _Element) -> Iterator[_Element]:
    for row in table.iterdescendants(f"{W}tr"):
        if _nearest(row, "tbl") is table:
            yield row


def _nearest(node: _Element, name: str) -> _Element | None:
    return next(node.iterancestors(f"{W}{name}"), None)
