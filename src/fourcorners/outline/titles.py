"""The title: what the document calls itself at its top."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fourcorners.documents.document import Document, MarkKind
from fourcorners.outline.lines import GAP, Lines, all_capitals, title_like
from fourcorners.outline.numbering import AT_START
from fourcorners.text.span import Span

TOP = 6_000  # characters within which a title stands
_NAMES = (
    r"AGREEMENT|CONTRACT|LEASE|AMENDMENT|ADDENDUM|POLICY|DEED|INDENTURE|MEMORANDUM|UNDERTAKING|"
    r"GUARANTY|GUARANTEE|TERMS AND CONDITIONS|TERMS OF (?:SERVICE|USE)|STATEMENT OF WORK|"
    r"ORDER FORM|LETTER OF INTENT|TERM SHEET|NDA|JOINDER"
)
_WEAK_NAMES = (
    r"LICEN[CS]E|NOTE|NOTICE|PLAN|CHARTER|COVENANT|ARRANGEMENT|SUPPLEMENT|ASSIGNMENT|RELEASE|"
    r"WAIVER|PROTOCOL|CERTIFICATE"
)
_NAME = re.compile(rf"\b(?:{_NAMES})S?\b", re.IGNORECASE)
_WEAK_NAME = re.compile(rf"\b(?:{_WEAK_NAMES})S?\b", re.IGNORECASE)
_STOP = re.compile(
    r"\b(?:is (?:made|entered|dated|effective)|made (?:and entered|as of|this)|entered into|"
    r"by and (?:between|among)|between|(?:dated|effective) (?:as of|this|on)|dated|made by|this|"
    r"witnesseth|whereas|hereby|shall)\b|[(“\"]",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"\b(?:THIS|This)\s+(?P<name>(?:[A-Z][\w&,/’'.-]*\s+|(?:and|for|of|to|the|on|in|No\.)\s+|&\s+)"
    rf"{{0,12}}?(?i:{_NAMES})S?)\b(?=\s*[(,“\"\[]|\s+(?:is|dated|made|by|between|No|has|as|effective|"
    r"entered|and|sets))"
)
_SKIP = re.compile(
    r"^(?:EX(?:HIBIT)?[-\s.]*\d|TABLE OF|EXECUTION|CONFIDENTIAL|CERTAIN|PORTIONS?|REDACTED|\[|\*|"
    r"PURSUANT|SOURCE|PAGE|\(|FOIA|DRAFT|PRIVILEGED|NOTE:)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(AT_START)
_AMENDS = re.compile(r"\b(?:amendment|addendum|variation|supplement)\b", re.IGNORECASE)
_LONGEST = 160
_FILING = re.compile(r"^(?:EXHIBIT|Exhibit|EX)[-\s.]*[\d.A-Za-z()-]+\s+")


@dataclass(frozen=True, slots=True)
class Title:
    """The title's place, and how sure we are."""

    span: Span
    confidence: float


def find_title(lines: Lines, document: Document) -> Title | None:
    """Find the title at the top of the document."""
    for mark in document.marks:
        if mark.span.start > TOP:
            break
        styled = mark.kind is MarkKind.HEADING and mark.detail in ("0", "1", "Title", "title")
        if styled and _NAME.search(mark.span.of(document.text)):
            return Title(mark.span.strip(document.text), 0.95)
    segments = _segments(lines, min(TOP, lines.length))
    for pattern, sure in ((_NAME, 0.9), (_WEAK_NAME, 0.7)):
        for index, span in enumerate(segments):
            found = _named(lines.text, span, pattern)
            if found is None:
                continue
            whole = found == span
            return Title(_with_neighbours(lines, segments, index) if whole else found, sure)
    return None


def _named(text: str, span: Span, pattern: re.Pattern[str]) -> Span | None:
    """Return what of a line is a title: all of it, or its head before "by and between"."""
    words = span.of(text)
    if _SKIP.match(words) or _NUMBERED.match(words):
        return None
    stop = _STOP.search(words)
    if stop:
        named = _THIS.match(words)
        if named:
            return Span(*named.span("name")).shift(span.start)
        if not _AMENDS.search(words, stop.end()):
            words = words[: stop.start()].rstrip(" ,:-–—")
    if not pattern.search(words) or words[-1] in ";,":
        return None
    head = words[: stop.start()] if stop else words
    if not (all_capitals(words) or title_like(head)) or len(words) > _LONGEST:
        return None
    return Span(span.start, span.start + len(words))


def _segments(lines: Lines, limit: int) -> list[Span]:
    """Cut the top of the document into lines, and long lines at their gaps."""
    found: list[Span] = []
    offset = 0
    while offset < limit and len(found) < 120:
        end = lines.end_of_line(offset)
        start = offset
        gaps = [*GAP.finditer(lines.text, offset, min(end, limit))]
        for gap in gaps:
            found.append(Span(start, gap.start()))
            start = gap.end()
        found.append(Span(start, end))
        offset = end + 1
    stripped = (_plain(lines.text, span.strip(lines.text)) for span in found)
    return [span for span in stripped if span and not lines.is_ignored(span.start)]


def _plain(text: str, span: Span) -> Span:
    """Take a filing's exhibit number and typographic signs from the ends of a line."""
    filing = _FILING.match(span.of(text))
    start = span.start + filing.end() if filing and len(span) > filing.end() else span.start
    end = span.end
    while start < end and text[start] in '*_#"“” ':
        start += 1
    while end > start and text[end - 1] in '*_"“” ':
        end -= 1
    return Span(start, end)


_AMENDMENT = re.compile(
    r"(?:\w+\s+)?(?:AMENDMENT|ADDENDUM)(?:\s+(?:NO\.?|NUMBER|#)?\s*\w+)?(?:\s+TO(?:\s+THE)?)?",
    re.IGNORECASE,
)


def _with_neighbours(lines: Lines, segments: list[Span], index: int) -> Span:
    """Join a title that runs over several lines in capitals."""
    text = lines.text
    first = last = index
    whole = segments[index]
    if not all_capitals(whole.of(text)):
        return whole

    def joins(one: Span, other: Span) -> bool:
        between = text[one.end : other.start]
        return between.count("\n") <= 1 and not GAP.search(between.strip("\n") or "")

    while first > 0 and joins(segments[first - 1], segments[first]):
        above = segments[first - 1].of(text)
        if not all_capitals(above) or _SKIP.match(above) or len(above) > 80 or above[-1] in ".":
            break
        if not re.search(r"\b(?:AND|OF|FOR|TO|THE|,)$|[,&/-]$", above) and not re.match(
            r"(?:AND|OF|FOR|TO|AGREEMENT|CONTRACT)\b", segments[first].of(text)
        ):
            break
        first -= 1
    while last + 1 < len(segments) and joins(segments[last], segments[last + 1]):
        here, below = segments[last].of(text), segments[last + 1].of(text)
        if _AMENDMENT.fullmatch(here) and _NAME.search(below) and not _STOP.search(below):
            last += 1
            break
        if not all_capitals(below) or _SKIP.match(below) or len(below) > 80:
            break
        if not re.search(r"\b(?:AND|OF|FOR|TO|THE)$|[,&/-]$", here) and not re.match(
            r"(?:AND|OF|FOR|TO)\b(?! BETWEEN)", below
        ):
            break
        last += 1
    return Span(segments[first].start, segments[last].end)
