"""Read lists of what must be done: points after binding words or under a heading, instalments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fourcorners.documents.number_formats import roman_number
from fourcorners.outline.tree import Outline
from fourcorners.review.obligations.actors import Mentions
from fourcorners.review.obligations.obligation import (
    Calendar,
    Obligation,
    ObligationKind,
    Time,
    TimeKind,
    find_times,
)
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.values.amounts import find_amounts
from fourcorners.text.values.dates import find_dates

_PATTERNS = load_patterns("fourcorners.review.obligations", "lists")
NUMBER = _PATTERNS["number"]
"""What counts a point or a clause."""
_LEAD = 300  # characters between words that bind and the colon before a list, at most
_APART = 3_000  # characters of a point
_LENGTH = 9_000  # characters of a list
_PART = 240  # characters of an instalment
_HEAD = 160  # characters of a line that is a heading


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
        places = (_PATTERNS["lead"].match(text, at, at + _LEAD) for at in (start, verb))
        colon = next(filter(None, places), None)
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
        if found is None or _begins_again(text, first, Span(low, found.start())):
            break
        marks.append(Span(*found.span()))
    if len(marks) < 2:
        return []
    ends = [each.start for each in marks[1:]]
    ends.append(_last_end(text, marks[-1].end))
    return [
        Point(mark, trim_end(text, Span(mark.end, end)))
        for mark, end in zip(marks, ends, strict=True)
    ]


def _begins_again(text: str, first: re.Match[str], words: Span) -> bool:
    """Return whether another list of the same numbers begins in words."""
    if first["inner"] is None:
        return False
    begins = re.compile(rf"(?<=\s){re.escape(first['mark'])}(?=[\s\w\"“])")
    return any(
        not _PATTERNS["reference"].search(text, max(0, each.start() - 20), each.start())
        for each in begins.finditer(text, words.start, words.end)
    )


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


def trim_end(text: str, span: Span) -> Span:
    """Return words without the conjunction and punctuation at their end."""
    span = span.strip(text)
    tail = _PATTERNS["tail"].search(text, max(span.start, span.end - 24), span.end)
    return Span(span.start, tail.start()).strip(text) if tail else span


def read_own(
    text: str, words: Span, kind: ObligationKind
) -> tuple[ObligationKind, Span, tuple[Span, ...]]:
    """Return whether a point forbids, its words from the verb, and a condition before these."""
    own = _PATTERNS["own"].match(text, words.start, words.end)
    if own is None:
        return kind, words, ()
    forbids = own["not"] or own["no"]
    before = (trim_end(text, Span(*own.span("before"))),) if own["before"] else ()
    action = Span(own.end(), words.end)
    return ObligationKind.PROHIBITION if forbids else kind, action, before


def find_due_parts(text: str, action: Span, end: int) -> list[tuple[Span, Time | None]]:
    """Return the parts of a payment, each with its day; empty if it is not due in parts.

    Each part but the last has an amount and a day. They are joined in a sentence that ends at
    `end`, or are the points or lines after a colon.
    """
    colon = _PATTERNS["colon"].match(text, action.end)
    if colon:
        listed = find_list(text, action.end)
        first = Span(colon.end(), len(text)).strip(text).start
        blank = text.find("\n\n", first)
        end = listed[-1].words.end if listed else (blank if blank > 0 else len(text))
    whole = Span(action.start, min(max(end, action.end), action.start + _LENGTH))
    days = {each.span: each.value for each in find_dates(text, whole)}
    values = sorted({*days, *(each.span for each in find_amounts(text, whole))}, key=_start)
    while len(values) > 1 and values[0] not in days and values[1] not in days:
        values = values[1:]  # the sum of the parts
    is_first = {each.start: each in days for each in values}
    starts = [start for start in is_first if values and is_first[start] == (values[0] in days)]
    parts = [trim_end(text, Span(low, high)) for low, high in pairwise([*starts, whole.end])]
    made: list[tuple[Span, Time | None]] = []
    for part in parts:
        own = [each for each in values if part.contains(each)]
        due = [each for each in own if each in days]
        is_last = part is parts[-1] and len(made) > 1
        if len(part) > _PART or len(own) != len(due) + 1 or len(due) > 1 or not (due or is_last):
            return []
        made.append((part, Time(TimeKind.DATE, due[0], days[due[0]]) if due else None))
    return made if len(made) > 1 else []


def _start(each: Span) -> int:
    return each.start


def find_under_headings(
    text: str, outline: Outline, mentions: Mentions, calendar: Calendar, bound: Sequence[int]
) -> Iterator[Obligation]:
    """Yield what a heading gives to a party to do: "Part B: duties of the Agent", "1. Keep …".

    `bound` are the places of other obligations, in order: a heading binds nobody to what is below
    it if the sentences there have their own subjects.
    """
    counts = Counter(node.parent for node in outline.nodes)
    for node in outline.nodes:
        if node.parent is None or node.id in counts:
            continue
        above = outline.nodes[node.parent].span
        own = bisect_left(bound, above.end) - bisect_left(bound, above.start)
        if 2 * own >= counts[node.parent]:
            continue
        head = _head(text, outline, node.parent)
        named = [*mentions.list_within(head)]
        if len(named) != 1 or not _PATTERNS["duties"].search(text, head.start, head.end):
            continue
        start = node.heading.start if node.heading else node.span.start
        mark = NUMBER.match(text, start, node.span.end)
        start = mark.end() if mark else start
        end = text.find("\n\n", start, node.span.end)
        sentence = split_sentences(text, Span(start, end if end > 0 else node.span.end))[0]
        if _PATTERNS["described"].match(sentence.text_in(text)):
            continue
        kind, action, conditions = read_own(text, trim_end(text, sentence), ObligationKind.DUTY)
        times = tuple(find_times(text, Span(action.start, action.start), action, calendar))
        if kind is ObligationKind.PROHIBITION:
            times = ()
        is_passive = " to be " in " ".join(action.text_in(text).casefold().split())
        opening = None if is_passive else Span(action.start, action.start)
        binding = Span(sentence.start, sentence.start + 1)
        yield Obligation(
            kind, named[0].actor, binding, action, sentence, conditions, times, head, opening
        )


def _head(text: str, outline: Outline, at: int) -> Span:
    """Return the heading of a node, or the line that begins it."""
    node = outline.nodes[at]
    if node.heading:
        return node.heading
    line = text.find("\n", node.span.start, min(node.span.end, node.span.start + _HEAD))
    return Span(node.span.start, max(line, node.span.start)).strip(text)
