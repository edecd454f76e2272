"""Every word that a viewer shows of a file is in the text, or a warning names what is not read.

`pytest -s tests/documents/shown` prints kinds, files, words shown, read and warned of. LibreOffice
draws the Office formats; for what viewers differ on, the words that were put in count.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pypdfium2
import pytest

from fourcorners.documents.conversion.libreoffice import find_libreoffice
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from fourcorners.text.patterns import load_yaml
from tests.documents.conftest import FONT, OFFICE, lay_out, stream, word_parts
from tests.documents.odf.test_reader import NAMES, pack, parts

KINDS = load_yaml(Path(__file__).with_name("kinds.yaml").read_text("utf-8"))
LABELS = (
    '<text:list-style style:name="W"><text:list-level-style-number text:level="1"'
    ' style:num-format="1" style:num-prefix="Bramble "/></text:list-style>'
)
RUN = "<w:r><w:t>@</w:t></w:r>"
BOX = KINDS["docx"]["text box"]
# Where a kind's markup is put, by format.
PLACES = {
    "docx": {
        "paragraph": "<w:p>{}</w:p>",
        "cell": f"<w:tbl><w:tr><w:tc><w:p>{{}}</w:p></w:tc><w:tc><w:p>{RUN}</w:p></w:tc></w:tr>"
        f"<w:tr><w:tc><w:p>{RUN}</w:p></w:tc><w:tc><w:p>{RUN}</w:p></w:tc></w:tr></w:tbl><w:p/>",
        "control": "<w:sdt><w:sdtContent><w:p>{}</w:p></w:sdtContent></w:sdt>",
        "styled": f'<w:p><w:pPr><w:jc w:val="center"/></w:pPr>{RUN}{{}}{RUN}</w:p><w:p>{RUN}</w:p>',
    },
    "odt": {
        "paragraph": "<text:p>{}</text:p>",
        "cell": "<table:table><table:table-row><table:table-cell><text:p>{}</text:p>"
        "</table:table-cell><table:table-cell><text:p>@</text:p></table:table-cell>"
        "</table:table-row></table:table>",
    },
    "rtf": {
        "paragraph": r"\pard {}\par",
        "cell": r"\trowd\cellx4000\cellx8000\pard\intbl {}\cell @\cell\row\pard\par",
    },
    "html": {"page": "{}", "cell": "<table><tr><td>{}</td><td>@</td></tr></table>"},
}
FRAMES: dict[str, Callable[[str, Words], str]] = {
    "rtf": lambda body, _: (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}{\f2\fcharset2 Symbol;}} " + body + "}"
    ),
    "html": lambda body, _: f"<html><body>{body}</body></html>",
    "md": lambda body, _: body,
    "eml": lambda body, words: (
        f"From: Ann\nTo: Bo\n{words.put('Subject: @')}\nDate: Fri, 06 Feb 2026 10:00:00 +0000\n"
        f"Message-ID: <1>\nMIME-Version: 1.0\n{body}"
    ),
}
SECTION = (
    '<w:sectPr><w:headerReference w:type="default" r:id="rheader"/>'
    '<w:footerReference w:type="default" r:id="rfooter"/></w:sectPr>'
)
# What our readers do not read of these yet, and no warning names.


@dataclass
class Made:
    """A file, the words put into it that are shown, and what names those that are not read."""

    format: str
    kind: str
    path: Path
    shown: set[str] = field(default_factory=set)
    warned: str = ""


class Words:
    """Replaces `@` by words that are shown and `¬` by words that are not."""

    def __init__(self) -> None:
        self._numbers = count()
        self.shown: set[str] = set()
        self._last = ""

    def put(self, markup: str) -> str:
        return re.sub(r"@=?|¬", self._next, markup)

    def _next(self, match: re.Match[str]) -> str:
        if match[0] != "@=":
            number = next(self._numbers)
            letters = [ascii_lowercase[number // 26**place % 26] for place in (2, 1, 0)]
            self._last = f"{'Wort' if match[0] == '@' else 'Stumm'}{''.join(letters)}"
        if match[0] == "@":
            self.shown.add(self._last.lower())
        return self._last


def entries() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield format, kind, the place of its markup, and its entry."""
    for group, kinds in KINDS.items():
        form, _, whole = group.partition(" ")
        for kind, given in kinds.items():
            entry = {"markup": given} if isinstance(given, str) else given
            for place in {} if whole else PLACES.get(form, {}):
                yield form, kind, PLACES[form][place], entry
            if whole or form not in PLACES:
                yield form, kind, "{}", entry


