"""Contracts as Word files with tables, notes, fields, text boxes, pictures, headers and footers."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from xml.sax.saxutils import escape

_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING: Final = "http://schemas.openxmlformats.org/drawingml/2006"
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHAPES: Final = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
_CHOICES: Final = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_NAMESPACES: Final = (
    f'xmlns:w="{_WORD}" xmlns:r="{_OFFICE}" xmlns:mc="{_CHOICES}" xmlns:wps="{_SHAPES}" '
    f'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:wp="{_DRAWING}/wordprocessingDrawing" '
    f'xmlns:a="{_DRAWING}/main"'
)
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPES: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONS_TYPE: Final = "application/vnd.openxmlformats-package.relationships+xml"
_LEVELS: Final = 3  # of the list that numbers paragraphs
_OTHER: Final = 'w:id="7" w:author="Other Side"'

Held: TypeAlias = "str | Sequence[Paragraph]"


@dataclass
class Paragraph:
    """Runs, each of a kind and with what it holds, at a level of a list or in none."""

    runs: list[tuple[str, Held]]
    level: int | None = None
    style: str = ""


@dataclass
class Table:
    rows: list[list[list[Paragraph]]]


@dataclass
class Contract:
    """What a Word file is made of; `list_number` is that of the list of all numbered paragraphs."""

    body: list[Paragraph | Table]
    header: list[Paragraph] | None
    footer: list[Paragraph] | None
    list_number: int = 7


class RandomContracts:
    """What makes contracts by chance from sentences."""

    def __init__(self, chance: random.Random, sentences: Sequence[str]) -> None:
        self.chance = chance
        self._sentences = sentences

    def contract(self, size: int) -> Contract:
        body: list[Paragraph | Table] = [
            self.table() if number % 5 == 3 else self.paragraph(number) for number in range(size)
        ]
        body.append(self.plain())
        header = [self.plain()] if self.chance.random() < 0.7 else None
        return Contract(body, header, [self.plain()])

    def words(self, least: int, most: int) -> str:
        own = self.chance.choice(self._sentences).split()
        start = self.chance.randrange(len(own))
        return " ".join((own[start:] + own)[: self.chance.randint(least, most)])

    def plain(self) -> Paragraph:
        made = Paragraph([("text", self.words(3, 20))])
        made.level = self.chance.choice([None, None, 0, 1, 2])
        return made

    def paragraph(self, number: int) -> Paragraph:
        if self.chance.random() < 0.08:
            return Paragraph([])
        typed = f"{number + 1}. " if self.chance.random() < 0.4 else ""
        made = Paragraph([("text", f"{typed}{self.chance.choice(self._sentences)} ")])
        if self.chance.random() < 0.4:
            made.level = self.chance.randrange(_LEVELS)
        made.style = self.chance.choice(["", "", "Body", "Clause"])
        for _ in range(self.chance.choice([0, 1, 1, 2])):
            made.runs += [self.run(), ("text", f" {self.words(2, 12)}")]
        return made

    def run(self) -> tuple[str, Held]:
        """Return a run of any kind other than plain words."""
        few = Paragraph([("text", self.words(2, 9))])
        kinds: list[tuple[str, Held]] = [
            *((kind, self.words(1, 4)) for kind in ("bold", "control", "link", "came", "went")),
            *((kind, [few]) for kind in ("footnote", "endnote")),
            ("box", [few, deepcopy(few)]),
            *((kind, self.reference()) for kind in ("field", "came field")),
            ("simple", f" PAGE |{self.chance.randrange(40)}"),
            ("picture", f"picture {self.chance.randrange(9)}"),
            ("bookmark", f"B{self.chance.randrange(10**6)}"),
            *((kind, "") for kind in ("tab", "br")),
        ]
        return self.chance.choice(kinds)

    def reference(self) -> str:
        return f" REF _R{self.chance.randrange(9)} |{self.chance.randrange(20)}.2"

    def table(self) -> Table:
        width = self.chance.randint(1, 4)
        rows = range(self.chance.randint(1, 5))
        return Table([[self.cell() for _ in range(width)] for _ in rows])

    def cell(self) -> list[Paragraph]:
        count = self.chance.choice([1, 1, 2])
        return [Paragraph([("text", self.words(1, 5))]) for _ in range(count)]


def all_paragraphs(contract: Contract) -> Iterator[Paragraph]:
    """Yield all paragraphs, those in tables, notes, boxes and margins too."""
    for block in [*contract.body, *(contract.header or ()), *(contract.footer or ())]:
        yield from _paragraphs(block)


def _paragraphs(block: Paragraph | Table) -> Iterator[Paragraph]:
    if isinstance(block, Table):
        for row in block.rows:
            for cell in row:
                yield from cell
        return
    yield block
    for _, held in block.runs:
        yield from () if isinstance(held, str) else held


def write_word_file(contract: Contract) -> bytes:
    files = _Files(contract)
    files.write()
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.parts.items():
            archive.writestr(name, text)
    return held.getvalue()


@dataclass
class _Files:
    """The parts of a Word file under construction."""

    contract: Contract
    parts: dict[str, str] = field(default_factory=dict)
    _notes: dict[str, list[str]] = field(default_factory=lambda: {"footnote": [], "endnote": []})
    _related: list[str] = field(default_factory=list)
    _types: list[str] = field(default_factory=list)

    def write(self) -> None:
        body = "".join(map(self._block, self.contract.body))
        margins = (("header", "hdr", self.contract.header), ("footer", "ftr", self.contract.footer))
        references = ""
        for name, tag, blocks in margins:
            if blocks is not None:
                self._add(f"{name}1", tag, "".join(map(self._block, blocks)), name)
                number = self._relate(name, f"{name}1.xml")
                references += f'<w:{name}Reference w:type="default" r:id="{number}"/>'
        for kind, notes in self._notes.items():
            if notes:
                separator = f'<w:{kind} w:type="separator" w:id="-1"><w:p/></w:{kind}>'
                self._add(f"{kind}s", f"{kind}s", f"{separator}{''.join(notes)}", f"{kind}s")
                self._relate(f"{kind}s", f"{kind}s.xml")
        self._add("numbering", "numbering", self._numbering(), "numbering")
        self._relate("numbering", "numbering.xml")
        names = sorted({each.style for each in all_paragraphs(self.contract) if each.style})
        styles = (
            f'<w:style w:type="paragraph" w:styleId="{each}"><w:name w:val="{each}"/></w:style>'
            for each in names
        )
        self._add("styles", "styles", "".join(styles), "styles")
        self._relate("styles", "styles.xml")
        section = f"<w:sectPr>{references}</w:sectPr>"
        self._add("document", "document", f"<w:body>{body}{section}</w:body>", "document.main")
        self._finish()

    def _add(self, name: str, tag: str, contents: str, kind: str) -> None:
        self.parts[f"word/{name}.xml"] = f"<w:{tag} {_NAMESPACES}>{contents}</w:{tag}>"
        self._types.append(
            f'<Override PartName="/word/{name}.xml" ContentType="{_TYPES}.{kind}+xml"/>'
        )

    def _finish(self) -> None:
        opening = f'<Relationships xmlns="{_PACKAGE}/relationships">'
        self.parts["word/_rels/document.xml.rels"] = (
            f"{opening}{''.join(self._related)}</Relationships>"
        )
        main = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
        self.parts["_rels/.rels"] = f"{opening}{main}</Relationships>"
        defaults = (
            f'<Default Extension="rels" ContentType="{_RELATIONS_TYPE}"/>'
            '<Default Extension="png" ContentType="image/png"/>'
        )
        types = defaults + "".join(self._types)
        self.parts["[Content_Types].xml"] = (
            f'<Types xmlns="{_PACKAGE}/content-types">{types}</Types>'
        )

    def _relate(self, kind: str, target: str, *, is_external: bool = False) -> str:
        number = f"r{len(self._related) + 1}"
        mode = ' TargetMode="External"' if is_external else ""
        self._related.append(
            f'<Relationship Id="{number}" Type="{_OFFICE}/{kind}" Target="{target}"{mode}/>'
        )
        return number

    def _numbering(self) -> str:
        number = self.contract.list_number
        levels = "".join(
            f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
            f'<w:lvlText w:val="%{n + 1}."/></w:lvl>'
            for n in range(_LEVELS)
        )
        return (
            f'<w:abstractNum w:abstractNumId="{number}">{levels}</w:abstractNum>'
            f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
        )

    def _block(self, block: Paragraph | Table) -> str:
        if isinstance(block, Paragraph):
            return self._paragraph(block)
        grid = '<w:gridCol w:w="2000"/>' * max(map(len, block.rows))
        rows = "".join(f"<w:tr>{''.join(map(self._cell, row))}</w:tr>" for row in block.rows)
        return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>"

    def _cell(self, blocks: Sequence[Paragraph]) -> str:
        return f"<w:tc><w:tcPr/>{self._blocks(blocks)}</w:tc>"

    def _blocks(self, blocks: Sequence[Paragraph]) -> str:
        return "".join(map(self._block, blocks))

    def _paragraph(self, paragraph: Paragraph) -> str:
        style = f'<w:pStyle w:val="{paragraph.style}"/>' if paragraph.style else ""
        number = ""
        if paragraph.level is not None:
            number = (
                f'<w:numPr><w:ilvl w:val="{paragraph.level}"/>'
                f'<w:numId w:val="{self.contract.list_number}"/></w:numPr>'
            )
        runs = "".join(self._run(kind, held) for kind, held in paragraph.runs)
        return f"<w:p><w:pPr>{style}{number}</w:pPr>{runs}</w:p>"

    def _run(self, kind: str, held: Held) -> str:
        if not isinstance(held, str):
            return self._box(held) if kind == "box" else self._note(kind, held)
        words = f'<w:r><w:t xml:space="preserve">{escape(held)}</w:t></w:r>'
        match kind:
            case "bold":
                return words.replace("<w:r>", "<w:r><w:rPr><w:b/></w:rPr>")
            case "control":
                control = '<w:sdt><w:sdtPr><w:id w:val="5"/></w:sdtPr><w:sdtContent>'
                return f"{control}{words}</w:sdtContent></w:sdt>"
            case "link":
                number = self._relate("hyperlink", "https://example.org/terms", is_external=True)
                return f'<w:hyperlink r:id="{number}">{words}</w:hyperlink>'
            case "went":
                return f"<w:del {_OTHER}>{words.replace('w:t', 'w:delText')}</w:del>"
            case "came" | "came field":
                inner = words if kind == "came" else self._run("field", held)
                return f"<w:ins {_OTHER}>{inner}</w:ins>"
            case "field":
                code, shown = held.split("|")
                return (
                    f"{_field_sign('begin')}<w:r><w:instrText>{code}</w:instrText></w:r>"
                    f"{_field_sign('separate')}{self._run('text', shown)}{_field_sign('end')}"
                )
            case "simple":
                code, shown = held.split("|")
                inner = self._run("text", shown)
                return f'<w:fldSimple w:instr="{code}">{inner}</w:fldSimple>'
            case "picture":
                name = f"media/{len(self.parts)}-{len(self._related)}.png"
                self.parts[f"word/{name}"] = held
                number = self._relate("image", name)
                blip = f'<a:blip r:embed="{number}"/>'
                return f"<w:r><w:drawing><wp:inline>{blip}</wp:inline></w:drawing></w:r>"
            case "bookmark":
                number = str(100 + int(held[1:]))
                start = f'<w:bookmarkStart w:id="{number}" w:name="{held}"/>'
                return f'{start}{words}<w:bookmarkEnd w:id="{number}"/>'
            case "tab" | "br":
                return f"<w:r><w:{kind}/></w:r>"
            case _:
                return words

    def _note(self, kind: str, held: Sequence[Paragraph]) -> str:
        number = len(self._notes[kind]) + 1
        contents = self._blocks(held)
        self._notes[kind].append(f'<w:{kind} w:id="{number}">{contents}</w:{kind}>')
        return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'

    def _box(self, held: Sequence[Paragraph]) -> str:
        inner = f"<w:txbxContent>{self._blocks(held)}</w:txbxContent>"
        return (
            '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor>'
            f"<wps:wsp><wps:txbx>{inner}</wps:txbx></wps:wsp></wp:anchor></w:drawing></mc:Choice>"
            f"<mc:Fallback><w:pict><v:textbox>{inner}</v:textbox></w:pict></mc:Fallback>"
            "</mc:AlternateContent></w:r>"
        )


def _field_sign(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'
