"""Put what the fields of a form show into a page's text, next to their labels.

A form draws its fields after everything else, so pdfium has their words at the end of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, repeat
from typing import TYPE_CHECKING

from fourcorners.documents.pdf.annotations import FilledField
from fourcorners.documents.pdf.page import Rectangle, native_call, nested_objects
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage, PdfTextPage

_NEAR = 36.0  # points to the left, beyond which a label just above a field is its label
_GAP = 12.0  # points between the words of two labels on a line
_ABOVE = 8.0  # points between a field and a label just above it
_TOLERANCE = 2.0  # points by which words may be drawn beyond their field
_LINE_HEIGHT = 12.0  # points of a field's place where its stored value is shown
_FILLERS = frozenset("_.\u2026\u00b7[]()")  # on which fields are put

Sign = tuple[int, str]  # a character and pdfium's index; below 0: at the place -1 - index
BoxesOf = Callable[[Sequence[int]], "NDArray[np.float32]"]


@dataclass(frozen=True, slots=True)
class FilledText:
    """A page's text with its fields in their places.

    Attributes:
        signs: The characters with pdfium's index; below 0, the place of a field is -1 - index.
        inserted: Where the words of fields are in the text.
        differences: What fields show, and what they store, where that differs.
    """

    signs: list[Sign]
    inserted: tuple[Span, ...]
    differences: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Insertion:
    """The words of a field, before a character of the page's own text or at its end."""

    at: int
    signs: Sequence[Sign]
    box: Rectangle
    is_line: bool  # on a line by itself


def place_of(box: Rectangle) -> Rectangle:
    """Return where the stored value of a field with this place is shown."""
    x0, y0, x1, y1 = box
    return x0, y0, x1, min(y1, y0 + _LINE_HEIGHT)


def insert_fields(
    signs: Sequence[Sign],
    fields: Sequence[FilledField],
    boxes: Sequence[Rectangle],
    drawn: Sequence[Sequence[Sign]],
    boxes_of: BoxesOf,
) -> FilledText:
    """Insert fields with their `boxes` on the page as shown into its text, and what they draw."""
    taken = {index for each in drawn for index, _ in each if index >= 0}
    blanks = {index for index, letter in signs if letter.isspace()}
    for one, other in pairwise(sorted(taken)):
        between = range(one + 1, other)
        if len(between) <= 3 and blanks.issuperset(between):  # between the words of two fields
            taken.update(between)
    own = [sign for sign in signs if sign[0] not in taken]
    while taken and own and own[-1][1].isspace():
        own.pop()
    differences: list[tuple[str, str]] = []
    page = _OwnWords(own, boxes_of)
    found = []
    for number, (field, box, held) in enumerate(zip(fields, boxes, drawn, strict=True)):
        words = _words(number, field, held, differences)
        if words:
            at, is_line = page.place(field, box)
            found.append(_Insertion(at, words, box, is_line))
    made, inserted = _merge(own, found)
    return FilledText(made, tuple(inserted), differences)


def drawn_signs(
    page: PdfPage,
    textpage: PdfTextPage,
    signs: Sequence[Sign],
    boxes: Sequence[Rectangle],
    boxes_of: BoxesOf,
) -> list[list[Sign]]:
    """Return the characters that each field of a page draws, which its last object holds."""
    import numpy as np
    from pypdfium2 import raw

    last = max(0, raw.FPDFPage_CountObjects(page) - 1)
    addresses = {each.address for each in nested_objects(page, last)}
    letters = dict(signs)
    indices = sorted(letters)
    objects = map(native_call("FPDFText_GetTextObject", "p"), repeat(textpage.raw), indices)
    shown = [at for at, each in zip(indices, objects, strict=True) if each in addresses]
    places = boxes_of(shown)
    xs, ys = (places[:, 0] + places[:, 2]) / 2, (places[:, 1] + places[:, 3]) / 2
    owners = np.full(len(shown), -1)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in boxes]
    for number in sorted(range(len(boxes)), key=lambda each: -areas[each]):
        x0, y0, x1, y1 = boxes[number]
        across = (xs >= x0 - _TOLERANCE) & (xs <= x1 + _TOLERANCE)
        owners[across & (ys >= y0 - _TOLERANCE) & (ys <= y1 + _TOLERANCE)] = number
    found: list[list[Sign]] = [[] for _ in boxes]
    for index, owner in zip(shown, owners.tolist(), strict=True):
        if owner < 0:
            continue
        held = found[owner]
        between = range(held[-1][0] + 1, index) if held else ()
        if len(between) <= 2 and all(letters.get(at, "x").isspace() for at in between):
            held += [(at, letters[at]) for at in between]
        elif between:
            held.append((-1 - owner, " "))
        held.append((index, letters[index]))
    return found


def _words(
    number: int, field: FilledField, drawn: Sequence[Sign], differences: list[tuple[str, str]]
) -> Sequence[Sign]:
    """Return the words of a field: those it shows, unless it shows none or just a part."""
    stored = [(-1 - number, letter) for letter in field.value]
    shown = "".join(letter for _, letter in drawn).strip()
    if not field.is_drawn or not shown:
        return stored
    one, other = _letters(shown), _letters(field.value)
    if one != other and one in other:
        return stored
    if other not in one:
        differences.append((" ".join(shown.split()), field.value))
    words = list(drawn)
    while words[0][1].isspace():
        del words[0]
    while words[-1][1].isspace():
        del words[-1]
    return words


