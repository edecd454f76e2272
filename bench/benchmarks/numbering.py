"""Compare the numbers computed for Word documents with those that LibreOffice shows.

    python -m benchmarks.numbering [FILE.docx ...]

Without files: makes documents, one a feature of Word's lists, in a temporary folder. Each file is
converted by LibreOffice to text, and each of its paragraphs is looked up in the text read here:
both must follow the same number. Prints the agreement for each document and what differs.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError

WORDPROCESSING = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
BULLETS = re.compile("[\u2022\u00b7\uf0b7\uf0a7\u25cf\u25e6\u25aa\u2013\u27a2\uf0d8]")
SHOWN = 12  # differences printed of a file


@dataclass(frozen=True)
class Case:
    """A document: its lists, its styles, and its body."""

    lists: str
    body: str
    styles: str = ""
    known: str = ""  # why LibreOffice shows other numbers, where it does


def level(at: int, style: str, text: str, extra: str = "", start: int = 1) -> str:
    """Return a level of a list's definition."""
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{style}"/>{extra}'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/></w:lvl>'
    )


def definition(number: int, *levels: str, link: str = "") -> str:
    """Return a list's definition."""
    kind = '<w:multiLevelType w:val="multilevel"/>'
    inside = kind + link + "".join(levels)
    return f'<w:abstractNum w:abstractNumId="{number}">{inside}</w:abstractNum>'


def listed(number: int, of: int, overrides: str = "") -> str:
    """Return a list."""
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="{of}"/>{overrides}</w:num>'


def start(at: int, value: int) -> str:
    """Return an override of a level's start."""
    return f'<w:lvlOverride w:ilvl="{at}"><w:startOverride w:val="{value}"/></w:lvlOverride>'


def number(of: int | None = None, at: int | None = None) -> str:
    """Return what puts a paragraph into a list."""
    inside = "" if at is None else f'<w:ilvl w:val="{at}"/>'
    inside += "" if of is None else f'<w:numId w:val="{of}"/>'
    return f"<w:numPr>{inside}</w:numPr>"


def style(name: str, based: str = "", properties: str = "", kind: str = "paragraph") -> str:
    """Return a style."""
    on = f'<w:basedOn w:val="{based}"/>' if based else ""
    return (
        f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/>{on}'
        f"<w:pPr>{properties}</w:pPr></w:style>"
    )


class Body:
    """Paragraphs, each with a unique word by which it is found again."""

    def __init__(self) -> None:
        self.xml: list[str] = []
        self._count = 0

    def add(self, properties: str = "", *, style: str = "", empty: bool = False) -> Body:
        """Append a paragraph."""
        self._count += 1
        styled = f'<w:pStyle w:val="{style}"/>' if style else ""
        words = "" if empty else f"<w:r><w:t>clause{self._count:03d}</w:t></w:r>"
        self.xml.append(f"<w:p><w:pPr>{styled}{properties}</w:pPr>{words}</w:p>")
        return self

    def at(self, levels: str, of: int = 1) -> Body:
        """Append a paragraph for each level named, as in `0 1 1 2`."""
        for each in levels.split():
            self.add(number(of, int(each)))
        return self

    def styled(self, names: str) -> Body:
        """Append a paragraph for each style named."""
        for name in names.split():
            self.add(style=name)
        return self

    def __str__(self) -> str:
        return "".join(self.xml)


LEGAL = (
    level(0, "decimal", "%1."),
    level(1, "decimal", "%1.%2"),
    level(2, "lowerLetter", "(%3)"),
    level(3, "lowerRoman", "(%4)"),
    level(4, "upperLetter", "(%5)"),
)
DEEP = "0 1 1 2 2 3 3 3 2 1 2 0 1 2 3 4 4 3 0 1"


