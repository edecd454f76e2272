"""What a file keeps from a reader's eyes is marked, reported, and never an order to anyone."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read_document
from fourcorners.review.suspicion import SuspicionKind, find_suspicions
from tests.attacks.injections import ORDER
from tests.documents.conftest import assemble, show, word_parts

SEEN = "This Agreement is governed by the laws of England and Wales."
WHITE = '<w:color w:val="FFFFFF"/>'
AUTHOR = 'w:id="7" w:author="A. Person" w:date="2024-03-04T00:00:00Z"'


def run(words: str, properties: str = "", tag: str = "t") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:{tag} xml:space="preserve">{words}</w:{tag}></w:r>'


def paragraph(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def table(words: str, table: str = "", cell: str = "") -> str:
    return (
        f"<w:tbl><w:tblPr>{table}</w:tblPr><w:tr><w:tc><w:tcPr>{cell}</w:tcPr>"
        f"{paragraph(run(words, WHITE))}</w:tc></w:tr></w:tbl>"
    )


def written(folder: Path, parts: dict[str, str]) -> Path:
    path = folder / "made.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def word(folder: Path, body: str, **parts: str) -> Document:
    return read_document(written(folder, word_parts(paragraph(run(SEEN)) + body, **parts)))


def hidden(document: Document) -> list[str]:
    marks = [mark for mark in document.marks if mark.kind is MarkKind.HIDDEN]
    return [mark.span.text_in(document.text) for mark in marks]


def signs(document: Document) -> list[SuspicionKind]:
    return [each.sign for each in find_suspicions(document)]


def style(properties: str) -> str:
    return f'<w:style w:type="paragraph" w:styleId="S"><w:name w:val="s"/>{properties}</w:style>'


@pytest.mark.parametrize(
    "properties",
    [
        "<w:vanish/>",
        WHITE,
        '<w:color w:val="fefefe"/>',
        '<w:sz w:val="2"/>',
        f'{WHITE}<w:shd w:val="clear" w:fill="FFFFFF"/>',
    ],
)
def test_word_letters_that_nobody_sees(tmp_path: Path, properties: str) -> None:
    document = word(tmp_path, paragraph(run(ORDER, properties)))
    assert hidden(document) == [ORDER]
    assert signs(document) == [SuspicionKind.ORDERS, SuspicionKind.HIDDEN]


@pytest.mark.parametrize("place", ["box", "style"])
def test_word_letters_hidden_by_their_style(tmp_path: Path, place: str) -> None:
    white = style(f"<w:rPr>{WHITE}</w:rPr>")
    body = paragraph(run(ORDER), properties='<w:pStyle w:val="S"/>')
    body = table(ORDER) if place == "box" else body
    assert hidden(word(tmp_path, body, styles=white)) == [ORDER]


@pytest.mark.parametrize(
    "body",
    [
        paragraph(run(ORDER, f'{WHITE}<w:highlight w:val="black"/>')),
        paragraph(run(ORDER, f'{WHITE}<w:shd w:val="clear" w:fill="1F3864"/>')),
        paragraph(run(ORDER, WHITE), properties='<w:shd w:val="clear" w:fill="000000"/>'),
        paragraph(run(ORDER, '<w:color w:val="auto"/><w:sz w:val="16"/>')),
        table(ORDER, cell='<w:shd w:val="clear" w:fill="4472C4"/>'),
        table(ORDER, table='<w:tblStyle w:val="GridTable5Dark"/>'),
        table(ORDER, table='<w:shd w:val="solid" w:color="000000"/>'),
        paragraph(run(ORDER), properties='<w:pStyle w:val="S"/>'),
    ],
)
def test_white_letters_on_a_ground_are_seen(tmp_path: Path, body: str) -> None:
    dark = style(f'<w:pPr><w:shd w:val="clear" w:fill="000000"/></w:pPr><w:rPr>{WHITE}</w:rPr>')
    assert hidden(word(tmp_path, body, styles=dark)) == []


def test_comments_and_deletions_are_beside_the_text_and_reported(tmp_path: Path) -> None:
    comment = f"<w:comment {AUTHOR}>{paragraph(run(ORDER))}</w:comment>"
    refers = '<w:r><w:commentReference w:id="7"/></w:r>'
    document = word(tmp_path, paragraph(run("Agreed."), refers), comments=comment)
    assert ORDER not in document.text
    assert signs(document) == [SuspicionKind.ORDERS]
    gone = f"<w:del {AUTHOR}>{run(ORDER, tag='delText')}</w:del>"
    document = word(tmp_path, paragraph(run("Agreed."), gone))
    assert ORDER not in document.text
    assert signs(document) == [SuspicionKind.ORDERS]


def test_headers_are_read_and_reported(tmp_path: Path) -> None:
    parts = word_parts(paragraph(run(SEEN)), header=paragraph(run(ORDER)))
    document = read_document(written(tmp_path, parts))
    assert signs(document) == [SuspicionKind.ORDERS]
    assert [m.kind for m in document.marks if m.span.text_in(document.text) == ORDER] == [
        MarkKind.HEADER
    ]


def test_what_is_no_text_is_not_read(tmp_path: Path) -> None:
    """Alternative texts, properties, custom XML and field codes are no words of a contract."""
    drawing = f'<w:r><w:drawing><wp:docPr id="1" name="x" descr="{ORDER}"/></w:drawing></w:r>'
    code = f'<w:r><w:instrText>DDEAUTO c:\\cmd "{ORDER}"</w:instrText></w:r>'
    parts = word_parts(paragraph(run(SEEN), drawing, code))
    parts["customXml/item1.xml"] = f"<note>{ORDER}</note>"
    parts["docProps/core.xml"] = f"<coreProperties><title>{ORDER}</title></coreProperties>"
    document = read_document(written(tmp_path, parts))
    assert ORDER not in document.text
    assert document.text.strip() == SEEN


def pdf(folder: Path, content: bytes, page: str = "/MediaBox [0 0 612 792]") -> Document:
    path = folder / "made.pdf"
    path.write_bytes(assemble([show([(72, 700, SEEN), (72, 680, SEEN[::-1])]) + b"\n" + content],
                              page=page))  # fmt: skip
    return read_document(path)


def drawn(words: str, state: str = "", *, x: float = 72, y: float = 600, size: float = 11) -> bytes:
    return f"{state} BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({words}) Tj ET".encode()


@pytest.mark.parametrize(
    "content",
    [
        drawn(ORDER, "1 1 1 rg"),
        drawn(ORDER, "0 0 0 0 k"),
        drawn(ORDER, "3 Tr"),
        drawn(ORDER, size=0.5),
        drawn(ORDER, x=72, y=-300),
        drawn(ORDER, x=900, y=600),
        b"0 g 60 590 500 30 re f " + drawn(ORDER, "1 1 1 rg", y=400),
    ],
    ids=["white", "no ink", "invisible", "tiny", "below", "beside", "beside a dark ground"],
)
def test_pdf_letters_that_nobody_sees(tmp_path: Path, content: bytes) -> None:
    document = pdf(tmp_path, content)
    if ORDER not in " ".join(document.text.split()):
        assert signs(document) == [], "what is off the page need not be read"
        return
    assert "".join(hidden(document)).split() == ORDER.split()
    assert signs(document) == [SuspicionKind.ORDERS, SuspicionKind.HIDDEN]
    assert any("no reader sees" in each for each in document.warnings)


@pytest.mark.parametrize(
    "content",
    [
        drawn(ORDER),
        b"0 g 60 590 500 30 re f " + drawn(ORDER, "1 1 1 rg"),
        drawn(ORDER, "0.5 g"),
        drawn(ORDER) + b" q 1 g 60 300 500 100 re f Q",
        b"q 0.9 g 60 590 500 30 re f Q " + drawn(ORDER),
        b"q 1 g 60 560 500 80 re f Q " + drawn(ORDER),
        b"q 60 580 500 40 re W n " + drawn(ORDER) + b" Q",
        b"/OC /L BDC " + drawn(ORDER) + b" EMC",
        drawn(ORDER, "2 Tr"),
    ],
    ids=[
        "black",
        "white on black",
        "grey",
        "above a patch",
        "on a shade",
        "on paper of its own",
        "within a clip",
        "on a layer that is on",
        "outlined",
    ],
)
def test_pdf_letters_that_are_seen(tmp_path: Path, content: bytes) -> None:
    document = pdf(tmp_path, content)
    assert ORDER in " ".join(document.text.split())
    assert hidden(document) == []


def test_a_scans_words_are_not_hidden(tmp_path: Path) -> None:
    """Recognised words stand without ink over the picture that they were read from."""
    picture = b"q 612 0 0 792 0 0 cm /Im1 Do Q "
    seen = hidden(pdf(tmp_path, picture + drawn(ORDER, "3 Tr")))
    assert ORDER not in " ".join(seen)
    assert SEEN in " ".join(seen), "what the picture covers"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_hidden_words_within_a_line(tmp_path: Path, order: Sequence[int]) -> None:
    runs = (b"0 g (Seen words) Tj ", b"1 1 1 rg ( unseen words ) Tj ")
    content = b"BT /F1 11 Tf 1 0 0 1 72 500 Tm " + b"".join(runs[at] for at in order) + b"ET"
    assert [each.split() for each in hidden(pdf(tmp_path, content))] == [["unseen", "words"]]
