"""Find the title at the top of a document."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fourcorners.documents.document import Document, MarkKind
from fourcorners.outline.parser.lines import COLUMN_GAP, TextLines, is_all_capitals, is_title_like
from fourcorners.outline.parser.numbering import START_PATTERN
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

MAX_OFFSET = 6_000  # characters that hold a title
_NAMES = (
    r"AGREEMENT|CONTRACT|LEASE|AMENDMENT|ADDENDUM|POLICY|DEED|INDENTURE|MEMORANDUM|UNDERTAKING|"
    r"GUARANTY|GUARANTEE|TERMS AND CONDITIONS|TERMS OF (?:SERVICE|USE)|STATEMENT OF WORK|"
    r"ORDER FORM|LETTER OF \w+|(?:SIDE|CORRECTION|VARIATION) LETTER|POWER OF ATTORNEY|TERM SHEET|"
    r"NDA|JOINDER"
)
_WEAK_NAMES = (
    r"LICEN[CS]E|ORDER|TERMS|CONDITIONS|BOND|NOTE|NOTICE|PLAN|CHARTER|COVENANT|ARRANGEMENT|SUPPLEMENT|ASSIGNMENT|RELEASE|"
    r"WAIVER|PROTOCOL|CERTIFICATE"
)
_NAME = re.compile(rf"\b(?:{_NAMES})S?\b", re.IGNORECASE)
_WEAK_NAME = re.compile(rf"\b(?:{_WEAK_NAMES})S?\b", re.IGNORECASE)
_PATTERNS = load_patterns("fourcorners.outline.card", "titles")
_THIS = re.compile(
    r"\b(?:THIS|This)\s+(?P<name>(?:[A-Z0-9][\w&,/’'.°#-]*\s+|(?:and|for|of|to|the|on|in|n°)\s+|[&-]\s+)"
    rf"{{0,14}}?(?i:{_NAMES})S?(?:(?:\s+(?:NO\.?|No\.?|NUMBER|Number|\#))?\s+(?:\d{{1,2}}|[IVX]{{1,4}})\b)?"
    rf"(?:\s+(?:TO|to|FOR|for|OF|of)\s+(?:(?:[A-Z][\w&,/’'.-]*|and|for|of|to|the|&)\s+){{0,12}}?"
    rf"(?:(?i:{_NAMES})|[A-Z][A-Za-z-]+)S?)?)"
    r"(?=\s*[(,“\"\[:]|\s+(?:is|dated|made|by|between|has|as|effective|entered|and|sets|shall|among|"
    r"IS|DATED|MADE|BY|BETWEEN|EFFECTIVE|ENTERED|AMONG)\b)"
)
_FRONT = 25_000  # maximum characters of a cover and a table of contents
_COMPANY = (
    r"(?:Inc|INC|L\.?L\.?C|Ltd|LTD|Limited|LIMITED|Corp|CORP|Corporation|CORPORATION|GmbH|S\.A)"
)
_OTHERS = re.compile(rf"\b{_COMPANY}\b|\b(?:19|20)\d\d\b|[:\n]|[^\S\n]{{3}}|\b[A-Z]+\s+FT-A\b")
_COMPANY_FIRST = re.compile(
    rf"[^\n]{{3,70}}?\b{_COMPANY}\b\.?[\s:–—-]+(?=[^\n]*\w[^\n]*\s(?i:{_NAMES}))"
)
_TRAILING_COMPANY = re.compile(
    rf"(?P<name>[^\n]*?\b(?:{_NAMES})S?)\s+[A-Z][\w&.-]*[^\n]{{0,60}}?\b{_COMPANY}\b", re.IGNORECASE
)
_PREFIX = 4  # maximum words of a title before the name that the opening repeats
_QUALIFIED = re.compile(
    rf"(?:\s+(?:NO\.?|No\.?|NUMBER|#)\s*\w+)?\s+(?:TO|to)\s+(?:(?:[A-Z&][\w&,’'/-]*|the|and)\s+){{1,10}}?(?i:{_NAMES})\b|"
    r"\s+(?:NO\.?|No\.?|NUMBER|#)\s*\w+"
)
_CAPITALS = re.compile(
    r"(?:(?<=\s)|^)(?P<name>[A-Z][A-Z&,/’'()-]*(?:[^\S\n]{1,2}(?:[A-Z&][A-Z&,/’'()-]*|\d{1,2})){0,12}?"
    rf"[^\S\n]{{1,2}}(?:{_NAMES})S?(?:[^\S\n]\([A-Z][\w .-]{{3,60}}\))?)"
    r"(?=[^\S\n]+(?:[A-Z][a-z]|A\s[a-z]|THIS\b|[“\"(]))",
    re.MULTILINE,
)
_NUMBERED = re.compile(START_PATTERN)
_TITLE_STYLES = ("0", "Title", "title")
_LONGEST = 160  # characters of a title


@dataclass(frozen=True, slots=True)
class Title:
    span: Span
    confidence: float


def find_title(lines: TextLines, document: Document) -> Title | None:
    """Find the title at the top of the document.

    How the contract calls itself in its opening ("This Supply Agreement is made…") decides which of
    the lines above is the title, and how much of the line.
    """
    for mark in document.marks:
        if mark.span.start > MAX_OFFSET:
            break
        styled = mark.kind is MarkKind.HEADING and mark.detail in ("1", *_TITLE_STYLES)
        if styled and _NAME.search(mark.span.text_in(document.text)):
            return Title(mark.span.strip(document.text), 0.95)
    top = _top(lines)
    styled_title = _styled_title(lines, document)
    if styled_title and (top is None or len(top.span.text_in(lines.text).split()) == 1):
        return styled_title
    subject = _subject(lines, document)
    if subject and (top is None or top.span.start > subject.start):
        return Title(subject, 0.7)
    called = _THIS.search(lines.text, 0, min(_FRONT, lines.length))
    if called is None or len(called["name"].split()) < 2:
        return top
    repeated = _find_repeated_name(lines.text, called, top)
    if repeated:
        return Title(repeated, 0.95)
    return top or Title(Span(*called.span("name")), 0.8)


def _styled_title(lines: TextLines, document: Document) -> Title | None:
    """Return the first paragraph, if its style is that of a title and it names no company."""
    mark = next((each for each in document.marks if each.kind is MarkKind.HEADING), None)
    if mark is None or mark.detail not in _TITLE_STYLES:
        return None
    words = mark.span.text_in(document.text).strip()
    is_first = not lines.text[: mark.span.start].strip()
    if not is_first or len(words) > _LONGEST or _OTHERS.search(words):
        return None
    return None if _PATTERNS["skip"].match(words) else Title(mark.span.strip(document.text), 0.8)


def _subject(lines: TextLines, document: Document) -> Span | None:
    """Return what a letter is about: the line below the salutation that is bold, or says so."""
    greeting = _PATTERNS["greeting"].search(lines.text, 0, min(MAX_OFFSET, lines.length))
    if greeting is None:
        return None
    found = _PATTERNS["subject"].match(lines.text, greeting.end())
    if found is None:
        return None
    words = Span(*found.span("words")).strip(lines.text)
    bold = any(m.kind is MarkKind.BOLD and m.span.contains(words) for m in document.marks)
    return words if found["re"] or bold else None


def _top(lines: TextLines) -> Title | None:
    segments = _segments(lines, min(MAX_OFFSET, lines.length))
    for pattern, sure in ((_NAME, 0.9), (_WEAK_NAME, 0.7)):
        for index, span in enumerate(segments):
            found = _named_title(lines.text, span, pattern)
            if found == span:
                found = _with_neighbours(lines, segments, index)
            if found:
                return Title(_without_company(lines.text, found), sure)
    return None


def _find_repeated_name(text: str, called: re.Match[str], top: Title | None) -> Span | None:
    """Return where the name in the opening appears above it as a title.

    Words before the name on the title's line belong to it, unless they name a company or a date.
    """
    words = [re.escape(word) for word in re.findall(r"\w+", called["name"])]
    spelt = re.compile(r"(?<!\w)" + r"\W{1,40}".join(words) + r"(?!\w)", re.IGNORECASE)
    for found in spelt.finditer(text, 0, called.start()):
        span = Span(*found.span())
        shown = span.text_in(text)
        if not (is_all_capitals(shown) or is_title_like(" ".join(shown.split()), limit=_LONGEST)):
            continue
        if top is None or not top.span.overlaps(span):
            led = _PATTERNS["led"].search(text, max(0, span.start - 60), span.start)
            return Span(led.start("lead"), span.end) if led and is_all_capitals(shown) else span
        close = len(text[top.span.start : span.start].split()) <= _PREFIX
        above = top.span.start < span.start and close
        if above and not _OTHERS.search(text, top.span.start, span.start):
            span = Span(top.span.start, span.end)
        qualified = _QUALIFIED.match(text, span.end, max(span.end + 120, top.span.end))
        return Span(span.start, qualified.end()) if qualified else span
    return None


def _without_company(text: str, span: Span) -> Span:
    company = _COMPANY_FIRST.match(text, span.start, span.end)
    if company:
        span = Span(company.end(), span.end)
    trailing = _TRAILING_COMPANY.match(text, span.start, span.end)
    if trailing and len(trailing["name"].split()) > 1:
        span = Span(*trailing.span("name"))
    return span


def _named_title(text: str, span: Span, pattern: re.Pattern[str]) -> Span | None:
    """Return the title in a line: all of it, or the part before "by and between"."""
    words = span.text_in(text)
    if _PATTERNS["skip"].match(words) or _NUMBERED.match(words):
        return None
    stop = _PATTERNS["stop"].search(words)
    if stop:
        named = _THIS.match(words)
        if named:
            return Span(*named.span("name")).shift(span.start)
        if not _PATTERNS["amends"].search(words, stop.end()):
            words = words[: stop.start()].rstrip(" ,:-–—")
    if not pattern.search(words) or words[-1] in ";,":
        return None
    head = words[: stop.start()] if stop else words
    if not (is_all_capitals(words) or is_title_like(head)) or len(words) > _LONGEST:
        return None
    return Span(span.start, span.start + len(words))


def _segments(lines: TextLines, limit: int) -> list[Span]:
    """Split the top of the document into lines, and long lines at their gaps."""
    found: list[Span] = []
    offset = 0
    while offset < limit and len(found) < 120:
        end = lines.end_of_line(offset)
        start = offset
        gaps = [*COLUMN_GAP.finditer(lines.text, offset, min(end, limit))]
        for gap in gaps:
            found.append(Span(start, gap.start()))
            start = gap.end()
        if end - start > _LONGEST:
            run = _CAPITALS.search(lines.text, start, min(end, limit))
            if run:
                found.append(Span(*run.span("name")))
                start = run.end()
        found.append(Span(start, end))
        offset = end + 1
    stripped = (_plain(lines.text, span.strip(lines.text)) for span in found)
    return [span for span in stripped if span and not lines.is_ignored(span.start)]


def _plain(text: str, span: Span) -> Span:
    """Strip a filing's exhibit number and typographic signs from the ends of a line."""
    filing = _PATTERNS["filing"].match(span.text_in(text))
    start = span.start + filing.end() if filing and len(span) > filing.end() else span.start
    end = span.end
    while start < end and text[start] in '*_#"“” ':
        start += 1
    if text[start - 1 : start] in ('"', "“") and re.search('["”]', text[start : end - 1]):
        return Span(start, start)  # a definition
    while end > start and text[end - 1] in '*_"“” ':
        end -= 1
    return Span(start, end)


