"""Find labels missing from a sequence by searching its gaps again.

A number without its dot, with an extra one, or without a heading's form is doubtful by itself, but
not between the previous and the next clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor

from fourcorners.outline.parser.lines import (
    TextLines,
    is_all_capitals,
    is_sentence_end,
    is_title_like,
)
from fourcorners.outline.parser.markers import Marker, is_cited
from fourcorners.outline.parser.numbering import BLANK, NumberReading
from fourcorners.outline.parser.sequence import PlacedMarker
from fourcorners.text.span import Span

_COUNTED = frozenset({"1.", "article", "section"})
_WIDEST = 3  # maximum consecutive missing numbers
_FAR = 60_000  # characters that are searched
_LEAVE = 4.0  # cost of leaving a candidate out; by hand
_HEAD = re.compile(
    rf"(?P<head>[A-Z][^.:;\n]*?)(?:[.:;\n]|{BLANK}{{3}}|{BLANK}(?=\(?[ai1]\){BLANK}|\d{{1,2}}\.\d)|$)"
)
_LOST = re.compile(
    rf"^{BLANK}*(?P<head>[A-Z][A-Z&’',/-]{{2,}}(?:{BLANK}[A-Z&][A-Z&’',/-]*){{0,8}})[.:](?={BLANK}+\S)",
    re.MULTILINE,
)
_WORDS = {"article": r"(?i:article)", "section": r"(?i:section|clause|sec\.)"}


@dataclass(frozen=True, slots=True)
class _Gap:
    """A number to look for, between two places of the text."""

    family: str
    value: int
    start: int
    end: int
    parent: bool  # of the decimal that follows


def find_missing(lines: TextLines, taken: list[PlacedMarker], aside: list[Span]) -> list[Marker]:
    found: dict[int, Marker] = {}
    for gap in _gaps(taken):
        marker = _numbered(lines, gap) or (None if gap.parent else _unnumbered(lines, gap))
        if marker and not any(span.start <= marker.start < span.end for span in aside):
            found.setdefault(marker.start, marker)
    for marker in _find_attachment_headings(lines, taken):
        found.setdefault(marker.start, marker)
    return [found[start] for start in sorted(found)]


def _find_attachment_headings(lines: TextLines, taken: list[PlacedMarker]) -> Iterator[Marker]:
    """Yield the heading of an attachment in capitals within a line, in a gap."""
    named = [item.marker for item in taken if item.reading.family == "attachment"]
    for before, after in pairwise(named):
        (word, _, past), (same, _, mark) = (
            marker.written.partition(" ") for marker in (before, after)
        )
        if word != same or not (len(past) == len(mark) == 1) or ord(mark) != ord(past) + 2:
            continue
        label = f"{word} {chr(ord(past) + 1)}"
        heading = re.compile(rf"\b{label.upper()}(?={BLANK}*(?:[–—:-]{BLANK}*)?(?:[A-Z\n]|$))")
        places = [
            match
            for match in heading.finditer(lines.text, before.end, after.start)
            if not is_cited(lines, match.start(), match.end())
        ]
        if len(places) == 1:
            start, end = places[0].span()
            reading = NumberReading("attachment", tuple(label.upper().encode()))
            yield Marker(start, end, label, (reading,), _LEAVE)


def _gaps(taken: list[PlacedMarker]) -> Iterator[_Gap]:
    opened: list[PlacedMarker] = []
    for at, item in enumerate(taken):
        if item.depth < 0:
            opened.clear()
            continue
        family, path = item.reading.family, item.reading.path
        before = opened[item.depth] if item.depth < len(opened) else None
        del opened[item.depth :]
        if before and before.reading.family == family in _COUNTED:
            past = before.reading.path[0]
            if 1 < path[0] - past <= _WIDEST + 1:
                start, end = before.marker.end, item.marker.start
                for value in range(floor(past) + 1, ceil(path[0])):
                    yield _Gap(family, value, start, end, parent=False)
        elif (
            family == "1.1"
            and path[0] == floor(path[0])
            and all(each.reading.path != path[:1] for each in opened)
        ):
            known = before.reading.path[0] if before else None
            if known != path[0]:
                start = taken[at - 1].marker.end if at else 0
                yield _Gap("1.", floor(path[0]), start, item.marker.start, parent=True)
        opened.append(item)


def _numbered(lines: TextLines, gap: _Gap) -> Marker | None:
    word = _WORDS.get(gap.family)
    lead = rf"{word}{BLANK}{{1,4}}" if word else ""
    number = re.compile(
        rf"(?<![\w.,$§(/-])(?P<mark>{lead}{gap.value}(?:\.0)?(?P<dot>{BLANK}?[.)]{{1,2}})?)"
        rf"(?P<break>\s{{1,12}}|(?<=[.)]))(?:[–—-]{BLANK})?(?=[A-Z\"“])"
    )
    places = [
        (worth, match)
        for match in number.finditer(lines.text, max(gap.start, gap.end - _FAR), gap.end)
        if (worth := _score_number(lines, match, gap))
    ]
    if not places:
        return None
    match = max(places, key=lambda place: place[0])[1]
    start, end = match.span("mark")
    written = str(gap.value) if gap.family != "article" else f"Article {gap.value}"
    return Marker(start, end, written, (NumberReading(gap.family, (gap.value,)),), _LEAVE)


def _score_number(lines: TextLines, match: re.Match[str], gap: _Gap) -> int:
    """Return how much a number looks like the missing one; None if it is not."""
    text, start, end = lines.text, match.start("mark"), match.end()
    if lines.is_ignored(start) or is_cited(lines, start, match.end("mark")):
        return 0
    before, breaks = lines.words_before(start)
    led = breaks > 0 or is_sentence_end(before)
    bare = not match["dot"] and gap.family == "1."
    head = _HEAD.match(text, end)
    words = head["head"].strip() if head else ""
    titled = bool(words) and (is_title_like(words) or is_all_capitals(words))
    if not titled and ("\n" in match["break"] or (bare and not gap.parent)):
        return 0
    if not led and (bare or not titled):
        return 0
    if bare and breaks == 1 and not is_sentence_end(before):
        return 0
    return 1 + titled + (not bare)


def _unnumbered(lines: TextLines, gap: _Gap) -> Marker | None:
    """Return the one heading in capitals within a gap, whose number the file has lost."""
    if gap.family != "1.":
        return None
    heads = []
    for match in _LOST.finditer(lines.text, gap.start, gap.end):
        before, breaks = lines.words_before(match.start())
        opens = is_sentence_end(before) or breaks >= 2
        if opens and lines.start_of_line(match.start()) > gap.start:
            heads.append(match.start("head"))
    if len(heads) != 1:
        return None
    return Marker(heads[0], heads[0], "", (NumberReading(gap.family, (gap.value,)),), _LEAVE)
