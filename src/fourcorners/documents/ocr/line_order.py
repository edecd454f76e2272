"""The reading order of recognised lines: labels that stand apart belong before their words.

Tesseract takes the clause numbers at the left of a page for a column of their own, and gives them
all before (or after) the clauses.
"""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.documents.ocr.engines import RecognisedWord

Line = tuple[RecognisedWord, ...]

MAX_LABEL_LENGTH = (
    10  # characters of the longest line that can be a label, such as "(xviii)" or "12.10.1."
)


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
