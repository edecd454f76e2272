"""The walk through a Word document: its accepted words in order, with marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from fourcorners.documents.document import STRUCK_THROUGH, MarkKind
from fourcorners.documents.docx.comments import COMMENTS, CommentPlaces
from fourcorners.documents.docx.fields import (
    FieldState,
    button_text,
    control_sign,
    form_field_text,
    parse_field_code,
)
from fourcorners.documents.docx.numbering import Numbering
from fourcorners.documents.docx.resolved_changes import (
    ADDED,
    REMOVED,
    describe_change,
    is_deleted_cell,
    lacks_end,
    remaining_children,
)
from fourcorners.documents.docx.sight import (
    CHARACTERS,
    DRAWN_WORDS,
    IGNORED,
    NOTES,
    SHAPES,
    has_cell_shading,
    is_squeezed_paragraph,
    is_squeezed_row,
    is_unseen_shape,
    shown_form,
    symbol_text,
)
from fourcorners.documents.docx.styles import (
    MC,
    TEXT,
    ParagraphFormat,
    RunState,
    Styles,
    W,
    has_shading,
    on_off,
    paragraph_format,
    parse_integer,
    val_attribute,
)
from fourcorners.documents.fragment import (
    END_OF_DIRECTION,
    RIGHT_TO_LEFT,
    Fragment,
    drop_empty_blocks,
    footnote,
    is_all_hidden,
    join_fragments,
)

if TYPE_CHECKING:
    from lxml.etree import _Element


_LINE_ENDS = re.compile(r"[\r\n\t]+")  # white space in XML: a real line end is an element
MAX_NESTED_TABLES = 20  # below this depth a table's cells are paragraphs


@dataclass(slots=True)
class DocumentWalker:
    """The walk through a document.

    `read_embedded` returns the text of an embedded document by the element that shows it;
    `unread_fields` are the kinds of fields that show words which are not stored.
    """

    styles: Styles
    numbering: Numbering
    comments: CommentPlaces = field(default_factory=CommentPlaces)
    read_embedded: Callable[[_Element], list[Fragment]] = lambda _: []
    authors: set[str] = field(default_factory=set)
    unread_fields: list[str] = field(default_factory=list)
    hidden: bool = False
    cited_notes: dict[str, dict[str, int]] = field(default_factory=dict)  # numbers by kind and id
    _boxes: Numbering = field(init=False)  # text boxes count apart, all of them together
    _pending: Fragment = field(default_factory=Fragment)  # of a paragraph whose end was removed
    _run_in_lead: Fragment | None = None  # a paragraph whose end is hidden: the next continues it
    _fields: FieldState[RunState] = field(default_factory=FieldState)
    _heading: int | None = None  # the level of the paragraph, if it is a heading
    _table_depth: int = 0
    _shading_depth: int = 0  # surrounding shaded tables, cells and boxes
    _unseen_depth: int = 0  # surrounding rows, paragraphs and boxes that show nothing
    struck: bool = False  # some words are struck through

    def __post_init__(self) -> None:
        self._boxes = self.numbering.fresh_copy()

    def blocks(self, parent: _Element) -> list[Fragment]:
        found = self._read_blocks(parent)
        rests = (self._run_in_lead, self._pending)  # nothing follows for them to join
        found += (rest for rest in rests if rest is not None and len(rest))
        self._pending, self._run_in_lead = Fragment(), None
        return drop_empty_blocks(found)

    def _read_blocks(self, parent: _Element) -> list[Fragment]:
        fragments: list[Fragment] = []
        for child in parent:
            if child.tag == f"{W}p":
                fragments += self._read_paragraph(child)
            elif child.tag == f"{W}tbl" and self._table_depth < MAX_NESTED_TABLES:
                if self._run_in_lead is not None:
                    fragments.append(self._run_in_lead)
                    self._run_in_lead = None
                self._table_depth += 1
                fragments.append(self._read_table(child))
                self._table_depth -= 1
            elif child.tag == f"{MC}AlternateContent":
                fragments += self._read_blocks(shown_form(child))
            elif child.tag in COMMENTS:
                self.comments.mark(child, self._pending)
            elif child.tag in REMOVED:
                self._mark_change(child, self._pending)
            elif child.tag == f"{W}altChunk":
                fragments += self.read_embedded(child)
            elif child.tag not in IGNORED:
                self._record_author(child)
                fragments += self._read_blocks(child)
        return fragments

    def notes(self, kind: str, root: _Element | None) -> list[Fragment]:
        if root is None:
            return []
        self.numbering = self.numbering.fresh_copy()
        by_id = {note.get(f"{W}id", ""): note for note in root}
        fragments: list[Fragment] = []
        numbers = self.cited_notes.setdefault(kind, {})
        waiting = list(numbers)
        for note_id in waiting:
            if note_id in by_id:
                words = join_fragments(self.blocks(by_id[note_id]), "\n")
                fragments.append(footnote(numbers[note_id], words, kind))
                if len(numbers) > len(waiting):  # it cites notes itself
                    waiting += islice(numbers, len(waiting), None)
        return fragments

    def _read_paragraph(self, node: _Element) -> list[Fragment]:
        """Return the paragraph, followed by its text boxes as paragraphs."""
        properties = node.find(f"{W}pPr")
        style = val_attribute(properties, "pStyle") or self.styles.default
        direct = paragraph_format(properties, None)
        whole = not lacks_end(node)
        # Numbered before its text boxes, and not at all if it is part of the next one.
        paragraph = self._start_paragraph(style, direct) if whole else Fragment()
        words, boxes = self._pending, list[Fragment]()
        self._pending = Fragment()
        self.comments.start_paragraph(words)
        self._heading = self.styles.heading_level(style, direct)
        inherited = self.styles.resolve(style)
        run = RunState.of_paragraph(inherited, self.styles)
        shaded = direct.has_shading or inherited.has_shading
        with self._around(shaded=shaded, unseen=is_squeezed_paragraph(properties)):
            self._add_inline(node, words, boxes, run)
            for withheld, its_run in self._fields.flush_paragraph():
                self._add_text(withheld, words, its_run)
        self.comments.end_paragraph(words)
        if not whole:
            self._pending = words
            return boxes
        if words.text.strip() or words.marks:
            paragraph.extend(words)
        if words.text.strip() and self._heading is not None:
            paragraph.mark(MarkKind.HEADING, 0, str(self._heading))
        return self._join_run_in(node, paragraph, boxes)

    def _join_run_in(
        self, node: _Element, paragraph: Fragment, boxes: list[Fragment]
    ) -> list[Fragment]:
        """Join the paragraph to the previous one if the end of that is hidden, as Word does."""
        mark = node.find(f"{W}pPr/{W}rPr")
        words = paragraph.text
        shows = not (on_off(mark, "vanish") or on_off(mark, "specVanish"))
        shows = shows or not words.strip() or is_all_hidden(paragraph)
        lead, self._run_in_lead = self._run_in_lead, None
        if lead is not None:
            if words and not (words[0].isspace() or lead.pieces[-1][-1:].isspace()):
                lead.add(" ")
            lead.extend(paragraph)
            paragraph = lead
        if shows:
            return [paragraph, *boxes]
        self._run_in_lead = paragraph
        return boxes

    @contextmanager
    def _around(self, *, shaded: bool | None = False, unseen: bool = False) -> Iterator[None]:
        """Count a dark background, or an invisible place, while its contents are read."""
        self._shading_depth += bool(shaded)
        self._unseen_depth += unseen
        try:
            yield
        finally:
            self._shading_depth -= bool(shaded)
            self._unseen_depth -= unseen

    def _start_paragraph(self, style: str, direct: ParagraphFormat) -> Fragment:
        paragraph = Fragment()
        label = self.numbering.label(style, direct)
        if label is not None and label.text:
            paragraph.add(label.text, MarkKind.NUMBER, str(label.level + 1))
            paragraph.add(label.suffix)
        return paragraph

    def _add_inline(
        self, node: _Element, words: Fragment, boxes: list[Fragment], run: RunState
    ) -> None:
        for child in node:
            tag = child.tag
            if tag in IGNORED:
                if tag == f"{W}instrText":
                    self._fields.add_code(child)
            elif tag in REMOVED:
                self._mark_change(child, words)
            elif tag in ADDED:
                self._record_author(child)
                inserted = replace(run, change=describe_change(child))
                self._add_inline(child, words, boxes, inserted)
            elif tag == f"{W}r":
                properties = child.find(f"{W}rPr")
                self._add_inline(child, words, boxes, run.derive(properties, self.styles))
            elif tag == f"{W}txbxContent":
                boxes += self._read_text_box(child)
            elif tag == f"{MC}AlternateContent":
                self._add_inline(shown_form(child), words, boxes, run)
            elif tag in SHAPES:
                with self._around(unseen=is_unseen_shape(child)):
                    self._add_inline(child, words, boxes, run)
            else:
                self._add_element(child, words, boxes, run)

    def _add_element(
        self, node: _Element, words: Fragment, boxes: list[Fragment], run: RunState
    ) -> None:
        """Add the words of an element that is no run, change or shape."""
        tag, start = node.tag, len(words)
        if tag == f"{W}sdt" and (sign := control_sign(node)):
            self._add_text(sign, words, run)
        elif tag == f"{W}bdo" and node.get(f"{W}val") == "rtl":
            self._add_text(RIGHT_TO_LEFT, words, run)
            self._add_inline(node, words, boxes, run)
            self._add_text(END_OF_DIRECTION, words, run)
        elif tag == f"{W}ruby":
            for child in sorted(node, key=lambda each: each.tag == f"{W}rt"):
                self._add_text(" " if child.tag == f"{W}rt" else "", words, run)
                self._add_inline(child, words, boxes, run)
        elif tag == DRAWN_WORDS:
            box = Fragment()
            self._add_text(node.get("string", ""), box, run)
            boxes.append(box)
        elif not self._add_character(node, words, run):
            self._add_inline(node, words, boxes, run)
            if tag == f"{W}fldSimple" and len(words) == start and not self._fields.in_code:
                self._add_field(node.get(f"{W}instr") or "", words, run)

    def _add_character(self, node: _Element, words: Fragment, run: RunState) -> bool:
        """Add the words of an element without children; return whether it was one."""
        tag = node.tag
        if tag == f"{W}delText":
            return True
        if tag in TEXT:
            self._add_text(_LINE_ENDS.sub(" ", node.text or ""), words, run)
        elif tag in CHARACTERS:
            self._add_text(CHARACTERS[tag], words, run)
        elif tag == f"{W}sym":
            self._add_text(symbol_text(node), words, replace(run, in_symbols=False))
        elif tag == f"{W}fldChar":
            self._add_text(form_field_text(node), words, run)
            self._add_field(self._fields.update(node), words, run)
        elif tag in NOTES:
            self._add_note_reference(node, words)
        elif tag in COMMENTS:
            self.comments.mark(node, words)
        else:
            return False
        return True

    def _add_field(self, text: str, words: Fragment, run: RunState) -> None:
        """Add what a field without a stored result shows, or note that it was not read."""
        code = parse_field_code(text)
        if code is None:
            return
        start, leads = len(words), not words.text.strip()
        label = self.numbering.field_label(code, self._heading, leads=leads)
        if label is not None:
            self._add_text(label.text, words, run)
            words.mark(MarkKind.NUMBER, start, str(label.level + 1))
        elif shown := button_text(text):
            self._add_text(shown, words, run)
        elif code.shows_words:
            self.unread_fields.append(code.kind)

    def _add_text(self, words: str, into: Fragment, run: RunState) -> None:
        if not words:
            return
        if self._fields.in_code:
            self._fields.is_hidden_text(words, run)
            return
        start = len(into)
        into.add(words)
        if run.change is not None:
            into.mark(MarkKind.INSERTED, start, run.change)
        if run.bold:
            into.mark(MarkKind.BOLD, start)
        if run.struck and words.strip():
            self.struck = True
            into.mark(MarkKind.DELETED, start, STRUCK_THROUGH)
        unseen = run.hidden or run.in_symbols or self._unseen_depth
        if unseen or (run.invisible and not self._shading_depth):
            self.hidden = True
            into.mark(MarkKind.HIDDEN, start)

    def _add_note_reference(self, node: _Element, words: Fragment) -> None:
        numbers = self.cited_notes.setdefault(NOTES[node.tag], {})
        number = numbers.setdefault(node.get(f"{W}id", ""), len(numbers) + 1)
        words.add(f"[{number}]", MarkKind.NUMBER, NOTES[node.tag])

    def _read_text_box(self, node: _Element) -> list[Fragment]:
        around = self._pending, self._run_in_lead, self.numbering, self._heading
        self._pending, self._run_in_lead = Fragment(), None
        self.numbering = self._boxes
        # A box's own colour is handled elsewhere.
        with self._around(shaded=True), self.comments.apart():
            found = self.blocks(node)
        for each in found:
            each.mark(MarkKind.TEXT_BOX, 0)
        self._pending, self._run_in_lead, self.numbering, self._heading = around
        return found

    def _read_table(self, node: _Element) -> Fragment:
        rows: list[Fragment] = []
        shaded = has_cell_shading(node)
        gone = Fragment()  # rows left out: the next row carries their marks

        def left_out(row: _Element) -> bool:
            change = row.find(f"{W}trPr/{W}del")
            if change is not None:
                self._mark_change(row, gone, change)
            return change is not None

        for number, row in enumerate(remaining_children(node, f"{W}tr", left_out), 1):
            with self._around(shaded=shaded, unseen=is_squeezed_row(row)):
                line = self._read_row(row, number)
            if line.text.strip(" |\n"):
                line.marks[:0] = gone.marks  # they mark the place where it starts
                gone.marks = []
                rows.append(line)
            else:
                gone.marks += line.points()
        table = join_fragments(rows, "\n")
        table.extend(gone)
        table.mark(MarkKind.TABLE, 0)
        return table

    def _read_row(self, row: _Element, number: int) -> Fragment:
        cells: list[Fragment] = []
        column = 1 + (parse_integer(val_attribute(row.find(f"{W}trPr"), "gridBefore")) or 0)
        change = row.find(f"{W}trPr/{W}ins")
        for cell in remaining_children(row, f"{W}tc", is_deleted_cell):
            properties = cell.find(f"{W}tcPr")
            with self._around(shaded=has_shading(properties)):
                found = self._read_cell(cell)
            found.mark(MarkKind.CELL, 0, f"{number},{column}")
            if change is not None:
                self._record_author(change)
                found.mark(MarkKind.INSERTED, 0, describe_change(change))
            cells.append(found)
            column += max(1, parse_integer(val_attribute(properties, "gridSpan")) or 1)
        return join_fragments(cells, " | ")

    def _read_cell(self, node: _Element) -> Fragment:
        merged = node.find(f"{W}tcPr/{W}vMerge")
        if merged is not None and merged.get(f"{W}val") != "restart":
            return Fragment()  # the cell above extends down here
        return join_fragments(self.blocks(node), "\n")

    def _mark_change(self, node: _Element, words: Fragment, change: _Element | None = None) -> None:
        """Mark the place of omitted words, with the words and who changed them."""
        change = node if change is None else change
        self._record_author(change)
        typed = "".join(text.text or "" for text in node.iter(*TEXT))
        if typed.strip():
            words.mark_point(MarkKind.DELETED, f"{describe_change(change)}: {typed}")

    def _record_author(self, node: _Element) -> None:
        if (author := node.get(f"{W}author")) is not None:
            self.authors.add(author or "unknown")
