"""Write a contract as a Word file whose numbers exist only in its list definitions."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal
from xml.sax.saxutils import escape

from building.numbering import Level
from building.source import Block, Source

ZIP_DATE = (2026, 1, 5, 9, 0, 0)

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml"
NUM_BODY, NUM_PARTY, NUM_RECITAL, NUM_SCHEDULE, NUM_ITEM, NUM_INNER = 1, 2, 3, 4, 100, 200
INDENTS = ((720, 720), (720, 720), (1440, 720), (2160, 720))
RUN = re.compile(r"\*\*(.+?)\*\*")


def runs(text: str, tag: Callable[[str, bool], str]) -> str:
    """Split a text at ``**bold**`` and write each part by ``tag(text, bold)``."""
    parts = RUN.split(text)
    return "".join(tag(part, index % 2 == 1) for index, part in enumerate(parts) if part)


def word_run(text: str, bold: bool) -> str:
    """Write one run of a Word paragraph."""
    properties = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


@dataclass(slots=True)
class WordNumbers:
    """Which list each paragraph belongs to; every restart is a list of its own."""

    linked: bool
    items: int = 0

    def properties(self, block: Block) -> str:
        """Write the paragraph properties that make Word number it."""
        if block.kind == "clause" and not block.schedule:
            return self._clause(block)
        if block.kind == "clause":
            style = f'<w:pStyle w:val="Inner{block.depth + 1}"/>' if self.linked else ""
            return style + num_pr(NUM_INNER + block.schedule, block.depth)
        if block.kind == "schedule":
            return '<w:pStyle w:val="ScheduleTitle"/>'
        if block.kind == "item":
            self.items += block.restart or not self.items
            return num_pr(NUM_ITEM + self.items, 0)
        lists = {"party": NUM_PARTY, "recital": NUM_RECITAL}
        return num_pr(lists[block.kind], 0) if block.kind in lists else ""

    def _clause(self, block: Block) -> str:
        if not self.linked:
            keep = "<w:keepNext/>" if block.depth == 0 else ""
            return keep + num_pr(NUM_BODY, block.depth)
        # A clause with a run-in heading has a style that inherits its number.
        heading = "Headed" if block.depth == 1 and block.text.startswith("**") else ""
        return f'<w:pStyle w:val="Clause{block.depth + 1}{heading}"/>'


def num_pr(num: int, depth: int) -> str:
    """Write a direct reference to a list."""
    return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{num}"/></w:numPr>'


def word_paragraph(block: Block, numbers: WordNumbers) -> str:
    """Write one block as a Word paragraph."""
    centred = '<w:jc w:val="center"/>'
    direct = {
        "title": f'<w:spacing w:before="360" w:after="240"/>{centred}',
        "centre": centred,
        "heading": '<w:keepNext/><w:spacing w:before="240"/>',
        "indent": '<w:ind w:left="720"/>',
        "sign": '<w:keepNext/><w:spacing w:after="0"/><w:jc w:val="left"/>',
    }
    properties = direct.get(block.kind) or numbers.properties(block)
    bold = block.kind in ("title", "heading", "schedule")
    bold = bold or (block.kind == "clause" and block.depth == 0 and not block.text.endswith("."))
    text = f"**{block.text}**" if bold and "**" not in block.text else block.text
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs(text, word_run)}</w:p>"


def word_table(rows: list[Block]) -> str:
    """Write consecutive rows as a ruled table; the first is its heading."""
    borders = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="808080"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    width = 9000 // len(rows[0].cells)
    grid = f'<w:gridCol w:w="{width}"/>' * len(rows[0].cells)
    body = ""
    for index, row in enumerate(rows):
        texts = row.cells if index else [f"**{cell}**" for cell in row.cells]
        cells = "".join(
            f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>'
            f'<w:p><w:pPr><w:jc w:val="left"/></w:pPr>{runs(text, word_run)}</w:p></w:tc>'
            for text in texts
        )
        body += f"<w:tr>{cells}</w:tr>"
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>{borders}</w:tblBorders>'
        f"</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{body}</w:tbl><w:p/>"
    )


def word_body(source: Source) -> str:
    """Write ``word/document.xml``."""
    numbers = WordNumbers(source.settings.get("numbers") == "styles")
    parts: list[str] = []
    rows: list[Block] = []
    for block in (*source.blocks, Block("body", "")):
        if block.kind == "row":
            rows.append(block)
            continue
        if rows:
            parts.append(word_table(rows))
            rows = []
        parts.append(word_paragraph(block, numbers))
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="rId3"/>'
        '<w:footerReference w:type="default" r:id="rId4"/><w:pgSz w:w="11906" w:h="16838"/>'
        '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708"'
        ' w:footer="708" w:gutter="0"/></w:sectPr>'
    )
    body = "".join(parts) + section
    return f'{XML}<w:document {W} xmlns:r="{OFFICE}"><w:body>{body}</w:body></w:document>'


def abstract_list(
    identity: int, levels: tuple[Level, ...], style: str = "", heading: bool = False
) -> str:
    """Define a multilevel list, its levels linked to styles where a style is named."""
    body, bold = "", "<w:rPr><w:b/></w:rPr>"
    for depth, level in enumerate(levels):
        left, hanging = INDENTS[depth]
        link = f'<w:pStyle w:val="{style}{depth + 1}"/>' if style else ""
        wide = level.text.startswith(("ARTICLE", "Section", "Schedule", "EXHIBIT"))
        suffix = '<w:suff w:val="space"/>' if wide else ""
        indent = (
            '<w:ind w:left="0"/>' if wide else f'<w:ind w:left="{left}" w:hanging="{hanging}"/>'
        )
        body += (
            f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{level.format}"/>{link}'
            f"{'<w:isLgl/>' if level.legal else ''}{suffix}"
            f'<w:lvlText w:val="{level.text}"/><w:lvlJc w:val="left"/>'
            f"<w:pPr>{indent}</w:pPr>{bold if heading and not depth else ''}</w:lvl>"
        )
    kind = "multilevel" if len(levels) > 1 else "singleLevel"
    return (
        f'<w:abstractNum w:abstractNumId="{identity}"><w:multiLevelType w:val="{kind}"/>'
        f"{body}</w:abstractNum>"
    )


def word_numbering(source: Source) -> str:
    """Write ``word/numbering.xml``: definitions first, then the lists that use them."""
    scheme, linked = source.scheme, source.settings.get("numbers") == "styles"
    headed = any(
        b.kind == "clause" and not b.depth and not b.text.endswith(".") for b in source.blocks
    )
    schedules = max(block.schedule for block in source.blocks)
    restarts = sum(block.kind == "item" and block.restart for block in source.blocks)
    definitions = (
        abstract_list(1, scheme.levels, "Clause" if linked else "", heading=headed)
        + abstract_list(2, (Level("decimal", "(%1)", ""),))
        + abstract_list(3, (Level("upperLetter", "(%1)", ""),))
        + abstract_list(
            4, (replace(scheme.schedule, text=scheme.schedule.text + ":"),), heading=True
        )
        + abstract_list(5, (Level("lowerLetter", "(%1)", ""),)).replace(
            'w:left="720"', 'w:left="1440"'
        )
        + abstract_list(6, scheme.inner, heading=True)
    )
    lists = "".join(
        f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in (1, 2, 3, 4)
    )
    for base, abstract, count in ((NUM_ITEM, 5, restarts + 1), (NUM_INNER, 6, schedules)):
        for index in range(1, count + 1):
            lists += (
                f'<w:num w:numId="{base + index}"><w:abstractNumId w:val="{abstract}"/>'
                '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>'
            )
    return f"{XML}<w:numbering {W}>{definitions}{lists}</w:numbering>"


def paragraph_style(identity: str, base: str, properties: str = "") -> str:
    """Define one paragraph style."""
    based = f'<w:basedOn w:val="{base}"/>' if base else ""
    return (
        f'<w:style w:type="paragraph" w:customStyle="1" w:styleId="{identity}">'
        f'<w:name w:val="{identity}"/>{based}<w:pPr>{properties}</w:pPr></w:style>'
    )


def word_styles(source: Source) -> str:
    """Write ``word/styles.xml``; numbers come down to some styles only by inheritance."""
    font = source.settings.get("font", "Liberation Serif")
    styles = (
        f'<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="{font}" w:hAnsi="{font}"/>'
        '<w:sz w:val="21"/></w:rPr></w:rPrDefault></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        '<w:pPr><w:spacing w:after="140" w:line="264" w:lineRule="auto"/><w:jc w:val="both"/>'
        "</w:pPr></w:style>"
    )
    styles += paragraph_style("ClauseBase", "Normal")
    styles += paragraph_style(
        "Clause1",
        "ClauseBase",
        f'<w:keepNext/><w:numPr><w:numId w:val="{NUM_BODY}"/></w:numPr><w:spacing w:before="240"/>',
    )
    for depth in (1, 2, 3):
        styles += paragraph_style(f"Clause{depth + 1}", "ClauseBase", num_pr(NUM_BODY, depth))
    styles += paragraph_style("Clause2Headed", "Clause2")
    for depth in (1, 2, 3, 4):
        styles += paragraph_style(f"Inner{depth}", "ClauseBase")
    styles += paragraph_style(
        "ScheduleTitle",
        "Normal",
        f'<w:keepNext/><w:pageBreakBefore/>{num_pr(NUM_SCHEDULE, 0)}<w:jc w:val="center"/>',
    )
    return f"{XML}<w:styles {W}>{styles}</w:styles>"


def word_margin(tag: Literal["hdr", "ftr"], text: str) -> str:
    """Write a running header, or a footer with the page number in a field."""
    page = (
        '<w:r><w:t xml:space="preserve">    Page </w:t></w:r>'
        '<w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>'
    )
    paragraph = f'<w:p><w:pPr><w:jc w:val="center"/></w:pPr>{word_run(text, bold=False)}'
    return f"{XML}<w:{tag} {W}>{paragraph}{page if tag == 'ftr' else ''}</w:p></w:{tag}>"


def word_parts(source: Source) -> dict[str, str]:
    """Give every part of the package by its name."""
    names = ("styles", "numbering", "header", "footer")
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{MIME}.{kind}+xml"/>'
        for name, kind in (("document", "document.main"), *((n, n) for n in names))
    )
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{OFFICE}/{name}" Target="{name}.xml"/>'
        for i, name in enumerate(names, 1)
    )
    relation = f'xmlns="{PACKAGE}/relationships"'
    return {
        "[Content_Types].xml": f'{XML}<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{types}</Types>',
        "_rels/.rels": f'{XML}<Relationships {relation}><Relationship Id="rId1"'
        f' Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f"{XML}<Relationships {relation}>{links}</Relationships>",
        "word/document.xml": word_body(source),
        "word/styles.xml": word_styles(source),
        "word/numbering.xml": word_numbering(source),
        "word/header.xml": word_margin("hdr", source.settings["header"]),
        "word/footer.xml": word_margin("ftr", source.settings["footer"]),
    }


def build_docx(source: Source) -> bytes:
    """Build a Word file whose numbers are lists."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in word_parts(source).items():
            info = zipfile.ZipInfo(name, ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(info, text.encode("utf-8"))
    return target.getvalue()
