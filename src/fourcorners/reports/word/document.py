"""Writing a report as a Word document, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from fourcorners.reports.lines import is_right_to_left, text_lines
from fourcorners.reports.tree import (
    Block,
    BulletList,
    FactList,
    Kind,
    Note,
    Paragraph,
    QuoteBlock,
    Report,
    Row,
    Run,
    Section,
    Table,
    Tone,
)
from fourcorners.reports.word.elements import (
    Bookmarks,
    begin,
    element,
    end,
    field,
    parent_element,
    run,
    runs,
)
from fourcorners.text.invisible_characters import show_invisible, single_line

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_PARAGRAPHS: Final = {Kind.BODY: "Normal", Kind.NOTE: "Small Print", Kind.LABEL: "Lead In"}
_IN_TABLE: Final = {Kind.BODY: "Table Text", Kind.NOTE: "Table Note", Kind.LABEL: "Table Text"}
_DEEPEST: Final = 4  # heading style of the template
# A row of at most so many characters in any cell stays on one page.
_WHOLE_ROW: Final = 900


class Writer:
    """Writes the blocks of one report into one document."""

    def __init__(self, document: Document, styles: Mapping[str, str]) -> None:
        self._document = document
        self._styles = styles
        self._body = document.element.body
        self._bookmarks = Bookmarks()
        self._tables = 0
        section = document.sections[0]
        self._width = _twips(section.page_width) - _twips(section.left_margin) - _twips(
            section.right_margin
        )  # fmt: skip
        self._height = _twips(section.page_height) - _twips(section.left_margin) - _twips(
            section.right_margin
        )  # fmt: skip
        self._portrait = deepcopy(self._body.sectPr)

    def cover(self, report: Report) -> None:
        self._line("Title", report.project)
        self._line("Subtitle", report.title)
        if not report.contents:
            self._brief(report)
            return
        self.facts(FactList(tuple((name, (Run(value),)) for name, value in report.facts)))
        self._add(self._paragraph("Normal", (Run(report.status, Tone.STRONG),)))
        self._add(self._paragraph("Notice", (Run(report.notice),)))

    def _brief(self, report: Report) -> None:
        title = self._body.sectPr.getprevious().getprevious()
        _properties(title).append(element("spacing", before=0, after=0))
        _properties(title.getnext()).append(element("spacing", before=0, after=80))
        told = " · ".join(f"{name}: {value}" for name, value in report.facts)
        self._add(self._paragraph("Small Print", (Run(told),)))

    def notice(self, report: Report) -> None:
        """Write what to know first, where a short report has it: at its end."""
        self._add(self._paragraph("Notice", (Run(report.notice),)))

    def contents(self, report: Report) -> None:
        """Write the table of contents: a field, with its entries in it already.

        The page of each is for the program that lays out the pages: it updates the field.
        """
        heading = self._paragraph("TOC Heading", (Run("Contents"),))
        _properties(heading).append(element("pageBreakBefore"))
        self._add(heading)
        entries = [
            (level, number, section)
            for level, number, section in report.walk()
            if level == 1 or (level == 2 and not number[:1].isalpha())
        ]
        for at, (level, number, section) in enumerate(entries):
            entry = self._paragraph(f"toc {level}", ())
            apart = run("  ") if section.schedule else _tab()
            shown = [run(number), apart, run(single_line(section.title))]
            link = parent_element("hyperlink", *shown, anchor=section.anchor, history=1)
            if at == 0:
                entry.extend(begin('TOC \\o "1-2" \\h \\z \\u'))
            entry.append(link)
            if at == len(entries) - 1:
                entry.append(end())
            self._add(entry)

    def section(self, section: Section, level: int = 1) -> None:
        if section.wide:
            self._close_section(self._portrait)
        heading = self._paragraph(self._heading(section, level), (Run(single_line(section.title)),))
        if not section.numbered:
            _properties(heading).append(parent_element("numPr", element("numId", val=0)))
        if section.new_page and not section.wide:
            _before(_properties(heading), element("pageBreakBefore"))
        self._bookmarks.around(section.anchor, heading)
        self._add(heading)
        width = self._height if section.wide else self._width
        kept, self._width = self._width, width
        for at, block in enumerate(section.blocks):
            self.block(block)
            rest = (each for each in section.blocks[at:] if not isinstance(each, Paragraph))
            if isinstance(block, Paragraph) and isinstance(next(rest, None), Table):
                self._keep_with_next()
        for each in section.sections:
            deeper = Section(
                each.anchor, each.title, each.blocks, each.sections, section.schedule,
                numbered=each.numbered,
            )  # fmt: skip
            self.section(deeper, level + 1)
        self._width = kept
        if section.wide:
            self._close_section(_turned(self._portrait))

    def _heading(self, section: Section, level: int) -> str:
        if section.schedule and level <= 2:
            return f"Schedule Heading {level}"
        return f"heading {min(level, _DEEPEST)}"

    def block(self, block: Block) -> None:
        if isinstance(block, Paragraph):
            self._add(self._told(block, _PARAGRAPHS[block.kind]))
        elif isinstance(block, QuoteBlock):
            for paragraph in self._quoted(block, "Quote", "Unverified Quote", "Quote Source"):
                self._add(paragraph)
        elif isinstance(block, BulletList):
            for item in block.items:
                self._add(self._paragraph("List Bullet", item))
        elif isinstance(block, FactList):
            self.facts(block)
        else:
            self._table(block)

    def facts(self, block: FactList) -> None:
        """Write names and values as a table of two columns, on the page of what they are about."""
        table = self._grid("Report Facts", "Facts", (0.27, 0.73))
        for name, value in block.pairs:
            said = self._paragraph("Table Note", (Run(name),))
            _before(_properties(said), element("keepNext"))
            left = self._cell([said], 0.27)
            right = self._cell([self._paragraph("Table Text", value)], 0.73)
            table.append(
                parent_element("tr", parent_element("trPr", element("cantSplit")), left, right)
            )
        self._close_table(table)
        self._keep_with_next()

    def _table(self, block: Table) -> None:
        if block.titled:
            self._tables += 1
            caption = self._paragraph("caption", (Run("Table "),))
            caption.extend(field("SEQ Table \\* ARABIC", str(self._tables)))
            caption.append(run(f". {block.caption}"))
            self._add(caption)
        table = self._grid("Report Table", block.caption, block.widths)
        heads = [
            self._cell([self._paragraph("Table Heading", (Run(head),))], width)
            for head, width in zip(block.heads, block.widths, strict=True)
        ]
        kept = parent_element("trPr", element("cantSplit"), element("tblHeader"))
        table.append(parent_element("tr", kept, *heads))
        for each in block.rows:
            if each.group:
                table.append(self._group(each, len(block.heads)))
                continue
            cells = [
                self._cell(self._in_cell(blocks), width)
                for blocks, width in zip(each.cells, block.widths, strict=True)
            ]
            if each.anchor:
                first = next(cells[0].iterchildren(_qn("p")))
                self._bookmarks.around(each.anchor, first)
            made = element("tr")
            if all(_length(blocks) <= _WHOLE_ROW for blocks in each.cells):
                made.append(parent_element("trPr", element("cantSplit")))
            made.extend(cells)
            table.append(made)
        self._close_table(table)

    def _group(self, each: Row, columns: int) -> _Element:
        paragraphs = self._in_cell(each.cells[0])
        for paragraph in paragraphs:
            _before(_properties(paragraph), element("keepNext"))
        cell = self._cell(paragraphs, 1)
        cell[0].append(element("gridSpan", val=columns))
        return parent_element("tr", parent_element("trPr", element("cantSplit")), cell)

    def _in_cell(self, blocks: Iterable[Paragraph | QuoteBlock]) -> list[_Element]:
        made: list[_Element] = []
        for block in blocks:
            if isinstance(block, Paragraph):
                made.append(self._told(block, _IN_TABLE[block.kind]))
            else:
                made += self._quoted(block, "Table Quote", "Table Unverified Quote", "Table Note")
        return made

    def _told(self, block: Paragraph, style: str) -> _Element:
        paragraph = self._paragraph(style, block.runs)
        for note in block.notes:
            self._comment(paragraph, note)
        return paragraph

    def _quoted(self, block: QuoteBlock, style: str, claim: str, source: str) -> list[_Element]:
        said = "\n".join(text_lines(block.words))
        paragraph = self._paragraph(style if block.verified else claim, (Run(said),))
        if is_right_to_left(said):
            _properties(paragraph).append(element("bidi"))
        cite = list(block.source)
        if block.left_out:
            cite.append(Run(f" · {block.omission_note} ", Tone.WARNING))
            cite += [block.rest] if block.rest else []
        return [paragraph, self._paragraph(source, cite)]

    def _comment(self, paragraph: _Element, note: Note) -> None:
        from docx.oxml.text.run import CT_R
        from docx.text.run import Run as WordRun

        held = [
            WordRun(child, self._document._body) for child in paragraph if isinstance(child, CT_R)
        ]
        if not held:
            return
        name = single_line(note.by)
        initials = "".join(part[0] for part in name.split())[:3].upper()
        comment = self._document.add_comment(
            [held[0], held[-1]], text=show_invisible(note.text), author=name, initials=initials
        )
        comment._comment_elm.set(_qn("date"), _second(note.at))

    def _line(self, style: str, text: str) -> None:
        self._add(self._paragraph(style, (Run(single_line(text)),)))

    def _paragraph(self, style: str, words: Iterable[Run]) -> _Element:
        made = parent_element(
            "p", parent_element("pPr", element("pStyle", val=self._styles[style]))
        )
        made.extend(list(runs(words, self._styles)))
        return made

    def _keep_with_next(self) -> None:
        last = self._body[-1] if self._body.sectPr is None else self._body.sectPr.getprevious()
        if _properties(last).find(_qn("keepNext")) is None:
            _before(_properties(last), element("keepNext"))

    def _add(self, node: _Element) -> None:
        last = self._body.sectPr
        if last is None:
            self._body.append(node)
        else:
            last.addprevious(node)

    def _grid(self, style: str, caption: str, widths: Iterable[float]) -> _Element:
        shares = [round(self._width * width) for width in widths]
        properties = parent_element(
            "tblPr",
            element("tblStyle", val=self._styles[style]),
            element("tblW", w=sum(shares), type="dxa"),
            element("tblLayout", type="fixed"),
            element("tblLook", val="0420", firstRow=1, lastRow=0, firstColumn=0, lastColumn=0,
                    noHBand=0, noVBand=1),
            element("tblCaption", val=single_line(caption)),
        )  # fmt: skip
        columns = parent_element("tblGrid", *(element("gridCol", w=share) for share in shares))
        return parent_element("tbl", properties, columns)

    def _cell(self, paragraphs: list[_Element], width: float) -> _Element:
        size = parent_element("tcPr", element("tcW", w=round(self._width * width), type="dxa"))
        held = paragraphs or [self._paragraph("Table Text", ())]
        return parent_element("tc", size, *held)

    def _close_table(self, table: _Element) -> None:
        """Add a table and the paragraph that Word wants between two of them."""
        self._add(table)
        after = self._paragraph("Small Print", ())
        self._add(after)

    def _close_section(self, properties: _Element) -> None:
        last = self._paragraph("Small Print", ())
        _properties(last).append(deepcopy(properties))
        self._add(last)


def _turned(properties: _Element) -> _Element:
    """Return a section's properties with its pages on their side."""
    made = deepcopy(properties)
    size = made.find(_qn("pgSz"))
    if size is not None:
        wide, high = size.get(_qn("w")), size.get(_qn("h"))
        size.set(_qn("w"), str(high))
        size.set(_qn("h"), str(wide))
        size.set(_qn("orient"), "landscape")
    first = made.find(_qn("titlePg"))
    if first is not None:
        made.remove(first)
    return made


def _qn(tag: str) -> str:
    from docx.oxml.ns import qn

    return qn(f"w:{tag}")


def _properties(paragraph: _Element) -> _Element:
    found: _Element = paragraph[0]
    return found


def _before(properties: _Element, node: _Element) -> None:
    """Put a property right after the style, where the schema wants it."""
    properties.insert(1, node)


def _tab() -> _Element:
    return parent_element("r", element("tab"))


def _length(blocks: Iterable[Paragraph | QuoteBlock]) -> int:
    return sum(
        len(block.words) if isinstance(block, QuoteBlock) else sum(len(r.text) for r in block.runs)
        for block in blocks
    )


def _twips(length: int | None) -> int:
    return round((length or 0) / 635)  # 635 English metric units a twentieth of a point


def _second(at: str) -> str:
    """Return a time as Word writes it; the epoch where there is none, never the present."""
    try:
        told = datetime.fromisoformat(at)
    except ValueError:
        told = datetime(1970, 1, 1, tzinfo=UTC)
    return told.strftime("%Y-%m-%dT%H:%M:%SZ")
