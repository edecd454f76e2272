"""The places of a PDF, each byte of which is made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.attacks.places.place import Place, Reach
from tests.attacks.room import CONTRACT, PLACE
from tests.documents.conftest import FONT, lay_out, stream

_TOP, _LEADING, _WIDE = 740, 12, 90  # points, points, characters


@dataclass
class _Sheet:
    """What goes into the file: operators before and after the words, objects, entries."""

    before: str = ""
    after: str = ""
    size: float = 10
    x: float = 72
    y: float = 100
    objects: dict[int, bytes] = field(default_factory=dict)
    page: str = ""
    catalog: str = ""
    trailer: str = ""
    resources: str = ""
    letters: dict[str, int] = field(default_factory=dict)

    def code(self, words: str) -> str:
        """Return words as a string of the second font, which knows what its codes mean."""
        return "".join(f"{self.letters.setdefault(c, len(self.letters) + 1):04x}" for c in words)

    def font(self) -> dict[int, bytes]:
        """Return the font of all letters that were said, drawn as some font of the reader's."""
        pairs = "\n".join(
            f"<{code:04x}> <{letter.encode('utf-16-be').hex()}>"
            for letter, code in self.letters.items()
        )
        mapping = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
            "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
            f"{len(self.letters)} beginbfchar\n{pairs}\nendbfchar\nendcmap end end"
        )
        return {
            4: b"<< /Type /Font /Subtype /Type0 /BaseFont /Helvetica /Encoding /Identity-H"
            b" /DescendantFonts [5 0 R] /ToUnicode 6 0 R >>",
            5: b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Helvetica /DW 500"
            b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
            b" /FontDescriptor 7 0 R >>",
            6: stream(mapping.encode()),
            7: b"<< /Type /FontDescriptor /FontName /Helvetica /Flags 32 /ItalicAngle 0"
            b" /FontBBox [0 -200 1000 900] /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
        }


def _lines(words: str) -> list[str]:
    """Return words in lines of a page's width; a word is never cut."""
    found = []
    for line in words.split("\n"):
        row = ""
        for word in line.split(" "):
            if row and len(row) + len(word) > _WIDE:
                found.append(row)
                row = word
            else:
                row = f"{row} {word}" if row else word
        found.append(row)
    return [each for each in found if each.strip()]


def _contract() -> list[str]:
    found: list[str] = []
    for paragraph in CONTRACT.split("\n\n"):
        found += [*paragraph.strip().split("\n"), ""]
    return found


_LINES = _contract()
_CUT = _LINES.index(PLACE)


def _shown(lines: list[str], top: float) -> str:
    drawn = []
    for number, line in enumerate(lines):
        escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        if line:
            drawn.append(f"BT /F1 10 Tf 1 0 0 1 72 {top - number * _LEADING} Tm ({escaped}) Tj ET")
    return "\n".join(drawn)


def _drawn(sheet: _Sheet, words: str) -> str:
    rows = [
        f"BT /F2 {sheet.size} Tf 1 0 0 1 {sheet.x} {sheet.y - n * sheet.size * 1.2} Tm"
        f" <{sheet.code(line)}> Tj ET"
        for n, line in enumerate(_lines(words))
    ]
    return "\n".join((f"q {sheet.before}", *rows, f"{sheet.after} Q"))


def _file(sheet: _Sheet, *middle: str) -> bytes:
    """Return the contract on a first page, and what is in the middle with its end on more pages.

    Each of `middle` makes a page; the contract's last clause is on the last of them.
    """
    ends = [_shown(_LINES[_CUT:], _TOP)]
    pages = [_shown(_LINES[:_CUT], _TOP), *(middle or ("",))]
    pages[-1] += "\n" + ends[0]
    kids = " ".join(f"{20 + 2 * n} 0 R" for n in range(len(pages)))
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R {sheet.catalog} >>".encode(),
        2: f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        3: FONT,
        **sheet.font(),
        **sheet.objects,
    }
    for number, content in enumerate(pages):
        entries = sheet.page if number == len(pages) - 1 else ""
        objects[20 + 2 * number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {entries}"
            f" /Contents {21 + 2 * number} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >>"
            f" {sheet.resources} >> >>"
        ).encode()
        objects[21 + 2 * number] = stream(content.encode("cp1252"))
    numbered = {number: objects.get(number, b"null") for number in range(1, max(objects) + 1)}
    return lay_out(numbered, sheet.trailer.encode())


