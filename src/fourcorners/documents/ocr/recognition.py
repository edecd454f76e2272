"""Recognise the text of pages that have content but no text.

The words are inserted into the text at the page's place, line by line, each with its box and
confidence. A page that was not read, for lack of an engine or of time, is unchanged and reported.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.documents import install_hints, running_headers
from fourcorners.documents.document import Box, Mark, OcrWord, Page, TextSource, format_page_numbers
from fourcorners.documents.image import first_pages
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.ocr.engines import (
    DPI,
    PAGE_SECONDS,
    GreyImage,
    Line,
    OcrEngine,
    OcrEngineError,
    RecognisedPage,
    RecognisedWord,
    find_ocr_engine,
)
from fourcorners.documents.ocr.image_cleanup import remove_rules, whiten_background
from fourcorners.documents.ocr.label_repair import order_lines, repair_labels, reread_labels
from fourcorners.documents.ocr.second_look import (
    SecondLook,
    describe_second_look,
    describe_unlike,
    describe_unread,
    hide_words,
    look_again,
    look_at_pictures,
)
from fourcorners.documents.ocr.series_repair import repair_series
from fourcorners.documents.pdf.page import render_grey
from fourcorners.documents.reader import Content, OcrHints, RawFile
from fourcorners.documents.workers import process as worker
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

MAX_PIXELS = 40_000_000  # of one page as drawn; A3 at 200 dpi has 8 million
MIN_UPRIGHT_WORDS = 60  # words below which a page may have more than was seen
MIN_UPRIGHT_CONFIDENCE = 0.7  # mean confidence below which the page may be rotated
_POINTS = 72 / DPI  # of a pixel


@dataclass(frozen=True, slots=True)
class OcrOptions:
    """Whether to recognise text, and for how many seconds per file."""

    enabled: bool = True
    seconds: float = 1800.0


@dataclass(frozen=True, slots=True)
class _PageScan:
    page: RecognisedPage
    scale: float


@dataclass(frozen=True, slots=True)
class _PageReading:
    """A page as read; spans are relative to the page's start, boxes are in points."""

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
    """Read pages that have no text, and what a file shows in addition to or instead of its text.

    Returns:
        The content, and the name of the engine if it read anything.
    """
    wanted = [page for page in content.pages if page.source is TextSource.NONE]
    if not wanted and content.ocr_hints == OcrHints():
        return content, ""
    engine = find_ocr_engine() if ocr.enabled else None
    if engine is None:
        notes = [*content.warnings, *_unread_warnings(content, wanted, ocr)]
        return replace(hide_words(content, content.ocr_hints.words), warnings=tuple(notes)), ""
    end = time.monotonic() + ocr.seconds
    warnings = content.warnings
    scans: dict[int, _PageScan] = {}
    failed: dict[int, str] = {}
    if file.media_type is MediaType.IMAGE:
        content, scans, failed = _read_image(file, content, engine)
    elif wanted:
        scans, failed = _read_pages(file, wanted, engine, end)
    seen = look_again(file, content, engine, end)
    again = [page for page in content.pages if page.number in seen.redrawn]
    redrawn, _ = _read_pages(file, again, engine, end)
    seen.unclear.extend(_undrawn_words(content, seen, redrawn))
    pictures, unread = look_at_pictures(content.ocr_hints.images, engine, end)
    notes = [*_recognition_warnings(_lay_out_pages(scans), failed)]
    notes += describe_second_look(content, seen)
    notes += _picture_warnings(pictures, unread)
    readings = _lay_out_pages(scans | redrawn)
    added = {
        number: _write_page(number, _PageScan(page, _POINTS), page.lines)
        for number, page in seen.added.items()
    }
    done = hide_words(content, seen.unclear)
    done = _rebuild_content(done, readings, frozenset(redrawn), added)
    done = _append_pictures(done, pictures)
    used = bool(readings or added or pictures)
    return replace(done, warnings=(*warnings, *notes)), engine.name if used else ""


def _undrawn_words(
    content: Content, seen: SecondLook, redrawn: Mapping[int, _PageScan]
) -> Iterator[Span]:
    """Yield the doubtful words of pages that could not be read as drawn."""
    for page in content.pages:
        if page.number in seen.redrawn and page.number not in redrawn:
            del seen.redrawn[page.number]
            yield from (each for each in content.ocr_hints.words if page.span.contains(each))


def _append_pictures(content: Content, pictures: Sequence[Sequence[Line]]) -> Content:
    """Append the words of pictures to a text that has no pages."""
    if not pictures:
        return content
    paragraphs = (
        "\n".join(" ".join(word.text for word in line) for line in lines) for lines in pictures
    )
    text = content.text.rstrip("\n") + "".join(f"\n\n{each}" for each in paragraphs) + "\n"
    return replace(content, text=text)


