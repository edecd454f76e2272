"""What a PDF shows and what is read of it are the same, or the reading says where they differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest

from fourcorners.documents.boxes import span_boxes
from fourcorners.documents.document import Document, MarkKind, TextSource
from fourcorners.documents.pdf.page import render_grey
from fourcorners.documents.read import read_document
from fourcorners.outline.exclusions import ExclusionKind, find_unseen
from fourcorners.text.span import Span
from tests.documents.conftest import FONT, assemble, lay_out, show, stream

CAP = "The liability of the Supplier shall not exceed 500,000 pounds in any year."
LAW = "This Agreement is governed by the laws of England and Wales."


def pdf(folder: Path, content: bytes, *objects: bytes, resources: str = "") -> Path:
    """Write a page with some resources; `objects` are 6, 7 and so on."""
    named = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
        3: FONT,
        4: (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources <<"
            f" /Font << /F1 3 0 R /F2 6 0 R >> {resources} >> >>"
        ).encode(),
        5: stream(content),
        6: FONT,
    }
    path = folder / "made.pdf"
    path.write_bytes(lay_out(named | dict(enumerate(objects, 6))))
    return path


def drawn(words: str, state: str = "", *, y: float = 600, font: str = "F1") -> bytes:
    return f"{state} BT /{font} 11 Tf 1 0 0 1 72 {y} Tm ({words}) Tj ET\n".encode()


def marked(document: Document, kind: MarkKind) -> str:
    spans = [mark.span for mark in document.marks if mark.kind is kind]
    return " ".join(" ".join(span.text_in(document.text).split()) for span in spans)


def flat(document: Document) -> str:
    return " ".join(document.text.split())


def replaced(said: str, shown: str) -> bytes:
    return (
        b"BT /F1 11 Tf 1 0 0 1 72 700 Tm (The cap is ) Tj ET /Span << /ActualText ("
        + said.encode()
        + b") >> BDC BT /F1 11 Tf 1 0 0 1 128 700 Tm ("
        + shown.encode()
        + b") Tj ET EMC BT /F1 11 Tf 1 0 0 1 180 700 Tm (pounds.) Tj ET\n"
    )


def test_letters_count_and_not_what_they_are_said_to_spell(tmp_path: Path) -> None:
    path = pdf(tmp_path, replaced("900,000", "500,000"))
    document = read_document(path)
    assert flat(document) == "The cap is 500,000 pounds."
    assert any("“500,000”, stored as “900,000”" in each for each in document.warnings)
    at = document.text.index("500,000")
    (box,) = span_boxes(path, document, Span(at, at + 7))
    assert 127 < box.x0 < box.x1 < 180


def test_replacement_text_that_says_what_is_shown_is_no_matter(tmp_path: Path) -> None:
    document = read_document(pdf(tmp_path, replaced("500,000", "500,000")))
    assert flat(document) == "The cap is 500,000 pounds."
    assert document.warnings == ()


def test_replacement_text_stays_where_the_letters_say_nothing(tmp_path: Path) -> None:
    content = drawn("The cap is stated.", y=700)
    content += b"/Span << /ActualText (nine hundred) >> BDC " + drawn("aaa", font="F2") + b"EMC"
    silent = lying_font(a="\x01")
    document = read_document(pdf(tmp_path, content, LYING, silent))
    assert "nine hundred" in document.text


def lying_font(**said: str) -> bytes:
    """Return a font with letters that its map says to be others."""
    pairs = "\n".join(f"<{ord(a[-1]):02x}> <{ord(b):04x}>" for a, b in said.items())
    mapping = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange\n<00> <ff>\nendcodespacerange\n{len(said)} beginbfchar\n{pairs}\n"
        "endbfchar\nendcmap end end"
    )
    return stream(mapping.encode())


LYING = FONT.replace(b"/Encoding", b"/ToUnicode 7 0 R /Encoding")
LIES = [
    pytest.param("500,000", {"_5": "9"}, "900,000", id="a digit"),
    pytest.param("not", {"t": "w"}, "now", id="a letter"),
    pytest.param("England", {"E": "R", "g": "x"}, "Rnxland", id="a name"),
]


def lie(folder: Path, words: str, map_: dict[str, str]) -> Path:
    before, _, after = CAP.partition("not")
    content = drawn(LAW, y=700) + drawn(before + "not" + after, y=680)
    content += drawn(f"It is {words} indeed.", y=600, font="F2")
    return pdf(folder, content, LYING, lying_font(**map_))


@pytest.mark.parametrize(("words", "said", "read"), LIES)
def test_letters_drawn_like_others_are_no_evidence(
    tmp_path: Path, words: str, said: dict[str, str], read: str
) -> None:
    document = read_document(lie(tmp_path, words, said))
    hidden = marked(document, MarkKind.HIDDEN)
    assert read in hidden.split()
    assert not set(hidden.split()) & set(f"{LAW} {CAP}".split())
    assert any("other letters than the text" in each for each in document.warnings)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(("words", "said", "read"), LIES)
def test_what_is_drawn_is_read_by_an_engine(
    tmp_path: Path, words: str, said: dict[str, str], read: str
) -> None:
    document = read_document(lie(tmp_path, words, said))
    assert f"It is {words} indeed." in flat(document)
    assert read not in flat(document)
    assert marked(document, MarkKind.HIDDEN) == ""
    assert document.pages[0].source is TextSource.OCR
    assert any("what is shown was read, by OCR" in each for each in document.warnings)


SOFT = {
    "resources": "/ExtGState << /G << /SMask << /S /Alpha /G 7 0 R >> >> >> /XObject << /P 8 0 R >>"
}
MASK = stream(
    b"", b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency >>"
)
PATTERN = stream(
    bytes(range(256)) * 4,
    b"/Type /XObject /Subtype /Image /Width 32 /Height 32 /ColorSpace /DeviceGray"
    b" /BitsPerComponent 8",
)
TYPE3 = (
    b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0]"
    b" /FirstChar 32 /LastChar 122 /Widths [" + b"500 " * 91 + b"] /Encoding << /Type /Encoding"
    b" /Differences [32 " + b"/n " * 91 + b"] >> /CharProcs << /n 7 0 R >> /ToUnicode 9 0 R >>"
)
IDENTITY = {f"_{chr(code)}": chr(code) for code in range(32, 123)}


@pytest.mark.parametrize(
    "content",
    [
        drawn(CAP) + b"q 520 0 0 40 60 585 cm /P Do Q",
        drawn(CAP, "q /G gs") + b"Q",
        drawn(CAP) + b"q 1 0 0 1 0 0 cm 0.5 g 60 585 500 40 re f Q",
        f"BT /F1 11 Tf 1 0 0 1 72 660 Tm (Agreed.) Tj 560 0 Td ({CAP}) Tj ET".encode(),
        drawn(CAP, font="F2"),
    ],
    ids=["under a picture", "masked", "under a grey patch", "beside the page", "without shapes"],
)
def test_words_that_nothing_shows_are_hidden(tmp_path: Path, content: bytes) -> None:
    empty = stream(b"500 0 d0")
    objects = (TYPE3, empty, PATTERN, lying_font(**IDENTITY))
    if b"/G gs" in content:
        objects = (FONT, MASK, PATTERN, lying_font(**IDENTITY))
    path = pdf(tmp_path, drawn(LAW, y=700) + content, *objects, **SOFT)
    document = read_document(path)
    shown = " ".join(
        word for word in flat(document).split() if word not in marked(document, MarkKind.HIDDEN)
    )
    assert "500,000" not in shown
    assert "England" in shown
    assert {each.kind for each in find_unseen(document)} <= {ExclusionKind.HIDDEN}


@pytest.mark.parametrize(
    "content",
    [
        b"q 520 0 0 40 60 585 cm /P Do Q " + drawn(CAP),
        drawn(CAP, "q 0.5 g") + b"Q q 520 0 0 10 60 560 cm /P Do Q",
    ],
    ids=["on a picture", "above a picture"],
)
def test_words_on_pictures_are_seen(tmp_path: Path, content: bytes) -> None:
    path = pdf(tmp_path, drawn(LAW, y=700) + content, FONT, MASK, PATTERN, **SOFT)
    assert marked(read_document(path), MarkKind.HIDDEN) == ""


STRUCK = [
    b"q 1 w 72 603 m 440 603 l S Q",
    b"q 72 602.6 368 0.8 re f Q",
    b"q 1 0 0 RG 0.7 w 70 603.5 m 250 603.5 l 250 603.5 m 445 603.5 l S Q",
]
UNSTRUCK = [
    b"q 0.7 w 72 597.5 m 440 597.5 l S Q",  # an underline
    b"q 0.7 w 72 612 m 440 612 l S Q",  # a rule above
    b"q 60 590 400 30 re S Q",  # a frame
    b"q 72 590 400 25 re f Q",  # a ground, which hides and strikes nothing
]


@pytest.mark.parametrize("stroke", STRUCK)
def test_words_with_a_line_through_are_deleted(tmp_path: Path, stroke: bytes) -> None:
    document = read_document(pdf(tmp_path, drawn(LAW, y=700) + drawn(CAP) + stroke))
    assert marked(document, MarkKind.DELETED) == CAP
    assert [each.kind for each in find_unseen(document)] == [ExclusionKind.DELETED]
    assert any("struck through" in each for each in document.warnings)


@pytest.mark.parametrize("stroke", UNSTRUCK)
def test_words_with_lines_around_are_not_deleted(tmp_path: Path, stroke: bytes) -> None:
    document = read_document(pdf(tmp_path, drawn(LAW, y=700) + stroke + drawn(CAP)))
    assert marked(document, MarkKind.DELETED) == ""


def test_an_annotation_strikes_words_out(tmp_path: Path) -> None:
    content = show([(72, 700, LAW), (72, 600, CAP)])
    page = (
        "/MediaBox [0 0 612 792] /Annots [<< /Type /Annot /Subtype /StrikeOut /Rect [70 595 445"
        " 615] /QuadPoints [70 612 445 612 70 597 445 597] >>]"
    )
    (tmp_path / "made.pdf").write_bytes(assemble([content], page=page))
    assert marked(read_document(tmp_path / "made.pdf"), MarkKind.DELETED) == CAP


def picture_of(words: str, folder: Path) -> bytes:
    """Return a picture of words as an image of a PDF, 400 by 30 points."""
    path = pdf(folder, drawn(words, y=750))
    with pypdfium2.PdfDocument(path) as opened:
        pixels = render_grey(opened[0], 3.0)[96:156, 198:1500]
    height, width = pixels.shape
    return stream(
        pixels.tobytes(),
        b"/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8"
        b" /Width %d /Height %d" % (width, height),
    )


@pytest.fixture
def pictured(tmp_path: Path) -> Path:
    """A page with a clause that is a picture."""
    picture = picture_of(CAP, tmp_path)
    content = drawn(LAW, y=700) + drawn(LAW, y=680) + b"q 434 0 0 20 66 600 cm /P Do Q"
    return pdf(tmp_path, content, FONT, b"null", picture, resources="/XObject << /P 8 0 R >>")


def test_words_of_a_picture_are_told_of(pictured: Path) -> None:
    document = read_document(pictured)
    assert "500,000" not in document.text
    assert any("Page 1 shows pictures" in each and "OCR" in each for each in document.warnings)


@pytest.mark.usefixtures("engine")
def test_words_of_a_picture_are_read_by_an_engine(pictured: Path) -> None:
    document = read_document(pictured)
    assert flat(document).count(LAW) == 2
    assert CAP in flat(document)
    at = document.text.index("500,000")
    (box,) = span_boxes(pictured, document, Span(at, at + 7))
    assert 165 < box.y0 < box.y1 < 195
    assert (document.confidence(Span(at, at + 7)) or 0) > 0.5
    assert document.pages[0].source is TextSource.TEXT


def test_a_logo_without_words_is_no_matter(make_pdf: Callable[..., Path]) -> None:
    content = drawn(LAW, y=700) * 2 + b"q 60 0 0 60 72 500 cm /Im1 Do Q"
    assert read_document(make_pdf(content)).warnings == ()


def test_words_that_are_drawn_twice_are_seen(tmp_path: Path) -> None:
    twice = drawn(CAP, "q /G gs") + drawn(CAP) + b"Q"
    resources = "/ExtGState << /G << /ca 0.9 >> >>"
    path = pdf(tmp_path, drawn(LAW, y=700) + twice, resources=resources)
    assert marked(read_document(path), MarkKind.HIDDEN) == ""


def test_words_under_other_words_are_hidden(tmp_path: Path) -> None:
    under = drawn("The liability of the Supplier is unlimited.", "q 1 g") + b"Q"
    document = read_document(pdf(tmp_path, drawn(LAW, y=700) + under + drawn(CAP, y=601)))
    assert "unlimited." in marked(document, MarkKind.HIDDEN)
    assert "500,000" not in marked(document, MarkKind.HIDDEN)
