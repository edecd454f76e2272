"""What holds for every document that was read, whatever file it came from."""

from __future__ import annotations

from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.documents.docx import original
from fourcorners.documents.ocr import Ocr
from fourcorners.documents.pdf_boxes import line_boxes
from fourcorners.documents.read import read

NO_OCR = Ocr(enabled=False)


def whole(document: Document) -> None:
    """Check that pages tile the text, that marks lie in it, and that it can be stored."""
    text = document.text
    ends = [0, *(page.span.end for page in document.pages)]
    assert [page.span.start for page in document.pages] == ends[:-1]
    assert not document.pages or ends[-1] == len(text)
    assert all(mark.span.end <= len(text) for mark in document.marks)
    assert [mark.span.start for mark in document.marks] == sorted(
        mark.span.start for mark in document.marks
    )
    assert "\0" not in text
    text.encode()  # no half of a surrogate pair


def inspect(path: Path) -> int:
    """Read a file and check all that holds for it; return the length of its text."""
    document = read(path, NO_OCR)
    whole(document)
    if document.media_type == "application/pdf":
        last = 0
        for span, box in line_boxes(path, document):
            page = document.pages[box.page - 1]
            assert page.span.contains(span), (page, span)
            assert 0 <= box.x0 < box.x1 <= page.width + 0.01, (page, box)
            assert 0 <= box.y0 < box.y1 <= page.height + 0.01, (page, box)
            assert span.start >= last, "lines in disorder"
            last = span.start
    elif path.suffix == ".docx" and document.reader.startswith("docx"):
        whole(original(path))
    return len(document.text)