def _picture_warnings(pictures: Sequence[Sequence[Line]], unread: int) -> Iterator[str]:
    if pictures:
        count = f"{len(pictures)} pictures" if len(pictures) > 1 else "a picture"
        words = [word.confidence for lines in pictures for line in lines for word in line]
        yield (
            f"The words of {count} were read by OCR, with a mean confidence of "
            f"{sum(words) / len(words):.0%}, and are at the end."
        )
    if unread:
        count = f"{unread} pictures" if unread > 1 else "a picture"
        yield f"It shows {count} whose words, if there are any, could not be read."


def is_ocr_available(ocr: OcrOptions) -> bool:
    return ocr.enabled and find_ocr_engine() is not None


def ocr_remedy(ocr: OcrOptions) -> str:
    if not ocr.enabled:
        return f"{install_hints.OCR_OFF}, then add the file again."
    if find_ocr_engine() is None:
        return f"{install_hints.TESSERACT}, then add the file again."
    return f"{install_hints.MORE_TIME}, or supply a better scan, and add that."


def _unread_warnings(content: Content, pages: list[Page], ocr: OcrOptions) -> Iterator[str]:
    why = "text recognition (OCR) is needed" if ocr.enabled else "text recognition is switched off"
    hints = content.ocr_hints
    if pages:
        verb = "is" if len(pages) == 1 else "are"
        numbers = format_page_numbers([page.number for page in pages])
        yield f"{numbers} {verb} without a text layer: {why}."
    if hints.words:
        yield describe_unlike(content, hints.words)
    if hints.pages:
        yield describe_unread(hints.pages, why)
    if hints.images:
        count = len(hints.images)
        what = f"{count} pictures" if count > 1 else "a picture"
        yield f"It shows {what}, whose words, if there are any, were not read: {why}."


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


def _read_pages(
    file: RawFile, wanted: Sequence[Page], engine: OcrEngine, end: float
) -> tuple[dict[int, _PageScan], dict[int, str]]:
    """Read pages of a PDF as drawn; return them, and why others could not be read."""
    import pypdfium2

    scans: dict[int, _PageScan] = {}
    failed: dict[int, str] = {}
    if not wanted:
        return scans, failed
    with pypdfium2.PdfDocument(file.data) as pdf:
        for page in wanted:
            if time.monotonic() > end:
                failed[page.number] = "the time for text recognition is up (the setting `seconds`)"
                continue
            worker.extend_deadline(5 * PAGE_SECONDS)  # read up to five times
            try:
                scans[page.number] = _read_page(pdf.get_page(page.number - 1), page, engine)
            except (OcrEngineError, pypdfium2.PdfiumError) as error:
                failed[page.number] = str(error)
    return scans, failed


def _read_page(pdf_page: PdfPage, page: Page, engine: OcrEngine) -> _PageScan:
    scale = min(DPI / 72, math.sqrt(MAX_PIXELS / max(1.0, page.width * page.height)))
    picture = _draw_page(pdf_page, scale, 0)
    recognised = engine.read(picture)
    few = sum(map(len, recognised.lines)) < MIN_UPRIGHT_WORDS
    if few or recognised.confidence < MIN_UPRIGHT_CONFIDENCE:
        recognised = recognised.better(engine.read(whiten_background(picture)))
    doubtful = recognised.confidence < MIN_UPRIGHT_CONFIDENCE
    if doubtful and (turn := engine.detect_rotation(picture)):
        upright = engine.read(_draw_page(pdf_page, scale, turn))
        if recognised.better(upright) is upright:
            pdf_page.close()
            return _PageScan(_rotate_back(upright, turn), 1 / scale)
    pdf_page.close()
    ordered = replace(recognised, lines=tuple(order_lines(recognised.lines)))
    return _PageScan(reread_labels(picture, ordered, engine.read), 1 / scale)


def _draw_page(pdf_page: PdfPage, scale: float, turn: int) -> GreyImage:
    pixels = render_grey(pdf_page, scale, rotation=turn, draw_annots=True)
    height, width = pixels.shape
    return remove_rules(GreyImage(width, height, pixels.tobytes()))


def _rotate_back(recognised: RecognisedPage, turn: int) -> RecognisedPage:
    width, height = recognised.width, recognised.height
    if turn in (90, 270):
        width, height = height, width

    def back(word: RecognisedWord) -> RecognisedWord:
        match turn:
            case 90:
                return replace(
                    word, x0=word.y0, y0=height - word.x1, x1=word.y1, y1=height - word.x0
                )
            case 180:
                left, top = width - word.x1, height - word.y1
                return replace(word, x0=left, y0=top, x1=width - word.x0, y1=height - word.y0)
            case _:
                return replace(word, x0=width - word.y1, y0=word.x0, x1=width - word.y0, y1=word.x1)

    lines = tuple(tuple(back(word) for word in line) for line in order_lines(recognised.lines))
    return RecognisedPage(width, height, lines)


