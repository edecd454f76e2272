"""Word documents (.docx), with the clause numbers that Word computes.

The text is the accepted version: insertions are in it (marked), deletions are not, moved text
stands once, where it was moved to. Paragraphs are parted by an empty line, rows of a table by a
line end, its cells by " | ". Footnotes follow at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx_styles import (
    ParagraphFormat,
    Styles,
    W,
    flag,
    paragraph_format,
    value,
)
from fourcorners.documents.fragment import Fragment, joined
from fourcorners.documents.numbering import Numbering
from fourcorners.documents.package import Package
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.sniff import MediaType
from fourcorners.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_LINE_ENDS = re.compile(r"[\r\n\t]+")  # in the XML they are mere space: a real one is an element
_SIGNS = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
}
# Symbols of Wingdings and Symbol that contracts use: boxes to tick, and bullets.
_SYMBOLS = {
    "F06F": "\u2610", "F071": "\u2610", "F0A8": "\u2610", "F0FD": "\u2612", "F0FE": "\u2611",
    "F078": "\u2612", "F0FC": "\u2713", "F0FB": "\u2717", "F0B7": "\u2022", "F0A7": "\u2022",
}  # fmt: skip
# What is not part of the accepted text: deleted, moved away, or properties and field codes.
_PASSED_OVER = frozenset(
    f"{W}{name}"
    for names in (
        ("del", "moveFrom", "delText", "instrText", "delInstrText", "commentReference"),
        ("pPr", "rPr", "sdtPr", "sdtEndPr", "tblPr", "tblGrid", "trPr", "tcPr", "sectPr"),
        ("fldData", "rubyPr", "rt"),
    )
    for name in names
)
_INSERTED = frozenset({f"{W}ins", f"{W}moveTo"})
_NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}


def read_docx(file: RawFile) -> Content:
    """Return the accepted text with numbers, headings, tables, footnotes and hidden text marked."""
    package = Package(file.data, file.path)
    main = package.related("").get("officeDocument", "word/document.xml")
    root = package.tree(main)
    body = root.find(f"{W}body") if root is not None else None
    if body is None:
        raise InputError(
            f"{file.path}: the document is damaged: it has no text part.",
            remedy="Open it in Word, save it under a new name and add that file.",
        )
    parts = package.related(main)
    styles = Styles(package.tree(parts.get("styles", "")))
    story = _Story(styles, Numbering(package.tree(parts.get("numbering", "")), styles))
    blocks = story.blocks(body)
    for kind in ("footnotes", "endnotes"):
        blocks += story.notes(kind, package.tree(parts.get(kind, "")))
    whole = joined(blocks, "\n\n")
    if not whole.text.strip():
        raise InputError(
            f"{file.path}: the document holds no text.",
            remedy="If it shows scanned pages, print it to PDF and run text recognition (OCR).",
        )
    whole.add("\n")
    marks = sorted(whole.marks, key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
    return Content(whole.text, marks=tuple(marks), warnings=tuple(_warnings(story, package, parts)))


def _warnings(story: _Story, package: Package, parts: dict[str, str]) -> Iterator[str]:
    if story.authors:
        names = ", ".join(sorted(story.authors))
        yield f"It has tracked changes ({names}), read as if all were accepted."
    if story.hidden:
        yield "It holds hidden text, which is read and marked."
    comments = package.tree(parts.get("comments", ""))
    if comments is not None and len(comments):
        yield f"It has {len(comments)} comments, which are not read."
    if "aFChunk" in parts:
        yield "It embeds another document, which is not read."


@dataclass(slots=True)
class _Story:
    """The walk through a document: what has been counted, kept back and noticed on the way."""

    styles: Styles
    numbering: Numbering
    authors: set[str] = field(default_factory=set)
    hidden: bool = False
    cited: dict[str, list[str]] = field(default_factory=dict)  # ids of notes in order of reference
    kept: Fragment = field(default_factory=Fragment)  # of a paragraph whose end was deleted

    def blocks(self, parent: _Element) -> list[Fragment]:
        """Return the paragraphs and tables below an element, each as one fragment."""
        found = self._blocks(parent)
        if len(self.kept):  # nothing follows that it could join
            found.append(self.kept)
            self.kept = Fragment()
        return [block for block in found if block.text.strip()]

    def _blocks(self, parent: _Element) -> list[Fragment]:
        found: list[Fragment] = []
        for child in parent:
            if child.tag == f"{W}p":
                found += self._paragraph(child)
            elif child.tag == f"{W}tbl":
                found.append(self._table(child))
            elif child.tag == f"{_MC}AlternateContent":
                found += self._blocks(_chosen(child))
            elif child.tag not in _PASSED_OVER:
                self._note_change(child)
                found += self._blocks(child)
        return found

    def notes(self, kind: str, root: _Element | None) -> list[Fragment]:
        """Return the notes that the text refers to, each marked, in the order of reference."""
        if root is None:
            return []
        by_id = {note.get(f"{W}id", ""): note for note in root}
        found: list[Fragment] = []
        for number, note_id in enumerate(self.cited.get(kind, []), 1):
            if note_id in by_id:
                note = Fragment()
                note.add(f"[{number}] ")
                note.extend(joined(self.blocks(by_id[note_id]), "\n"))
                note.mark(MarkKind.FOOTNOTE, 0, kind)
                found.append(note)
        return found

    def _paragraph(self, node: _Element) -> list[Fragment]:
        """Return the paragraph, and the text boxes that hang on it as paragraphs after it."""
        properties = node.find(f"{W}pPr")
        style = value(properties, "pStyle") or self.styles.default
        direct = paragraph_format(properties, None)
        whole = not _end_is_deleted(properties)
        # Numbered before its text boxes are, and not at all where it is part of the next one.
        paragraph = self._numbered(style, direct) if whole else Fragment()
        words, boxes = Fragment(), list[Fragment]()
        words.extend(self.kept)
        self.kept = Fragment()
        self._inline(node, words, boxes, _Run(hidden=self.styles.resolve(style).hidden or False))
        if not whole:
            self.kept = words
            return boxes
        if words.text.strip():
            paragraph.extend(words)
            heading = self.styles.heading_level(style, direct)
            if heading is not None:
                paragraph.mark(MarkKind.HEADING, 0, str(heading))
        return [paragraph, *boxes]

    def _numbered(self, style: str, direct: ParagraphFormat) -> Fragment:
        paragraph = Fragment()
        label = self.numbering.label(style, direct)
        if label is not None and label.text:
            paragraph.add(label.text, MarkKind.NUMBER, str(label.level + 1))
            paragraph.add(label.suffix)
        return paragraph

    def _inline(self, node: _Element, words: Fragment, boxes: list[Fragment], run: _Run) -> None:
        """Add what an element says to the words of its paragraph."""
        for child in node:
            tag = child.tag
            if tag in _PASSED_OVER:
                self._note_change(child)
            elif tag in (f"{W}t", f"{_MATH}t"):
                self._say(_LINE_ENDS.sub(" ", child.text or ""), words, run)
            elif tag in _SIGNS:
                self._say(_SIGNS[tag], words, run)
            elif tag == f"{W}sym":
                code = (child.get(f"{W}char") or "").upper()
                self._say(_SYMBOLS.get(code, "\ufffd"), words, run)
            elif tag in _NOTES:
                self._cite(child, words)
            elif tag == f"{W}txbxContent":
                boxes += self._box(child)
            elif tag == f"{_MC}AlternateContent":
                self._inline(_chosen(child), words, boxes, run)
            elif tag == f"{W}r":
                self._inline(child, words, boxes, run.within(child, self.styles))
            elif tag in _INSERTED:
                self._note_change(child)
                self._inline(child, words, boxes, run.inserted(child))
            else:
                self._inline(child, words, boxes, run)

    def _say(self, words: str, into: Fragment, run: _Run) -> None:
        start = len(into)
        into.add(words)
        if run.author is not None:
            into.mark(MarkKind.INSERTED, start, run.author)
        if run.hidden:
            self.hidden = True
            into.mark(MarkKind.HIDDEN, start)

    def _cite(self, node: _Element, words: Fragment) -> None:
        cited = self.cited.setdefault(_NOTES[node.tag], [])
        cited.append(node.get(f"{W}id", ""))
        words.add(f"[{len(cited)}]", MarkKind.NUMBER, _NOTES[node.tag])

    def _box(self, node: _Element) -> list[Fragment]:
        """Read a text box apart from the paragraph that it hangs on."""
        kept, self.kept = self.kept, Fragment()
        found = self.blocks(node)
        self.kept = kept
        return found

    def _table(self, node: _Element) -> Fragment:
        rows: list[Fragment] = []
        for row in _within(node, f"{W}tr", lambda row: _changed(row, "trPr", "del")):
            cells = [
                self._cell(cell)
                for cell in _within(row, f"{W}tc", lambda cell: _changed(cell, "tcPr", "cellDel"))
            ]
            if any(cell.text.strip() for cell in cells):
                rows.append(joined(cells, " | "))
        table = joined(rows, "\n")
        table.mark(MarkKind.TABLE, 0)
        return table

    def _cell(self, node: _Element) -> Fragment:
        merged = node.find(f"{W}tcPr/{W}vMerge")
        if merged is not None and merged.get(f"{W}val") != "restart":
            return Fragment()  # the cell above reaches down here
        return joined(self.blocks(node), "\n")

    def _note_change(self, node: _Element) -> None:
        author = node.get(f"{W}author")
        if author is not None:
            self.authors.add(author or "unknown")


@dataclass(frozen=True, slots=True)
class _Run:
    """What holds for the words being read."""

    hidden: bool = False
    author: str | None = None  # of the insertion that they are part of

    def within(self, node: _Element, styles: Styles) -> _Run:
        """Return what holds within a run of characters."""
        properties = node.find(f"{W}rPr")
        hidden = flag(properties, "vanish")
        if hidden is None:
            hidden = styles.resolve(value(properties, "rStyle") or "").hidden
        return _Run(self.hidden if hidden is None else hidden, self.author)

    def inserted(self, node: _Element) -> _Run:
        """Return what holds within a tracked insertion."""
        return _Run(self.hidden, node.get(f"{W}author") or "unknown")


def _chosen(alternatives: _Element) -> _Element:
    """Return one of the forms in which a thing is stored for programs of different age."""
    choice = alternatives.find(f"{_MC}Choice")
    fallback = alternatives.find(f"{_MC}Fallback")
    for form in (choice, fallback):
        if form is not None and any((text.text or "").strip() for text in form.iter(f"{W}t")):
            return form
    return alternatives.makeelement("nothing")


def _within(parent: _Element, tag: str, dropped: Callable[[_Element], bool]) -> Iterator[_Element]:
    """Yield the rows of a table or cells of a row, also within content controls."""
    for child in parent:
        if child.tag == tag:
            if not dropped(child):
                yield child
        elif child.tag not in _PASSED_OVER:
            yield from _within(child, tag, dropped)


def _changed(node: _Element, properties: str, change: str) -> bool:
    return node.find(f"{W}{properties}/{W}{change}") is not None


def _end_is_deleted(properties: _Element | None) -> bool:
    """Tell whether the paragraph's end was deleted or moved: its words then join the next."""
    if properties is None:
        return False
    return any(properties.find(f"{W}rPr/{W}{change}") is not None for change in ("del", "moveFrom"))


READER = Reader(name="docx", version=1, media_types=frozenset({MediaType.DOCX}), read=read_docx)
