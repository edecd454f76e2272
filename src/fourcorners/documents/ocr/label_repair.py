"""Small marks of clause numbers that recognition loses, put back where the numbers before tell.

After "3.3" a clause "34" is 3.4; after "4." a line "5: Term" starts with "5."; after "B." a "c." is
C; and several lines that start with "*" have bullets. Only the label at the start of a line is
touched, and only where it then is the next in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fourcorners.documents.ocr.engines import Line

_LIKE_DIGITS = str.maketrans("IlO|SZ", "110152")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.?")
_POINTED = re.compile(r"(\d{1,2})\.")
_LIKE_NUMBER = re.compile(r"[\dIlO|SZ]{1,2}[.,;:]?")
_LIKE_ONE = re.compile(r"[iIl1|J][.,;:]|1")
_LIKE_BULLET = frozenset("*¢°«»")
_SAME_IN_BOTH_CASES = frozenset("ckopsuvwxz")
_KINDS = frozenset({"section", "article", "clause"})
MAX_LABEL_LENGTH = 10  # characters of a line that can be a label: "(xviii)", "12.10.1."


def order_lines(lines: Sequence[Line]) -> list[Line]:
    """Put each label before the line that stands to its right, and leave all else as it is."""
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
    return [
        (*lines[before[at]], *line) if at in before else line
        for at, line in enumerate(lines)
        if at not in moved
    ]


def _is_label(line: Line) -> bool:
    text = "".join(word.text for word in line)
    return (
        len(line) <= 2 and len(text) <= MAX_LABEL_LENGTH and not (len(text) > 3 and text.isalpha())
    )


def _is_right_of(line: Line, label: Line) -> bool:
    first, last = line[0], label[-1]
    shared = min(first.y1, last.y1) - max(first.y0, last.y0)
    return first.x0 >= last.x1 - 1 and shared >= 0.5 * min(first.y1 - first.y0, last.y1 - last.y0)


def _restore_first_number(lines: list[Line]) -> list[Line]:
    """Return the lines with "1." where a "2." has only an "i." or the like before it."""
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
        text = (
            self._repair_section_number(word.text, after)
            if at
            else self._repair_label(word.text, after)
        )
        if text == word.text:
            return line
        return (*line[:at], replace(word, text=text), *line[at + 1 :])

    def _repair_section_number(self, text: str, after: str) -> str:
        match = re.fullmatch(r"(\d{1,2})([.,;:]?)", text)
        if match is None or not after[:1].isupper():
            return text
        number = int(match.group(1))
        mended = f"{number}." if match.group(2) and number == self.kind + 1 else text
        self.kind = number
        return mended

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
