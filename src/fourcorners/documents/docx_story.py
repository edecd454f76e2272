"""The walk through a Word document: its words in order, with marks, in one of two versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.documents.docx_changes import ACCEPTED, Version, who
from fourcorners.documents.docx_fields import Fields, form_field
from fourcorners.documents.docx_look import shaded, unseen
from fourcorners.documents.docx_styles import (
    ParagraphFormat,
    Styles,
    W,
    flag,
    integer,
    paragraph_format,
    value,
)
from fourcorners.documents.fragment import Fragment, joined
from fourcorners.documents.numbering import Numbering
from fourcorners.text.span import Span

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
    "F0A3": "\u2610", "F0A4": "\u25c9", "F0D8": "\u2022",
}  # fmt: skip
# Properties, field codes, and what is drawn elsewhere: no words of the text.
_PASSED_OVER = frozenset(
    f"{W}{name}"
    for names in (
        ("instrText", "delInstrText", "fldData", "rubyPr", "rt"),
        ("pPr", "rPr", "sdtPr", "sdtEndPr", "tblPr", "tblGrid", "trPr", "tcPr", "sectPr"),
    )
    for name in names
)
_TEXT = frozenset({f"{W}t", f"{W}delText", f"{_MATH}t"})
_NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}
_LONGEST_COMMENT = 30  # paragraphs that one comment is about, at most
_COMMENTS = frozenset(
    {f"{W}commentRangeStart", f"{W}commentRangeEnd", f"{W}commentReference"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Run:
    """What holds for the words being read."""

    hidden: bool = False
    unseen: bool = False
    style_bold: bool = False
    bold: bool = False
    change: str | None = None  # who made the change that the words are part of
    kind: MarkKind = MarkKind.INSERTED

    def within(self, properties: _Element | None, styles: Styles) -> _Run:
        """Return what holds within a run of characters."""
        style = styles.resolve(value(properties, "rStyle") or "")
        hidden, bold = flag(properties, "vanish"), flag(properties, "b")
        if hidden is None:
            hidden = style.hidden
        pale = unseen(properties)
        if pale is None:
            pale = style.unseen
        if bold is None:  # a style within a style turns bold off again
            bold = self.style_bold != style.bold if style.bold is not None else None
        return replace(
            self,
            hidden=self.hidden if hidden is None else hidden,
            unseen=self.unseen if pale is None else pale,
            bold=self.bold if bold is None else bold,
        )


@dataclass(slots=True)
class Story:
    """The walk: what has been counted, kept back and noticed on the way.

    `comments` are the words of each comment by its id. What is in `authors` changed something.
    """

    styles: Styles
    numbering: Numbering
    version: Version = ACCEPTED
    comments: dict[str, str] = field(default_factory=dict)
    authors: set[str] = field(default_factory=set)
    hidden: bool = False
    cited: dict[str, list[str]] = field(default_factory=dict)  # ids of notes in order of reference
    _boxes: Numbering = field(init=False)  # text boxes count apart, all of them together
    _kept: Fragment = field(default_factory=Fragment)  # of a paragraph whose end is not there
    _lead: Fragment | None = None  # a paragraph whose end does not show: the next runs on
    _open: dict[str, tuple[int, int]] = field(default_factory=dict)  # comments: start, paragraphs
    _placed: set[str] = field(default_factory=set)  # comments that have a mark
    _fields: Fields[_Run] = field(default_factory=Fields)
    _grounds: int = 0  # shaded tables, cells and boxes around: white letters show on them

    def __post_init__(self) -> None:
        self._boxes = self.numbering.aside()

    def blocks(self, parent: _Element) -> list[Fragment]:
        """Return the paragraphs and tables below an element, each as one fragment."""
        found = self._blocks(parent)
        for rest in (self._lead, self._kept):  # nothing follows that it could join
            if rest is not None and len(rest):
                found.append(rest)
        self._kept, self._lead = Fragment(), None
        return _with_words(found)

    def _blocks(self, parent: _Element) -> list[Fragment]:
        found: list[Fragment] = []
        for child in parent:
            if child.tag == f"{W}p":
                found += self._paragraph(child)
            elif child.tag == f"{W}tbl":
                if self._lead is not None:
                    found.append(self._lead)
                    self._lead = None
                found.append(self._table(child))
            elif child.tag == f"{_MC}AlternateContent":
                found += self._blocks(_chosen(child))
            elif child.tag in _COMMENTS:
                self._comment(child, self._kept)
            elif child.tag in self.version.left_out:
                self._note_change(child, self._kept)
            elif child.tag not in _PASSED_OVER:
                self._note_author(child)
                found += self._blocks(child)
        return found

    def notes(self, kind: str, root: _Element | None) -> list[Fragment]:
        """Return the notes that the text refers to, each marked, in the order of reference."""
        if root is None:
            return []
        self.numbering = self.numbering.aside()
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
        properties = self.version.properties(node.find(f"{W}pPr"))
        style = value(properties, "pStyle") or self.styles.default
        direct = paragraph_format(properties, None)
        whole = not self.version.lacks_end(node)
        # Numbered before its text boxes are, and not at all where it is part of the next one.
        paragraph = self._numbered(style, direct) if whole else Fragment()
        words, boxes = self._kept, list[Fragment]()
        self._kept = Fragment()
        self._open = {
            comment: (len(words), lasted + 1)
            for comment, (_, lasted) in self._open.items()
            if lasted < _LONGEST_COMMENT
        }
        inherited = self.styles.resolve(style)
        bold = self.styles.bold if inherited.bold is None else inherited.bold
        run = _Run(
            hidden=inherited.hidden or False,
            unseen=inherited.unseen or False,
            style_bold=bold,
            bold=bold,
        )
        with self._on_ground(direct.shaded or inherited.shaded):
            self._inline(node, words, boxes, run)
            for withheld, its_run in self._fields.end_of_paragraph():
                self._say(withheld, words, its_run)
        for comment, (start, _) in self._open.items():
            words.mark(MarkKind.COMMENT, start, self.comments[comment])
        if not whole:
            self._kept = words
            return boxes
        if words.text.strip() or words.marks:
            paragraph.extend(words)
        if words.text.strip():
            heading = self.styles.heading_level(style, direct)
            if heading is not None:
                paragraph.mark(MarkKind.HEADING, 0, str(heading))
        return self._run_in(node, paragraph, boxes)

    def _run_in(self, node: _Element, paragraph: Fragment, boxes: list[Fragment]) -> list[Fragment]:
        """Join the paragraph to the one before where its end does not show, as Word draws it."""
        mark = node.find(f"{W}pPr/{W}rPr")
        words = paragraph.text
        shows = not (flag(mark, "vanish") or flag(mark, "specVanish"))
        shows = shows or not words.strip() or _all_hidden(paragraph)
        lead, self._lead = self._lead, None
        if lead is not None:
            if words and not (words[0].isspace() or lead.pieces[-1][-1:].isspace()):
                lead.add(" ")
            lead.extend(paragraph)
            paragraph = lead
        if shows:
            return [paragraph, *boxes]
        self._lead = paragraph
        return boxes

    @contextmanager
    def _on_ground(self, there: bool | None) -> Iterator[None]:
        """Count a ground that white letters show on, while what stands on it is read."""
        self._grounds += bool(there)
        try:
            yield
        finally:
            self._grounds -= bool(there)

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
                continue
            if tag in self.version.left_out:
                self._note_change(child, words)
            elif tag in self.version.taken_in:
                self._note_author(child)
                kind = self.version.kind_taken_in
                self._inline(child, words, boxes, replace(run, change=who(child), kind=kind))
            elif tag == f"{W}r":
                properties = self.version.properties(child.find(f"{W}rPr"))
                self._inline(child, words, boxes, run.within(properties, self.styles))
            elif tag == f"{W}txbxContent":
                boxes += self._box(child)
            elif tag == f"{_MC}AlternateContent":
                self._inline(_chosen(child), words, boxes, run)
            elif not self._sign(child, words, run):
                self._inline(child, words, boxes, run)

    def _sign(self, node: _Element, words: Fragment, run: _Run) -> bool:
        """Add the words of an element that holds no others; tell whether it was one."""
        tag = node.tag
        if tag == f"{W}delText" and not self.version.reads_deleted:
            return True
        if tag in _TEXT:
            self._say(_LINE_ENDS.sub(" ", node.text or ""), words, run)
        elif tag in _SIGNS:
            self._say(_SIGNS[tag], words, run)
        elif tag == f"{W}sym":
            code = (node.get(f"{W}char") or "").upper()
            self._say(_SYMBOLS.get(code, "\ufffd"), words, run)
        elif tag == f"{W}fldChar":
            self._say(form_field(node), words, run)
            self._fields.see(node)
        elif tag in _NOTES:
            self._cite(node, words)
        elif tag in _COMMENTS:
            self._comment(node, words)
        else:
            return False
        return True

    def _say(self, words: str, into: Fragment, run: _Run) -> None:
        if not words:
            return
        if self._fields.in_code:
            self._fields.withhold(words, run)
            return
        start = len(into)
        into.add(words)
        if run.change is not None:
            into.mark(run.kind, start, run.change)
        if run.bold:
            into.mark(MarkKind.BOLD, start)
        if run.hidden or (run.unseen and not self._grounds):
            self.hidden = True
            into.mark(MarkKind.HIDDEN, start)

    def _cite(self, node: _Element, words: Fragment) -> None:
        cited = self.cited.setdefault(_NOTES[node.tag], [])
        cited.append(node.get(f"{W}id", ""))
        words.add(f"[{len(cited)}]", MarkKind.NUMBER, _NOTES[node.tag])

    def _comment(self, node: _Element, words: Fragment) -> None:
        """Mark the words that a comment is about; a comment on no words marks its place."""
        name = node.get(f"{W}id", "")
        said = self.comments.get(name)
        if said is None:
            return
        if node.tag == f"{W}commentRangeStart":
            self._open[name] = len(words), 0
            self._placed.add(name)
        elif name in self._open:
            start, _ = self._open.pop(name)
            words.mark(MarkKind.COMMENT, start, said)
            if start >= len(words):
                words.point(MarkKind.COMMENT, said)
        elif node.tag == f"{W}commentReference" and name not in self._placed:
            self._placed.add(name)
            words.point(MarkKind.COMMENT, said)

    def _box(self, node: _Element) -> list[Fragment]:
        """Read a text box apart from the paragraph that it hangs on."""
        kept, lead, opened, numbering = self._kept, self._lead, self._open, self.numbering
        self._kept, self._lead, self._open, self.numbering = Fragment(), None, {}, self._boxes
        with self._on_ground(there=True):  # of the box's own colour, which is told elsewhere
            found = self.blocks(node)
        self._kept, self._lead, self._open, self.numbering = kept, lead, opened, numbering
        return found

    def _table(self, node: _Element) -> Fragment:
        rows: list[Fragment] = []
        gone = Fragment()  # rows left out: the next row carries their marks

        def left_out(row: _Element) -> bool:
            change = row.find(f"{W}trPr/{W}{self.version.row_left_out}")
            if change is not None:
                self._note_change(row, gone, change)
            return change is not None

        for number, row in enumerate(_within(node, f"{W}tr", left_out), 1):
            line = Fragment()
            line.extend(gone)
            gone.marks.clear()
            with self._on_ground(_is_coloured(node)):
                line.extend(self._row(row, number))
            if line.text.strip(" |\n"):
                rows.append(line)
            else:
                gone.marks += [Mark(mark.kind, Span(0, 0), mark.detail) for mark in line.marks]
        table = joined(rows, "\n")
        table.extend(gone)
        table.mark(MarkKind.TABLE, 0)
        return table

    def _row(self, row: _Element, number: int) -> Fragment:
        cells: list[Fragment] = []
        column = 1 + (integer(value(row.find(f"{W}trPr"), "gridBefore")) or 0)
        change = row.find(f"{W}trPr/{W}{self.version.row_taken_in}")
        for cell in _within(
            row,
            f"{W}tc",
            lambda cell: cell.find(f"{W}tcPr/{W}{self.version.cell_left_out}") is not None,
        ):
            properties = cell.find(f"{W}tcPr")
            with self._on_ground(shaded(properties)):
                found = self._cell(cell)
            found.mark(MarkKind.CELL, 0, f"{number},{column}")
            if change is not None:
                self._note_author(change)
                found.mark(self.version.kind_taken_in, 0, who(change))
            cells.append(found)
            column += max(1, integer(value(properties, "gridSpan")) or 1)
        return joined(cells, " | ")

    def _cell(self, node: _Element) -> Fragment:
        merged = node.find(f"{W}tcPr/{W}vMerge")
        if merged is not None and merged.get(f"{W}val") != "restart":
            return Fragment()  # the cell above reaches down here
        return joined(self.blocks(node), "\n")

    def _note_change(self, node: _Element, words: Fragment, change: _Element | None = None) -> None:
        """Mark the place where words were left out, with what they are and who changed them."""
        change = node if change is None else change
        self._note_author(change)
        said = "".join(text.text or "" for text in node.iter(*_TEXT))
        if said.strip():
            words.point(self.version.kind_left_out, f"{who(change)}: {said}")

    def _note_author(self, node: _Element) -> None:
        author = node.get(f"{W}author")
        if author is not None:
            self.authors.add(author or "unknown")


def _with_words(blocks: list[Fragment]) -> list[Fragment]:
    """Return the blocks that hold words; they take over the marks of those that hold none."""
    found: list[Fragment] = []
    waiting: list[Mark] = []
    for block in blocks:
        if block.text.strip():
            block.marks[:0] = waiting
            found.append(block)
            waiting = []
        else:
            waiting += [Mark(mark.kind, Span(0, 0), mark.detail) for mark in block.marks]
    for mark in waiting if found else ():
        found[-1].point(mark.kind, mark.detail)
    return found


def _is_coloured(table: _Element) -> bool:
    """Tell whether a table may have coloured cells: its style can say so, which is not read."""
    properties = table.find(f"{W}tblPr")
    return shaded(properties) or value(properties, "tblStyle") not in (None, "TableGrid")


def _all_hidden(paragraph: Fragment) -> bool:
    hidden = sum(len(mark.span) for mark in paragraph.marks if mark.kind is MarkKind.HIDDEN)
    return hidden >= len(paragraph.text.strip())


def _chosen(alternatives: _Element) -> _Element:
    """Return one of the forms in which a thing is stored for programs of different age."""
    choice = alternatives.find(f"{_MC}Choice")
    fallback = alternatives.find(f"{_MC}Fallback")
    for form in (choice, fallback):
        if form is not None and any((text.text or "").strip() for text in form.iter(*_TEXT)):
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
