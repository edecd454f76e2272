"""Kinds of files that show other words than they hold, or hold words that they do not show."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable

from tests.documents.conftest import FONT, assemble, lay_out, show, stream
from tests.documents.hostile.docx_files import word
from tests.documents.hostile.held_files import opendocument
from tests.documents.hostile.page_files import page, rich

Make = Callable[[int], bytes]
WORDS = "The Supplier shall deliver the goods within ten days of each order."
_ROWS = 60  # lines of a page
_GREY = b"/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8"


def _count(size: int, unit: int) -> int:
    return max(1, size // unit)


def _place(number: int) -> tuple[int, int]:
    return 40 + 60 * (number // _ROWS % 9), 760 - 12 * (number % _ROWS)


def _sheet(form: str, unit: int) -> Make:
    """Fill one page with a form: `{n}` counts, `{x}` and `{y}` are a place on the page."""

    def make(size: int) -> bytes:
        drawn = []
        for n in range(_count(size, unit)):
            x, y = _place(n)
            drawn.append(form.format(n=n, x=x, y=y, z=y + 3, s=6 + n % 997 / 100))
        return assemble(["\n".join(drawn).encode()])

    return make


def with_resources(contents: bytes, resources: str, objects: Iterable[bytes]) -> bytes:
    """Return a page with resources; its objects are 6 and so on."""
    named = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
        3: FONT,
        4: (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources <<"
            f" {resources} >> >>"
        ).encode(),
        5: stream(contents),
    }
    return lay_out(named | dict(enumerate(objects, 6)))


def _fonts(size: int) -> bytes:
    """Make as many fonts as words, each of which says that it shows something else."""
    count = _count(size, 120)
    mapping = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        b"1 begincodespacerange\n<00> <ff>\nendcodespacerange\n1 beginbfchar\n<35> <0039>\n"
        b"endbfchar\nendcmap end end"
    )
    lying = FONT.replace(b"/Encoding", b"/ToUnicode 6 0 R /Encoding")
    drawn = []
    for n in range(count):
        x, y = _place(n)
        drawn.append(f"BT /G{n} 9 Tf 1 0 0 1 {x} {y} Tm (500) Tj ET")
    names = " ".join(f"/G{n} {7 + n} 0 R" for n in range(count))
    body = "\n".join(drawn).encode()
    return with_resources(body, f"/Font << {names} >>", [stream(mapping), *([lying] * count)])


def _see_through(size: int) -> bytes:
    drawn = []
    for n in range(_count(size, 60)):
        x, y = _place(n)
        drawn.append(f"BT /F1 9 Tf 1 0 0 1 {x} {y} Tm (goods) Tj ET" * 2)
    body = b"/G gs\n" + "\n".join(drawn).encode()
    return with_resources(body, "/Font << /F1 3 0 R >> /ExtGState << /G << /ca 0.9 >> >>", [])


def _forms(size: int) -> bytes:
    """Make forms, each of which draws a word and the next."""
    count = _count(size, 120)
    forms = []
    for n in range(count):
        x, y = _place(n)
        further = f"/N {7 + n} 0 R" if n + 1 < count else ""
        entries = (
            "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >>"
            f" /XObject << {further} >> >>"
        )
        words = f"BT /F1 9 Tf 1 0 0 1 {x} {y} Tm (goods) Tj ET /N Do"
        forms.append(stream(words.encode(), entries.encode()))
    return with_resources(b"/N Do", "/Font << /F1 3 0 R >> /XObject << /N 6 0 R >>", forms)


def _struck_annotations(size: int) -> bytes:
    quads = "70 712 445 712 70 697 445 697 " * _count(size, 60)
    note = f"<< /Type /Annot /Subtype /StrikeOut /Rect [70 695 445 715] /QuadPoints [{quads}] >>"
    lines = show([(72, 700 - 14 * n, WORDS) for n in range(40)])
    return assemble([lines], page=f"/MediaBox [0 0 612 792] /Annots [{note}]")


def _docx(part: str, unit: int) -> Make:
    return lambda size: word(
        part * _count(size, unit) + f"<w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p>"
    )


def _html(part: str, unit: int, head: str = "") -> Make:
    return lambda size: page(
        (part * _count(size, unit) + f"<p>{WORDS}").encode(), (head * _count(size, unit)).encode()
    )


def _rtf(part: bytes, unit: int) -> Make:
    return lambda size: rich(part * _count(size, unit) + b" " + WORDS.encode())


def _picture_of_html(size: int) -> bytes:
    data = base64.b64encode(bytes(size * 3 // 4)).decode()
    return page(f'<p>{WORDS}<img src="data:image/png;base64,{data}">'.encode())


_TEXT = "BT /F1 9 Tf 1 0 0 1 {x} {y} Tm (goods) Tj ET"
_PICTURE = " q 50 0 0 9 {x} {y} cm /Im1 Do Q"
_RUN = "<w:p><w:r><w:rPr>{}</w:rPr><w:t>goods</w:t></w:r></w:p>"
_LOW = (
    '<w:tbl><w:tr><w:trPr><w:trHeight w:val="1" w:hRule="exact"/></w:trPr><w:tc>{}</w:tc></w:tr>'
    "</w:tbl>"
)
_TURNED = '<w:p><w:bdo w:val="rtl"><w:r><w:t>goods</w:t></w:r></w:bdo></w:p>'
_SYMBOL = '<w:p><w:r><w:sym w:font="Symbol" w:char="F0A3"/></w:r></w:p>'
_SPAN = "/Span << /ActualText (price) >> BDC " + _TEXT + " EMC"
SHOWN: dict[str, Make] = {
    "lines struck through.pdf": _sheet(_TEXT + " {x} {z} 40 0.6 re f", 60),
    "replacement text.pdf": _sheet(_SPAN, 90),
    "one replacement text.pdf": lambda size: assemble(
        [
            b"/Span << /ActualText (price) >> BDC "
            + b"BT /F1 9 Tf 1 0 0 1 72 700 Tm (goods) Tj ET " * _count(size, 60)
            + b"EMC"
        ]
    ),
    "words under pictures.pdf": _sheet(_TEXT + _PICTURE, 90),
    "words on pictures.pdf": _sheet(_PICTURE + " " + _TEXT, 90),
    "pictures.pdf": _sheet(_PICTURE, 40),
    "letters as shapes.pdf": _sheet("{x} {y} 4 6 re f", 20),
    "words off the page.pdf": _sheet(
        "BT /F1 9 Tf 1 0 0 1 {x} {y} Tm (goods) Tj 600 0 Td (price) Tj ET", 80
    ),
    "letters of all sizes.pdf": _sheet("BT /F1 {s} Tf 1 0 0 1 {x} {y} Tm (The Goods 19) Tj ET", 60),
    "words drawn twice.pdf": _see_through,
    "fonts that lie.pdf": _fonts,
    "forms in forms.pdf": _forms,
    "struck by a note.pdf": _struck_annotations,
    "words struck through.docx": _docx(_RUN.format("<w:strike/>"), 40),
    "letters of signs.docx": _docx(_RUN.format('<w:rFonts w:ascii="Wingdings"/>'), 40),
    "symbols.docx": _docx(_SYMBOL, 20),
    "turned words.docx": _docx(_TURNED, 20),
    "rows without height.docx": _docx(_LOW.format(_RUN.format("")), 60),
    "words struck through.html": _html("<p><s>goods</s>", 15),
    "turned words.html": _html('<p><bdo dir="rtl">goods</bdo>', 30),
    "pages within.html": _html('<iframe srcdoc="goods"></iframe>', 30),
    "words of the style.html": _html("<p>goods", 10, "<style>p::before{content:'not '}</style>"),
    "a picture.html": _picture_of_html,
    "words struck through.rtf": _rtf(rb"{\strike goods}\par ", 20),
    "lines without height.rtf": _rtf(rb"\pard\sl-10 goods\par ", 20),
    "a picture.rtf": lambda size: rich(rb"{\pict\pngblip " + b"0f" * (size // 2) + b"}"),
    "words struck through.odt": lambda size: opendocument(
        '<text:p><text:span text:style-name="S">goods</text:span></text:p>' * _count(size, 20)
    ),
    "turned words.txt": lambda size: "\u202egoods\n".encode() * (size // 8),
    "turned without an end.txt": lambda size: "\u202egoods ".encode() * (size // 8),
    "a picture in numbers.txt": lambda size: b"P2\n999 999\n255\n" + b"12 " * (size // 3),
}