def cases() -> dict[str, Case]:
    """Return the documents, one a feature."""
    one = definition(1, *LEGAL) + listed(1, 1)
    clauses = definition(
        1,
        level(0, "decimal", "%1", '<w:pStyle w:val="Clause1"/>'),
        level(1, "decimal", "%1.%2", '<w:pStyle w:val="Clause2"/>'),
        level(2, "lowerLetter", "(%3)", '<w:pStyle w:val="Clause3"/>'),
    ) + listed(7, 1)
    clause_styles = (
        style("Clause1", properties=number(7))
        + style("Clause2", "Clause1", number(7, 1))
        + style("Clause3", "Clause1", number(7, 2))
        + style("Clause2Bold", "Clause2")
        + style("Plain", "Clause1", number(0))
    )
    article = definition(
        1,
        level(0, "upperRoman", "ARTICLE %1"),
        level(1, "decimalZero", "Section %1.%2", "<w:isLgl/>"),
        level(2, "lowerLetter", "(%3)"),
    ) + listed(1, 1)
    texts = definition(
        1,
        level(0, "cardinalText", "Part %1"),
        level(1, "ordinalText", "%2:"),
        level(2, "ordinal", "%3"),
    ) + listed(1, 1)
    formats = "".join(
        definition(i, level(0, name, "%1)")) + listed(i, i)
        for i, name in enumerate(("upperLetter", "lowerRoman", "chicago", "decimalZero"), 1)
    )
    row = "<w:tr>" + "".join(
        f"<w:tc><w:tcPr/><w:p><w:pPr>{number(1, at)}</w:pPr><w:r><w:t>cell{at}{mark}</w:t></w:r>"
        "</w:p></w:tc>"
        for at, mark in ((0, "a"), (1, "b"))
    )
    deleted = '<w:rPr><w:del w:id="9" w:author="A" w:date="2026-01-01T00:00:00Z"/></w:rPr>'
    return {
        "multilevel": Case(one, str(Body().at(DEEP))),
        "articles, isLgl": Case(
            article,
            str(Body().at("0 0 0 0 1 1 2 2 0 1 2")),
            known="LibreOffice does not know isLgl",
        ),
        "styles, basedOn": Case(
            clauses,
            str(Body().styled("Clause1 Clause2 Clause2Bold Clause3 Clause3 Plain Clause2 Clause1")),
            clause_styles,
        ),
        "numId 0, ilvl alone": Case(
            clauses,
            str(Body().styled("Clause1").add(number(0), style="Clause1").styled("Clause2 Clause1")),
            clause_styles,
        ),
        "start overrides": Case(
            one + listed(2, 1, start(0, 5)) + listed(3, 1, start(2, 4)),
            str(Body().at("0 1 2 2").at("0 0 1", 2).at("2 2", 3).at("0", 2)),
        ),
        "level overrides": Case(
            definition(1, *LEGAL)
            + listed(
                1,
                1,
                '<w:lvlOverride w:ilvl="1">'
                + level(1, "upperLetter", "%1-%2")
                + "</w:lvlOverride>",
            ),
            str(Body().at("0 1 1 2 0 1")),
        ),
        "lvlRestart": Case(
            definition(
                1,
                level(0, "upperRoman", "%1."),
                level(1, "decimal", "Section %2", '<w:lvlRestart w:val="0"/>'),
                level(2, "lowerLetter", "(%3)"),
            )
            + listed(1, 1),
            str(Body().at("0 1 2 1 2 0 1 2 1")),
            known="LibreOffice does not know lvlRestart",
        ),
        "bullets": Case(
            definition(1, level(0, "bullet", "\uf0b7"), level(1, "bullet", "-"))
            + definition(2, *LEGAL)
            + listed(1, 1)
            + listed(2, 2),
            str(Body().at("0 0").at("0 1", 2).at("0 1").at("1 0", 2)),
        ),
        "list styles": Case(
            definition(5, link='<w:numStyleLink w:val="House"/>')
            + definition(1, *LEGAL, link='<w:styleLink w:val="House"/>')
            + listed(1, 1)
            + listed(2, 5),
            str(Body().at("0 1 2 0 1", 2)),
            style("House", properties=number(1), kind="numbering"),
        ),
        "numbers in words": Case(texts, str(Body().at("0 1 1 2 2 2 0 1 2 " + "0 " * 22))),
        "letters, Roman, chicago, 01": Case(
            formats, str(Body().at("0 " * 55, 1).at("0 " * 20, 2).at("0 " * 9, 3).at("0 " * 11, 4))
        ),
        "tables and text between": Case(
            one, str(Body().at("0 1").add()) + f"<w:tbl>{row}</w:tr></w:tbl>" + "<w:p/>"
        ),
        "levels left out": Case(one, str(Body().at("1 2 0 2 3 1 4 0"))),
        "suffixes": Case(
            definition(
                1,
                level(0, "decimal", "%1.", '<w:suff w:val="space"/>'),
                level(1, "lowerLetter", "(%2) ", '<w:suff w:val="nothing"/>'),
            )
            + listed(1, 1),
            str(Body().at("0 1 1 0 1")),
        ),
        "lists that share a definition": Case(
            one + listed(2, 1), str(Body().at("0 1").at("0 1", 2).at("1 0").at("0", 2))
        ),
        "starts": Case(
            definition(
                1,
                level(0, "decimal", "%1.", start=4),
                level(1, "lowerLetter", "(%2)", start=3),
                level(2, "decimal", "%3", start=0),
            )
            + listed(1, 1),
            str(Body().at("0 1 1 2 2 0 1 2")),
        ),
        "schedules": Case(
            definition(
                1,
                level(0, "upperLetter", "Exhibit %1"),
                level(1, "decimal", "%1-%2"),
                level(2, "none", "Note:"),
            )
            + definition(2, level(0, "decimal", "SCHEDULE %1"))
            + listed(1, 1)
            + listed(2, 2),
            str(Body().at("0 1 2 1 0 1").at("0 0", 2).at("0 1")),
        ),
        "empty paragraphs": Case(
            one, str(Body().at("0").add(number(1, 0), empty=True).at("0 1").add().at("1"))
        ),
        "deleted paragraphs": Case(
            one,
            str(Body().at("0 0"))
            + f"<w:p><w:pPr>{number(1, 0)}{deleted}</w:pPr>"
            + '<w:del w:id="8" w:author="A" w:date="2026-01-01T00:00:00Z"><w:r>'
            + "<w:delText>gone</w:delText></w:r></w:del></w:p>"
            + f"<w:p><w:pPr>{number(1, 0)}</w:pPr><w:r><w:t>after</w:t></w:r></w:p>",
            known="LibreOffice counts paragraphs whose deletion is tracked",
        ),
        "zeros (001)": Case(
            definition(
                1,
                '<w:lvl w:ilvl="0"><w:start w:val="1"/>'
                '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-'
                'compatibility/2006"><mc:Choice Requires="w14">'
                '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice>'
                '<mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent>'
                '<w:lvlText w:val="%1"/></w:lvl>',
            )
            + listed(1, 1),
            str(Body().at("0 0 0")),
        ),
    }


