"""Recognise text again where a file has text: words drawn with other letters, and in pictures.

What the engine sees is compared with the text of the file. Where they differ the page is read as
drawn; what the text lacks is read in addition.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fourcorners.documents.document import Mark, MarkKind, Page, TextSource, format_page_numbers
from fourcorners.documents.ocr.engines import (
    DPI,
    PAGE_SECONDS,
    GreyImage,
    Line,
    OcrEngine,
    OcrEngineError,
    RecognisedPage,
)
from fourcorners.documents.ocr.image_cleanup import remove_rules
from fourcorners.documents.pdf.annotations import load_page
from fourcorners.documents.pdf.image_text import blank_text
from fourcorners.documents.pdf.page import open_pdf, render_grey
from fourcorners.documents.pdf.text import page_text
from fourcorners.documents.reader import Content, RawFile
from fourcorners.documents.workers import process as worker
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

    from fourcorners.documents.pdf.text import PageText

MAX_PAGES = 100  # pages of one file that are read a second time
MAX_PICTURES = 50  # of one file without pages
MIN_CONFIDENCE = 0.7  # mean of a line's words, below which a picture shows lines, not words
_MIN_LINE = 3  # letters and digits of a line
_MIN_WORD_CONFIDENCE = 0.5  # below which it is not known what a word shows
_SCALE = DPI / 72
# Letters that engines confuse, as one.
_ALIKE = str.maketrans("oqil|!sgbz", "0911115962")


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What was seen, by page.

    Attributes:
        redrawn: Pages to be read as drawn, with what the text says and what each shows.
        added: Lines that pages show in addition to their text.
        unclear: Words for which it is unknown what they show.
        skipped: Pages with pictures that were not read.
    """

    redrawn: dict[int, tuple[str, str]] = field(default_factory=dict)
    added: dict[int, RecognisedPage] = field(default_factory=dict)
    unclear: list[Span] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)


def look_again(file: RawFile, content: Content, engine: OcrEngine, end: float) -> SecondLook:
    """Read the doubtful places of a PDF as drawn, until the time is up."""
    seen = SecondLook()
    hints = content.ocr_hints
    by_page: dict[int, list[Span]] = {number: [] for number in hints.pages}
    for span in hints.words:
        by_page.setdefault(_number_of(content.pages, span), []).append(span)
    pages = {page.number: page for page in content.pages if page.source is TextSource.TEXT}
    numbers = sorted(by_page.keys() & pages.keys())
    if not numbers:
        return seen
    with open_pdf(file.data, file.path) as pdf:
        for at, number in enumerate(numbers):
            spans = by_page[number]
            if at >= MAX_PAGES or time.monotonic() > end:
                seen.unclear.extend(spans)
                seen.skipped.extend([number] if number in hints.pages else [])
                continue
            worker.extend_deadline(2 * PAGE_SECONDS)
            page, annotations = load_page(pdf, number - 1)
            shown = page_text(page, annotations)
            start = pages[number].span.start
            try:
                relative = [each.shift(-start) for each in spans]
                _look_at(page, shown, relative, number, start, engine, seen)
                if number in hints.pages and number not in seen.redrawn:
                    lines = _pictured_lines(page, shown, engine)
                    if lines.lines:
                        seen.added[number] = lines
            except OcrEngineError:
                seen.unclear.extend(spans)
                seen.skipped.append(number)
            page.close()
    return seen


def look_at_pictures(
    pictures: Sequence[bytes], engine: OcrEngine, end: float
) -> tuple[list[tuple[Line, ...]], int]:
    """Read picture files; return the lines of each with any, and how many were not read."""
    found: list[tuple[Line, ...]] = []
    unread = max(0, len(pictures) - MAX_PICTURES)
    for data in pictures[:MAX_PICTURES]:
        if time.monotonic() > end:
            unread += 1
            continue
        worker.extend_deadline(2 * PAGE_SECONDS)
        try:
            pages = engine.read_file(data)
        except OcrEngineError:
            unread += 1
            continue
        lines = tuple(line for page in pages for line in page.lines if _is_text(line))
        if lines:
            found.append(lines)
    return found, unread


