"""OpenDocument and rich text: what no reader sees is marked; comments and footers stay beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read_document
from fourcorners.review.suspicion import SuspicionKind, find_suspicions
from tests.attacks.injections import ORDER
from tests.documents.odf.test_reader import pack, parts

SEEN = "This Agreement is governed by the laws of England and Wales."
FO = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'


def hidden(document: Document) -> str:
    marks = [mark for mark in document.marks if mark.kind is MarkKind.HIDDEN]
    return " ".join(" ".join(mark.span.text_in(document.text).split()) for mark in marks)


def signs(document: Document) -> list[SuspicionKind]:
    return [each.sign for each in find_suspicions(document)]


def odt(folder: Path, body: str, styles: str = "") -> Document:
    members = parts(f"<text:p>{SEEN}</text:p>{body}", styles)
    whole = members["content.xml"].replace(
        "<office:document-content", f"<office:document-content {FO}"
    )
    return read_document(pack(folder / "a.odt", members | {"content.xml": whole}))


def style(properties: str, family: str = "text", kind: str = "text", name: str = "H") -> str:
    return (
        f'<style:style style:name="{name}" style:family="{family}">'
        f"<style:{kind}-properties {properties}/></style:style>"
    )


WHITE = 'fo:color="#ffffff"'
SPAN = f'<text:p><text:span text:style-name="H">{ORDER}</text:span></text:p>'
CHILD = '<style:style style:name="C" style:family="text" style:parent-style-name="H"/>'
CELL = (
    '<table:table><table:table-row><table:table-cell table:style-name="D">'
    f"{SPAN}</table:table-cell></table:table-row></table:table>"
)
BOX = (
    '<text:p><draw:frame draw:style-name="D"><draw:text-box>'
    f"{SPAN}</draw:text-box></draw:frame></text:p>"
)
DARK_CELL = style('fo:background-color="#000000"', "table-cell", "table-cell", "D")
DARK_FRAME = style('draw:fill="solid" draw:fill-color="#000000"', "graphic", "graphic", "D")


@pytest.mark.parametrize(
    ("styles", "body"),
    [
        (style(WHITE), SPAN),
        (style('fo:color="#fdfdfd"'), SPAN),
        (style('fo:font-size="1pt"'), SPAN),
        (style('fo:font-size="4%"'), SPAN),
        (style('text:display="none"'), SPAN),
        (style(f'{WHITE} fo:background-color="#ffffff"'), SPAN),
        (style('fo:color="#000000" fo:background-color="#000000"'), SPAN),
        (style(WHITE) + CHILD, SPAN.replace('"H"', '"C"')),
        (style(WHITE, "paragraph"), f'<text:p text:style-name="H">{ORDER}</text:p>'),
        (style(WHITE), CELL),
        (style(WHITE), BOX),
        ("", f'<text:section text:display="none"><text:p>{ORDER}</text:p></text:section>'),
    ],
)
def test_opendocument_letters_that_nobody_sees(tmp_path: Path, styles: str, body: str) -> None:
    document = odt(tmp_path, body, styles)
    assert hidden(document) == ORDER
    assert signs(document) == [SuspicionKind.ORDERS, SuspicionKind.HIDDEN]


@pytest.mark.parametrize(
    ("styles", "body"),
    [
        (style('fo:color="#333333"'), SPAN),
        (style(f'{WHITE} style:use-window-font-color="true"'), SPAN),
        (style(f'{WHITE} fo:background-color="#1f3864"'), SPAN),
        (style('fo:font-size="8pt"'), SPAN),
        (style(WHITE) + DARK_CELL, CELL),
        (style(WHITE) + DARK_FRAME, BOX),
        (style(WHITE, "paragraph"), SPAN),  # a style of paragraphs is none of letters
    ],
)
def test_opendocument_letters_that_are_seen(tmp_path: Path, styles: str, body: str) -> None:
    document = odt(tmp_path, body, styles)
    assert ORDER in document.text
    assert hidden(document) == ""


def test_a_comment_in_opendocument_is_beside_the_text_and_reported(tmp_path: Path) -> None:
    note = (
        f"<office:annotation><dc:creator>A</dc:creator><text:p>{ORDER}</text:p></office:annotation>"
    )
    document = odt(tmp_path, f"<text:p>Agreed.{note}</text:p>")
    assert ORDER not in document.text
    assert signs(document) == [SuspicionKind.ORDERS]
    assert [m.detail for m in document.marks if m.kind is MarkKind.COMMENT] == [ORDER]


COLOURS = r"{\colortbl;\red255\green255\blue255;\red0\green0\blue0;\red31\green56\blue100;}"


def rtf(folder: Path, body: str) -> Document:
    path = folder / "a.rtf"
    fonts = r"{\fonttbl{\f0 Times;}}"
    path.write_text(rf"{{\rtf1\ansi\deff0{fonts}{COLOURS}\pard {SEEN}\par {body}\par}}", "ascii")
    return read_document(path)


@pytest.mark.parametrize(
    "body",
    [
        rf"{{\cf1 {ORDER}}}",
        rf"\cf1 {ORDER}\cf0",
        rf"{{\fs2 {ORDER}}}",
        rf"{{\v {ORDER}}}",
        rf"{{\cf1\highlight1 {ORDER}}}",
        rf"\trowd\cellx5000\intbl {{\cf1 {ORDER}}}\cell\row\pard",
        rf"\pard\cbpat1{{\cf1 {ORDER}}}",
    ],
)
def test_rich_text_letters_that_nobody_sees(tmp_path: Path, body: str) -> None:
    document = rtf(tmp_path, body)
    assert hidden(document) == ORDER
    assert signs(document) == [SuspicionKind.ORDERS, SuspicionKind.HIDDEN]


@pytest.mark.parametrize(
    "body",
    [
        rf"{{\cf2 {ORDER}}}",
        rf"{{\cf1\plain {ORDER}}}",
        rf"{{\cf1\highlight2 {ORDER}}}",
        rf"{{\cf1\chcbpat3 {ORDER}}}",
        rf"\pard\cbpat3{{\cf1 {ORDER}}}",
        rf"\trowd\clcbpat3\cellx5000\intbl {{\cf1 {ORDER}}}\cell\row\pard",
        rf"{{\cf99 {ORDER}}}",
        rf"{{\fs16 {ORDER}}}",
    ],
)
def test_rich_text_letters_that_are_seen(tmp_path: Path, body: str) -> None:
    document = rtf(tmp_path, body)
    assert ORDER in document.text
    assert hidden(document) == ""


def test_a_comment_in_rich_text_is_beside_the_text_and_reported(tmp_path: Path) -> None:
    note = rf"{{\chatn{{\*\annotation\pard\plain {{\chatn}}{ORDER}\par}}}}"
    document = rtf(tmp_path, rf"\trowd\cellx5000\intbl Agreed{note} by both.\cell\row\pard Signed.")
    assert "Agreed by both." in " ".join(document.text.split())
    assert ORDER not in document.text
    assert signs(document) == [SuspicionKind.ORDERS]


@pytest.mark.parametrize("place", ["header", "footer", "headerl", "footerf"])
def test_headers_and_footers_of_rich_text_are_no_clauses(tmp_path: Path, place: str) -> None:
    document = rtf(tmp_path, rf"{{\{place} {ORDER}\par}}Signed.")
    (mark,) = document.marks
    assert mark.kind.value == place[:6]
    assert mark.span.text_in(document.text).strip() == ORDER
    assert "Signed." in document.text
    assert signs(document) == [SuspicionKind.ORDERS]
