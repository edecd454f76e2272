"""Repair clause numbers that recognition gets wrong: restore small marks, reread doubtful ones.

After "3.3" a clause "34" is 3.4; after "4." a line "5: Term" starts with "5."; after "B." a "c." is
C; and several lines that start with "*" have bullets. Only the label at the start of a line is
changed, and only if the result is the next in order.

A number separated from its clause by a wide gap has no words near it as context, and "2.1" is read
as "PRN". So the doubtful labels of a page are cut out with the first words of their lines, moved
next to them as in running text, and read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.documents.ocr.engines import GreyImage, Line, RecognisedPage, RecognisedWord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]


_LIKE_DIGITS = str.maketrans("IlO|SZ", "110152")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.?")
_POINTED = re.compile(r"(\d{1,2})\.")
_LIKE_NUMBER = re.compile(r"[\dIlO|SZ]{1,2}[.,;:]?")
_LIKE_ONE = re.compile(r"[iIl1|J][.,;:]|1")
_LIKE_BULLET = frozenset("*¢°«»")
_SAME_IN_BOTH_CASES = frozenset("ckopsuvwxz")
_KINDS = frozenset({"section", "article", "clause"})
MAX_LABEL_LENGTH = 10  # characters of a line that can be a label: "(xviii)", "12.10.1."
INK_LEVEL = 150  # grey below which a pixel is ink
MIN_GAP = 0.85  # of a line's height: a wider space separates a label from its words
MAX_WIDTH = 6.0  # maximum width of a label in line heights
MIN_BODY_WIDTH = 5.0  # line heights of the words after a label that are cut out with it
LABEL_SPACE = 0.5  # line heights between the two, when they are moved
MIN_CONFIDENCE = 0.9  # confidence from which a label that looks like one is not read again
_EDGE = 14  # pixels of white around each row
_PARTS = r"(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z]|[ivxl]{1,6}|[IVXL]{1,6}|([a-z])\1)"
LABEL = re.compile(
    rf"\({_PARTS}\)|{_PARTS}[.)]|\d{{1,3}}(?:\.\d{{1,3}}){{1,4}}|\d{{1,2}}\.[A-Z]\.?|\d{{1,2}}"
)
_AMBIGUOUS_DIGITS = re.compile(r"[\dIlOS|i]{1,3}(?:\.[\dIlOS|i]{1,3}){1,4}\.?")  # "i.2" is 1.2
_DIGIT_LOOKALIKES = str.maketrans("IlOS|i", "110511")


def order_lines(lines: Sequence[Line]) -> list[Line]:
    """Put each label before the line to its right, and keep the order of everything else."""
    labels = {at for at, line in enumerate(lines) if _is_label(line)}
    before: dict[int, int] = {}  # the line, its label
    for at in sorted(labels):
        beside = [
            other
            for other, line in enumerate(lines)
            if other not in labels and other not in before and _is_right_of(line, lines[at])
        ]
        if beside:
            before[min(beside, key=lambda other: lines[other][0].x0)] = at
    moved = set(before.values())
    unmoved = (at for at in range(len(lines)) if at not in moved)
    return [(*lines[before[at]], *lines[at]) if at in before else lines[at] for at in unmoved]


def _is_label(line: Line) -> bool:
    text = "".join(word.text for word in line)
    short = len(line) <= 2 and len(text) <= MAX_LABEL_LENGTH
    return short and not (len(text) > 3 and text.isalpha())


def _is_right_of(line: Line, label: Line) -> bool:
    first, last = line[0], label[-1]
    shared = min(first.y1, last.y1) - max(first.y0, last.y0)
    return first.x0 >= last.x1 - 1 and shared >= 0.5 * min(first.y1 - first.y0, last.y1 - last.y0)


def _restore_first_number(lines: list[Line]) -> list[Line]:
    """Return the lines with "1." restored where a "2." has only an "i." or similar before it."""
    starts = [line[0].text for line in lines]
    second = starts.index("2.") if "2." in starts else 0
    if "1." in starts[:second]:
        return lines
    for at in range(second - 1, -1, -1):
        first, *rest = lines[at]
        if rest and _LIKE_ONE.fullmatch(first.text) and rest[0].text[:1].isupper():
            lines[at] = (replace(first, text="1."), *rest)
            break
    return lines


def repair_labels(lines: Iterable[Line]) -> list[Line]:
    given = _restore_first_number(list(lines))
    starts = [line[0].text for line in given]
    labels = _LabelState(
        pointed=sum(bool(_POINTED.fullmatch(start)) for start in starts) >= 2,
        bulleted=sum(start in _LIKE_BULLET for start in starts) >= 2,
    )
    return [labels.repair_line(line) for line in given]


@dataclass(slots=True)
class _LabelState:
    pointed: bool  # whether the file has labels such as "4."
    bulleted: bool  # whether several lines start with what may be a bullet
    dotted: tuple[int, int] | None = None
    number: int = 0
    kind: int = 0  # of "Section 4."
    letter: str = ""

    def repair_line(self, line: Line) -> Line:
        at = 1 if line[0].text.casefold() in _KINDS and len(line) > 1 else 0
        word, after = line[at], line[at + 1].text if len(line) > at + 1 else ""
        repair = self._repair_section_number if at else self._repair_label
        text = repair(word.text, after)
        if text == word.text:
            return line
        return (*line[:at], replace(word, text=text), *line[at + 1 :])

    def _repair_section_number(self, text: str, after: str) -> str:
        match = re.fullmatch(r"(\d{1,2})([.,;:]?)", text)
        if match is None or not after[:1].isupper():
            return text
        number = int(match.group(1))
        repaired = f"{number}." if match.group(2) and number == self.kind + 1 else text
        self.kind = number
        return repaired

    def _repair_label(self, text: str, after: str) -> str:
        if not after:
            return text
        if self.bulleted and text in _LIKE_BULLET:
            return "\u2022"
        text = re.sub(r"^\|(?=[.)]$)", "1", text)
        text = self._restore_points(text)
        if after[:1].isupper() or after[:1] in "\"“‘'":
            text = self._repair_number(text)
            text = self._repair_letter(text)
        return text

    def _restore_points(self, text: str) -> str:
        if self.dotted is not None and text.isdigit():
            section, clause = self.dotted
            for expected in (f"{section}.{clause + 1}", f"{section + 1}.1"):
                if text == expected.replace(".", ""):
                    text = expected
        match = _DOTTED.fullmatch(text)
        if match:
            self.dotted = int(match.group(1)), int(match.group(2))
        return text

    def _repair_number(self, text: str) -> str:
        if not _LIKE_NUMBER.fullmatch(text):
            return text
        digits, mark = re.fullmatch(r"(.*?)([.,;:]?)", text).groups()  # type: ignore[union-attr]
        if text[0] in "Il" and len(digits) == 1:
            return text  # the Roman one
        digits = digits.translate(_LIKE_DIGITS)
        following = int(digits) == self.number + 1
        if mark == "." and text[:-1].isdigit():
            self.number = int(digits)
        elif following and (mark or (self.pointed and text.isdigit())):
            self.number = int(digits)
            return f"{digits}."
        return text

    def _repair_letter(self, text: str) -> str:
        if not re.fullmatch(r"[A-Za-z]\.", text):
            return text
        letter = text[0]
        expected = chr(ord(self.letter) + 1) if self.letter else ""
        if letter in _SAME_IN_BOTH_CASES and letter.upper() == expected:
            letter = expected
        self.letter = letter if letter.isupper() else ""
        return f"{letter}."


@dataclass(frozen=True, slots=True)
class _DoubtfulLabel:
    """A label to read again, and the place of the words after it.

    `words` is the number of words of its line as which it was read; 0 if it was not recognised at
    all.
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
    """Return the page with its doubtful labels as `read` recognises them next to their words."""
    import numpy as np

    pixels = np.frombuffer(picture.pixels, dtype=np.uint8).reshape(picture.height, picture.width)
    labels = (_doubtful_label(pixels, at, line) for at, line in enumerate(recognised.lines))
    doubts = [doubt for doubt in labels if doubt]
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
    if _AMBIGUOUS_DIGITS.fullmatch(text) and any(sign.isdigit() for sign in text):
        text = text.translate(_DIGIT_LOOKALIKES)
    if LABEL.fullmatch(text):
        return text
    glued = re.match(r"(\d{1,3}(?:\.\d{1,3}){0,4}\.?|\([a-zA-Z]{1,4}\))(?=[A-Z][A-Za-z])", text)
    return glued.group() if glued else ""


def _doubtful_label(pixels: Pixels, at: int, line: Line) -> _DoubtfulLabel | None:
    heights = sorted(word.y1 - word.y0 for word in line)
    height = max(8.0, heights[len(heights) // 2])
    # The place of the words after the label is more reliable than the label's.
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
    text = "".join(word.text for word in read)
    if not read or len(text) > 8:
        return bool(read)
    likely = bool(LABEL.fullmatch(text)) or (len(text) > 2 and text.isalpha())
    return likely and min(word.confidence for word in read) >= MIN_CONFIDENCE


def _ink_runs(ink: list[bool], gap: float) -> list[tuple[int, int]]:
    """Return the stretches of ink separated by at least `gap` white pixels."""
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
