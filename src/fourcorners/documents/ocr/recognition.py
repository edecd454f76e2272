"""Text recognition: pages that show something but have no text get the words of their picture.

The words go into the text where the page stands, line by line, each with its box and confidence.
A page that was not read, for want of an engine or of time, stays as it was and says so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.documents import running_headers as margins
from fourcorners.documents.document import Box, Mark, OcrWord, Page, TextSource
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.ocr.engines import (
    DPI,
    INSTALL_HINT,
    PAGE_SECONDS,
    GreyImage,
    OcrEngine,
    OcrEngineError,
    RecognisedPage,
    RecognisedWord,
    find_ocr_engine,
)
from fourcorners.documents.ocr.image_cleanup import remove_rules, whiten_background
from fourcorners.documents.ocr.label_repair import repair_labels
from fourcorners.documents.ocr.label_rereading import reread_labels
from fourcorners.documents.ocr.line_order import order_lines
from fourcorners.documents.ocr.series_repair import repair_series
from fourcorners.documents.reader import Content, RawFile
from fourcorners.documents.workers import process as worker
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

MAX_PIXELS = 40_000_000  # of one page as drawn; A3 at 200 dpi has 8 million
MIN_UPRIGHT_WORDS = 60  # below which a page may have more than was seen
MIN_UPRIGHT_CONFIDENCE = 0.7  # mean confidence below which the page may lie on its side
_POINTS = 72 / DPI  # of a pixel
_UNRECOGNISED = TextSource.NONE


@dataclass(frozen=True, slots=True)
class OcrOptions:
    """Whether to recognise text, and how many seconds one file may take of it."""

    enabled: bool = True
    seconds: float = 1800.0


@dataclass(frozen=True, slots=True)
class _PageScan:
    """A page as seen, and the size of its pixels in points."""

    page: RecognisedPage
    scale: float


@dataclass(frozen=True, slots=True)
class _PageReading:
    """A page as read; spans start at the page's own start, boxes are in points."""

    text: str
    words: tuple[OcrWord, ...]
    width: float
    height: float

    @property
    def confidence(self) -> float | None:
        if not self.words:
            return None
        return round(sum(word.confidence for word in self.words) / len(self.words), 4)


def recognise_pages(file: RawFile, content: Content, ocr: OcrOptions) -> tuple[Content, str]:
    """Read the pages that have no text; return the whole, and the engine if one read any."""
    wanted = [page for page in content.pages if page.source is TextSource.NONE]
    if not wanted:
        return content, ""
    engine = find_ocr_engine() if ocr.enabled else None
    if engine is None:
        return replace(content, warnings=(*content.warnings, _unread_warning(wanted, ocr))), ""
    sheets: dict[int, _PageScan] = {}
    failed: dict[int, str] = {}
    if file.media_type is MediaType.IMAGE:
        content, sheets, failed = _read_image(file, content, engine)
    else:
        end = time.monotonic() + ocr.seconds
        for number, outcome in _read_pages(file, wanted, engine, end):
            if isinstance(outcome, _PageScan):
                sheets[number] = outcome
            else:
                failed[number] = outcome
    readings = _lay_out_pages(sheets)
    done = _rebuild_content(content, readings)
    notes = tuple(_recognition_warnings(readings, failed))
    return replace(done, warnings=(*content.warnings, *notes)), engine.name if readings else ""


def is_ocr_available(ocr: OcrOptions) -> bool:
    """Tell whether pages without text would be recognised now."""
    return ocr.enabled and find_ocr_engine() is not None


def ocr_remedy(ocr: OcrOptions) -> str:
    """Say what a person can do about pages that were not recognised."""
    if not ocr.enabled:
        return "Switch text recognition on (the setting `ocr`), then add the file again."
    if find_ocr_engine() is None:
        return f"{INSTALL_HINT}, then add the file again."
    return "Allow more time (the setting `ocr_seconds`), or supply a better scan, and add that."


def _unread_warning(pages: list[Page], ocr: OcrOptions) -> str:
    why = "text recognition (OCR) is needed" if ocr.enabled else "text recognition is switched off"
    verb = "is" if len(pages) == 1 else "are"
    numbers = format_page_numbers([page.number for page in pages])
    return f"{numbers} {verb} without a text layer: {why}."