def _read_image(
    file: RawFile, content: Content, engine: OcrEngine
) -> tuple[Content, dict[int, _PageScan], dict[int, str]]:
    """Read a picture file; its pages are not known before."""
    worker.extend_deadline(2 * PAGE_SECONDS)
    try:
        recognised = engine.read_file(first_pages(file.data))
    except OcrEngineError as error:
        return content, {}, {page.number: str(error) for page in content.pages}
    if not recognised:
        return content, {}, {page.number: "the picture does not open" for page in content.pages}
    scans = {
        number: _PageScan(replace(page, lines=tuple(order_lines(page.lines))), _POINTS)
        for number, page in enumerate(recognised, 1)
    }
    sizes = ((page.width * _POINTS, page.height * _POINTS) for page in recognised)
    pages = tuple(
        Page(number, Span(number - 1, number), *size, TextSource.NONE)
        for number, size in enumerate(sizes, 1)
    )
    return replace(content, text="\n" * len(pages), pages=pages), scans, {}


def _lay_out_pages(scans: dict[int, _PageScan]) -> dict[int, _PageReading]:
    recognised = [line for scan in scans.values() for line in scan.page.lines]
    lines = iter(repair_series(repair_labels(recognised)))
    return {
        number: _write_page(number, scan, [next(lines) for _ in scan.page.lines])
        for number, scan in scans.items()
    }


def _write_page(number: int, scan: _PageScan, lines: Iterable[Line]) -> _PageReading:
    pieces: list[str] = []
    words: list[OcrWord] = []
    length, scale = 0, scan.scale
    width, height = scan.page.width * scale, scan.page.height * scale
    for line in lines:
        for at, word in enumerate(line):
            text = " ".join(word.text.split())
            x0, y0 = max(0.0, word.x0 * scale), max(0.0, word.y0 * scale)
            x1, y1 = min(width, word.x1 * scale), min(height, word.y1 * scale)
            box = Box(number, round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
            span = Span(length, length + len(text))
            words.append(OcrWord(span, box, round(word.confidence, 4)))
            pieces += (text, "\n" if at == len(line) - 1 else " ")
            length = span.end + 1
    return _PageReading("".join(pieces) or "\n", tuple(words), width, height)


def _start(mark: Mark) -> int:
    return mark.span.start


def _rebuild_content(
    content: Content,
    readings: Mapping[int, _PageReading],
    redrawn: Collection[int],
    added: Mapping[int, _PageReading],
) -> Content:
    """Insert what was read: in place of a page's text, or after it."""
    if not readings and not added:
        return content
    pieces: list[str] = []
    pages: list[Page] = []
    words: list[OcrWord] = []
    marks: list[Mark] = []
    edges: list[list[running_headers.EdgeLine]] = []
    start = 0
    for page in content.pages:
        page_text = page.span.text_in(content.text)
        reading = readings.get(page.number)
        short = reading is not None and len(reading.text) < len(page_text)
        if reading is None or (short and page.number not in redrawn):
            first = bisect_left(content.marks, page.span.start, key=_start)
            beyond = bisect_right(content.marks, page.span.end, key=_start)
            near = content.marks[first:beyond]
            inside = [mark for mark in near if page.span.contains(mark.span)]
            by = start - page.span.start
            marks += [replace(mark, span=mark.span.shift(by)) for mark in inside]
            # Recognised text that is only a stamp, which the file's text has, adds nothing.
            source = page.source if reading is None else TextSource.TEXT
            more = added.get(page.number)
            if more is not None:
                at = start + len(page_text)
                words += [replace(word, span=word.span.shift(at)) for word in more.words]
                page_text += more.text
            pages.append(replace(page, span=Span(start, start + len(page_text)), source=source))
            pieces.append(page_text)
        else:
            span = Span(start, start + len(reading.text))
            pages.append(
                replace(page, span=span, source=TextSource.OCR, confidence=reading.confidence)
            )
            words += [replace(word, span=word.span.shift(start)) for word in reading.words]
            edges.append(_edge_lines(reading, start))
            pieces.append(reading.text)
        start = pages[-1].span.end
    marks += running_headers.mark_running_headers(edges)
    marks.sort(key=lambda mark: mark.span)
    return replace(
        content,
        text="".join(pieces),
        pages=tuple(pages),
        marks=tuple(marks),
        words=tuple(words),
    )


def _edge_lines(reading: _PageReading, start: int) -> list[running_headers.EdgeLine]:
    found = []
    place = {word.span.start: word.box for word in reading.words}
    for line in running_headers.edge_lines(reading.text, Span(0, len(reading.text))):
        box = place.get(line.start)
        if box is not None:
            height = (box.y0 + box.y1) / 2 / reading.height
            found.append(
                running_headers.EdgeLine(line.shift(start), line.text_in(reading.text), height)
            )
    return found
