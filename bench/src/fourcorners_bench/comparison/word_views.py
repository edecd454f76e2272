"""What a Word file reads when one author's tracked changes are accepted or rejected.

It is written against the standard (ECMA-376 part 1, section 17.13.5) and shares nothing with the
product, which it judges.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lxml.etree import _Element

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PART: Final = re.compile(r"word/((?:document|footnotes|endnotes)|(?:header|footer)\d*)\.xml")
_COMING: Final = ("ins", "moveTo", "cellIns")
_GOING: Final = ("del", "moveFrom", "cellDel")
_NAMES: Final = {"tab": "⇥", "br": "↵", "footnoteReference": "†", "endnoteReference": "‡"}


@dataclass(frozen=True, slots=True)
class Resolution:
    """Whose changes are resolved, and how; without an author, none are."""

    author: str = ""
    accept: bool = True

    def is_gone(self, marks: _Element | None) -> bool:
        """Tell whether what has these marks is not there."""
        kinds = _GOING if self.accept else _COMING
        return marks is not None and any(
            _name(each) in kinds and each.get(f"{_W}author") == self.author for each in marks
        )

    def render(self, change: _Element, words: str) -> str:
        """Return words in a tracked change: nothing, the words, or both with whose it is."""
        if change.get(f"{_W}author") != self.author:
            return f"<{_name(change)} {words}>"
        return words if (_name(change) in _COMING) == self.accept else ""


def view(data: bytes, resolution: Resolution) -> list[str]:
    """Return the paragraphs and rows of all parts that have words."""
    from lxml import etree

    lines: list[str] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in sorted(archive.namelist()):
            if found := _PART.fullmatch(name):
                reader = _Reader(resolution)
                own = list(reader.blocks(etree.fromstring(archive.read(name))))
                lines += (f"{found[1]}: {each}" for each in own)
                lines += (f"{found[1]}, box: {each}" for each in reader.boxes)
    return lines


class _Reader:
    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution
        self.boxes: list[str] = []

    def blocks(self, parent: _Element) -> Iterator[str]:
        """Yield lines; a paragraph without its end runs on in the next."""
        lead, lead_level = "", ""
        for node in _blocks(parent):
            if _name(node) == "tbl":
                yield from self._rows(node)
                continue
            level = self._level(node)
            words = lead + "".join(self._words(node))
            level = lead_level if lead else level
            lead, lead_level = "", ""
            if self._resolution.is_gone(node.find(f"{_W}pPr/{_W}rPr")):
                lead, lead_level = words, level
            elif words.strip() or level:
                yield f"{level}{words}"
        if lead.strip():
            yield f"{lead_level}{lead}"

    def _level(self, paragraph: _Element) -> str:
        """Return the level in a list, as it was before a change that is rejected."""
        change = paragraph.find(f"{_W}pPr/{_W}pPrChange")
        within = f"{_W}pPr/"
        if (
            change is not None
            and not self._resolution.accept
            and change.get(f"{_W}author") == self._resolution.author
        ):
            within = f"{_W}pPr/{_W}pPrChange/{_W}pPr/"
        level = paragraph.find(f"{within}{_W}numPr/{_W}ilvl")
        return "" if level is None else f"({level.get(f'{_W}val')}) "

    def _rows(self, table: _Element) -> Iterator[str]:
        for row in table.iterfind(f"{_W}tr"):
            if self._resolution.is_gone(row.find(f"{_W}trPr")):
                self._leave(row)
                continue
            cells = []
            for cell in row.iterfind(f"{_W}tc"):
                if self._resolution.is_gone(cell.find(f"{_W}tcPr")):
                    self._leave(cell)
                else:
                    cells.append(" ¶ ".join(self.blocks(cell)))
            yield " ▏ ".join(cells)

    def _leave(self, node: _Element) -> None:
        """Hold that what goes as a whole has no words that stay."""
        rest = "".join("".join(self._words(each)) for each in node.iter(f"{_W}p"))
        self.boxes += [f"left in a row or cell that is gone: {rest}"] if rest.strip() else []

    def _words(self, parent: _Element) -> Iterator[str]:
        for node in parent:
            name = _name(node)
            if name in ("ins", "del", "moveTo", "moveFrom"):
                yield self._resolution.render(node, "".join(self._words(node)))
            elif name in ("t", "delText"):
                yield node.text or ""
            elif name in _NAMES:
                yield _NAMES[name]
            elif name == "blip":
                yield "▣"
            elif name == "txbxContent":
                self.boxes += list(self.blocks(node))
            elif name not in ("pPr", "rPr", "sdtPr", "instrText", "delInstrText", "Fallback"):
                yield from self._words(node)


def _blocks(parent: _Element) -> Iterator[_Element]:
    for node in parent:
        if _name(node) in ("p", "tbl"):
            yield node
        elif _name(node) in ("body", "sdt", "sdtContent", "footnote", "endnote"):
            yield from _blocks(node)


def _name(node: _Element) -> str:
    return str(node.tag).rpartition("}")[2]


def wrong_sides(marked: bytes, versions: Sequence[bytes], author: str) -> list[str]:
    """Return which of the two versions a file is not, its changes rejected or accepted."""
    sides = (("rejected", versions[0], False), ("accepted", versions[1], True))
    return [
        side
        for side, version, accept in sides
        if view(marked, Resolution(author, accept)) != view(version, Resolution())
    ]
