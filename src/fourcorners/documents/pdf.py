"""PDF by pdfium: text layer, pages, and a box for every line of a span.

One character of the document's text is one character of pdfium's, so a place in the text is a
place on the page without any alignment. Three replacements, one for one, make the text readable:
U+FFFE (pdfium's mark for a hyphen at a line's end) becomes "-", U+037E (the Greek question mark
that some fonts use for it) becomes ";", and the carriage return of a line's end becomes a space.

pdfium is not thread-safe: call this in a process of its own (`Workers`).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents import margins
from fourcorners.documents.damage import broken_streams
from fourcorners.documents.document import Box, Document, Mark, Page, Source
from fourcorners.documents.path_errors import unreadable
from fourcorners.documents.pdf_page import Rectangle, picture_share, shown, shows_something
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.sniff import MediaType
from fourcorners.errors import InputError
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

MAX_PAGES = 20_000
SPARSE = 100  # characters: below, a picture over most of the page means that the text is in it
COVERED = 0.5  # of the page's area
FEW_PER_PAGE = 100  # characters on the mean page of several: below, text is likely to be missing

_AGAIN = "Fetch it again from its source, or open it in a PDF viewer and print it to a new PDF."
_UNPRINTABLE = re.compile("[\x01-\x08\x0b\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One page as read: what `Page` needs, and what later checks want to know."""

    text: str
    width: float = 612.0
    height: float = 792.0
    source: Source = Source.TEXT
    broken: bool = False
    edges: tuple[tuple[Span, float], ...] = ()  # line within the page, its height on it


def read_pdf(file: RawFile) -> Content:
    """Return the text layer page by page; pages without one are left for text recognition."""
    with _open(file.data, file.path) as pdf:
        sheets = [_sheet(pdf, index) for index in range(len(pdf))]
    if all(sheet.broken for sheet in sheets):
        raise InputError(
            f"{file.path}: the PDF is damaged, or unpacks beyond the memory allowed: "
            "no page of it opens.",
            remedy=_AGAIN,
        )
    text = "".join(sheet.text for sheet in sheets)
    pages: list[Page] = []
    lines: list[list[margins.EdgeLine]] = []
    start = 0
    for number, sheet in enumerate(sheets, 1):
        span = Span(start, start + len(sheet.text))
        pages.append(Page(number, span, sheet.width, sheet.height, sheet.source))
        lines.append(
            [
                margins.EdgeLine(line.shift(start), line.of(sheet.text), height)
                for line, height in sheet.edges
            ]
        )
        start = span.end
    if not text.strip() and all(sheet.source is Source.TEXT for sheet in sheets):
        raise InputError(
            f"{file.path}: the PDF shows nothing: its pages are blank or damaged.", remedy=_AGAIN
        )
    marks: tuple[Mark, ...] = tuple(sorted(margins.running(lines), key=lambda mark: mark.span))
    return Content(text, tuple(pages), marks, tuple(_warnings(sheets, file.data)))


