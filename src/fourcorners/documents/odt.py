"""OpenDocument texts (.odt), with the numbers that the office program computes.

The text is the accepted version: a deletion, which the file keeps apart, is a mark without length
at its place, whose detail holds its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fourcorners.documents.document import MarkKind
from fourcorners.documents.fragment import Fragment, joined
from fourcorners.documents.odt_look import PLAIN, Look, Looks
from fourcorners.documents.odt_numbering import LEVELS, TEXT, Counters, Numbering, number_of
from fourcorners.documents.package import Package
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.sniff import MediaType
from fourcorners.documents.table_text import Table
from fourcorners.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_MOST_BLANKS = 1_000  # of one run of blanks
_MOST_REPEATED = 100  # of one cell
_SPACE = re.compile(r"[ \t\r\n]+")
_ASIDE = {
    TEXT: (
        *("tracked-changes", "sequence-decls", "variable-decls", "user-field-decls"),
        *("dde-connection-decls", "note-citation", "bookmark", "ruby-text"),
        *("alphabetical-index-mark", "toc-mark", "script"),
    ),
    _OFFICE: ("annotation", "annotation-end", "forms"),
    _TABLE: ("covered-table-cell", "table-columns", "table-column"),
    _SVG: ("title", "desc"),
}
_PASSED_OVER = frozenset(f"{space}{name}" for space, names in _ASIDE.items() for name in names)


def read_odt(file: RawFile) -> Content:
    """Return the text with numbers, headings, tables, notes and hidden text marked."""
    package = Package(file.data, file.path)
    manifest = package.tree("META-INF/manifest.xml")
    if manifest is not None and any(
        node.tag.endswith("}encryption-data") for node in manifest.iter()
    ):
        raise InputError(
            f"{file.path}: the document is locked with a password.",
            remedy="Open it with the password, save it without one and add that file.",
        )
    root, styles = package.tree("content.xml"), package.tree("styles.xml")
    body = root.find(f"{_OFFICE}body/{_OFFICE}text") if root is not None else None
    if root is None or body is None:
        raise InputError(
            f"{file.path}: the document is damaged: it has no text part.",
            remedy="Open it in LibreOffice, save it under a new name and add that file.",
        )
    looks = Looks(styles, root)
    story = _Story(Numbering(styles, root), looks, _authors(body), _deletions(body))
    blocks = [*story.blocks(body, _Place(look=looks.page)), *story.notes]
    whole = joined([block for block in blocks if block.text.strip()], "\n\n")
    if not whole.text.strip():
        raise InputError(
            f"{file.path}: the document holds no text.",
            remedy="If it shows scanned pages, print it to PDF and add that.",
        )
    whole.add("\n")
    marks = sorted(whole.marks, key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
    return Content(whole.text, marks=tuple(marks), warnings=tuple(_warnings(story, body)))


def _warnings(story: _Story, body: _Element) -> Iterator[str]:
    if body.find(f"{TEXT}tracked-changes") is not None:
        names = ", ".join(sorted({name for name in story.authors.values() if name})) or "unknown"
        yield f"It has tracked changes ({names}), read as if all were accepted."
    if story.hides:
        yield "It holds hidden text, which is read and marked."
    comments = sum(1 for _ in body.iter(f"{_OFFICE}annotation"))
    if comments:
        yield f"It has {comments} comments, which are not read."


def _authors(body: _Element) -> dict[str, str]:
    """Return who inserted what, by the id of the change."""
    found: dict[str, str] = {}
    for region in body.iterfind(f"{TEXT}tracked-changes/{TEXT}changed-region"):
        creator = region.find(f".//{_DC}creator")
        author = "" if creator is None else creator.text or ""
        if region.find(f"{TEXT}insertion") is not None:
            found[region.get(f"{TEXT}id", "")] = author or "unknown"
        else:
            found.setdefault("", author)
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in lists a block stands."""

    counters: Counters | None = None
    style: str = ""
    level: int = -1
    look: Look = PLAIN


def _deletions(body: _Element) -> dict[str, str]:
    """Return who deleted which words, by the id of the change."""
    found: dict[str, str] = {}
    for region in body.iterfind(f"{TEXT}tracked-changes/{TEXT}changed-region"):
        deletion = region.find(f"{TEXT}deletion")
        if deletion is None:
            continue
        words = " ".join(
            "".join(map(str, each.itertext())) for each in deletion.iter(f"{TEXT}p", f"{TEXT}h")
        )
        who = deletion.find(f".//{_DC}creator")
        author = (who.text if who is not None else None) or "unknown"
        if words.strip():
            found[region.get(f"{TEXT}id", "")] = f"{author}: {' '.join(words.split())}"
    return found