def make(folder: Path) -> list[Made]:
    made = []
    words = Words()
    for number, (form, kind, place, entry) in enumerate(entries()):
        words.shown = {each.lower() for each in entry.get("words", "").split()}
        path = folder / f"{form}{number}.{form}"
        body = words.put(place.replace("{}", entry.get("markup", "")))
        if form in ("docx", "odt"):
            held = (docx_parts if form == "docx" else odt_parts)(body, entry, words)
            pack(path, held)
        else:
            data = pdf_bytes(entry, words) if form == "pdf" else FRAMES[form](body, words).encode()
            path.write_bytes(data)
        made.append(Made(form, kind, path, words.shown, entry.get("warned", "")))
    return made


def docx_parts(body: str, entry: dict[str, Any], words: Words) -> dict[str, str]:
    given = {name: words.put(content) for name, content in entry.get("parts", {}).items()}
    body += SECTION if "header" in given else ""
    held = word_parts(body, **given)
    for name, root in (("header", "hdr"), ("footer", "ftr")):
        if name in given:
            margin = held[f"word/{name}.xml"]
            held[f"word/{name}.xml"] = margin.replace(f"w:{name} ", f"w:{root} ").replace(
                f"/w:{name}>", f"/w:{root}>"
            )
    if part := entry.get("part"):
        held[f"word/{part}"] = words.put(entry["content"])
        relation = entry.get("relation", "aFChunk")
        rels = held["word/_rels/document.xml.rels"]
        link = f'<Relationship Id="x1" Type="{OFFICE}/{relation}" Target="{part}"/>'
        held["word/_rels/document.xml.rels"] = rels.replace(
            "</Relationships>", f"{link}</Relationships>"
        )
        kinds = {"html": "text/html", "rtf": "application/rtf", "txt": "text/plain"}
        ending = part.rpartition(".")[2]
        kind = str(entry.get("type", kinds.get(ending)))
        override = f'<Override PartName="/word/{part}" ContentType="{kind}"/></Types>'
        held["[Content_Types].xml"] = held["[Content_Types].xml"].replace("</Types>", override)
    return held


def odt_parts(body: str, entry: dict[str, Any], words: Words) -> dict[str, str]:
    held = parts(body, LABELS)
    held["META-INF/manifest.xml"] = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="/" manifest:media-type='
        '"application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path='
        '"content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path='
        '"styles.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    if master := entry.get("master"):
        held["styles.xml"] = (
            f"<office:document-styles {NAMES}><office:automatic-styles>"
            '<style:page-layout style:name="P"/></office:automatic-styles><office:master-styles>'
            '<style:master-page style:name="Standard" style:page-layout-name="P">'
            f"{words.put(master)}</style:master-page></office:master-styles>"
            "</office:document-styles>"
        )
    return held


