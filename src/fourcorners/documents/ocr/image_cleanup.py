"""Clean up a page's picture for recognition: white paper, and words without underlines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourcorners.documents.ocr.engines import GreyImage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ink = NDArray[np.bool_]

MIN_PAPER_LEVEL = 128  # grey of the paper below which the page is printed white on black
PAPER_DEVIATIONS = 2  # standard deviations of the paper's grey that are not ink
MAX_PAPER_DEVIATION = 24  # of those standard deviations; more is ink
INK_LEVEL = 150  # grey below which a pixel is ink
MIN_RULE_LENGTH = 45  # pixels of ink in a row, at 200 dpi, that no letter has
MAX_RULE_HEIGHT = 6  # pixels; anything higher is a picture or a table's shade
_REACH = 4  # pixels above and below a rule where ink means that a letter crosses it


def whiten_background(picture: GreyImage) -> GreyImage:
    """Make the paper white, and keep the contrast of what is darker than its grain.

    Engines separate ink from paper by one level of grey for a whole page. On a page of few words
    the grain of a scan outweighs the ink, and nothing is found. With many words this loses fine
    strokes, so it is for pages that give little without it.
    """
    import numpy as np

    levels = np.bincount(np.frombuffer(picture.pixels, dtype=np.uint8), minlength=256).cumsum()
    paper, low = (int(np.searchsorted(levels, levels[-1] * share)) for share in (0.5, 0.16))
    if paper < MIN_PAPER_LEVEL:
        return picture
    white = paper - PAPER_DEVIATIONS * min(max(paper - low, 2), MAX_PAPER_DEVIATION)
    table = bytes(min(255, level * 255 // white) for level in range(256))
    return GreyImage(picture.width, picture.height, picture.pixels.translate(table))


def remove_rules(picture: GreyImage) -> GreyImage:
    """Remove thin horizontal lines, except where they are part of a letter.

    Headings in contracts are underlined, and recognition fails on underlined words.
    """
    import numpy as np

    grey = np.frombuffer(picture.pixels, dtype=np.uint8).reshape(picture.height, picture.width)
    ink = grey < INK_LEVEL
    rules = _find_rules(ink)
    if not rules.any():
        return picture
    erased = rules.copy()
    erased[1:] |= rules[:-1]  # a row above each is included already
    above, below = np.zeros_like(ink), np.zeros_like(ink)
    above[_REACH:], below[:-_REACH] = ink[:-_REACH], ink[_REACH:]
    cleaned = grey.copy()
    cleaned[erased & ~(above & below)] = np.median(grey[:: max(1, picture.height // 64)])
    return GreyImage(picture.width, picture.height, cleaned.tobytes())


def _find_rules(ink: Ink) -> Ink:
    """Return the pixels of long thin runs; a run may step down by a row, as on a skewed page."""
    import numpy as np

    height, width = ink.shape
    stepped = ink.copy()
    stepped[:-1] |= ink[1:]
    long_rows = np.flatnonzero(stepped.sum(axis=1) >= MIN_RULE_LENGTH)
    rules = np.zeros_like(ink)
    if not len(long_rows):
        return rules
    places = np.arange(width, dtype=np.int32)
    rows = stepped[long_rows]
    before = np.maximum.accumulate(np.where(rows, -1, places), axis=1)
    after = np.minimum.accumulate(np.where(rows, width, places)[:, ::-1], axis=1)[:, ::-1]
    rules[long_rows] = rows & (after - before - 1 >= MIN_RULE_LENGTH)
    counts = np.cumsum(
        np.pad(rules.astype(np.int16), ((MAX_RULE_HEIGHT + 1, MAX_RULE_HEIGHT), (0, 0))), axis=0
    )
    around = counts[2 * MAX_RULE_HEIGHT :] - counts[: -2 * MAX_RULE_HEIGHT]
    return rules & (around[:height] <= MAX_RULE_HEIGHT)