class _OwnWords:
    """The words of a page without its fields, and where they are on the page as shown."""

    def __init__(self, signs: Sequence[Sign], boxes_of: BoxesOf) -> None:
        import numpy as np

        self._signs = signs
        self._at = [at for at, (_, letter) in enumerate(signs) if not letter.isspace()]
        self._boxes = boxes_of([signs[at][0] for at in self._at])
        self._x = (self._boxes[:, 0] + self._boxes[:, 2]) / 2
        self._y = (self._boxes[:, 1] + self._boxes[:, 3]) / 2
        self._is_word = np.array([signs[at][1] not in _FILLERS for at in self._at], dtype=bool)

    def place(self, field: FilledField, box: Rectangle) -> tuple[int, bool]:
        """Return before which character a field belongs, and whether on a line by itself.

        It follows the label to its left or above it; a check box precedes the one to its right.
        """
        import numpy as np

        if not self._at:
            return 0, True
        x0, y0, x1, y1 = box
        boxes, x, y = self._boxes, self._x, self._y
        on_row = (y >= y0 - _TOLERANCE) & (y <= y1 + _TOLERANCE)
        within = (x > x0) & (x < x1)
        covered = on_row & within & self._is_word
        if covered.any() and not field.is_box:
            return self._line_end(int(np.flatnonzero(covered)[-1])), True
        if on_row.any():  # of a high field, the first row
            on_row &= y <= y[on_row].min() + (boxes[:, 3] - boxes[:, 1]) / 2
        left = np.where(on_row & (x <= x0 + 1), x0 - boxes[:, 2], np.inf)
        right = np.where(on_row & (x >= x1 - 1), boxes[:, 0] - x1, np.inf)
        above = within & (y < y0) & (y0 - boxes[:, 3] <= _ABOVE)
        to_left, to_right = float(left.min()), float(right.min())
        if field.is_box and np.isfinite(to_right) and to_right <= to_left:
            return self._at[int(right.argmin())], False
        is_near = to_left <= _NEAR or field.is_box
        if np.isfinite(to_left) and (is_near or not self._is_label(above, x0)):
            return self._at[int(left.argmin())] + 1, False
        if above.any():
            return self._line_end(int(np.flatnonzero(above)[-1])), True
        if np.isfinite(to_right):
            return self._at[int(right.argmin())], False
        distance = y0 - y + np.where((boxes[:, 0] < x1) & (boxes[:, 2] > x0), 0, 20)
        distance[y >= y0] = np.inf
        if not np.isfinite(distance.min()):
            return 0, True
        return self._line_end(int(distance.argmin())), True

    def _is_label(self, above: NDArray[np.bool_], x0: float) -> bool:
        """Return whether words above a field are its label: not of a line that started before."""
        import numpy as np

        if not above.any():
            return False
        last, start = int(np.flatnonzero(above)[-1]), x0
        on_line = (self._boxes[:, 1] < self._y[last]) & (self._boxes[:, 3] > self._y[last])
        before = self._boxes[on_line & (self._x <= x0)]
        for left, _, right, _ in before[np.argsort(-before[:, 2])].tolist():
            if right < start - _GAP:
                break
            start = min(start, left)
        return start > x0 - _NEAR

    def _line_end(self, number: int) -> int:
        at = self._at[number]
        while at < len(self._signs) and self._signs[at][1] != "\n":
            at += 1
        return min(at + 1, len(self._signs))


def _merge(own: Sequence[Sign], found: Iterable[_Insertion]) -> tuple[list[Sign], list[Span]]:
    def order(each: _Insertion) -> tuple[int, bool, int, float]:
        row = round((each.box[1] + each.box[3]) / _LINE_HEIGHT) if each.is_line else 0
        return each.at, each.is_line == (each.at == len(own)), row, each.box[0]

    made: list[Sign] = []
    inserted: list[Span] = []
    done = 0
    for at, group in groupby(sorted(found, key=order), key=lambda each: each.at):
        made += own[done:at]
        done, above, follows = at, None, own[at][1] if at < len(own) else "\n"
        for each in group:
            blank = -1 - len(own)  # at no place
            if each.is_line and above is not None and not _is_on_row(above, each.box):
                above = None
            if made and not made[-1][1].isspace():
                made.append((blank, "\n" if each.is_line and above is None else " "))
            start = len(made)
            made += each.signs
            inserted.append(Span(start, len(made)))
            above = each.box if each.is_line else None
        if not follows.isspace() or (above is not None and at < len(own)):
            made.append((blank, "\n" if above is not None else " "))
    made += own[done:]
    return made, inserted


def _is_on_row(one: Rectangle, other: Rectangle) -> bool:
    return min(one[3], other[3]) - max(one[1], other[1]) > 0


def _letters(words: str) -> str:
    return "".join(filter(str.isalnum, words.casefold()))