def _looking(before: str = "", after: str = "", **more: object) -> Callable[[str], bytes]:
    def build(words: str) -> bytes:
        sheet = _Sheet(before, after, y=600)
        for name, value in more.items():
            setattr(sheet, name, value)
        return _file(sheet, _drawn(sheet, words))

    return build


def _margin(*, head: bool) -> Callable[[str], bytes]:
    """Put words at the head or foot of each of four pages."""

    def build(words: str) -> bytes:
        sheet = _Sheet(y=775, size=6)
        if not head:
            sheet.y = 30 + len(_lines(words)) * sheet.size * 1.2
        again = _drawn(sheet, words)
        body = [_shown(_LINES[at : at + 8], 600) for at in (0, 8)]
        return _file(sheet, *(f"{again}\n{each}" for each in ("", *body, "")))

    return build


def _text(words: str) -> str:
    return f"<feff{words.encode('utf-16-be').hex()}>"


def _annotated(kind: str, entries: str) -> Callable[[str], bytes]:
    def build(words: str) -> bytes:
        note = f"<< /Type /Annot /Subtype /{kind} /Rect [72 730 200 750] {entries} >>"
        objects = {10: note.replace("WORDS", _text(words)).encode()}
        return _file(_Sheet(objects=objects, page="/Annots [10 0 R]"))

    return build


def _typed(kind: str, entries: str) -> Callable[[str], bytes]:
    """Draw words as the appearance of an annotation: what was typed into the page."""

    def build(words: str) -> bytes:
        sheet = _Sheet(x=2, y=180)
        look = _drawn(sheet, words)
        frame = "/Type /XObject /Subtype /Form /BBox [0 0 480 200]"
        sheet.objects = {
            10: (
                f"<< /Type /Annot /Subtype /{kind} /F 4 /Rect [72 300 552 500] {entries}"
                " /AP << /N 11 0 R >> >>"
            ).replace("WORDS", _text(words)).encode(),
            11: stream(look.encode(), f"{frame} /Resources << /Font << /F2 4 0 R >> >>".encode()),
        }  # fmt: skip
        sheet.page = "/Annots [10 0 R]"
        sheet.catalog = "/AcroForm << /Fields [10 0 R] >>" if kind == "Widget" else ""
        return _file(sheet)

    return build


def _cataloged(catalog: str, objects: dict[int, str] | None = None) -> Callable[[str], bytes]:
    def build(words: str) -> bytes:
        made = {at: each.replace("WORDS", _text(words)) for at, each in (objects or {}).items()}
        sheet = _Sheet(catalog=catalog.replace("WORDS", _text(words)))
        sheet.objects = {at: each.encode() for at, each in made.items()}
        return _file(sheet)

    return build


def _information(words: str) -> bytes:
    keys = "".join(f"/{key} {_text(words)} " for key in ("Title", "Author", "Subject", "Keywords"))
    return _file(_Sheet(objects={10: f"<< {keys}>>".encode()}, trailer="/Info 10 0 R"))


def _metadata(words: str) -> bytes:
    about = f"<x:xmpmeta><dc:title>{words}</dc:title></x:xmpmeta>".encode()
    entries = b"/Type /Metadata /Subtype /XML"
    return _file(_Sheet(objects={10: stream(about, entries)}, catalog="/Metadata 10 0 R"))


def _cell(words: str) -> bytes:
    sheet = _Sheet(y=588, x=182)
    ruled = "0.5 w 72 460 m 540 460 l S 72 600 m 540 600 l S " + " ".join(
        f"{x} 460 m {x} 600 l S" for x in (72, 180, 540)
    )
    notes = "BT /F1 10 Tf 1 0 0 1 76 588 Tm (Notes) Tj ET"
    sheet.size = 7
    return _file(sheet, "\n".join((ruled, notes, _drawn(sheet, words))))


