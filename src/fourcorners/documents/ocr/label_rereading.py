"""A second look at clause numbers, which recognition of whole lines often gets wrong.

A number that stands apart from its clause by a wide gap has no words near it to be judged by, and
"2.1" is read as "PRN". So the doubtful labels of a page are cut out with the first words of their
lines, set close to them as in running text, and read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.documents.ocr.engines import GreyImage, Line, RecognisedPage, RecognisedWord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]


INK_LEVEL = 150  # grey below which a pixel is ink
MIN_GAP = 0.85  # of a line's height: a wider space parts a label from its words
MAX_WIDTH = 6.0  # line heights that a label may be wide
MIN_BODY_WIDTH = 5.0  # line heights of the words after a label that are cut out with it
LABEL_SPACE = 0.5  # line heights between the two, when they are set again
MIN_CONFIDENCE = 0.9  # confidence from which a label that looks like one is not read again
_EDGE = 14  # pixels of white around each row

_PARTS = r"(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z]|[ivxl]{1,6}|[IVXL]{1,6}|([a-z])\1)"
LABEL = re.compile(
    rf"\({_PARTS}\)|{_PARTS}[.)]|\d{{1,3}}(?:\.\d{{1,3}}){{1,4}}|\d{{1,2}}\.[A-Z]\.?|\d{{1,2}}"
)
_AMBIGUOUS_DIGITS = re.compile(r"[\dIlOS|i]{1,3}(?:\.[\dIlOS|i]{1,3}){1,4}\.?")  # "i.2" is 1.2
_DIGIT_LOOKALIKES = str.maketrans("IlOS|i", "110511")


@dataclass(frozen=True, slots=True)
class _DoubtfulLabel:
    """A label to look at again, and the place of the words after it.

    `words` is as how many words of its line it was read; none where it was not recognised at all.
    """

    line: int
    x0: int
    x1: int
    after: int
    y0: int
    y1: int
    height: float
    words: int


def reread_labels(
    picture: GreyImage, recognised: RecognisedPage, read: Callable[[GreyImage], RecognisedPage]
) -> RecognisedPage:
    """Return the page with its doubtful labels as `read` makes them out close to their words."""
    import numpy as np

    pixels = np.frombuffer(picture.pixels, dtype=np.uint8).reshape(picture.height, picture.width)
    doubts = [
        doubt
        for at, line in enumerate(recognised.lines)
        if (doubt := _doubtful_label(pixels, at, line)) is not None
    ]
    if not doubts:
        return recognised
    page, rows = _compose_page(pixels, doubts)
    found: dict[int, RecognisedWord] = {}
    for line in read(page).lines:
        middle = (line[0].y0 + line[0].y1) / 2
        at = next((i for i, (top, end) in enumerate(rows) if top <= middle < end), None)
        if at is not None and (at not in found or line[0].x0 < found[at].x0):
            found[at] = line[0]
    lines = list(recognised.lines)
    for at, word in found.items():
        text, doubt = _leading_label(word.text), doubts[at]
        if text:
            label = RecognisedWord(text, doubt.x0, doubt.y0, doubt.x1, doubt.y1, word.confidence)
            lines[doubt.line] = (label, *lines[doubt.line][doubt.words :])
    return replace(recognised, lines=tuple(lines))


def _leading_label(text: str) -> str:
    """Return the label that a word is, or that it starts with where it was glued to the next."""
    if _AMBIGUOUS_DIGITS.fullmatch(text) and any(sign.isdigit() for sign in text):
        text = text.translate(_DIGIT_LOOKALIKES)
    if LABEL.fullmatch(text):
        return text
    glued = re.match(r"(\d{1,3}(?:\.\d{1,3}){0,4}\.?|\([a-zA-Z]{1,4}\))(?=[A-Z][A-Za-z])", text)
    return glued.group() if glued else ""


def _doubtful_label(pixels: Pixels, at: int, line: Line) -> _DoubtfulLabel | None:
    """Return the label at the start of a line, if it has one that is not sure."""
    heights = sorted(word.y1 - word.y0 for word in line)
    height = max(8.0, heights[len(heights) // 2])
    # The place of the words after the label is more to be trusted than its own.
    anchor = next((word for word in line[:6] if len(word.text) > 3), line[0])
    top = max(0, int(anchor.y0 - 0.35 * height))
    end = min(pixels.shape[0], int(anchor.y1 + 0.35 * height))
    start = max(0, int(line[0].x0 - (MAX_WIDTH + 4) * height))
    reach = min(pixels.shape[1], int(line[0].x0 + (MAX_WIDTH + 6) * height))
    ink = (pixels[top:end, start:reach] < INK_LEVEL).sum(axis=0) >= 2
    runs = _ink_runs(ink.tolist(), MIN_GAP * height)
    if len(runs) < 2 or not 3 <= runs[0][1] - runs[0][0] <= MAX_WIDTH * height:
        return None
    x0, x1, after = start + runs[0][0], start + runs[0][1], start + runs[1][0]
    read = [word for word in line if (word.x0 + word.x1) / 2 < (x1 + after) / 2]
    if len(read) == len(line) or _is_certain(read):
        return None
    return _DoubtfulLabel(at, x0, x1, after, top, end, height, len(read))


def _is_certain(read: list[RecognisedWord]) -> bool:
    """Tell whether what was read is a label or a word beyond doubt, or too long for a label."""
    text = "".join(word.text for word in read)
    if not read or len(text) > 8:
        return bool(read)
    likely = bool(LABEL.fullmatch(text)) or (len(text) > 2 and text.isalpha())
    return likely and min(word.confidence for word in read) >= MIN_CONFIDENCE


def _ink_runs(ink: list[bool], gap: float) -> list[tuple[int, int]]:
    """Return the stretches of ink that white of at least `gap` pixels parts."""
    runs: list[tuple[int, int]] = []
    for at, dark in enumerate(ink):
        if not dark:
            continue
        if runs and at - runs[-1][1] < gap:
            runs[-1] = runs[-1][0], at + 1
        else:
            runs.append((at, at + 1))
    return runs


def _compose_page(
    pixels: Pixels, doubts: list[_DoubtfulLabel]
) -> tuple[GreyImage, list[tuple[int, int]]]:
    """Return a page with a label and its first words a row, and each row's top and end."""
    import numpy as np

    widest = max((MAX_WIDTH + LABEL_SPACE + MIN_BODY_WIDTH) * doubt.height for doubt in doubts)
    width = int(widest) + 4 * _EDGE
    paper = int(np.median(pixels[:: max(1, len(pixels) // 100)]))
    rows: list[tuple[int, int]] = []
    parts: list[Pixels] = []
    y = 0
    for doubt in doubts:
        label = pixels[doubt.y0 : doubt.y1, max(0, doubt.x0 - 2) : doubt.x1 + 2]
        first = max(0, doubt.after - 2)
        body = pixels[doubt.y0 : doubt.y1, first : first + int(MIN_BODY_WIDTH * doubt.height)]
        row = np.full((label.shape[0] + 2 * _EDGE, width), paper, dtype=np.uint8)
        place = 2 * _EDGE
        for piece in (label, body):
            row[_EDGE:-_EDGE, place : place + piece.shape[1]] = piece
            place += piece.shape[1] + int(LABEL_SPACE * doubt.height)
        parts.append(row)
        rows.append((y, y + row.shape[0]))
        y += row.shape[0]
    return GreyImage(width, y, np.concatenate(parts).tobytes()), rows
