"""What Word, web pages, mails, rich text and OpenDocument show and what is read of them.

Words that are struck through, stand in rows without height, beyond the paper, in fonts of signs or
in turned writing are marked; symbols are read; pictures are read or told of.
"""

from __future__ import annotations

import base64
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pypdfium2
import pytest

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.pdf.page import encode_png, render_grey
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from fourcorners.outline.exclusions import find_unseen, shown_document
from tests.attacks.test_hidden import hidden, paragraph, run, style, word, written
from tests.attacks.test_hidden_office import SPAN, odt, rtf
from tests.attacks.test_hidden_office import style as odf_style
from tests.documents.conftest import OFFICE, PACKAGE, assemble, show, word_parts
from tests.documents.odf.test_reader import pack, parts

CAP = "The liability of the Supplier shall not exceed 500,000 pounds."
LAW = "This Agreement is governed by the laws of England and Wales."


def struck(document: Document) -> str:
    marks = (mark for mark in document.marks if mark.kind is MarkKind.DELETED)
    return " ".join(mark.span.text_in(document.text) for mark in marks)


def shown(document: Document) -> str:
    return " ".join(shown_document(document).text.split())


def html(folder: Path, body: str, head: str = "") -> Document:
    path = folder / "a.html"
    page = f"<html><head>{head}</head><body><p>{LAW}</p>{body}<p>Signed.</p></body></html>"
    path.write_text(page, encoding="utf-8")
    return read_document(path)


@pytest.mark.parametrize("properties", ["<w:strike/>", "<w:dstrike/>", '<w:rStyle w:val="S"/>'])
def test_word_letters_with_a_line_through(tmp_path: Path, properties: str) -> None:
    lined = style("<w:rPr><w:strike/></w:rPr>")
    document = word(tmp_path, paragraph(run(CAP, properties)), styles=lined)
    assert struck(document) == CAP
    assert CAP not in shown(document)
    assert any("struck through" in each for each in document.warnings)


def test_word_letters_whose_style_is_turned_off_are_not_struck(tmp_path: Path) -> None:
    properties = '<w:rStyle w:val="S"/><w:strike w:val="0"/>'
    lined = style("<w:rPr><w:strike/></w:rPr>")
    assert struck(word(tmp_path, paragraph(run(CAP, properties)), styles=lined)) == ""


HEIGHT = '<w:trPr><w:trHeight w:val="{}" w:hRule="{}"/></w:trPr>'
ROW = "<w:tbl><w:tr>{}<w:tc>{}</w:tc></w:tr></w:tbl>"
BOX = (
    '<w:p><w:r><w:drawing><wp:anchor><wp:positionH relativeFrom="page"><wp:posOffset>{}'
    '</wp:posOffset></wp:positionH><wp:extent cx="{}" cy="900000"/><wp:docPr id="1" name="b"/>'
    "<wps:txbx><w:txbxContent>{}</w:txbxContent></wps:txbx></wp:anchor></w:drawing></w:r></w:p>"
)
EXACT = '<w:spacing w:line="{}" w:lineRule="exact"/>'
TEXT = paragraph(run(CAP))


@pytest.mark.parametrize(
    "body",
    [
        ROW.format(HEIGHT.format(1, "exact"), TEXT),
        paragraph(run(CAP), properties=EXACT.format(20)),
        paragraph(run(CAP), properties='<w:ind w:left="31680"/>'),
        paragraph(run(CAP), properties='<w:framePr w:x="29000" w:y="1"/>'),
        paragraph(run(CAP), properties='<w:framePr w:h="10" w:hRule="exact"/>'),
        BOX.format(0, 0, TEXT),
        BOX.format(99_000_000, 900_000, TEXT),
        paragraph(run(CAP, '<w:rFonts w:ascii="Wingdings"/>')),
    ],
    ids=["row", "line", "indent", "frame", "low frame", "box", "far box", "signs"],
)
def test_word_places_that_show_nothing(tmp_path: Path, body: str) -> None:
    assert hidden(word(tmp_path, body)) == [CAP]


@pytest.mark.parametrize(
    "body",
    [
        ROW.format(HEIGHT.format(400, "exact"), TEXT),
        ROW.format(HEIGHT.format(1, "atLeast"), TEXT),
        paragraph(run(CAP), properties=EXACT.format(240)),
        paragraph(run(CAP), properties='<w:ind w:left="1440" w:hanging="720"/>'),
        BOX.format(914_400, 900_000, TEXT),
        paragraph(run(CAP, '<w:rFonts w:ascii="Symbolset"/>')),
    ],
)
def test_word_places_that_show_something(tmp_path: Path, body: str) -> None:
    document = word(tmp_path, body)
    assert CAP in document.text
    assert hidden(document) == []


