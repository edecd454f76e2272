"""Builders of small PDF files, made by hand so that every byte of them is known."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents.ocr import recognition as ocr
from fourcorners.documents.ocr.engines import OcrEngine, find_ocr_engine


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every test be as on a machine without text recognition, unless it asks for `engine`."""
    monkeypatch.setattr(ocr, "find_ocr_engine", lambda: None)


@pytest.fixture
def engine(_no_engine: None, monkeypatch: pytest.MonkeyPatch) -> OcrEngine:
    """The engine that is installed; the test is skipped where there is none."""
    found = find_ocr_engine()
    if found is None:
        pytest.skip("neither Tesseract nor RapidOCR is installed")
    monkeypatch.setattr(ocr, "find_ocr_engine", lambda: found)
    return found


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def show(lines: Sequence[tuple[float, float, str]], size: int = 11) -> bytes:
    """Draw each (x, y, words), y from the bottom."""
    drawn = []
    for x, y, words in lines:
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        drawn.append(f"BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET")
    return "\n".join(drawn).encode("cp1252")


def assemble(
    contents: Sequence[bytes],
    *,
    page: str = "/MediaBox [0 0 612 792]",
    password: bytes = b"",
    packed: bool = False,
) -> bytes:
    """Return a PDF of one page for each content stream; /Im1 is a black picture of one pixel.

    With `packed` the streams are compressed already.
    """
    count = len(contents)
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(count))
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode(),
        3: FONT,
        4: stream(
            b"\x00",
            b"/Type /XObject /Subtype /Image /Width 1 /Height 1"
            b" /ColorSpace /DeviceGray /BitsPerComponent 8",
        ),
    }
    for i, content in enumerate(contents):
        objects[5 + 2 * i] = (
            f"<< /Type /Page /Parent 2 0 R {page} /Contents {6 + 2 * i} 0 R"
            " /Resources << /Font << /F1 3 0 R >> /XObject << /Im1 4 0 R >> >> >>"
        ).encode()
        objects[6 + 2 * i] = stream(
            content if packed else zlib.compress(content), b"/Filter /FlateDecode"
        )
    return lay_out(objects, encryption(password) if password else b"")


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def lay_out(objects: dict[int, bytes], trailer: bytes = b"") -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    table = [b"0000000000 65535 f \n"]
    for number in sorted(objects):
        table.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    start = len(out)
    out += b"xref\n0 %d\n%s" % (len(table), b"".join(table))
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(table), trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def encryption(password: bytes) -> bytes:
    """Return the trailer of the standard security handler, revision 2 (PDF 1.4, section 3.5)."""
    padded = (password + PADDING)[:32]
    owner = rc4(hashlib.md5(padded, usedforsecurity=False).digest()[:5], padded)
    identity = b"0123456789abcdef"
    key = hashlib.md5(
        padded + owner + (0xFFFFFFFC).to_bytes(4, "little") + identity, usedforsecurity=False
    ).digest()[:5]
    user = rc4(key, PADDING)
    return (
        b"/ID [<%s> <%s>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <%s> /U <%s>"
        b" >>"
    ) % tuple(part.hex().encode() for part in (identity, identity, owner, user))


def rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


MakePdf = Callable[..., Path]


@pytest.fixture
def make_pdf(tmp_path: Path) -> MakePdf:
    """Write a PDF: each page is a list of (x, y, words) or a content stream."""

    def make(
        *pages: bytes | Sequence[tuple[float, float, str]], name: str = "made.pdf", **options: Any
    ) -> Path:
        contents = [page if isinstance(page, bytes) else show(page) for page in pages]
        path = tmp_path / name
        path.write_bytes(assemble(contents, **options))
        return path

    return make


@pytest.fixture
def locked_pdf(tmp_path: Path) -> Path:
    path = tmp_path / "locked.pdf"
    path.write_bytes(assemble([show([(72, 700, "Secret")])], password=b"sesame"))
    return path


W_NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def word_parts(body: str, **parts: str) -> dict[str, str]:
    """Return the parts of a .docx: `parts` are the contents of styles, numbering, footnotes …"""
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{WORD}.{name}+xml"/>' for name in parts
    )
    relations = "".join(
        f'<Relationship Id="r{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>' for name in parts
    )
    return {
        "[Content_Types].xml": (
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{WORD}.document.main+xml"/>'
            f"{types}</Types>"
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
        ),
        "word/_rels/document.xml.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>'
        ),
        "word/document.xml": f"<w:document {W_NAMESPACES}><w:body>{body}</w:body></w:document>",
        **{
            f"word/{name}.xml": f"<w:{name} {W_NAMESPACES}>{content}</w:{name}>"
            for name, content in parts.items()
        },
    }


MakeDocx = Callable[..., Path]


@pytest.fixture
def make_docx(tmp_path: Path) -> MakeDocx:
    """Write a .docx from the XML of its body and of other parts."""

    def make(body: str, *, name: str = "made.docx", **parts: str) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part, content in word_parts(body, **parts).items():
                archive.writestr(part, content)
        return path

    return make
