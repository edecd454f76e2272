"""Headings without a number: those the file styles, lines and first words in capitals."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from fourcorners.documents.document import Document, MarkKind
from fourcorners.outline.parser.frame import SIGNATURE_LINE
from fourcorners.outline.parser.lines import COLUMN_GAP, TextLines, is_all_capitals, is_sentence_end
from fourcorners.outline.parser.markers import Marker
from fourcorners.outline.parser.numbering import BLANK, NumberReading
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_HASHES = re.compile(rf"^{BLANK}{{0,3}}(?P<hashes>#{{1,6}}){BLANK}+(?=\S)", re.MULTILINE)
_CAPITALS = re.compile(
    rf"^(?:{BLANK}|[*_])*(?P<head>[A-Z][A-Z0-9 ,;:&'’()/.\-–—\"“”]{{3,78}}?)(?:{BLANK}|[*_:])*+$",
    re.MULTILINE,
)
_RUN_IN = re.compile(
    rf"^{BLANK}*(?P<head>[A-Z][A-Z&’',/-]{{2,}}(?:{BLANK}[A-Z&][A-Z&’',/-]*){{0,8}})"
    rf"[.:]{BLANK}{{1,3}}(?=[A-Z][a-z]|A{BLANK})",
    re.MULTILINE,
)
_SEVERAL = 3  # minimum headings that open paragraphs: fewer are just emphasis
_PATTERNS = load_patterns("fourcorners.outline.parser", "headings")
_NAMES = ("AGREEMENT", "CONTRACT", "LEASE", "AMENDMENT", "ADDENDUM", "DEED", "INDENTURE")
_PAPER = 250  # characters of a paragraph that is no part of a signature, at least
_NAMED = 120  # characters between a party's name and the line on which it signs, at most
_SIGNING = 3_000  # characters that a block of signatures takes


def find_headings(
    lines: TextLines, document: Document, signed: list[int], *, numbered: bool
) -> list[Marker]:
    """Return headings without a number: those the file itself styles, and lines in capitals.

    If the clauses are not numbered, words in capitals that open a paragraph are headings too.
    """
    found: dict[int, Marker] = {}
    text = lines.text
    for mark in document.marks:
        if mark.kind is MarkKind.HEADING and not lines.is_ignored(mark.span.start):
            level = int(mark.detail) if mark.detail.isdigit() else 1
            span = mark.span.strip(text)
            if span:
                found[span.start] = _heading("heading", span, level, 3.0, 0.0)
    if not found:
        for match in _HASHES.finditer(text):
            span = Span(match.end(), lines.end_of_line(match.end())).strip(text)
            found[span.start] = _heading("heading", span, len(match.group("hashes")), 3.0, 0.0)
    if not found:
        for span in _capital_lines(lines):
            at = bisect_right(signed, span.start) - 1
            signs = _PATTERNS["signs"].match(text, span.end) or (
                text[span.end : span.end + 1] == ":"
                and SIGNATURE_LINE.search(text, span.end, span.end + _NAMED)
            )
            if signs:
                continue
            names = at >= 0 and span.start - signed[at] < _SIGNING
            few = len(span.text_in(text).split()) < 3 and not _heads_paper(lines, span.end)
            if names and (few or SIGNATURE_LINE.search(text, span.end, span.end + _NAMED)):
                continue
            found[span.start] = _heading("caps", span, 0, 0.5, 0.35)
        inner = [] if numbered else _run_in(lines)
        level = int(_are_below(text, list(found), inner))
        for span in inner:
            found.setdefault(span.start, _heading("caps", span, level, 0.7, 0.2))
    return [found[start] for start in sorted(found)]


def _heading(family: str, span: Span, level: int, leave: float, take: float) -> Marker:
    return Marker(span.start, span.start, "", (NumberReading(family, (level,)),), leave, take)


def _heads_paper(lines: TextLines, end: int) -> bool:
    """Return whether the following paragraph is too long to belong to a signature."""
    start = lines.start_of_words(end)
    words = lines.text[start : start + _PAPER]
    return len(words) == _PAPER and not COLUMN_GAP.search(words) and "\n" not in words


def is_title(lines: TextLines, marker: Marker) -> bool:
    """Tell whether a heading in capitals is the contract's title, above "This Agreement is …"."""
    if marker.readings[0].family != "caps":
        return False
    end = lines.end_of_line(marker.start)
    words = lines.text[marker.start : end].rstrip(" .:")
    return words.endswith(_NAMES) and bool(_PATTERNS["opening"].match(lines.text, end))


def _are_below(text: str, above: list[int], inner: list[Span]) -> bool:
    """Return whether headings within paragraphs are right below headings in capitals."""
    if len(above) < _SEVERAL:
        return False
    ends = [text.find("\n", start) for start in above]
    starts = {span.start for span in inner}
    first = (end + len(text[end : end + 40]) - len(text[end : end + 40].lstrip()) for end in ends)
    return any(start in starts for start in first)


def _run_in(lines: TextLines) -> list[Span]:
    """Return words in capitals that head the paragraph whose first they are, if there are many."""
    found = []
    for match in _RUN_IN.finditer(lines.text):
        span = Span(*match.span("head"))
        before, breaks = lines.words_before(match.start())
        if (
            (is_sentence_end(before) or breaks >= 2 or is_all_capitals(before.rpartition("\n")[2]))
            and not lines.is_ignored(span.start)
            and not _PATTERNS["no_heading"].search(span.text_in(lines.text))
        ):
            found.append(span)
    return found if len(found) >= _SEVERAL else []


def _capital_lines(lines: TextLines) -> Iterator[Span]:
    """Yield lines in capitals that head a text: what follows is neither a line in capitals."""
    text = lines.text
    for match in _CAPITALS.finditer(text):
        head = Span(*match.span("head"))
        words = head.text_in(text)
        if (
            not is_all_capitals(words)
            or COLUMN_GAP.search(words)
            or _PATTERNS["numbered"].search(words)
            or _PATTERNS["no_heading"].search(words)
            or lines.is_ignored(head.start)
        ):
            continue
        after = re.compile(r"\s*([^\n]*)").match(text, match.end())
        following = after.group(1) if after else ""
        if not any(char.islower() for char in following) or following[0].islower():
            continue
        before, breaks = lines.words_before(head.start)
        if not is_sentence_end(before) and breaks < 2:
            continue
        yield head