_LAYER = {
    "objects": {10: b"<< /Type /OCG /Name (Layer) >>"},
    "catalog": "/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] >> >>",
    "resources": "/Properties << /L 10 0 R >>",
}
_SEE_THROUGH = {"resources": "/ExtGState << /G << /ca 0 /CA 0 >> >>"}
_PICTURE: dict[str, Any] = {
    "objects": {
        10: stream(
            bytes(range(256)),
            b"/Type /XObject /Subtype /Image /Width 16 /Height 16 /ColorSpace /DeviceGray"
            b" /BitsPerComponent 8",
        )
    },
    "resources": "/XObject << /P 10 0 R >>",
}
_MASK: dict[str, Any] = {
    "objects": {
        10: stream(
            b"", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Group << /S /Transparency >>"
        )
    },
    "resources": "/ExtGState << /G << /SMask << /S /Alpha /G 10 0 R >> >> >>",
}
_NAMED = "<< /Type /Filespec /F WORDS /UF WORDS /EF << /F 11 0 R >> >>"
_EMBEDDED = "<< /Length 3 >>\nstream\nabc\nendstream"
_ITEM = "<< /Title WORDS /Parent 10 0 R >>"

_BUILDERS: dict[tuple[str, Reach], Callable[[str], bytes]] = {
    ("body", Reach.SHOWN): _looking(),
    ("header", Reach.SHOWN): _margin(head=True),
    ("footer", Reach.SHOWN): _margin(head=False),
    ("cell", Reach.SHOWN): _cell,
    ("white", Reach.HIDDEN): _looking("1 1 1 rg"),
    ("without ink", Reach.HIDDEN): _looking("3 Tr"),
    ("see-through", Reach.HIDDEN): _looking("/G gs", **_SEE_THROUGH),
    ("tiny", Reach.HIDDEN): _looking(size=0.5),
    ("tiny by scale", Reach.HIDDEN): _looking("0.05 0 0 0.05 72 600 cm"),
    ("clipped away", Reach.HIDDEN): _looking("0 0 1 1 re W n"),
    ("as a clip", Reach.HIDDEN): _looking("7 Tr"),
    ("under a patch", Reach.HIDDEN): _looking("", "1 g 60 300 500 320 re f"),
    ("under a picture", Reach.HIDDEN): _looking(
        "", "q 500 0 0 320 60 300 cm /P Do Q", **_PICTURE
    ),
    ("masked", Reach.HIDDEN): _looking("/G gs", **_MASK),
    ("colour of its ground", Reach.HIDDEN): _looking("0 0 1 rg 60 300 500 320 re f"),
    ("layer that is off", Reach.HIDDEN): _looking("/OC /L BDC", "EMC", **_LAYER),
    ("form field", Reach.SHOWN): _typed("Widget", "/FT /Tx /T (a) /V WORDS"),
    ("typed on the page", Reach.SHOWN): _typed("FreeText", "/Contents WORDS /DA (/F1 9 Tf)"),
    ("note", Reach.MARK): _annotated("Text", "/Contents WORDS /T (A. Person)"),
    ("highlight", Reach.MARK): _annotated("Highlight", "/Contents WORDS"),
    ("struck out", Reach.MARK): _annotated(
        "StrikeOut", "/Contents WORDS /QuadPoints [300 20 400 20 300 10 400 10]"
    ),
    ("stamp", Reach.MARK): _annotated("Stamp", "/Contents WORDS"),
    ("link", Reach.NOWHERE): _annotated("Link", "/A << /S /URI /URI WORDS >>"),
    ("name of a field", Reach.NOWHERE): _annotated("Widget", "/FT /Tx /T WORDS /TU WORDS"),
    ("bookmark", Reach.NOWHERE): _cataloged(
        "/Outlines 10 0 R",
        {10: "<< /Type /Outlines /First 11 0 R /Last 11 0 R /Count 1 >>", 11: _ITEM},
    ),
    ("name of an attachment", Reach.NOWHERE): _cataloged(
        "/Names << /EmbeddedFiles << /Names [WORDS 10 0 R] >> >>", {10: _NAMED, 11: _EMBEDDED}
    ),
    ("script", Reach.NOWHERE): _cataloged(
        "/OpenAction << /Type /Action /S /JavaScript /JS WORDS >>"
    ),
    ("launch", Reach.NOWHERE): _cataloged("/OpenAction << /Type /Action /S /Launch /F WORDS >>"),
    ("properties", Reach.NOWHERE): _information,
    ("metadata", Reach.NOWHERE): _metadata,
    ("page label", Reach.NOWHERE): _cataloged("/PageLabels << /Nums [0 << /P WORDS >>] >>"),
    ("language", Reach.NOWHERE): _cataloged("/Lang WORDS"),
}  # fmt: skip
PLACES = tuple(Place(".pdf", name, reach, made) for (name, reach), made in _BUILDERS.items())