@dataclass(slots=True)
class _Story:
    """The walk through a document."""

    numbering: Numbering
    looks: Looks
    authors: dict[str, str]
    deleted: dict[str, str]
    hides: bool = False
    notes: list[Fragment] = field(default_factory=list)
    boxes: list[Fragment] = field(default_factory=list)
    inserting: dict[str, str] = field(default_factory=dict)  # changes that are open, by id
    label: tuple[str, int] | None = None  # of the list item whose first paragraph comes next

    def blocks(self, parent: _Element, place: _Place) -> list[Fragment]:
        """Return the paragraphs and tables below an element, each as one fragment."""
        found: list[Fragment] = []
        for child in parent:
            tag = child.tag
            if tag in _PASSED_OVER:
                continue
            if tag in (f"{TEXT}p", f"{TEXT}h"):
                found += self._paragraph(child, place)
            elif tag == f"{TEXT}list":
                found += self._list(child, place)
            elif tag == f"{_TABLE}table":
                found.append(self._table(child, place))
            elif tag in (f"{TEXT}change-start", f"{TEXT}change-end"):
                self._change(child)
            elif tag == f"{TEXT}section":
                look = self.looks.within(place.look, "section", child.get(f"{TEXT}style-name"))
                if child.get(f"{TEXT}display") == "none":
                    look = replace(look, hidden=True)
                found += self.blocks(child, replace(place, look=look))
            else:
                found += self.blocks(child, place)
        return found

    def _list(self, node: _Element, place: _Place) -> list[Fragment]:
        style = node.get(f"{TEXT}style-name") or place.style
        counters = place.counters
        if counters is None or style != place.style:
            counters = self.numbering.open_list(node, style)
        within = _Place(counters, style, place.level + 1, place.look)
        found: list[Fragment] = []
        for item in node:
            if item.tag not in (f"{TEXT}list-item", f"{TEXT}list-header"):
                continue
            first = next(iter(item), None)
            counted = (
                item.tag == f"{TEXT}list-item"
                and first is not None
                and first.tag in (f"{TEXT}p", f"{TEXT}h")
            )
            if counted:
                start = number_of(item.get(f"{TEXT}start-value"))
                label = self.numbering.item(counters, style, within.level, start)
                self.label = (label, within.level) if label else None
            found += self.blocks(item, within)
            self.label = None
        return found

    def _paragraph(self, node: _Element, place: _Place) -> list[Fragment]:
        label, self.label = self.label, None
        heading = node.tag == f"{TEXT}h"
        level = min(max(number_of(node.get(f"{TEXT}outline-level")) or 1, 1), LEVELS)
        if heading and place.counters is None and node.get(f"{TEXT}is-list-header") != "true":
            number = self.numbering.heading(level - 1, number_of(node.get(f"{TEXT}start-value")))
            label = (number, level - 1) if number else None
        words = Fragment()
        look = self.looks.within(place.look, "paragraph", node.get(f"{TEXT}style-name"))
        self._inline(node, words, look)
        paragraph = Fragment()
        if words.text.strip():
            if label is not None:
                paragraph.add(label[0], MarkKind.NUMBER, str(label[1] + 1))
                paragraph.add(" ")
            paragraph.extend(words)
            if heading:
                paragraph.mark(MarkKind.HEADING, 0, str(level))
        boxes, self.boxes = self.boxes, []
        return [each for each in (paragraph, *boxes) if each.text.strip()]

    def _inline(self, node: _Element, words: Fragment, look: Look) -> None:
        if node.find(f"{TEXT}hidden-paragraph[@{TEXT}is-hidden='true']") is not None:
            look = replace(look, hidden=True)
        hidden = look.is_unseen
        self._say(node.text, words, hidden=hidden)
        for child in node:
            tag = child.tag
            if tag == f"{TEXT}s":
                count = min(number_of(child.get(f"{TEXT}c")) or 1, _MOST_BLANKS)
                self._put(" " * max(count, 1), words, hidden=hidden)
            elif tag == f"{TEXT}tab":
                self._put("\t", words, hidden=hidden)
            elif tag == f"{TEXT}line-break":
                self._put("\n", words, hidden=hidden)
            elif self._beside(child, words):
                pass
            elif tag == f"{TEXT}note":
                self._note(child, words)
            elif tag == f"{_DRAW}text-box":
                before, self.boxes = self.boxes, []  # a paragraph within takes those that are there
                before += self.blocks(child, _Place(look=look))
                self.boxes = before
            elif tag == f"{TEXT}hidden-text":
                self._put(child.get(f"{TEXT}string-value", ""), words, hidden=True)
            elif tag not in _PASSED_OVER:
                self._inline(child, words, self._look(child, look))
            self._say(child.tail, words, hidden=hidden)

    def _beside(self, node: _Element, words: Fragment) -> bool:
        """Note a change or a comment, which holds no words of the line; tell whether it was one."""
        if node.tag in (f"{TEXT}change-start", f"{TEXT}change-end"):
            self._change(node)
        elif node.tag == f"{TEXT}change":
            said = self.deleted.get(node.get(f"{TEXT}change-id", ""))
            if said is not None:
                words.point(MarkKind.DELETED, said)
        elif node.tag == f"{_OFFICE}annotation":
            notes = (
                " ".join("".join(map(str, each.itertext())).split())
                for each in node.iter(f"{TEXT}p")
            )
            words.point(MarkKind.COMMENT, " ".join(each for each in notes if each))
        else:
            return False
        return True

    def _look(self, node: _Element, look: Look) -> Look:
        """Return how words look in an element of a line: of a style of letters, or a frame's."""
        if style := node.get(f"{_DRAW}style-name"):
            return self.looks.within(look, "graphic", style)
        return self.looks.within(look, "text", node.get(f"{TEXT}style-name"))

    def _say(self, text: str | None, words: Fragment, *, hidden: bool) -> None:
        """Add characters as they are in the file, where a run of white space is one blank."""
        if not text:
            return
        text = _SPACE.sub(" ", text)
        last = words.pieces[-1][-1:] if words.pieces else ""
        if text[0] == " " and last in ("", " ", "\n", "\t"):
            text = text[1:]
        self._put(text, words, hidden=hidden)

    def _put(self, text: str, words: Fragment, *, hidden: bool) -> None:
        start = len(words)
        words.add(text)
        for author in dict.fromkeys(self.inserting.values()):
            words.mark(MarkKind.INSERTED, start, author)
        if hidden and text:
            self.hides = True
            words.mark(MarkKind.HIDDEN, start)

    def _change(self, node: _Element) -> None:
        name = node.get(f"{TEXT}change-id", "")
        if node.tag == f"{TEXT}change-end":
            self.inserting.pop(name, None)
        elif name in self.authors:
            self.inserting[name] = self.authors[name]

    def _note(self, node: _Element, words: Fragment) -> None:
        body = node.find(f"{TEXT}note-body")
        if body is None:
            return
        number = len(self.notes) + 1
        words.add(f"[{number}]", MarkKind.NUMBER, "footnotes")
        note = Fragment()
        self.notes.append(note)
        note.add(f"[{number}] ")
        note.extend(joined(self.blocks(body, _Place(look=self.looks.page)), "\n"))
        note.mark(MarkKind.FOOTNOTE, 0, "footnotes")

    def _table(self, node: _Element, place: _Place) -> Fragment:
        table = Table()
        whole = self.looks.within(place.look, "table", node.get(f"{_TABLE}style-name"))
        for row in _within(node, f"{_TABLE}table-row"):
            table.start_row()
            of_row = self.looks.within(whole, "table-row", row.get(f"{_TABLE}style-name"))
            for cell in _within(row, f"{_TABLE}table-cell"):
                look = self.looks.within(of_row, "table-cell", cell.get(f"{_TABLE}style-name"))
                made = joined(self.blocks(cell, _Place(look=look)), "\n")
                times = number_of(cell.get(f"{_TABLE}number-columns-repeated")) or 1
                for _ in range(min(max(times, 1), _MOST_REPEATED) if len(made) else 1):
                    table.add_cell(made)
        return table.text()


def _within(parent: _Element, tag: str) -> Iterator[_Element]:
    """Yield the rows of a table or cells of a row, also within groups and headers."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag not in _PASSED_OVER and child.tag != f"{_TABLE}table":
            yield from _within(child, tag)


READER = Reader(name="odt", version=4, media_types=frozenset({MediaType.ODT}), read=read_odt)