def symbols(font: str, *codes: str) -> str:
    return "<w:r>" + "".join(f'<w:sym w:font="{font}" w:char="{c}"/>' for c in codes) + "</w:r>"


@pytest.mark.parametrize(
    ("font", "codes", "read"),
    [
        ("Times New Roman", ("F035", "F030", "F030"), "500"),
        ("Arial", ("006E", "006F", "0074"), "not"),
        ("Symbol", ("F0A3", "F035"), "≤5"),
        ("Wingdings", ("F0FE",), "\u2611"),
        ("Wingdings", ("F021",), "\ufffd"),
    ],
)
def test_symbols_of_word_are_read(
    tmp_path: Path, font: str, codes: tuple[str, ...], read: str
) -> None:
    document = word(tmp_path, paragraph(run("It is "), symbols(font, *codes), run(" indeed.")))
    assert f"It is {read} indeed." in document.text


def test_turned_writing_is_no_evidence(tmp_path: Path) -> None:
    turned = f'<w:bdo w:val="rtl">{run("000,005")}</w:bdo>'
    pages = [
        word(tmp_path, paragraph(run("It is "), turned, run(" indeed."))),
        html(tmp_path, '<p>It is <bdo dir="rtl">000,005</bdo> indeed.</p>'),
        html(tmp_path, '<p>It is <b style="unicode-bidi:bidi-override;direction:rtl">000,005</b> '
             "indeed.</p>"),
        html(tmp_path, "<p>It is \u202e000,005\u202c indeed.</p>"),
    ]  # fmt: skip
    for document in pages:
        assert "000,005" in document.text
        assert "000,005" not in shown(document)
        assert "It is" in shown(document)
        assert find_unseen(document)


def test_hebrew_is_not_turned(tmp_path: Path) -> None:
    document = html(tmp_path, "<p>\u202e\u05e9\u05dc\u05d5\u05dd\u202c</p>")
    assert find_unseen(document) == ()


@pytest.mark.parametrize(
    ("body", "head"),
    [
        (f"<p><s>{CAP}</s></p>", ""),
        (f"<p><strike>{CAP}</strike></p>", ""),
        (f'<p style="text-decoration: line-through red">{CAP}</p>', ""),
        (f'<p class="g">{CAP}</p>', "<style>.g {text-decoration-line: line-through}</style>"),
    ],
)
def test_lines_through_words_of_web_pages(tmp_path: Path, body: str, head: str) -> None:
    document = html(tmp_path, body, head)
    assert struck(document) == CAP
    assert CAP not in shown(document)


@pytest.mark.parametrize(
    ("body", "head", "said"),
    [
        ("<p class=n>Agreed.</p>", '<style>.n::before{content:"not "}</style>', "“not ”"),
        ('<iframe srcdoc="<p>More</p>"></iframe>', "", "other pages within it"),
        ('<p><img src="schedule.png"></p>', "", "1 pictures that are not in the file"),
        (
            "<p>a</p>",
            "<style>@font-face{src:url(data:font/woff;base64,AA)}</style>",
            "embeds fonts: what",
        ),
    ],
)
def test_what_web_pages_show_and_is_not_read_is_told(
    tmp_path: Path, body: str, head: str, said: str
) -> None:
    assert any(said in each for each in html(tmp_path, body, head).warnings)


def test_a_plain_web_page_has_no_warnings(tmp_path: Path) -> None:
    head = "<style>p{color:#222} li::before{content:'\\2022 '}</style>"
    assert html(tmp_path, f"<p>{CAP}</p><img src=dot.png width=1 height=1>", head).warnings == ()


@pytest.mark.parametrize("body", [rf"{{\strike {CAP}}}", rf"\striked1 {CAP}\striked0"])
def test_lines_through_rich_text(tmp_path: Path, body: str) -> None:
    document = rtf(tmp_path, rf"{body} Signed.")
    assert struck(document).strip() == CAP
    assert "Signed." in shown(document)


@pytest.mark.parametrize(
    "body",
    [
        rf"\pard\sl-20\slmult0 {CAP}\par\pard Signed.",
        rf"\pard\li31680 {CAP}\par\pard Signed.",
        rf"\trowd\trrh-10\cellx5000\intbl {CAP}\cell\row\pard Signed.",
        rf"{{\charscalex1 {CAP}}} Signed.",
    ],
)
def test_rich_text_places_that_show_nothing(tmp_path: Path, body: str) -> None:
    document = rtf(tmp_path, body)
    assert CAP in document.text
    assert CAP not in shown(document)
    assert "Signed." in shown(document)