def write(case: Case, path: Path) -> None:
    """Write a document."""
    root = f'xmlns:w="{WORDPROCESSING}" xmlns:r="{OFFICE}"'
    parts = {"numbering": case.lists, "styles": case.styles}
    kinds = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{WORD}.{name}+xml"/>' for name in parts
    )
    links = "".join(
        f'<Relationship Id="r{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>' for name in parts
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
            'relationships+xml"/><Override PartName="/word/document.xml" '
            f'ContentType="{WORD}.document.main+xml"/>{kinds}</Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        )
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>',
        )
        archive.writestr(
            "word/document.xml", f"<w:document {root}><w:body>{case.body}</w:body></w:document>"
        )
        for name, content in parts.items():
            archive.writestr(f"word/{name}.xml", f"<w:{name} {root}>{content}</w:{name}>")


def shown(path: Path, folder: Path) -> list[str]:
    """Return the paragraphs that LibreOffice writes, their numbers before them."""
    office = shutil.which("soffice")
    if office is None:
        sys.exit("LibreOffice (soffice) is not installed.")
    subprocess.run(
        [
            office,
            f"-env:UserInstallation=file://{folder}/profile",
            "--headless",
            "--convert-to",
            "txt:Text (encoded):UTF8",
            "--outdir",
            str(folder),
            str(path),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    made = folder / f"{path.stem}.txt"
    return made.read_text(encoding="utf-8-sig").splitlines() if made.exists() else []


def squeezed(words: str) -> str:
    """Return words without blanks, every bullet alike: what is compared."""
    return BULLETS.sub("\u2022", re.sub(r"\s+", "", words))


def computed(document: Document) -> list[tuple[str, str]]:
    """Return each numbered paragraph's number and words."""
    found = []
    for mark in document.marks:
        if mark.kind is MarkKind.NUMBER and mark.detail.isdigit():
            end = re.compile(r"\n| \| ").search(document.text, mark.span.end)
            words = document.text[mark.span.end : end.start() if end else len(document.text)]
            if words.strip():
                found.append((mark.span.text_in(document.text), words))
    return found


def compare(path: Path, folder: Path) -> tuple[int, list[str]]:
    """Return how many numbered paragraphs agree, and what is said of the others."""
    theirs = [squeezed(line) for line in shown(path, folder)]
    right, wrong, at = 0, [], 0
    for label, words in computed(read_document(path)):
        mine = squeezed(words)
        place = next((i for i in range(at, len(theirs)) if theirs[i].endswith(mine)), None)
        if place is None:
            place = next((i for i, line in enumerate(theirs) if line.endswith(mine)), None)
        if place is None:
            wrong.append(f"{label} {words.strip()[:50]!r}: not in LibreOffice's text")
            continue
        at = place + 1
        other = theirs[place].removesuffix(mine)
        if other == squeezed(label):
            right += 1
        else:
            wrong.append(f"{label!r}, LibreOffice {other!r}: {words.strip()[:50]!r}")
    numbered = {squeezed(words) for _, words in computed(read_document(path))}
    for line in theirs:
        found = re.match(r"(\W?\w{1,4}[.)])(clause\d+.*)", line)
        if found and found.group(2) not in numbered:
            wrong.append(f"none, LibreOffice {found.group(1)!r}: {found.group(2)!r}")
    return right, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    total = agreed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known: dict[Path, str] = {}
        for title, case in {} if options.files else cases().items():
            path = folder / f"{re.sub(r'[^a-z0-9]+', '-', title.lower())}.docx"
            write(case, path)
            known[path] = case.known
        for path in options.files or known:
            try:
                right, wrong = compare(path, folder)
            except (InputError, subprocess.SubprocessError) as error:
                print(f"    -      {path.name}: {error}")
                continue
            total, agreed = total + right + len(wrong), agreed + right
            if right or wrong:
                print(f"{right:4} of {right + len(wrong):3}  {path.stem}")
            for line in wrong[:SHOWN]:
                print(f"             {line}")
            if wrong and known.get(path):
                print(f"             because {known[path]}")
    print(f"{agreed} of {total} numbers agree")


if __name__ == "__main__":
    main()
