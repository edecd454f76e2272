"""Find letters that are drawn differently from what a PDF says they are, or not at all.

A font's map from its codes to letters (`/ToUnicode`) need not match its shapes: what shows
"500,000" may read as "900,000". Each letter and digit of a font is compared once with those of the
standard fonts, as drawn on the page. Two shapes of one font that share a letter and have the same
outer measures, to a quarter of a point, count as one.
"""

from __future__ import annotations

import ctypes
import math
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.page import fill_rows, render_grey
from fourcorners.text.span import Span, merge_spans, word_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage

    from fourcorners.documents.pdf.text import PageText

_LETTERS = string.ascii_letters + string.digits
_TELLING = [chr(code) in _LETTERS for code in range(0x80)]
_FONTS = (
    "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Times-Roman", "Times-Bold",
    "Times-Italic", "Courier", "Courier-Bold",
)  # fmt: skip
# Letters that fonts draw alike.
_ALIKE = ("0oq", "1iljft", "5s", "2z", "9gq", "6b", "uv", "nh", "bh", "ce", "vy", "ij", "kx")
_GRID = 16  # squares of a shape's picture, each way
_SCALE = 4.0  # pixels per point, for rendering letters
_INK = 64  # of 255, from which a pixel belongs to a letter
# Of 1,595 letters of 14 contracts none was as similar to another (.83 at most) or by as much.
_MIN_LIKENESS = 0.86  # cosine of the shape with that of another letter
_MIN_LEAD = 0.06  # by which it is more similar to that than to its own
_FEW = 3_000_000  # letters per object of a page: fewer are faster to draw one by one
_MAX_SIDE = 2_000.0  # points: pages beyond are not looked at
_MIN_HEIGHT = 2.5  # points: lower letters have no recognisable shape

Key = tuple[str, str, int, int]


@dataclass(slots=True)
class LetterShapes:
    """What is known of a document's letters so far, page by page.

    Attributes:
        unlike: Letters that are drawn like others.
        blank: Letters that are drawn without ink.
    """

    unlike: set[Key] = field(default_factory=set)
    blank: set[Key] = field(default_factory=set)
    _seen: set[Key] = field(default_factory=set)

    def doubtful_words(self, page: PdfPage, shown: PageText) -> tuple[list[Span], list[Span]]:
        """Return the words of a page with letters drawn like others, and with blank ones."""
        import numpy as np

        letters = np.frombuffer(shown.text.encode("utf-32-le"), dtype=np.uint32)
        places = np.flatnonzero(np.array(_TELLING)[letters.clip(max=0x7F)])
        if not len(places) or max(shown.frame.width, shown.frame.height) > _MAX_SIDE:
            return [], []
        boxes, codes = _measure(shown, places, letters[places])
        found, firsts, which = np.unique(codes, return_index=True, return_inverse=True)
        keys = [_key(code, shown.texts.names) if code >= 0 else None for code in found.tolist()]
        new = [
            _Letter(key, int(places[first]), boxes[first])
            for key, first in zip(keys, firsts.tolist(), strict=True)
            if key is not None and key not in self._seen
        ]
        self._look(page, shown, new)
        if not (self.unlike or self.blank):
            return [], []
        words = []
        for kind in (self.unlike, self.blank):
            of_kind = np.array([key in kind for key in keys], dtype=bool)[which]
            words.append(merge_spans(_word_at(shown.text, at) for at in places[of_kind].tolist()))
        return words[0], words[1]

    def _look(self, page: PdfPage, shown: PageText, letters: Sequence[_Letter]) -> None:
        import numpy as np

        self._seen.update(each.key for each in letters)
        upright = []
        for each in letters:
            if not each.key[2] or not each.key[3]:
                self.blank.add(each.key)
            elif _is_upright(shown, each.place):
                upright.append(each)
        shapes = []
        for each, crop in zip(upright, _crops(page, shown, upright), strict=True):
            shape = _shape(crop) if crop.size else None
            if shape is None:
                self.blank.add(each.key)
            else:
                shapes.append((each.key, shape))
        if not shapes:
            return
        known, _, starts = _standard_shapes()
        likeness = known @ np.array([shape for _, shape in shapes]).T
        by_letter = np.maximum.reduceat(likeness, starts, axis=0)
        for (key, _), found in zip(shapes, by_letter.T, strict=True):
            own = _alike_letters(key[1])
            best = found[~own].max()
            if best >= _MIN_LIKENESS and best - found[own].max() >= _MIN_LEAD:
                self.unlike.add(key)


@dataclass(frozen=True, slots=True)
class _Letter:
    """The first occurrence of a letter's shape; its ink is within (left, right, bottom, top)."""

    key: Key
    place: int
    box: NDArray[np.float64]


def _key(code: int, fonts: Sequence[str]) -> Key:
    """Return a shape's font and letter, and width and height of its ink in quarters of a point."""
    return fonts[code >> 27], chr(code >> 20 & 0x7F), code >> 10 & 0x3FF, code & 0x3FF