@pytest.mark.parametrize(
    "properties",
    ['style:text-line-through-style="solid"', 'style:text-line-through-type="single"'],
)
def test_lines_through_opendocument(tmp_path: Path, properties: str) -> None:
    document = odt(tmp_path, SPAN, odf_style(properties))
    assert struck(document) == SPAN.partition('"H">')[2].partition("<")[0]


@pytest.mark.parametrize(
    "styles",
    [
        odf_style('fo:line-height="0.02cm"', "paragraph", "paragraph"),
        odf_style('fo:margin-left="60cm"', "paragraph", "paragraph"),
        odf_style('style:font-name="Wingdings"', "paragraph"),
    ],
)
def test_opendocument_places_that_show_nothing(tmp_path: Path, styles: str) -> None:
    document = odt(tmp_path, f'<text:p text:style-name="H">{CAP}</text:p>', styles)
    assert CAP in document.text
    assert CAP not in shown(document)


def message() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "a.person@example.com", "Agreement"
    return mail


def picture() -> bytes:
    """Return a picture of a clause, as a PNG."""
    with pypdfium2.PdfDocument(assemble([show([(72, 700, CAP)])])) as opened:
        pixels = render_grey(opened[0], 3.0)[200:320, 150:1500]
    return encode_png(pixels[:, :, None])


def pictured(folder: Path, suffix: str) -> Path:
    data = picture()
    path = folder / f"pictured{suffix}"
    if suffix == ".docx":
        members = word_parts(paragraph(run(LAW)))
        members["word/_rels/document.xml.rels"] = (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r9" '
            f'Type="{OFFICE}/image" Target="media/a.png"/></Relationships>'
        )
        written(folder, members).rename(path)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("word/media/a.png", data)
    elif suffix == ".odt":
        link = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="Pictures/a.png"'
        frame = f"<text:p><draw:frame><draw:image {link}/></draw:frame></text:p>"
        pack(path, parts(f"<text:p>{LAW}</text:p>{frame}"))
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("Pictures/a.png", data)
    elif suffix == ".html":
        source = f"data:image/png;base64,{base64.b64encode(data).decode()}"
        path.write_text(f'<p>{LAW}</p><p><img src="{source}"></p>', encoding="utf-8")
    elif suffix == ".rtf":
        about = r"{\*\blipuid 0123456789abcdef}"
        path.write_text(rf"{{\rtf1 {LAW}\par {{\pict{about}\pngblip {data.hex()}}}\par}}")
    elif suffix == ".eml":
        mail = message()
        mail.set_content(f'<p>{LAW}</p><img src="cid:a1">', subtype="html")
        mail.add_related(data, "image", "png", cid="<a1>")
        path.write_bytes(mail.as_bytes())
    return path


FORMATS = (".docx", ".odt", ".html", ".rtf", ".eml")


@pytest.mark.parametrize("suffix", FORMATS)
def test_pictures_are_told_of_without_an_engine(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.documents.ocr.recognition.find_ocr_engine", lambda: None)
    document = read_document(pictured(tmp_path, suffix))
    assert LAW in document.text
    assert any("a picture, whose words" in each for each in document.warnings)


@pytest.mark.parametrize("suffix", FORMATS)
def test_pictures_are_read_with_an_engine(tmp_path: Path, suffix: str) -> None:
    from fourcorners.documents.ocr.engines import find_ocr_engine

    if find_ocr_engine() is None:
        pytest.skip("neither Tesseract nor RapidOCR is installed")
    document = read_document(pictured(tmp_path, suffix))
    assert document.text.rstrip().endswith(CAP)
    assert any("are at the end" in each for each in document.warnings)


def test_a_document_of_nothing_but_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.documents.ocr.recognition.find_ocr_engine", lambda: None)
    path = pictured(tmp_path, ".docx")
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    held["word/document.xml"] = held["word/document.xml"].replace(LAW.encode(), b"")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="none was read of its pictures"):
        read_document(path)


@pytest.mark.parametrize(
    ("page", "differs"),
    [("500,000", False), ("900,000", True)],
)
def test_a_mail_whose_page_says_something_else(tmp_path: Path, page: str, differs: bool) -> None:
    mail = message()
    mail.set_content(f"{LAW}\n\n{CAP}\n")
    mail.add_alternative(f"<p>{LAW}</p><p>{CAP.replace('500,000', page)}</p>", subtype="html")
    path = tmp_path / "a.eml"
    path.write_bytes(mail.as_bytes())
    assert any("compare them" in each for each in read_document(path).warnings) is differs
