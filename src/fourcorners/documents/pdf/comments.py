"""Comments in a PDF: notes, highlights and similar, whose words are outside the text."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.documents.pdf.page import MAX_ANNOTATIONS, PageFrame, Rectangle
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

    from fourcorners.documents.pdf.text import TextLine

_MAX_COMMENT = 20_000  # characters of one comment


@dataclass(frozen=True, slots=True)
class PdfComment:
    """The words of a comment, its author, and its place in page coordinates."""

    text: str
    box: Rectangle


def page_comments(page: PdfPage) -> list[PdfComment]:
    from pypdfium2 import raw

    kinds = {
        raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE,
        raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_SQUARE,
        raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_LINE, raw.FPDF_ANNOT_POLYGON,
        raw.FPDF_ANNOT_POLYLINE, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_CARET,
        raw.FPDF_ANNOT_FILEATTACHMENT, raw.FPDF_ANNOT_REDACT,
    }  # fmt: skip
    found, rectangle = [], raw.FS_RECTF()
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        if raw.FPDFAnnot_GetSubtype(annotation) in kinds:
            words = _annotation_string(annotation, b"Contents")
            if words:
                raw.FPDFAnnot_GetRect(annotation, rectangle)
                box = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
                author = _annotation_string(annotation, b"T") or "unknown"
                found.append(PdfComment(f"{author}: {words}", box))
        raw.FPDFPage_CloseAnnot(annotation)
    return found


def comment_marks(
    found: Sequence[PdfComment], lines: Sequence[TextLine], frame: PageFrame
) -> list[Mark]:
    made = []
    for note in found:
        _, top, _, bottom = frame.to_display(note.box)
        middle = (top + bottom) / 2
        nearest = min(
            lines, key=lambda line: abs((line.box[1] + line.box[3]) / 2 - middle), default=None
        )
        at = nearest.span.end if nearest else 0
        made.append(Mark(MarkKind.COMMENT, Span(at, at), note.text))
    return made


def _annotation_string(annotation: object, key: bytes) -> str:
    from pypdfium2 import raw

    length = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    units = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
    raw.FPDFAnnot_GetStringValue(annotation, key, units, length)
    words = buffer.raw[: length - 2].decode("utf-16-le", "replace")[:_MAX_COMMENT]
    return " ".join(words.replace("\0", "\ufffd").split())
