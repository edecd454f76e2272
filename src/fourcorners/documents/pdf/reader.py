"""Read PDFs with pdfium: text layer, pages, tables, and the typography of lines.

One character of the document's text is one character of pdfium's, so a place in the text maps to a
place on the page without alignment. Three one-to-one replacements make the text readable: U+FFFE
(pdfium's mark for a hyphen at a line's end) becomes "-", U+037E (the Greek question mark that some
fonts use for it) becomes ";", and the carriage return of a line's end becomes a space. Where two
columns were drawn line by line across the page, their characters change places.

pdfium is not thread-safe: call this in a separate process (`ProcessPool`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fourcorners.documents import running_headers
from fourcorners.documents.document import (
    STRUCK_THROUGH,
    Mark,
    MarkKind,
    Page,
    TextSource,
    format_page_numbers,
)
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.pdf.annotations import Comment, load_page
from fourcorners.documents.pdf.damage import (
    count_broken_streams,
    has_form_bomb,
    has_label_bomb,
    has_pattern_bomb,
)
from fourcorners.documents.pdf.image_text import has_image_text, image_share
from fourcorners.documents.pdf.invisible_text import find_invisible_text
from fourcorners.documents.pdf.letter_shapes import LetterShapes
from fourcorners.documents.pdf.page import (
    REFETCH_REMEDY,
    PageFrame,
    PlacedObject,
    Rectangle,
    has_ink,
    open_pdf,
)
from fourcorners.documents.pdf.tables import find_tables
from fourcorners.documents.pdf.text import TextLine, page_text, text_lines
from fourcorners.documents.reader import Content, OcrHints, RawFile, Reader
from fourcorners.errors import InputError
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.span import Span, merge_spans, word_spans

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

    from fourcorners.documents.pdf.text import PageText

MIN_PAGE_CHARACTERS = 100  # below, the text is in the picture that covers most of the page
MIN_IMAGE_SHARE = 0.5  # of the page's area
MIN_MEAN_CHARACTERS = 100  # of the pages of a file: below, text is likely to be missing
_MAX_LABEL = 20  # characters of a printed page number
LARGE_RATIO = 1.15  # times the usual height of letters, from which a line counts as large


@dataclass(frozen=True, slots=True)
class _PageReading:
    """One page as read: what `Page` and later checks need.

    Spans are within the page. `edges` are lines near its margins with their height on it from 0
    to 1; `heights` are lines with the height of their letters in points.
    """

    text: str
    width: float = 612.0
    height: float = 792.0
    source: TextSource = TextSource.TEXT
    has_broken_text: bool = False
    edges: tuple[tuple[Span, float], ...] = ()
    heights: tuple[tuple[Span, float], ...] = ()
    marks: tuple[Mark, ...] = ()
    unlike: tuple[Span, ...] = ()  # words drawn with other letters
    replaced: tuple[tuple[str, str], ...] = ()  # what is shown, and what it is said to be
    has_image_text: bool = False
    label: str = ""
    has_redactions: bool = False  # that were not applied
    unread: Counter[str] = field(default_factory=Counter)  # what was not read, by its name


@dataclass(slots=True)
class _Seen:
    """What was seen on earlier pages, and of the file."""

    has_labels: bool
    has_fields: bool = False
    letters: LetterShapes = field(default_factory=LetterShapes)
    pictures: set[bytes] = field(default_factory=set)


def _read_pdf(file: RawFile) -> Content:
    """Return the text layer page by page; pages without one are left for text recognition."""
    problem = "a form in it draws itself" if has_form_bomb(file.data) else ""
    if problem or has_pattern_bomb(file.data):
        raise InputError(
            f"{file.path}: the PDF is damaged: {problem or 'a pattern in it repeats'} without end.",
            remedy=REFETCH_REMEDY,
        )
    with open_pdf(file.data, file.path) as pdf:
        seen = _Seen(has_labels=not has_label_bomb(file.data))
        readings = [_read_page(pdf, index, seen) for index in range(len(pdf))]
        unread = sum((each.unread for each in readings), _unread_parts(pdf, seen))
    if all(reading.has_broken_text for reading in readings):
        raise InputError(
            f"{file.path}: the PDF is damaged, or unpacks beyond the memory allowed: "
            "no page of it opens.",
            remedy=REFETCH_REMEDY,
        )
    text = "".join(reading.text for reading in readings)
    pages: list[Page] = []
    lines: list[list[running_headers.EdgeLine]] = []
    marks: list[Mark] = []
    unlike: list[Span] = []
    usual = _usual_height(readings)
    start = 0
    for number, reading in enumerate(readings, 1):
        span = Span(start, start + len(reading.text))
        shown = Page(number, span, reading.width, reading.height, reading.source)
        pages.append(replace(shown, label=reading.label if reading.label != str(number) else ""))
        edges = ((line.shift(start), line.text_in(reading.text), at) for line, at in reading.edges)
        lines.append([running_headers.EdgeLine(*edge) for edge in edges])
        marks += [Mark(mark.kind, mark.span.shift(start), mark.detail) for mark in reading.marks]
        unlike += [span.shift(start) for span in reading.unlike]
        marks += [
            Mark(MarkKind.LARGE, line.shift(start), f"{height / usual:.2f}")
            for line, height in reading.heights
            if height > LARGE_RATIO * usual
        ]
        start = span.end
    if not text.strip() and all(reading.source is TextSource.TEXT for reading in readings):
        raise InputError(
            f"{file.path}: the PDF shows nothing: its pages are blank or damaged.",
            remedy=REFETCH_REMEDY,
        )
    marks += running_headers.mark_running_headers(lines)
    marks.sort(key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
    pictured = tuple(number for number, each in enumerate(readings, 1) if each.has_image_text)
    return Content(
        text,
        tuple(pages),
        tuple(marks),
        tuple(_warnings(readings, file.data, unread)),
        ocr_hints=OcrHints(tuple(unlike), pictured),
    )


def _usual_height(readings: list[_PageReading]) -> float:
    counted: Counter[float] = Counter()
    for reading in readings:
        for line, height in reading.heights:
            counted[round(height, 1)] += len(line)
    return max(counted.most_common(1)[0][0], 1.0) if counted else 1.0


def _read_page(pdf: PdfDocument, index: int, seen: _Seen) -> _PageReading:
    from pypdfium2 import PdfiumError

    try:
        page, annotations = load_page(pdf, index)
    except PdfiumError:
        return _PageReading("\n", has_broken_text=True)
    seen.has_fields |= bool(annotations.fields)
    try:
        shown = page_text(page, annotations)
    except PdfiumError:
        page.close()
        return _PageReading("\n", has_broken_text=True)
    text, frame = shown.text + "\n", shown.frame
    lines = text_lines(shown)
    edges = tuple(
        (line.span, (line.box[1] + line.box[3]) / 2 / frame.height if frame.height else 0.5)
        for line in running_headers.outer_lines(lines)
    )
    marks = [Mark(MarkKind.BOLD, line.bold) for line in lines if line.bold]
    marks += find_tables(shown, lines)
    marks += _comment_marks(annotations.comments, lines, frame)
    gone = _find_strikethrough(shown, lines, annotations.struck)
    marks += [Mark(MarkKind.DELETED, span, STRUCK_THROUGH) for span in gone]
    redacted = _find_covered(shown, lines, annotations.redacted)
    words = len(text.strip())
    few = 0 < words < MIN_PAGE_CHARACTERS
    drawn = image_share(page, frame) >= MIN_IMAGE_SHARE if few else not words and has_ink(page)
    source = TextSource.NONE if drawn else TextSource.TEXT
    pictured = source is TextSource.TEXT and has_image_text(page, shown, seen.pictures)
    unlike, shapeless = seen.letters.doubtful_words(page, shown)
    unseen = find_invisible_text(page, shown, lines, shapeless)
    marks += [Mark(MarkKind.HIDDEN, span) for span in unseen]
    page.close()
    return _PageReading(
        text,
        frame.width,
        frame.height,
        source,
        edges=edges,
        heights=tuple(
            (line.span, line.box[3] - line.box[1])
            for line in lines
            if not any(each.contains(line.span) for each in shown.inserted)
        ),
        marks=tuple(marks),
        unlike=tuple(each for each in unlike if not any(map(each.overlaps, unseen))),
        replaced=shown.replaced,
        has_image_text=pictured,
        label=single_line(pdf.get_page_label(index))[:_MAX_LABEL] if seen.has_labels else "",
        has_redactions=bool(redacted),
        unread=annotations.unread,
    )


def _unread_parts(pdf: PdfDocument, seen: _Seen) -> Counter[str]:
    """Count what a file holds in addition to its pages."""
    from pypdfium2 import raw

    kind = pdf.get_formtype()
    is_placeholder = kind == raw.FORMTYPE_XFA_FOREGROUND and not seen.has_fields  # "Please wait..."
    return Counter(
        {
            "attached file": max(0, raw.FPDFDoc_GetAttachmentCount(pdf)),
            "form in Adobe's format XFA": kind == raw.FORMTYPE_XFA_FULL or is_placeholder,
            "damaged list of page labels": not seen.has_labels,
        }
    )


def _pages_that(
    readings: Sequence[_PageReading],
    holds: Callable[[_PageReading], object],
    verbs: tuple[str, str] = ("has", "have"),
) -> str:
    """Return which pages satisfy a condition, with the verb that agrees; empty for none."""
    numbers = [number for number, each in enumerate(readings, 1) if holds(each)]
    return f"{format_page_numbers(numbers)} {verbs[len(numbers) > 1]}" if numbers else ""


def _warnings(readings: list[_PageReading], data: bytes, unread: Counter[str]) -> Iterator[str]:
    if pages := _pages_that(readings, lambda each: each.has_broken_text, ("is", "are")):
        yield f"{pages} damaged: no text could be read there."
    bad, tried = count_broken_streams(data)
    if bad:
        yield f"The PDF is damaged in {bad} of {tried} compressed parts: text may be missing."
    marks = [mark for reading in readings for mark in reading.marks]
    if any(mark.kind is MarkKind.HIDDEN for mark in marks):
        yield "It holds words that no reader sees, which are read and marked."
    if any(mark.kind is MarkKind.DELETED for mark in marks):
        yield "It has words that are struck through, which are read and marked."
    if pages := _pages_that(readings, lambda each: each.replaced):
        shown, stored = next(each.replaced[0] for each in readings if each.replaced)
        yield (
            f"{pages} words stored other than they are shown "
            f"(“{shown}”, stored as “{stored}”): what is shown was read."
        )
    if pages := _pages_that(readings, lambda each: each.has_redactions):
        yield (
            f"{pages} words marked for redaction, which was not applied: the words are still in "
            "the file, and were read."
        )
    for kind, count in sorted(unread.items()):
        verb = "is" if count == 1 else "are"
        yield f"It has {count} {kind}{'s' * (count > 1)}, which {verb} not read."
    count = sum(mark.kind is MarkKind.COMMENT for mark in marks)
    if count:
        yield f"It has {count} comment{'s' * (count > 1)}, kept separate from the text."
    whole = [each for each in readings if not each.has_broken_text]
    written = [len(each.text.strip()) for each in whole if each.source is TextSource.TEXT]
    if not bad and len(written) >= 3 and sum(written) < MIN_MEAN_CHARACTERS * len(written):
        yield (
            f"The pages hold {sum(written) / len(written):.0f} characters on average: "
            "the file may be damaged and text may be missing."
        )


def _comment_marks(
    found: Sequence[Comment], lines: Sequence[TextLine], frame: PageFrame
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


READER = Reader(name="pdf", version=6, media_types=frozenset({MediaType.PDF}), read=_read_pdf)


_MAX_THICKNESS = 2.5  # points of a line
_MIN_LENGTH = 4.0  # points
# Heights on a line of text, from its top (0) to its foot (1), at which a line strikes letters
# through. An underline is at .85 and below; the middle of small letters is at about .6.
_HIGHEST, _LOWEST = 0.38, 0.74
_MIN_SHARE = 0.7  # of a word's width
_BEYOND = 36.0  # points, by which a line may be longer than the words it strikes


def _find_strikethrough(
    shown: PageText, lines: Sequence[TextLine], annotated: Sequence[Rectangle]
) -> list[Span]:
    """Return the struck-through words, runs of them as one, in order of position."""
    strokes = sorted(_strokes(shown.objects, shown.frame))
    heights = [each[0] for each in strokes]
    found: list[Span] = []
    for line in lines if strokes else ():
        left, top, right, bottom = line.box
        at_line = slice(bisect_left(heights, top), bisect_left(heights, bottom))
        across = [
            stroke
            for stroke in strokes[at_line]
            if stroke[1] >= left - _BEYOND and stroke[2] <= right + _BEYOND
        ]
        if across:
            found += (word for word, box in _words(shown, line) if _is_struck(box, across))
    return merge_spans([*found, *_find_covered(shown, lines, annotated)], gap=1)


def _find_covered(
    shown: PageText, lines: Sequence[TextLine], places: Sequence[Rectangle]
) -> list[Span]:
    """Return the words at some places in page coordinates, runs of them as one."""
    found = []
    boxes = [shown.frame.to_display(each) for each in places]
    for line in lines if boxes else ():
        top, bottom = line.box[1], line.box[3]
        here = [box for box in boxes if box[1] < bottom and top < box[3]]
        for word, (x0, y0, x1, y1) in _words(shown, line) if here else ():
            middle = (y0 + y1) / 2
            across = [(box[0] - 1, box[2] + 1) for box in here if box[1] <= middle <= box[3]]
            if _covered(x0, x1, across) >= _MIN_SHARE * (x1 - x0) > 0:
                found.append(word)
    return merge_spans(found, gap=1)


def _words(shown: PageText, line: TextLine) -> Iterator[tuple[Span, list[float]]]:
    words = [*word_spans(shown.text, line.span)]
    return zip(words, shown.bounds_of(words).tolist(), strict=True)


def _is_struck(box: Sequence[float], strokes: Sequence[tuple[float, float, float]]) -> bool:
    x0, y0, x1, y1 = box
    highest, lowest = y0 + _HIGHEST * (y1 - y0), y0 + _LOWEST * (y1 - y0)
    across = [(start, end) for at, start, end in strokes if highest <= at <= lowest]
    return _covered(x0, x1, across) >= _MIN_SHARE * (x1 - x0) > 0


def _covered(x0: float, x1: float, across: Sequence[tuple[float, float]]) -> float:
    covered, done = 0.0, x0
    for start, end in sorted(across):
        start, end = max(start, done), min(end, x1)
        if end > start:
            covered, done = covered + end - start, end
    return covered


def _strokes(
    objects: Sequence[PlacedObject], frame: PageFrame
) -> Iterator[tuple[float, float, float]]:
    """Yield the height, start and end of each horizontal line of the page as shown."""
    from pypdfium2 import raw

    for each in objects:
        bounds = each.bounds if each.kind == raw.FPDF_PAGEOBJ_PATH else None
        if bounds is None:
            continue
        x0, y0, x1, y1 = frame.to_display(bounds)
        if y1 - y0 > _MAX_THICKNESS or x1 - x0 < _MIN_LENGTH:
            continue
        if any(each.draw_mode):
            yield (y0 + y1) / 2, x0, x1
