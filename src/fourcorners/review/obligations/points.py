"""Find the points of a list that words introduce: "shall: (a) …; (b) …"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fourcorners.documents.number_formats import roman_number
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.obligations", "points")
_LEAD = 300  # characters between words that bind and the colon before a list, at most
_APART = 3_000  # characters of a point
_LENGTH = 9_000  # characters of a list


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a list: its number, and its words without the number."""

    mark: Span
    words: Span


def find_points(text: str, start: int, verb: int) -> list[Point]:
    """Return the points of the list that binding words introduce; none if they introduce no list.

    They introduce one if only the list says what must be done ("shall: (a) deliver"), or if they
    end with "the following".

    Args:
        text: The contract.
        start: Where the binding words end.
        verb: Where the action begins.
    """
    first = _PATTERNS["mark"].match(text, verb) or _PATTERNS["mark"].match(text, start)
    if first is None:
        colon = _PATTERNS["lead"].match(text, start, min(len(text), start + _LEAD))
        first = _PATTERNS["mark"].match(text, colon.end()) if colon else None
    return _points(text, first) if first else []


def find_list(text: str, end: int) -> list[Point]:
    """Return the points of the list after a colon at the end of words; empty if there is none."""
    colon = _PATTERNS["colon"].match(text, end)
    first = _PATTERNS["mark"].match(text, colon.end()) if colon else None
    return _points(text, first) if first else []


def _points(text: str, first: re.Match[str]) -> list[Point]:
    count = 1
    marks = [Span(*first.span("mark"))]
    while True:
        count += 1
        low, high = marks[-1].end, min(marks[-1].end + _APART, marks[0].start + _LENGTH, len(text))
        sign = re.escape(_sign(first, count))
        found = re.compile(rf"(?<=[\s;,.:]){sign}(?=[\s\w\"“])").search(text, low, high)
        if found is None:
            break
        marks.append(Span(*found.span()))
    if len(marks) < 2:
        return []
    ends = [each.start for each in marks[1:]]
    ends.append(_last_end(text, marks[-1].end))
    return [
        Point(mark, _trim(text, Span(mark.end, end))) for mark, end in zip(marks, ends, strict=True)
    ]


def _sign(first: re.Match[str], count: int) -> str:
    """Return the mark that a point of a number has in the list that a point begins."""
    if first["root"]:
        return f"{first['root']}{count}"
    if first["inner"] is None:
        return first["mark"]
    return first["mark"].replace(first["inner"], _number(first["inner"], count), 1)


def _number(written: str, count: int) -> str:
    if written == "1":
        return str(count)
    if written in "iI":
        roman = roman_number(count).lower()
        return roman if written == "i" else roman.upper()
    return chr(ord(written) + count - 1)


def _last_end(text: str, start: int) -> int:
    end = _PATTERNS["last"].search(text, start, min(len(text), start + _APART))
    return end.start() if end else min(len(text), start + _APART)


def _trim(text: str, span: Span) -> Span:
    span = span.strip(text)
    tail = _PATTERNS["joint"].search(text, max(span.start, span.end - 12), span.end)
    return Span(span.start, tail.start()).strip(text) if tail else span
