"""Find struck-through words, by a drawn line or an annotation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import PageFrame, PlacedObject, Rectangle
from fourcorners.text.span import Span, merge_spans, word_spans

if TYPE_CHECKING:
    from fourcorners.documents.pdf.text import PageText, TextLine

_MAX_THICKNESS = 2.5  # points of a line
_MIN_LENGTH = 4.0  # points
# Heights on a line of text, from its top (0) to its foot (1), at which a line strikes letters
# through. An underline is at .85 and below; the middle of small letters is at about .6.
_HIGHEST, _LOWEST = 0.38, 0.74
_MIN_SHARE = 0.7  # of a word's width
_BEYOND = 36.0  # points, by which a line may be longer than the words it strikes


def find_strikethrough(
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
    return merge_spans([*found, *find_covered(shown, lines, annotated)], gap=1)


def find_covered(
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