def boxes(path: Path, document: Document, span: Span) -> list[Box]:
    """Return where the words of `span` stand on paper: one box a line, in reading order.

    Raises:
        InputError: If the file is no longer the one that `document` was read from.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    if hashlib.sha256(data).hexdigest() != document.sha256:
        raise InputError(f"{path}: the file has changed since it was read.", remedy="Add it again.")
    found: list[Box] = []
    with _open(data, path) as pdf:
        for page in document.pages:
            part = page.span.intersection(span)
            if part is None or not part.strip(document.text):
                continue
            sheet = _load(pdf, page.number - 1)
            textpage = sheet.get_textpage()
            here = part.strip(document.text).shift(-page.span.start)
            found += [Box(page.number, *line) for line in _lines(sheet, textpage, here)]
            sheet.close()
    return found


def _lines(page: PdfPage, textpage: PdfTextPage, span: Span) -> Iterator[Rectangle]:
    """Join the boxes of a span's characters into one rectangle a line.

    A line ends where the next character stands on another height; pdfium's own line ends are not
    enough, for it leaves them out after a hyphen.
    """
    line: Rectangle | None = None
    width, height = page.get_size()
    upright = _runs_across(page, textpage, span.start)
    for index in range(span.start, min(span.end, textpage.count_chars())):
        if chr(_code(textpage, index)).isspace():
            continue
        x0, y0, x1, y1 = shown(page, textpage.get_charbox(index, loose=True))
        x0, x1 = max(x0, 0.0), min(x1, width)
        y0, y1 = max(y0, 0.0), min(y1, height)
        if x1 <= x0 or y1 <= y0:
            continue
        if line is not None and _same_line(line, (x0, y0, x1, y1), upright=upright):
            line = min(line[0], x0), min(line[1], y0), max(line[2], x1), max(line[3], y1)
        else:
            if line is not None:
                yield line
            line = x0, y0, x1, y1
    if line is not None:
        yield line


def _runs_across(page: PdfPage, textpage: PdfTextPage, index: int) -> bool:
    """Tell whether the text runs from left to right or back, not up or down the page as shown."""
    from pypdfium2 import raw

    angle = raw.FPDFText_GetCharAngle(textpage, index) - math.radians(page.get_rotation())
    return abs(math.sin(angle)) < 0.7


def _same_line(line: Rectangle, box: Rectangle, *, upright: bool) -> bool:
    """Tell whether a character continues a line: most of its height lies beside it."""
    first, last = (1, 3) if upright else (0, 2)
    beside = min(line[last], box[last]) - max(line[first], box[first])
    return beside >= 0.5 * min(line[last] - line[first], box[last] - box[first])


def _code(textpage: PdfTextPage, index: int) -> int:
    from pypdfium2 import raw

    code: int = raw.FPDFText_GetUnicode(textpage, index)
    return code if code < 0x110000 else 0xFFFD


def _open(data: bytes, path: Path) -> PdfDocument:
    import pypdfium2
    from pypdfium2 import raw

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        code = error.err_code
        if code == raw.FPDF_ERR_PASSWORD:
            raise InputError(
                f"{path}: the PDF is protected by a password.",
                remedy="Open it with the password, save it without one and add that file.",
            ) from error
        if code == raw.FPDF_ERR_SECURITY:
            raise InputError(
                f"{path}: the PDF is encrypted in a way that is not supported.",
                remedy="Print it to a new PDF from a viewer that opens it.",
            ) from error
        if b"%%EOF" not in data[-2048:]:
            raise InputError(
                f"{path}: the PDF is truncated: its end is missing.", remedy=_AGAIN
            ) from error
        raise InputError(f"{path}: the PDF is damaged: it does not open.", remedy=_AGAIN) from error
    count = len(pdf)
    if not 0 < count <= MAX_PAGES:
        pdf.close()
        problem = "holds no pages" if count <= 0 else f"claims {count} pages"
        raise InputError(f"{path}: the PDF {problem}; 1 to {MAX_PAGES} are read.", remedy=_AGAIN)
    return pdf


def _load(pdf: PdfDocument, index: int) -> PdfPage:
    """Load a page with what was typed into its form fields, which is no part of its text else."""
    from pypdfium2 import raw

    page = pdf.get_page(index)
    typed = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT)
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        subtype = raw.FPDFAnnot_GetSubtype(annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if subtype in typed:
            if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
                page.close()
                page = pdf.get_page(index)
            break
    return page


def _sheet(pdf: PdfDocument, index: int) -> _Sheet:
    from pypdfium2 import PdfiumError

    try:
        page = _load(pdf, index)
    except PdfiumError:
        return _Sheet("\n", broken=True)
    try:
        textpage = page.get_textpage()
    except PdfiumError:
        page.close()
        return _Sheet("\n", broken=True)
    text = _characters(textpage) + "\n"
    width, height = page.get_size()
    lines = tuple(
        (line, _height_of(page, textpage, line.start, height))
        for line in margins.edges(text, Span(0, len(text)))
    )
    words = len(text.strip())
    source = Source.TEXT
    if (not words and shows_something(page)) or (
        0 < words < SPARSE and picture_share(page) >= COVERED
    ):
        source = Source.NONE
    page.close()
    return _Sheet(text, width, height, source, edges=lines)


def _characters(textpage: PdfTextPage) -> str:
    """Return the page's text, one character for each of pdfium's."""
    count = textpage.count_chars()
    text: str = textpage.get_text_range(errors="surrogatepass") if count > 0 else ""
    if len(text) != count:  # pdfium left some out of its string: ask for each
        text = "".join(chr(_code(textpage, index)) for index in range(count))
    text = text.replace("\ufffe", "-").replace("\u037e", ";").replace("\r", " ").replace("\0", " ")
    return _UNPRINTABLE.sub("\ufffd", text)


def _height_of(page: PdfPage, textpage: PdfTextPage, index: int, height: float) -> float:
    """Return how far down the page a character stands, from 0 to 1."""
    box = textpage.get_charbox(index, loose=True)
    _, y0, _, y1 = shown(page, box)
    return (y0 + y1) / 2 / height if height else 0.5


def _warnings(sheets: list[_Sheet], data: bytes) -> Iterator[str]:
    scanned = [n for n, sheet in enumerate(sheets, 1) if sheet.source is Source.NONE]
    if scanned:
        yield f"{_numbered(scanned)} without a text layer: text recognition (OCR) is needed."
    broken = [n for n, sheet in enumerate(sheets, 1) if sheet.broken]
    if broken:
        yield f"{_numbered(broken)} damaged: no text could be read there."
    bad, tried = broken_streams(data)
    if bad:
        yield f"The PDF is damaged in {bad} of {tried} compressed parts: text may be missing."
    written = [len(s.text.strip()) for s in sheets if s.source is Source.TEXT and not s.broken]
    if not bad and len(written) >= 3 and sum(written) < FEW_PER_PAGE * len(written):
        yield (
            f"The pages hold {sum(written) / len(written):.0f} characters on average: "
            "the file may be damaged and text may be missing."
        )


def _numbered(pages: list[int]) -> str:
    """Name pages as a person would, ranges joined: "Pages 3, 5-7 are"."""
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    names = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
    return f"Page {names} is" if len(pages) == 1 else f"Pages {names} are"


READER = Reader(name="pdf", version=1, media_types=frozenset({MediaType.PDF}), read=read_pdf)