def pdf_bytes(entry: dict[str, Any], words: Words) -> bytes:
    content, annotation = words.put(entry["content"]), words.put(entry.get("annotation", ""))
    annots = "/Annots [6 0 R]" if annotation else ""
    word = "@=" if "@" in entry.get("annotation", "") else "@"
    drawn = words.put(f"BT /F1 11 Tf 2 5 Td ({word}) Tj ET" if entry.get("drawn") else "")
    return lay_out(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DA (/F1 11 Tf)"
            b" /DR << /Font << /F1 3 0 R >> >> >> >>",
            2: b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
            3: FONT,
            4: (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R"
                f" /Resources << /Font << /F1 3 0 R >> /XObject << /X1 7 0 R >> >> {annots} >>"
            ).encode(),
            5: stream(content.encode()),
            6: f"<< /Type /Annot {annotation} /F 4 >>".encode(),
            7: stream(
                drawn.encode(),
                b" /Type /XObject /Subtype /Form /BBox [0 0 200 20]"
                b" /Resources << /Font << /F1 3 0 R >> >>",
            ),
        }
    )


def drawn_texts(made: list[Made], folder: Path) -> dict[Path, str]:
    """Return what LibreOffice draws of each Office file; nothing where it is missing."""
    program = find_libreoffice()
    office = [each.path for each in made if each.format in ("docx", "odt", "rtf")]
    if program is None:
        return {}
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [program, profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder)]
    subprocess.run([*command, *map(str, office)], check=True, capture_output=True)
    found: dict[Path, str] = {}
    for path in office:
        drawn = folder / f"{path.stem}.pdf"
        if drawn.is_file():
            with pypdfium2.PdfDocument(drawn) as document:
                pages = (page.get_textpage().get_text_bounded() for page in document)
                found[path] = " ".join(pages).lower()
    return found


@dataclass(frozen=True)
class Count:
    """What became of the words shown in one file."""

    made: Made
    read: int
    warned: int

    @property
    def lost(self) -> int:
        return len(self.made.shown) - self.read - self.warned


def count_words(made: Made) -> Count:
    try:
        document = read_document(made.path)
        text, warnings = document.text.lower(), " ".join(document.warnings)
    except InputError as error:  # it says why nothing is read
        text, warnings = "", f"{error} {error.remedy}"
    read = sum(word in text for word in made.shown)
    named = bool(made.warned) and bool(re.search(made.warned, warnings))
    return Count(made, read, (len(made.shown) - read) * named)


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> list[Count]:
    return [count_words(each) for each in make(tmp_path_factory.mktemp("shown"))]


def test_table(counts: list[Count]) -> None:
    by_kind = defaultdict[tuple[str, str], list[Count]](list)
    for each in counts:
        by_kind[each.made.format, each.made.kind].append(each)
    table = [f"\n{'':34}  files  shown   read warned   lost"]
    for (form, kind), rows in by_kind.items():
        shown, read = sum(len(each.made.shown) for each in rows), sum(each.read for each in rows)
        warned, lost = sum(each.warned for each in rows), sum(each.lost for each in rows)
        numbers = "".join(f"{each:7}" for each in (len(rows), shown, read, warned, lost))
        table.append(f"{form:5} {kind:28}{numbers}")
    sys.stdout.write("\n".join([*table, ""]))
    assert len(counts) >= 200
    assert len(by_kind) >= 25


@pytest.mark.parametrize(
    ("form", "kind"),
    dict.fromkeys((form, kind) for form, kind, _, _ in entries()),
)
def test_every_word_shown_is_read_or_named(counts: list[Count], form: str, kind: str) -> None:
    rows = [each for each in counts if (each.made.format, each.made.kind) == (form, kind)]
    assert [each.made.path.name for each in rows if each.lost] == []


@pytest.mark.slow  # LibreOffice draws 247 files
def test_words_put_in_are_drawn(tmp_path: Path) -> None:
    """LibreOffice shows what was put in: it computes some fields anew, and lacks some shapes."""
    made = make(tmp_path)
    (tmp_path / "drawn").mkdir()
    drawn = drawn_texts(made, tmp_path / "drawn")
    if not drawn:
        pytest.skip("LibreOffice is not installed")
    seen = [(word, drawn[each.path]) for each in made if each.path in drawn for word in each.shown]
    assert sum(word in text for word, text in seen) >= 0.85 * len(seen)