def _measure(
    shown: PageText, places: NDArray[np.int64], letters: NDArray[np.uint32]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the ink of letters (left, right, bottom, top), and one number for each of a shape.

    Letters that are not looked at have numbers below 0; see `_key` for the others.
    """
    import numpy as np
    from pypdfium2 import raw

    order = places if shown.order is None else np.array(shown.order)[places]
    page, count = shown.textpage.raw, len(order)
    boxes = fill_rows("FPDFText_GetCharBox", page, order.tolist(), ctypes.c_double, 4)
    texts, unseen = shown.texts, (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
    fonts = np.append(np.where(np.isin(texts.modes, unseen), -1, texts.fonts), -1)
    numbers = fonts[texts.of[places]]  # the last is of those that no object draws
    measures = np.rint((boxes[:, [1, 3]] - boxes[:, [0, 2]]) * 4).astype(np.int64)
    measures = measures.clip(0, 0x3FF)
    codes = ((numbers * 128 + letters.astype(np.int64)) * 1024 + measures[:, 0]) * 1024 + measures[
        :, 1
    ]
    inked = measures.min(axis=1) > 0
    joined = np.zeros(count, dtype=bool)  # letters of one glyph, such as "fi", share its box
    same = (boxes[1:] == boxes[:-1]).all(axis=1) & inked[1:]
    joined[1:] |= same
    joined[:-1] |= same
    small = inked & (measures[:, 1] < 4 * _MIN_HEIGHT)
    codes[(numbers < 0) | joined | small] = -1
    return boxes, codes


def _crops(
    page: PdfPage, shown: PageText, letters: Sequence[_Letter]
) -> Iterator[NDArray[np.uint8]]:
    """Draw letters, one after the other, or from the whole page if they are many."""
    import numpy as np

    frame = shown.frame
    width, height = (math.ceil(side * _SCALE) for side in (frame.width, frame.height))
    whole = render_grey(page, _SCALE) if len(letters) * len(shown.objects) > _FEW else None
    for each in letters:
        left, right, bottom, top = each.box.tolist()
        x0, y0, x1, y1 = frame.to_display((left, bottom, right, top))
        x0, y0 = int(max(0.0, x0 - 0.5) * _SCALE), int(max(0.0, y0 - 0.5) * _SCALE)
        x1, y1 = min(width, int((x1 + 0.5) * _SCALE) + 1), min(height, int((y1 + 0.5) * _SCALE) + 1)
        if x0 >= x1 or y0 >= y1:
            yield np.zeros((0, 0), dtype=np.uint8)
        elif whole is None:
            left, bottom, right, top = (side / _SCALE for side in (x0, height - y1, width - x1, y0))
            yield 255 - render_grey(page, _SCALE, crop=(left, bottom, right, top))
        else:
            yield 255 - whole[y0:y1, x0:x1]


@cache
def _alike_letters(letter: str) -> NDArray[np.bool_]:
    """Return which of the standard letters may look like a letter."""
    import numpy as np

    small, (_, labels, _) = letter.lower(), _standard_shapes()
    return np.isin(labels, [*{small}.union(*(group for group in _ALIKE if small in group))])


def _word_at(text: str, at: int) -> Span:
    start = at
    while start and not text[start - 1].isspace():
        start -= 1
    return next(word_spans(text, Span(start, len(text))), Span(start, at + 1))


def _is_upright(shown: PageText, place: int) -> bool:
    from pypdfium2 import raw

    angle = raw.FPDFText_GetCharAngle(shown.textpage, shown.char_index(place))
    turned = angle - math.radians(90 * shown.frame.quarter_turns)
    return math.cos(turned) > 0.99


@lru_cache(maxsize=512)
def _shares(length: int) -> NDArray[np.float64]:
    """Return the share of each pixel of a side in each square of the grid."""
    import numpy as np

    edges = np.linspace(0, length, _GRID + 1)
    pixels = np.arange(length)
    within = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    shares: NDArray[np.float64] = np.clip(within, 0, None) * _GRID / length
    return shares


def _shape(ink: NDArray[np.uint8]) -> NDArray[np.float64] | None:
    """Return the shape of the ink, centred and of length 1; None if there is no ink."""
    import numpy as np

    rows = np.flatnonzero(ink.max(axis=1) > _INK)
    columns = np.flatnonzero(ink.max(axis=0) > _INK)
    if not len(rows) or not len(columns):
        return None
    inked = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = inked.shape
    side = max(height, width)
    square = np.zeros((side, side))
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = inked
    grid = (_shares(side) @ square @ _shares(side).T).ravel()
    grid -= grid.mean()
    length = float(np.linalg.norm(grid))
    shape: NDArray[np.float64] = grid / length if length else grid
    return shape


@cache
def _standard_shapes() -> tuple[NDArray[np.float64], NDArray[np.str_], NDArray[np.int64]]:
    """Return the shapes of all letters in pdfium's own fonts, ordered by their small letters.

    With them come these letters, and where the shapes of each begin.
    """
    import numpy as np
    from pypdfium2 import PdfDocument, raw

    step, size = 40, 30.0  # points
    shapes: dict[str, list[NDArray[np.float64]]] = {}
    pdf = PdfDocument.new()
    for name in _FONTS:
        page = pdf.new_page(step * (len(_LETTERS) + 1), 2 * step)
        font = raw.FPDFText_LoadStandardFont(pdf, name.encode())
        for at, letter in enumerate(_LETTERS):
            item = raw.FPDFPageObj_CreateTextObj(pdf, font, size)
            words = (ctypes.c_ushort * 2)(ord(letter), 0)
            raw.FPDFText_SetText(item, words)
            raw.FPDFPageObj_Transform(item, 1, 0, 0, 1, step * (at + 0.5), step / 2)
            raw.FPDFPage_InsertObject(page, item)
        raw.FPDFPage_GenerateContent(page)
        ink = 255 - render_grey(page, 1.5)
        for at, letter in enumerate(_LETTERS):
            start = int(1.5 * (step * (at + 0.5) - 5))
            shape = _shape(ink[:, start : start + int(1.5 * step)])
            if shape is not None:
                shapes.setdefault(letter.lower(), []).append(shape)
        raw.FPDFFont_Close(font)
        page.close()
    pdf.close()
    labels = sorted(shapes)
    starts = np.cumsum([0, *(len(shapes[each]) for each in labels[:-1])])
    return np.concatenate([shapes[each] for each in labels]), np.array(labels), starts
