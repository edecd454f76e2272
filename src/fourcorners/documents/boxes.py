"""Where words stand on paper, whoever read them: the text layer's own places, or recognition's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fourcorners.documents.document import Box, Document, OcrWord, TextSource
from fourcorners.documents.media_types import MediaType
from fourcorners.text.span import Span


def span_boxes(path: Path, document: Document, span: Span) -> list[Box]:
    """Return where the words of `span` stand on paper: one box a line, in reading order.

    Of a recognised word that is only partly in the span the box is cut by the share of its letters.
    A document without pages has no boxes.

    Raises:
        InputError: If the file is needed and no longer the one that `document` was read from.
    """
    found = list(_ocr_boxes(document, span))
    digital = [page for page in document.pages if page.source is TextSource.TEXT]
    if document.media_type == MediaType.PDF and any(page.span.overlaps(span) for page in digital):
        from fourcorners.documents.pdf.boxes import line_boxes

        found += [box for _, box in line_boxes(path, document, span)]
    return sorted(found, key=lambda box: box.page)


def _ocr_boxes(document: Document, span: Span) -> Iterator[Box]:
    line: Box | None = None
    end = 0
    for word in document.words_in(span):
        box = _clip_word(word, span)
        if line is None or line.page != box.page or "\n" in document.text[end : word.span.start]:
            if line is not None:
                yield line
            line = box
        else:
            line = Box(
                box.page,
                min(line.x0, box.x0),
                min(line.y0, box.y0),
                max(line.x1, box.x1),
                max(line.y1, box.y1),
            )
        end = word.span.end
    if line is not None:
        yield line


def _clip_word(word: OcrWord, span: Span) -> Box:
    box, letter = word.box, (word.box.x1 - word.box.x0) / max(1, len(word.span))
    before = max(0, span.start - word.span.start)
    after = max(0, word.span.end - span.end)
    return Box(box.page, box.x0 + before * letter, box.y0, box.x1 - after * letter, box.y1)
