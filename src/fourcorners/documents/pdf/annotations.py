"""The annotations of a PDF page: comments, words struck out or to be redacted, and form fields."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.documents.appearance import check_sign
from fourcorners.documents.pdf.page import Rectangle

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

MAX_ANNOTATIONS = 10_000  # looked at on one page
_MAX_QUADS = 2_000  # of one annotation
_MAX_WORDS = 20_000  # characters of one comment or field
_MAX_OPTIONS = 1_000  # of one field
_HIDDEN_FLAGS = 2 | 32  # hidden, and not shown on screens (ISO 32000-1, table 165)


@dataclass(frozen=True, slots=True)
class Comment:
    """The words of a comment, its author, and its place in page coordinates."""

    text: str
    box: Rectangle


@dataclass(frozen=True, slots=True)
class FilledField:
    """A form field, or words put onto a page, with its place in page coordinates.

    Attributes:
        value: Its words as stored; for a check box or radio button, a sign of its state.
        is_box: It is a check box or a radio button.
        is_drawn: The words that it draws are read, and the value only if it draws none.
    """

    box: Rectangle
    value: str
    is_box: bool = False
    is_drawn: bool = True


@dataclass(slots=True)
class PageAnnotations:
    """The annotations of a page, with their places in page coordinates.

    Attributes:
        unread: What is not read, such as values of hidden form fields, by its name.
        is_flattened: The last object of the page is a form that draws its fields.
    """

    comments: list[Comment] = field(default_factory=list)
    struck: list[Rectangle] = field(default_factory=list)
    redacted: list[Rectangle] = field(default_factory=list)
    fields: list[FilledField] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    is_flattened: bool = False


def load_page(pdf: PdfDocument, index: int) -> tuple[PdfPage, PageAnnotations]:
    """Load a page and its annotations, and draw on it what its form fields and stamps show.

    That is otherwise not in its text; the other annotations may be gone from the page then.
    """
    from pypdfium2 import raw

    page = pdf.get_page(index)
    found = _read_annotations(page)
    if found.fields and raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
        found.is_flattened = True
        page.close()
        page = pdf.get_page(index)
    return page, found


def _read_annotations(page: PdfPage) -> PageAnnotations:
    from pypdfium2 import raw

    commenting = {
        raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE,
        raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_SQUARE,
        raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_LINE, raw.FPDF_ANNOT_POLYGON,
        raw.FPDF_ANNOT_POLYLINE, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_CARET,
        raw.FPDF_ANNOT_FILEATTACHMENT, raw.FPDF_ANNOT_REDACT,
    }  # fmt: skip
    drawn = {raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_WATERMARK}
    found = PageAnnotations()
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        is_hidden = bool(raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN_FLAGS)
        words = _string(annotation, b"Contents") if kind in commenting or kind in drawn else ""
        if kind in commenting and words:
            author = _string(annotation, b"T") or "unknown"
            found.comments.append(Comment(f"{author}: {words}", _rectangle(annotation)))
        if kind == raw.FPDF_ANNOT_WIDGET:
            _add_field(page, annotation, found, is_hidden=is_hidden)
        elif kind == raw.FPDF_ANNOT_FILEATTACHMENT:
            found.unread["attached file"] += 1
        elif is_hidden:
            pass
        elif kind == raw.FPDF_ANNOT_STRIKEOUT:
            found.struck += _quads(annotation)
        elif kind == raw.FPDF_ANNOT_REDACT:
            found.redacted += _quads(annotation)
        elif kind in drawn:
            stored = words if kind == raw.FPDF_ANNOT_FREETEXT else ""
            found.fields.append(FilledField(_rectangle(annotation), stored))
        raw.FPDFPage_CloseAnnot(annotation)
    return found


def _add_field(
    page: PdfPage, annotation: object, found: PageAnnotations, *, is_hidden: bool
) -> None:
    from pypdfium2 import raw

    form, box = page.formenv, _rectangle(annotation)
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation) if form else raw.FPDF_FORMFIELD_UNKNOWN
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        sign = check_sign(ticked=bool(raw.FPDFAnnot_IsChecked(form, annotation)))
        made = FilledField(box, sign, is_box=True, is_drawn=False)
    elif kind in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        chosen = ", ".join(_chosen_options(form, annotation)) or _value(form, annotation)
        made = FilledField(box, chosen, is_drawn=kind == raw.FPDF_FORMFIELD_COMBOBOX)
    else:
        stored = _value(form, annotation) if kind == raw.FPDF_FORMFIELD_TEXTFIELD else ""
        if kind <= raw.FPDF_FORMFIELD_UNKNOWN:  # the form does not list it
            stored = _string(annotation, b"V")
        made = FilledField(box, stored)
    if not is_hidden:
        found.fields.append(made)
    elif made.value and not made.is_box:
        found.unread["hidden form value"] += 1


def _chosen_options(form: object, annotation: object) -> Iterator[str]:
    from pypdfium2 import raw

    for at in range(min(raw.FPDFAnnot_GetOptionCount(form, annotation), _MAX_OPTIONS)):
        if raw.FPDFAnnot_IsOptionSelected(form, annotation, at):
            yield _read_words(raw.FPDFAnnot_GetOptionLabel, form, annotation, at)


def _value(form: object, annotation: object) -> str:
    from pypdfium2 import raw

    return _read_words(raw.FPDFAnnot_GetFormFieldValue, form, annotation)


def _string(annotation: object, key: bytes) -> str:
    from pypdfium2 import raw

    return _read_words(raw.FPDFAnnot_GetStringValue, annotation, key)


def _read_words(read: Callable[..., int], *place: object) -> str:
    length = read(*place, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    units = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
    read(*place, units, length)
    words = buffer.raw[: length - 2].decode("utf-16-le", "replace")[:_MAX_WORDS]
    return " ".join(words.replace("\0", "\ufffd").split())


def _rectangle(annotation: object) -> Rectangle:
    from pypdfium2 import raw

    found = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, found)
    return found.left, found.bottom, found.right, found.top


def _quads(annotation: object) -> Iterator[Rectangle]:
    """Yield the places of what is marked: one per line, as a rule."""
    from pypdfium2 import raw

    quad = raw.FS_QUADPOINTSF()
    count = min(raw.FPDFAnnot_CountAttachmentPoints(annotation), _MAX_QUADS)
    if not count:
        yield _rectangle(annotation)
    for at in range(count):
        if raw.FPDFAnnot_GetAttachmentPoints(annotation, at, quad):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(xs), min(ys), max(xs), max(ys)
