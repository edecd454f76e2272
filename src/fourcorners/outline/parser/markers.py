"""Markers: places that may start a clause, with the cost of taking or leaving each."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor

from fourcorners.outline.parser.lines import MAX_LINE, TextLines, is_sentence_end, is_title_like
from fourcorners.outline.parser.numbering import (
    BLANK,
    INLINE_PATTERN,
    START_PATTERN,
    Number,
    NumberReading,
    parse_number,
)
from fourcorners.text.patterns import load_patterns

_RULE = r"(?:[-=~–—]{3,}+|-(?:[^\S\n]-){2,}+)"  # drawn above a heading, or before it on its line
# A page's number may have slipped in front of the first clause on the page.
_START = re.compile(
    rf"^(?:{BLANK}|[*_#>|]|{_RULE})*(?:(?<=\n\n)\d{{1,3}}{BLANK}{{1,2}}(?=\d{{1,2}}\.{BLANK}+[A-Z])|"
    rf"(?<=\n\n\n\n)\d{{1,3}}{BLANK}{{1,2}}(?=\d{{1,2}}{BLANK}+[A-Z]{{3}})|\d{{1,2}}\.{BLANK}{{1,3}}(?=[b-z]\.{BLANK}+[A-Z])|"
    rf"(?:-\d{{1,3}}-|\d{{1,3}}){BLANK}{{2,8}}\d{{1,3}}{BLANK}{{1,2}}(?=\d{{1,2}}\.{BLANK}+[A-Z]))?"
    rf"(?P<mark>{START_PATTERN})",
    re.MULTILINE,
)
_WITHIN = re.compile(
    rf"(?:(?<!{BLANK}){BLANK}{{2,}}+|(?:(?<=[-=~–—]{{3}})|(?<=- - -)|(?<=\*{{5}})){BLANK}{{1,3}}|"
    rf"[.;:\u037e][\"”’')\]]?{BLANK}(?:and/or |and |or )?|"
    rf"\d{BLANK}(?=(?:(?:Section|SECTION){BLANK}\d{{1,2}}(?:\.\d{{1,2}})?|\d{{1,2}}\.(?:\d{{1,2}})?)"
    rf"\.?{BLANK}{{1,3}}[A-Z\"“])|"
    rf"[A-Za-z)\]]{BLANK}(?=\d{{1,2}}(?:\.\d{{1,2}})?\.?{BLANK}{{1,3}}[A-Z\"“])|"
    rf"(?<=\d\.){BLANK}|\S{BLANK}(?=ARTICLE{BLANK}|Article{BLANK}(?:\d{{1,2}}|[IVX]{{1,5}})\.{BLANK}[A-Z])|[A-Za-z]{BLANK}(?=\([a1]\){BLANK}{{1,3}}[A-Z]|"
    rf"\(i\){BLANK}(?:[A-Z][\w’'-]*{BLANK}?|(?:of|and|or|for|by|to|the|in){BLANK}){{1,7}}+"
    rf"[.:]{BLANK}))(?P<mark>{INLINE_PATTERN})"
)
_INNER = re.compile(rf"{BLANK}{{1,3}}(?P<mark>(?=\(?[ai1][.)]){INLINE_PATTERN})")
# What a heading within a line ends with: its own dot, or the number of the first item.
_HEAD = re.compile(
    rf"{BLANK}{{1,3}}(?P<head>[A-Z][^.:;()\n]{{2,60}}?)"
    rf"(?:[.:]{BLANK}|{BLANK}(?=\(?[ai1]\){BLANK}|\d{{1,2}}\.1\b))"
)
_PATTERNS = load_patterns("fourcorners.outline.parser", "markers")


@dataclass(frozen=True, slots=True)
class Marker:
    """A place that may start a clause.

    Attributes:
        start: Where its number (or unnumbered heading) starts.
        end: Where the number ends; the same as `start` if unnumbered.
        written: The number as it is cited.
        readings: Every way to read the number; one reading for headings and attachments.
        leave: The cost of leaving the marker out: how much it looks like a clause's start.
        take: The cost of taking it: how much it looks like words of a sentence.
        own_line: Whether it is at a line's start.
        deep: Whether it is indented further than most of its scheme.
        has_lead: Whether a sentence after the previous number leads to it: "… the following: (a)".
    """

    start: int
    end: int
    written: str
    readings: tuple[NumberReading, ...]
    leave: float
    take: float = 0.0
    own_line: bool = True
    deep: bool = False
    has_lead: bool = False


# The cost of leaving out a number at a line's start, and within a line, by its kind.
_LEAVE = {
    "article": (2.6, 1.2),
    "part": (1.2, 0.2),
    "chapter": (2.6, 0.4),
    "section": (2.4, 0.9),
    "decimal": (2.0, 0.8),
    "1.": (1.8, 0.6),
    "1)": (1.5, 0.5),
    "bracket": (1.4, 0.5),
    "letter": (1.2, 0.4),
    "first": (1.5, 0.3),
    "bare": (0.6, 0.0),
}
_INDENT, _CENTRED = 8, 25  # blanks before a number that is indented, or in the middle
_CLAUSES = 4  # numbers at the margin, at least, for others to be indented
_LETTERED = frozenset({"A.", "a.", "(a)", "(A)"})
MAX_MARKERS = 40_000  # numbers in a text; one with more is a table, and no outline is tried
_BLANKS = 200  # characters before a number on its line to look at
_SENTENCE = 400  # characters before a list that hold the sentence that leads to it
_PAGE = 1_200  # characters that a page holds, at least
_GENERATED = 4.0  # a number that the word processor computed is one
_TITLED = 0.4  # words like a heading after the number
_VIRTUAL = 0.85  # a line start that a wide gap in a very long line represents


def find_markers(lines: TextLines, generated: frozenset[int]) -> list[Marker]:
    """Return the numbers that may start a clause, in order of position, up to a limit.

    `generated` are the offsets of the numbers that the reader computed.
    """
    found: dict[int, Marker] = {}
    for match in _START.finditer(lines.text):
        marker = _marker(lines, match, True, generated)
        if marker:
            found[marker.start] = marker
        if len(found) > MAX_MARKERS:
            break
    for match in _WITHIN.finditer(lines.text):
        if match.start("mark") not in found:
            marker = _marker(lines, match, False, generated)
            inner = _INNER.match(lines.text, match.end()) if match["num"] else None
            below = _marker(lines, inner, False, generated) if inner else None
            found |= {each.start: each for each in (marker, below) if each}
        if len(found) > MAX_MARKERS:
            break
    ordered = sorted(found.values(), key=lambda marker: marker.start)
    ordered = _resolve_insertions(lines.text, _drop_torn_letters(lines, _undoubled(ordered)))
    return _drop_page_numbers(lines, _mark_indented(lines, ordered))


def _resolve_insertions(text: str, markers: list[Marker]) -> list[Marker]:
    """Decide whether 2A is put in after 2 or a part of 2, and whether 1.1A is 1.1 with "A party".

    They are parts where most clauses have several of them.
    """
    clauses = {floor(each.readings[0].path[0]) for each in markers if _family(each) == "1."}
    parts = Counter(each.readings[1].path[0] for each in markers if _is_doubtful(each))
    several = len(parts) > 1 and min(parts.values()) > 1 and 2 * len(parts) >= len(clauses)
    seen: set[tuple[float, ...]] = set()
    result: list[Marker] = []
    for marker in markers:
        if _is_doubtful(marker):
            if "-" in marker.written and (marker.readings[1].path[0],) not in seen:
                continue  # a range, such as "10-12 Weeks"
            marker = replace(marker, readings=marker.readings[slice(several, several + 1)])
        family, path = marker.readings[0].family, marker.readings[0].path
        plain = (*path[:-1], floor(path[-1]))
        if len(path) > 1 and path != plain and plain not in seen and text[marker.end - 1] == "A":
            short = marker.written.removesuffix("A")
            readings = (NumberReading(family, plain),)
            marker = replace(marker, end=marker.end - 1, written=short, readings=readings)
        seen.add(marker.readings[0].path)
        result.append(marker)
    return result


def _family(marker: Marker) -> str:
    return marker.readings[0].family


def _is_doubtful(marker: Marker) -> bool:
    """Return whether a number may be a clause put in later, or a part of the one before."""
    return len(marker.readings) > 1 and marker.readings[1].family in ("1.A", "1-1")


def drop_number_lists(lines: TextLines, markers: list[Marker], after: int) -> list[Marker]:
    """Drop numbers after `after` that a reader has separated from their text and put together.

    In such a group a scheme recurs after another; "Article 4, 4.1, (a)" on three lines is not one.
    """
    heap: list[Marker] = []
    earlier = [marker for marker in markers if marker.start < after]
    for marker in [*markers[len(earlier) :], None]:
        if marker and heap and not lines.text[heap[-1].end : marker.start].strip(" \t\n\f\xa0•"):
            heap.append(marker)
            continue
        families = [each.readings[0].family for each in heap]
        if not 1 < len(set(families)) < len(families):
            earlier += heap
        elif heap and lines.rest_of_line(heap[-1].end):
            earlier.append(heap[-1])
        heap = [marker] if marker else []
    return earlier


def _drop_torn_letters(lines: TextLines, markers: list[Marker]) -> list[Marker]:
    """Drop letters of several paragraphs that a reader has put together above the first clause."""
    torn, run = set[int](), list[Marker]()
    for marker in markers:
        family = marker.readings[0].family
        near = run and marker.own_line and not lines.text[run[-1].end : marker.start].strip()
        if near and family == "1." and marker.readings[0].path[0] == 1 and len(run) > 1:
            torn |= {each.start for each in run}
        if family not in _LETTERED or not marker.own_line:
            run = []
        else:
            same = near and run[-1].readings[0].family == family
            run = [*run, marker] if same else [marker]
    return [marker for marker in markers if marker.start not in torn] if torn else markers


def _mark_indented(lines: TextLines, markers: list[Marker]) -> list[Marker]:
    """Mark the numbers that are indented further than those of the clauses."""
    indents = {
        at: marker.start - lines.start_of_line(marker.start)
        for at, marker in enumerate(markers)
        if marker.own_line and marker.readings[0].family == "1."
    }
    shallow = [indent for indent in indents.values() if indent < _INDENT]
    if len(shallow) < _CLAUSES:
        return markers
    result = list(markers)
    for at, indent in indents.items():
        start = markers[at].start
        if _INDENT <= indent < _CENTRED and not lines.text[start - indent : start].strip():
            result[at] = replace(markers[at], deep=True)
    return result


def _drop_page_numbers(lines: TextLines, markers: list[Marker]) -> list[Marker]:
    """Drop page numbers: alone on their lines, counting up, a page apart."""
    plain = (each for each in markers if each.own_line and each.readings[0].family == "1.")
    alone = [marker for marker in plain if not lines.rest_of_line(marker.end)]
    apart = [
        after.start - before.start
        for before, after in pairwise(alone)
        if after.readings[0].path[0] == before.readings[0].path[0] + 1
    ]
    if len(apart) < 3 or sorted(apart)[len(apart) // 10] < _PAGE:
        return markers
    pages = {marker.start for marker in alone}
    return [marker for marker in markers if marker.start not in pages]


def _undoubled(markers: list[Marker]) -> list[Marker]:
    remaining: list[Marker] = []
    for marker in markers:
        if not remaining or marker.start >= remaining[-1].end:
            remaining.append(marker)
    return remaining


def _kind(match: re.Match[str], number: Number) -> str:
    family = number.readings[0].family
    if match.groupdict().get("bare"):
        return "bare"
    if family in _LEAVE:
        return "letter" if "-" in number.written and family == "1." else family
    if family.startswith("1.") or family.endswith("()"):
        return "decimal"
    return "bracket" if family.startswith("(") else "letter"


def _marker(
    lines: TextLines, match: re.Match[str], own_line: bool, generated: frozenset[int]
) -> Marker | None:
    number = parse_number(match)
    if number is None or (match["mark"][0].islower() and match.groupdict().get("ord")):
        return None
    start, end = match.span("mark")
    if lines.is_ignored(start):
        return None
    if start in generated:
        return Marker(start, end, number.written, number.readings, _GENERATED)
    kind = _kind(match, number)
    share = 1.0
    if not own_line and match.end() - match.start() - (end - start) >= 3:
        line = lines.end_of_line(start) - lines.start_of_line(start)
        if line > MAX_LINE:
            own_line, share = True, _VIRTUAL
    doubt = _sentence_score(lines, kind, match, own_line)
    if doubt is None:
        return None
    leave = _LEAVE[kind][0 if own_line else 1] * share
    if own_line:
        rest = lines.rest_of_line(end).text_in(lines.text)
        below = rest or lines.text[end : end + 8].strip()
        if below.startswith(("/s/", "___")):
            return None  # one of several who sign
        leave += _TITLED if is_title_like(rest) else 0.0
    elif kind == "1." and not doubt and (head := _HEAD.match(lines.text, end)):
        leave += _TITLED if is_title_like(head["head"]) else 0.0
    led = kind == "bracket" and _PATTERNS["led"].search(
        lines.text, max(0, start - _SENTENCE), start
    )
    return Marker(
        start, end, number.written, number.readings, leave, doubt, own_line, has_lead=bool(led)
    )


def _sentence_score(
    lines: TextLines, kind: str, match: re.Match[str], own_line: bool
) -> float | None:
    """Return how much a number looks like part of a sentence; None if it certainly is."""
    text = lines.text
    start, end = match.span("mark")
    # Signs such as `##` before a number at a line's start are not part of the words before it.
    before, breaks = lines.words_before(
        match.start() if text[match.start()] in "*_#>|-=~–—" else start
    )
    wide = kind != "bare" and own_line and start - match.start() >= 3
    if breaks < 2 and not wide and _PATTERNS["reference"].search(before):
        return None
    listed = kind == "decimal" and bool(_PATTERNS["listing"].search(before))
    if not (listed and own_line) and _is_other(text, kind, end):
        return None
    doubt = 0.0
    rest = lines.rest_of_line(end).text_in(text)
    if kind == "bare" and not _heads_decimals(match["mark"], rest):
        lone = _quantity_score(lines, start, rest) if own_line else None
        if lone is None:
            return None
        doubt += lone
    if rest and rest[0].islower() and kind != "bracket":
        doubt += {"letter": 0.4, "1)": 0.2}.get(kind, 0.3 if listed else 1.2)
    if kind == "decimal" and rest[:1].isdigit():
        doubt += 0.8  # a row of a table
    if not rest and kind in ("1.", "bare") and own_line:
        centred = start - lines.start_of_line(start) >= _CENTRED
        doubt += 1.0 if centred else 0.3  # as likely the number of a page
    if not listed and not is_sentence_end(before):
        if _PATTERNS["linking"].search(before) and breaks < 2:
            doubt += 0.1 if kind == "bracket" else 1.5
        elif not own_line:
            doubt += 0.1 if kind == "bracket" else 0.5
        elif breaks < 2 and kind != "bracket":
            above = lines.start_of_line(max(0, lines.start_of_line(start) - 1))
            wide = lines.end_of_line(above) - above > 60
            doubt += 0.6 if wide else 0.05
    return doubt


def is_cited(lines: TextLines, start: int, end: int) -> bool:
    """Return whether the words around a number make it a reference, a date or an amount."""
    before, breaks = lines.words_before(start)
    reference = _PATTERNS["reference"].search(before) or _PATTERNS["linking"].search(before)
    return bool(breaks < 2 and reference) or bool(_PATTERNS["cited"].match(lines.text, end))


def _is_other(text: str, kind: str, end: int) -> bool:
    """Return whether a number is a reference or a day, by the words after it."""
    if kind == "1.":
        return bool(_PATTERNS["date"].match(text, end))
    cited = kind in ("article", "part", "chapter", "section", "decimal")
    return cited and bool(_PATTERNS["cited"].match(text, end))


def _heads_decimals(number: str, rest: str) -> bool:
    """Tell whether a number heads clauses on the same line, as in "4 PRICES 4.1 Fees"."""
    head, found, _ = rest.partition(f" {number}.1")
    return bool(found) and is_title_like(head)


def _quantity_score(lines: TextLines, start: int, rest: str) -> float | None:
    """Return how much a number without a dot looks like a quantity; None if it certainly is one."""
    if not rest or (rest[0].isupper() and rest.split()[0].isdigit()):
        return None
    titled = is_title_like(rest)
    line = max(lines.start_of_line(start), start - _BLANKS)
    within = lines.text[line:start].strip(" \t\xa0*_#>|")
    if within and not titled:
        return None
    return 0.0 if titled and not any(char.isdigit() for char in rest) else 0.5