def _with_neighbours(lines: TextLines, segments: list[Span], index: int) -> Span:
    text = lines.text
    first = last = index
    whole = segments[index]
    if not is_all_capitals(whole.text_in(text)):
        return whole

    def joins(one: Span, other: Span) -> bool:
        between = text[one.end : other.start]
        if between.count("\n") > 1:
            return False
        lone = len(other.text_in(text).split()) == 1 and _NAME.fullmatch(other.text_in(text))
        return bool(lone) or not COLUMN_GAP.search(between.strip("\n") or "")

    while first > 0 and joins(segments[first - 1], segments[first]):
        above = segments[first - 1].text_in(text)
        if (
            not is_all_capitals(above)
            or _PATTERNS["skip"].match(above)
            or len(above) > 80
            or above[-1] in "."
        ):
            break
        joined = re.match(r"(?:AND|OF|FOR|TO|AGREEMENT|CONTRACT)\b", segments[first].text_in(text))
        if not joined and not re.search(r"\b(?:AND|OF|FOR|TO|THE|,)$|[,&/-]$", above):
            break
        first -= 1
    while last + 1 < len(segments) and joins(segments[last], segments[last + 1]):
        here, below = segments[last].text_in(text), segments[last + 1].text_in(text)
        if (
            _PATTERNS["amendment"].fullmatch(here)
            and _NAME.search(below)
            and not _PATTERNS["stop"].search(below)
        ):
            last += 1
            break
        if not is_all_capitals(below) or _PATTERNS["skip"].match(below) or len(below) > 80:
            break
        joined = re.match(r"(?:AND|OF|FOR|TO)\b(?! BETWEEN)", below)
        if not joined and not re.search(r"\b(?:AND|OF|FOR|TO|THE)$|[,&/-]$", here):
            break
        last += 1
    return Span(segments[first].start, segments[last].end)
