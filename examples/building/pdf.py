"""Set a contract as a PDF with a text layer, running headers and page numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from building.source import Block, Source

if TYPE_CHECKING:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import Flowable

FAMILIES = {
    "Times": ("Times-Roman", "Times-Bold"),
    "Helvetica": ("Helvetica", "Helvetica-Bold"),
    "Courier": ("Courier", "Courier-Bold"),
}
INDENTS = (36.0, 36.0, 62.0, 88.0)
SPELLED = ("ARTICLE", "Section", "EXHIBIT", "Schedule", "Annex", "§")


class Setter:
    """Turns the blocks of one contract into flowables."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.regular, self.strong = FAMILIES[source.settings.get("font", "Times")]
        self.size = float(source.settings.get("size", "10.5"))

    def style(self, **changes: float | str) -> ParagraphStyle:
        """Give the contract's paragraph style with changes."""
        from reportlab.lib.styles import ParagraphStyle

        plain: dict[str, float | str] = {
            "fontName": self.regular,
            "fontSize": self.size,
            "leading": self.size * 1.3,
            "spaceAfter": self.size * 0.6,
            "alignment": 4,
            "bulletFontName": self.regular,
            "bulletFontSize": self.size,
        }
        return ParagraphStyle("contract", **(plain | changes))

    def markup(self, text: str, bold: bool = False) -> str:
        """Write a text in reportlab's markup."""
        marked = re.sub(r"\*\*(.+?)\*\*", rf'<font name="{self.strong}">\1</font>', escape(text))
        return f'<font name="{self.strong}">{marked}</font>' if bold else marked

    def flowables(self) -> Iterator[Flowable]:
        """Set every block in order."""
        rows: list[Block] = []
        for block in (*self.source.blocks, Block("body", "")):
            if block.kind == "row":
                rows.append(block)
                continue
            if rows:
                yield from self.table(rows)
                rows = []
            yield from self.paragraph(block)
            if block.kind == "heading" and block.text == "CONTENTS":
                yield from self.contents()

    def contents(self) -> Iterator[Flowable]:
        """List the clauses and schedules on a page of their own."""
        from reportlab.platypus import PageBreak, Paragraph

        style = self.style(alignment=0, spaceAfter=0)
        for block in self.source.blocks:
            clause = block.kind == "clause" and block.depth == 0 and not block.schedule
            if clause or block.kind == "schedule":
                yield Paragraph(self.markup(f"{block.label} {block.text}"), style)
        yield PageBreak()

    def paragraph(self, block: Block) -> Iterator[Flowable]:
        """Set one block that is no table row."""
        from reportlab.platypus import PageBreak, Paragraph, Spacer

        style, text = self.style(), self.markup(block.text)
        match block.kind:
            case "title":
                style = self.style(alignment=1, fontSize=self.size + 3, leading=20, spaceAfter=14)
                text = self.markup(block.text, bold=True)
            case "centre":
                style = self.style(alignment=1)
            case "heading":
                style = self.style(spaceBefore=10, keepWithNext=1, alignment=0)
                text = self.markup(block.text, bold=True)
            case "schedule":
                yield PageBreak()
                style = self.style(alignment=1, spaceAfter=12, keepWithNext=1)
                text = self.markup(f"{block.label}: {block.text}", bold=True)
            case "sign":
                style = self.style(spaceAfter=0, alignment=0)
                text = text.replace("  ", "&nbsp; ") or "&nbsp;"
            case "indent":
                style = self.style(leftIndent=36)
            case "party" | "recital" | "item" | "clause":
                yield self.numbered(block)
                return
            case _:
                if not block.text:
                    yield Spacer(1, self.size)
                    return
        yield Paragraph(text, style)

    def numbered(self, block: Block) -> Flowable:
        """Set a block with its number: hanging, or in line where the number is spelled out."""
        from reportlab.platypus import Paragraph

        heading = block.kind == "clause" and block.depth == 0
        bold = heading and not block.text.endswith(".")
        if block.label.startswith(SPELLED):
            centred = heading and not block.label.startswith("§")
            style = self.style(alignment=1 if centred else 4, keepWithNext=int(heading))
            return Paragraph(self.markup(f"{block.label}  {block.text}", bold), style)
        indent = 62.0 if block.kind == "item" else INDENTS[block.depth]
        style = self.style(
            leftIndent=indent,
            bulletIndent=indent - (36.0 if indent == INDENTS[0] else 26.0),
            keepWithNext=int(heading),
            spaceBefore=8 if heading else 0,
            bulletFontName=self.strong if bold else self.regular,
        )
        return Paragraph(self.markup(block.text, bold), style, bulletText=block.label)

    def table(self, rows: list[Block]) -> Iterator[Flowable]:
        """Set consecutive rows as a ruled table; the first is its heading."""
        from reportlab.platypus import Paragraph, Spacer, Table

        style = self.style(alignment=0, spaceAfter=0, fontSize=self.size - 1)
        cells = [
            [Paragraph(self.markup(cell, bold=not index), style) for cell in row.cells]
            for index, row in enumerate(rows)
        ]
        width = 450.0 / len(rows[0].cells)
        yield Table(
            cells,
            colWidths=[width] * len(rows[0].cells),
            repeatRows=1,
            style=[("GRID", (0, 0), (-1, -1), 0.5, "#808080"), ("VALIGN", (0, 0), (-1, -1), "TOP")],
        )
        yield Spacer(1, self.size)


def build_pdf(source: Source) -> bytes:
    """Set a contract on A4, or on US Letter where the source asks for it."""
    from reportlab import rl_config
    from reportlab.lib.pagesizes import A4, letter
    from reportlab.platypus import SimpleDocTemplate

    rl_config.invariant = 1
    setter, settings = Setter(source), source.settings

    def margins(canvas: Canvas, document: SimpleDocTemplate) -> None:
        width, height = document.pagesize
        canvas.setFont(setter.regular, 8.5)
        canvas.drawString(72, height - 42, settings["header"])
        canvas.drawCentredString(width / 2, 36, f"{settings['footer']}    Page {document.page}")

    target = io.BytesIO()
    document = SimpleDocTemplate(
        target,
        pagesize=letter if settings.get("paper") == "letter" else A4,
        leftMargin=72,
        rightMargin=72,
        topMargin=64,
        bottomMargin=64,
        title=settings["title"],
        author=settings.get("author", "Larch Supply"),
    )
    document.build(list(setter.flowables()), onFirstPage=margins, onLaterPages=margins)
    return target.getvalue()
