"""What a document knows of its own words: pages, and how surely they were recognised."""

from __future__ import annotations

from fourcorners.documents.document import Box, Document, OcrWord, Page, TextSource
from fourcorners.text.span import Span

TEXT = "Alder Ltd agrees\n"


def word(start: int, end: int, confidence: float) -> OcrWord:
    return OcrWord(Span(start, end), Box(1, start, 0, end, 10), confidence)


DOCUMENT = Document(
    id="a",
    name="a.pdf",
    path="a.pdf",
    sha256="aa",
    media_type="application/pdf",
    reader="pdf/2",
    text=TEXT,
    pages=(Page(1, Span(0, len(TEXT)), 612, 792, TextSource.OCR, 0.8),),
    words=(word(0, 5, 0.9), word(6, 9, 0.7), word(10, 16, 0.8)),
)


def test_the_confidence_of_a_span_is_the_mean_of_its_words() -> None:
    assert DOCUMENT.confidence(Span(0, 9)) == 0.8
    assert DOCUMENT.confidence(Span(6, 9)) == 0.7
    assert DOCUMENT.confidence(Span(2, 4)) == 0.9  # within a word
    assert DOCUMENT.confidence(Span(8, 12)) == 0.75  # half of two words


def test_what_was_not_recognised_has_no_confidence() -> None:
    assert DOCUMENT.confidence(Span(16, 17)) is None
    assert DOCUMENT.confidence(Span(5, 6)) is None
    assert DOCUMENT.words_in(Span(5, 6)) == ()
