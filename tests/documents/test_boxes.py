"""Boxes of any document: read from its text layer, recognised, both, or neither."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents.boxes import span_boxes
from fourcorners.documents.document import Box, Document, OcrWord, Page, TextSource
from fourcorners.documents.ocr import recognition as ocr
from fourcorners.documents.ocr.engines import RecognisedPage, RecognisedWord
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span

PICTURE = b"q 500 0 0 700 50 50 cm /Im1 Do Q"
SCAN = Document(
    id="a",
    name="a.png",
    path="a.png",
    sha256="aa",
    media_type="image",
    reader="picture/1",
    text="Alder Ltd\nagrees\nto pay\n",
    pages=(
        Page(1, Span(0, 17), 612, 792, TextSource.OCR, 0.9),
        Page(2, Span(17, 24), 612, 792, TextSource.OCR, 0.9),
    ),
    words=(
        OcrWord(Span(0, 5), Box(1, 100, 50, 150, 62), 0.9),
        OcrWord(Span(6, 9), Box(1, 160, 49, 190, 61), 0.9),
        OcrWord(Span(10, 16), Box(1, 100, 70, 160, 82), 0.9),
        OcrWord(Span(17, 19), Box(2, 100, 50, 120, 62), 0.9),
        OcrWord(Span(20, 23), Box(2, 130, 50, 160, 62), 0.9),
    ),
)
NOWHERE = Path("not needed")


def test_recognised_words_have_one_box_a_line() -> None:
    assert span_boxes(NOWHERE, SCAN, Span(0, 24)) == [
        Box(1, 100, 49, 190, 62),
        Box(1, 100, 70, 160, 82),
        Box(2, 100, 50, 160, 62),
    ]


def test_a_part_of_a_word_has_its_share_of_the_box() -> None:
    assert span_boxes(NOWHERE, SCAN, Span(1, 3)) == [Box(1, 110, 50, 130, 62)]
    assert span_boxes(NOWHERE, SCAN, Span(9, 10)) == []


def test_a_span_over_digital_and_recognised_pages_has_boxes_on_both(
    make_pdf: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Fake:
        name = "fake/1"

        def read(self, picture: object) -> RecognisedPage:  # noqa: ARG002
            return RecognisedPage(
                1700, 2200, ((RecognisedWord("Scanned", 200, 100, 400, 120, 0.9),),)
            )

    monkeypatch.setattr(ocr, "find_ocr_engine", Fake)
    path = make_pdf([(72, 700, "First")], PICTURE, [(72, 700, "Third")])
    document = read_document(path)
    found = span_boxes(path, document, Span(0, len(document.text)))
    assert [box.page for box in found] == [1, 2, 3]
    assert found[1] == Box(2, 72.0, 36.0, 144.0, 43.2)
    archive = tmp_path / "deal.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.write(path, "a.pdf")
    within = read_document(archive / "a.pdf")
    assert span_boxes(archive / "a.pdf", within, Span(0, len(within.text))) == found


def test_a_document_without_pages_has_no_boxes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Alder")
    assert span_boxes(path, read_document(path), Span(0, 5)) == []