def _recognition_warnings(
    readings: dict[int, _PageReading], failed: dict[int, str]
) -> Iterator[str]:
    read = {number: each for number, each in readings.items() if each.words}
    if read:
        words = [word.confidence for each in read.values() for word in each.words]
        verb = "was" if len(read) == 1 else "were"
        yield (
            f"{format_page_numbers(sorted(read))} {verb} read by OCR, with a mean confidence of "
            f"{sum(words) / len(words):.0%}."
        )
    blank = sorted(set(readings) - set(read))
    if blank:
        yield f"{format_page_numbers(blank)}: OCR found no words there."
    for why in sorted(set(failed.values())):
        numbers = sorted(number for number, each in failed.items() if each == why)
        yield f"{format_page_numbers(numbers)}: not read by OCR: {why}."


def format_page_numbers(pages: list[int]) -> str:
    """Name pages as a person would, ranges joined: "Pages 3, 5-7"."""
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    names = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
    return f"Page {names}" if len(pages) == 1 else f"Pages {names}"


def _read_pages(
    file: RawFile, wanted: list[Page], engine: OcrEngine, end: float
) -> Iterator[tuple[int, _PageScan | str]]:
    """Yield each page of a PDF as seen, or why it was not."""
    import pypdfium2

    pdf = pypdfium2.PdfDocument(file.data)
    try:
        for page in wanted:
            if time.monotonic() > end:
                yield page.number, "the time for text recognition is up (`ocr_seconds`)"
                continue
            worker.extend_deadline(5 * PAGE_SECONDS)  # looked at up to five times
            try:
                yield page.number, _read_page(pdf.get_page(page.number - 1), page, engine)
            except (OcrEngineError, pypdfium2.PdfiumError) as error:
                yield page.number, str(error)
    finally:
        pdf.close()


def _read_page(sheet: PdfPage, page: Page, engine: OcrEngine) -> _PageScan:
    scale = min(DPI / 72, math.sqrt(MAX_PIXELS / max(1.0, page.width * page.height)))
    picture = _draw_page(sheet, scale, 0)
    seen = engine.read(picture)
    if (
        _mean_confidence(seen) < MIN_UPRIGHT_CONFIDENCE
        or sum(map(len, seen.lines)) < MIN_UPRIGHT_WORDS
    ):
        seen = _better_page(seen, engine.read(whiten_background(picture)))
    turn = engine.detect_rotation(picture) if _mean_confidence(seen) < MIN_UPRIGHT_CONFIDENCE else 0
    if turn:
        upright = engine.read(_draw_page(sheet, scale, turn))
        if _better_page(seen, upright) is upright:
            sheet.close()
            return _PageScan(_rotate_back(upright, turn), 1 / scale)
    sheet.close()
    ordered = replace(seen, lines=tuple(order_lines(seen.lines)))
    return _PageScan(reread_labels(picture, ordered, engine.read), 1 / scale)


def _draw_page(sheet: PdfPage, scale: float, turn: int) -> GreyImage:
    bitmap = sheet.render(scale=scale, grayscale=True, rotation=turn)
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    pixels = bytes(bitmap.buffer)
    bitmap.close()
    if stride != width:
        pixels = b"".join(pixels[at * stride : at * stride + width] for at in range(height))
    return remove_rules(GreyImage(width, height, pixels))


def _better_page(left: RecognisedPage, right: RecognisedPage) -> RecognisedPage:
    """Return the reading with more letters, each counted by how sure it is."""
    masses = [
        sum(len(word.text) * word.confidence**2 for line in seen.lines for word in line)
        for seen in (left, right)
    ]
    return right if masses[1] > masses[0] else left


def _mean_confidence(seen: RecognisedPage) -> float:
    """Return the mean confidence of the words, weighed by their letters; 0 without any."""
    words = [word for line in seen.lines for word in line]
    letters = sum(len(word.text) for word in words)
    return sum(len(word.text) * word.confidence for word in words) / letters if letters else 0.0


def _rotate_back(seen: RecognisedPage, turn: int) -> RecognisedPage:
    """Return a page that was turned clockwise for reading with its boxes as they were before."""
    width, height = (seen.height, seen.width) if turn in (90, 270) else (seen.width, seen.height)

    def back(word: RecognisedWord) -> RecognisedWord:
        corners = []
        for u, v in ((word.x0, word.y0), (word.x1, word.y1)):
            match turn:
                case 90:
                    corners.append((v, height - u))
                case 180:
                    corners.append((width - u, height - v))
                case _:
                    corners.append((width - v, u))
        (xa, ya), (xb, yb) = corners
        return replace(word, x0=min(xa, xb), y0=min(ya, yb), x1=max(xa, xb), y1=max(ya, yb))

    lines = tuple(tuple(back(word) for word in line) for line in order_lines(seen.lines))
    return RecognisedPage(width, height, lines)