def hide_words(content: Content, spans: Iterable[Span]) -> Content:
    """Mark words that are drawn differently as invisible."""
    marks = [*content.marks, *(Mark(MarkKind.HIDDEN, span) for span in spans)]
    marks.sort(key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
    return replace(content, marks=tuple(marks))


def describe_second_look(content: Content, seen: SecondLook) -> Iterator[str]:
    """Describe the differences, one sentence per kind; `content` is what was read at first."""
    if seen.redrawn:
        numbers = sorted(seen.redrawn)
        text, shown = seen.redrawn[numbers[0]]
        verb = "shows" if len(numbers) == 1 else "show"
        yield (
            f"{format_page_numbers(numbers)} {verb} other letters than the text in the file has "
            f"(“{shown}”, in the text “{text}”): what is shown was read, by OCR."
        )
    if seen.unclear:
        yield describe_unlike(content, seen.unclear)
    if seen.added:
        yield (
            f"{format_page_numbers(sorted(seen.added))}: words in pictures were read "
            "by OCR, and follow the page's text."
        )
    if seen.skipped:
        yield describe_unread(sorted(seen.skipped), "they were not looked at in the time there was")


def describe_unlike(content: Content, spans: Sequence[Span]) -> str:
    """Report that words show something else, if it is not known what."""
    numbers = sorted({_number_of(content.pages, each) for each in spans})
    verb = "shows" if len(numbers) == 1 else "show"
    words = spans[0].text_in(content.text)
    return (
        f"{format_page_numbers(numbers)} {verb} other letters than the text in the file has, at "
        f"“{words}” first: such words are no evidence; text recognition (OCR) can tell what is "
        "shown."
    )


def describe_unread(numbers: Sequence[int], why: str) -> str:
    """Report that the pictures of some pages were not read."""
    verb = "shows" if len(numbers) == 1 else "show"
    return (
        f"{format_page_numbers(list(numbers))} {verb} pictures, whose words, if there are any, "
        f"were not read: {why}."
    )


def _number_of(pages: Sequence[Page], span: Span) -> int:
    return next((page.number for page in pages if page.span.contains(span)), 1)


def _look_at(
    page: PdfPage,
    shown: PageText,
    spans: Sequence[Span],
    number: int,
    start: int,
    engine: OcrEngine,
    seen: SecondLook,
) -> None:
    if not spans:
        return
    recognised = engine.read(_picture(page, shown, blank=False))
    words = [word for line in recognised.lines for word in line]
    for span in spans:
        boxes = shown.char_boxes(span) * _SCALE
        x0, y0 = float(boxes[:, 0].min()), float(boxes[:, 1].min())
        x1, y1 = float(boxes[:, 2].max()), float(boxes[:, 3].max())
        there = [
            word
            for word in words
            if x0 - 4 <= (word.x0 + word.x1) / 2 <= x1 + 4 and y0 <= (word.y0 + word.y1) / 2 <= y1
        ]
        text, drawn = span.text_in(shown.text), " ".join(word.text for word in there)
        if not there or min(word.confidence for word in there) < _MIN_WORD_CONFIDENCE:
            seen.unclear.append(span.shift(start))
        elif _letters(text) != _letters(drawn):
            seen.redrawn.setdefault(number, (text, drawn))


def _pictured_lines(page: PdfPage, shown: PageText, engine: OcrEngine) -> RecognisedPage:
    recognised = engine.read(_picture(page, shown, blank=True))
    return replace(recognised, lines=tuple(line for line in recognised.lines if _is_text(line)))


def _picture(page: PdfPage, shown: PageText, *, blank: bool) -> GreyImage:
    pixels = render_grey(page, _SCALE, draw_annots=True)
    if blank:
        pixels = blank_text(pixels, shown, _SCALE)
    height, width = pixels.shape
    return remove_rules(GreyImage(width, height, pixels.tobytes()))


def _is_text(line: Line) -> bool:
    letters = sum(letter.isalnum() for word in line for letter in word.text)
    confidence = sum(len(word.text) * word.confidence for word in line)
    length = sum(len(word.text) for word in line)
    return letters >= _MIN_LINE and confidence >= MIN_CONFIDENCE * length


def _letters(words: str) -> str:
    return "".join(filter(str.isalnum, words.casefold().translate(_ALIKE)))
