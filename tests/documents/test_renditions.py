"""Word documents as pages: what LibreOffice draws, and where the words of the text are on it."""

from __future__ import annotations

import socket
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from fourcorners.documents.boxes import page_lines, span_boxes
from fourcorners.documents.conversion import renditions
from fourcorners.documents.conversion.libreoffice import Target, convert, find_libreoffice
from fourcorners.documents.conversion.renditions import Rendition, is_supported, render_document
from fourcorners.documents.document import Box, Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.read import read_document
from fourcorners.documents.reader import RawFile
from fourcorners.errors import InputError
from fourcorners.server.rendering.renditions import drawn_document
from fourcorners.text.span import Span
from tests.documents.conftest import assemble, show
from tests.documents.odf.test_reader import KIND, parts

MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    + "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
        for path, kind in (("/", KIND), ("content.xml", "text/xml"))
    )
    + "</manifest:manifest>"
)
NOTE = '<w:r><w:footnoteReference w:id="2"/></w:r>'


def p(words: str, more: str = "") -> str:
    return f'<w:p><w:r><w:t xml:space="preserve">{words}</w:t></w:r>{more}</w:p>'


def field(code: str, shown: str) -> str:
    def char(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
    return f"{char('begin')}{code}{char('separate')}<w:r><w:t>{shown}</w:t></w:r>{char('end')}"


class Drawn:
    """What is in the place of LibreOffice: it draws given lines, and keeps what it was given."""

    def __init__(self, *pages: Sequence[tuple[float, float, str]]) -> None:
        self.pages = pages
        self.given: list[RawFile] = []

    def __call__(self, file: RawFile, target: Target) -> bytes:
        self.given.append(file)
        assert target is Target.PDF
        return assemble([show(lines) for lines in self.pages])


def draw(monkeypatch: pytest.MonkeyPatch, path: Path, drawn: Drawn) -> tuple[Document, Rendition]:
    monkeypatch.setattr(renditions, "convert", drawn)
    document = read_document(path)
    return document, render_document(document)


def boxes_of(document: Document, made: Rendition, words: str) -> list[Box]:
    at = document.text.index(words)
    shown = drawn_document(document, Path("made.pdf"), "", made.pages, made.words)
    return span_boxes(Path("made.pdf"), shown, Span(at, at + len(words)))


def test_words_have_their_places_line_by_line_and_page_by_page(
    make_docx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_docx(p("The Tenant shall pay the Rent quarterly.") + p("The Landlord may enter."))
    first = [(72, 700, "The Tenant shall pay"), (72, 680, "the Rent quarterly.")]
    document, made = draw(monkeypatch, path, Drawn(first, [(72, 700, "The Landlord may enter.")]))
    assert made.unlike == 0
    assert [page.span.text_in(document.text).split()[0] for page in made.pages] == ["The", "The"]
    upper, lower = boxes_of(document, made, "shall pay the Rent")
    assert (upper.page, lower.page) == (1, 1)
    assert upper.x0 > 120
    assert lower.y0 > upper.y0
    assert lower.x0 == pytest.approx(72, abs=2)
    assert [box.page for box in boxes_of(document, made, "Landlord")] == [2]
    shown = drawn_document(document, path, "", made.pages, made.words)
    lines = [span.text_in(document.text) for span, _ in page_lines(path, shown, 1)]
    assert lines == ["The Tenant shall pay", "the Rent quarterly."]


def test_a_word_that_is_drawn_in_two_parts_has_both_places(
    make_docx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [(72, 700, "It ends on the termina-"), (72, 680, "tion of this lease.")]
    document, made = draw(monkeypatch, make_docx(p("It ends on the termination of this lease.")),
                          Drawn(lines))  # fmt: skip
    upper, lower = boxes_of(document, made, "termination")
    assert upper.y0 < lower.y0
    assert made.unlike == 0


def test_words_that_are_drawn_otherwise_have_no_place(
    make_docx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_docx(p("Section 2.7 of this lease binds every Tenant and its heirs."))
    lines = [(72, 700, "Section II.9 of this lease binds every Tenant and its heirs.")]
    document, made = draw(monkeypatch, path, Drawn(lines))
    assert boxes_of(document, made, "2.7") == []
    assert len(boxes_of(document, made, "lease")) == 1
    assert made.unlike == 2


def test_pages_with_other_words_are_refused(
    make_docx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_docx(p("The Tenant shall pay the Rent on each quarter day in advance."))
    with pytest.raises(InputError, match="draws other words"):
        draw(monkeypatch, path, Drawn([(72, 700, "Nothing of this was ever agreed by them.")]))


def test_a_running_header_is_not_taken_for_the_words_of_a_clause(
    make_docx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["one", "two", "three", "four", "five"]
    path = make_docx("".join(p(f"Clause {name} of the Mill Lease binds.") for name in names))
    sheets = [
        [(72, 770, "The Mill Lease"), (72, 600, f"Clause {name} of the Mill Lease binds.")]
        for name in names
    ]
    _, made = draw(monkeypatch, path, Drawn(*sheets))
    assert made.unlike == 0
    assert {round(word.box.y0) for word in made.words} == {round(made.words[0].box.y0)}


def test_footnotes_are_found_at_the_foot_of_their_page(
    make_docx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = f'<w:footnote w:id="2">{p("Measured at the miller’s own weir.")}</w:footnote>'
    body = p("The flow is ten units.", NOTE) + p("The Tenant may end it.")
    path = make_docx(body, footnotes=note)
    first = [(72, 700, "The flow is ten units."), (72, 60, "Measured at the miller’s own weir.")]
    document, made = draw(monkeypatch, path, Drawn(first, [(72, 700, "The Tenant may end it.")]))
    (box,) = boxes_of(document, made, "Measured at the miller’s own weir")
    assert box.page == 1
    assert box.y0 > 700


def test_changes_are_accepted_and_dates_are_as_they_were_saved(
    make_docx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = '<w:del w:id="1" w:author="Bo"><w:r><w:delText>ten</w:delText></w:r></w:del>'
    come = '<w:ins w:id="2" w:author="Bo"><w:r><w:t>twelve</w:t></w:r></w:ins>'
    path = make_docx(p("The term is ", gone + come) + f"<w:p>{field('DATE', '1 May 2024')}</w:p>")
    drawn = Drawn([(72, 700, "The term is twelve"), (72, 680, "1 May 2024")])
    draw(monkeypatch, path, drawn)
    given = tmp_document(drawn.given[0].data)
    assert "twelve" in given
    assert "1 May 2024" in given
    assert not {"delText", "w:ins", "DATE"} & set(given.replace("<", " ").replace(">", " ").split())


def tmp_document(data: bytes) -> str:
    import io

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read("word/document.xml").decode()


# With LibreOffice itself


@pytest.fixture
def libreoffice() -> None:
    if find_libreoffice() is None:
        pytest.skip("LibreOffice is not installed")


def seen(made: Rendition) -> tuple[str, bool]:
    """Return the words on the pages, and whether anything on them is red."""
    words, is_red = [], False
    with pypdfium2.PdfDocument(made.pdf) as pdf:
        for page in pdf:
            words.append(page.get_textpage().get_text_range())
            pixels = page.render(scale=0.5, rev_byteorder=True).to_numpy()
            is_red |= bool(((pixels[:, :, 0] > 200) & (pixels[:, :, 1] < 60)).any())
    return " ".join(" ".join(words).split()), is_red


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.usefixtures("libreoffice")
def test_libreoffice_draws_the_text_that_is_read(make_docx: Any) -> None:
    gone = '<w:del w:id="1" w:author="Bo"><w:r><w:delText>ten years</w:delText></w:r></w:del>'
    come = '<w:ins w:id="2" w:author="Bo"><w:r><w:t>twelve years</w:t></w:r></w:ins>'
    dated = p("Dated ", field("DATE", "1 May 2024"))
    link = "http://127.0.0.1:{}/logo.png"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        code = f'INCLUDEPICTURE "{link.format(server.getsockname()[1])}"'
        remote = f"<w:p>{field(code, 'a picture')}</w:p>"
        document = read_document(make_docx(p("The term is ", gone + come) + dated + remote))
        made = render_document(document)
        with pytest.raises(TimeoutError):
            server.accept()
    words, _ = seen(made)
    assert words.startswith("The term is twelve years Dated 1 May 2024")
    assert made.unlike == 0
    (box,) = boxes_of(document, made, "twelve years")
    assert box.page == 1


@pytest.mark.usefixtures("libreoffice")
def test_an_opendocument_with_changes_shows_them_accepted(tmp_path: Path) -> None:
    region = (
        '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion>'
        "<office:change-info><dc:creator>Bo</dc:creator></office:change-info>"
        "<text:p>seven</text:p></text:deletion></text:changed-region></text:tracked-changes>"
    )
    body = f'{region}<text:p>The Rent is <text:change text:change-id="c1"/>nine crowns.</text:p>'
    path = tmp_path / "lease.odt"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts(body, manifest=MANIFEST).items():
            archive.writestr(name, content)
    document = read_document(path)
    made = render_document(document)
    assert seen(made)[0] == "The Rent is nine crowns."
    assert made.unlike == 0


@pytest.mark.usefixtures("libreoffice")
def test_rich_text_shows_no_file_of_the_machine(tmp_path: Path) -> None:
    picture = tmp_path / "secret.png"
    picture.write_bytes(red_picture())
    code = rf'INCLUDEPICTURE "{picture}" \\d'
    path = tmp_path / "lease.rtf"
    path.write_text(
        rf"{{\rtf1 The mill is let. {{\field{{\*\fldinst {code}}}{{\fldrslt a plan}}}}\par}}"
    )
    document = read_document(path)
    if not is_supported(document):
        pytest.skip("the kernel has no Landlock")
    words, is_red = seen(render_document(document))
    assert words.startswith("The mill is let.")
    assert not is_red


@pytest.mark.usefixtures("libreoffice")
def test_what_it_does_not_open_is_refused(tmp_path: Path) -> None:
    locked = tmp_path / "locked.docx"
    locked.write_bytes(b"PK\x03\x04 nothing of the kind")
    with pytest.raises(InputError, match="damaged"):
        convert(RawFile(locked, locked.read_bytes(), MediaType.DOCX), Target.PDF)


def red_picture() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
        )

    rows = (b"\0" + b"\xff\0\0" * 200) * 200
    head = chunk(b"IHDR", struct.pack("!IIBBBBB", 200, 200, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_rich_text_needs_a_kernel_that_confines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renditions, "find_libreoffice", lambda: "/usr/bin/soffice")
    monkeypatch.setattr(renditions, "landlock_version", lambda: 0)
    path = tmp_path / "lease.rtf"
    path.write_text(r"{\rtf1 The mill is let.\par}")
    assert not is_supported(read_document(path))
    monkeypatch.setattr(renditions, "landlock_version", lambda: 1)
    assert is_supported(read_document(path))
    monkeypatch.setattr(renditions, "find_libreoffice", lambda: None)
    assert not is_supported(read_document(path))