def _read_image(
    file: RawFile, content: Content, engine: OcrEngine
) -> tuple[Content, dict[int, _PageScan], dict[int, str]]:
    """Read a picture file; its pages are known only now."""
    worker.extend_deadline(2 * PAGE_SECONDS)
    try:
        seen = engine.read_file(file.data)
    except OcrEngineError as error:
        return content, {}, {page.number: str(error) for page in content.pages}
    if not seen:
        return content, {}, {page.number: "the picture does not open" for page in content.pages}
    sheets = {
        number: _PageScan(replace(page, lines=tuple(order_lines(page.lines))), _POINTS)
        for number, page in enumerate(seen, 1)
    }
    pages = tuple(
        Page(
            number,
            Span(number - 1, number),
            page.width * _POINTS,
            page.height * _POINTS,
            _UNRECOGNISED,
        )
        for number, page in enumerate(seen, 1)
    )
    return replace(content, text="\n" * len(pages), pages=pages), sheets, {}


def _lay_out_pages(sheets: dict[int, _PageScan]) -> dict[int, _PageReading]:
    """Write the lines of each page one below the other, their labels mended over all pages."""
    seen = [line for sheet in sheets.values() for line in sheet.page.lines]
    lines = iter(repair_series(repair_labels(seen)))
    return {
        number: _write_page(number, sheet, [next(lines) for _ in sheet.page.lines])
        for number, sheet in sheets.items()
    }


def _write_page(
    number: int, sheet: _PageScan, lines: Iterable[tuple[RecognisedWord, ...]]
) -> _PageReading:
    pieces: list[str] = []
    words: list[OcrWord] = []
    length, scale = 0, sheet.scale
    width, height = sheet.page.width * scale, sheet.page.height * scale
    for line in lines:
        for at, word in enumerate(line):
            text = " ".join(word.text.split())
            box = Box(
                number,
                round(max(0.0, word.x0 * scale), 2),
                round(max(0.0, word.y0 * scale), 2),
                round(min(width, word.x1 * scale), 2),
                round(min(height, word.y1 * scale), 2),
            )
            span = Span(length, length + len(text))
            words.append(OcrWord(span, box, round(word.confidence, 4)))
            pieces += (text, "\n" if at == len(line) - 1 else " ")
            length = span.end + 1
    return _PageReading("".join(pieces) or "\n", tuple(words), width, height)


def _rebuild_content(content: Content, readings: dict[int, _PageReading]) -> Content:
    """Put what was read in the place of what the pages had."""
    pieces: list[str] = []
    pages: list[Page] = []
    words: list[OcrWord] = []
    marks: list[Mark] = []
    edges: list[list[margins.EdgeLine]] = []
    start = 0
    for page in content.pages:
        kept = page.span.text_in(content.text)
        reading = readings.get(page.number)
        if reading is None or len(reading.text) < len(kept):
            inside = [mark for mark in content.marks if page.span.contains(mark.span)]
            by = start - page.span.start
            marks += [replace(mark, span=mark.span.shift(by)) for mark in inside]
            # What was read and is no more than a stamp's text, which the file has, adds nothing.
            source = page.source if reading is None else TextSource.TEXT
            pages.append(replace(page, span=Span(start, start + len(kept)), source=source))
            pieces.append(kept)
        else:
            span = Span(start, start + len(reading.text))
            pages.append(
                replace(page, span=span, source=TextSource.OCR, confidence=reading.confidence)
            )
            words += [replace(word, span=word.span.shift(start)) for word in reading.words]
            edges.append(_edge_lines(reading, start))
            pieces.append(reading.text)
        start = pages[-1].span.end
    marks += margins.mark_running_headers(edges)
    return Content(
        text="".join(pieces),
        pages=tuple(pages),
        marks=tuple(sorted(marks, key=lambda mark: mark.span)),
        words=tuple(words),
    )


def _edge_lines(reading: _PageReading, start: int) -> list[margins.EdgeLine]:
    """Return the lines at the top and bottom of a page, for the search for running headers."""
    found = []
    place = {word.span.start: word.box for word in reading.words}
    for line in margins.edge_lines(reading.text, Span(0, len(reading.text))):
        box = place.get(line.start)
        if box is not None:
            height = (box.y0 + box.y1) / 2 / reading.height
            found.append(margins.EdgeLine(line.shift(start), line.text_in(reading.text), height))
    return found
