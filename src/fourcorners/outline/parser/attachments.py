"""The headings of exhibits, schedules and annexes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from fourcorners.outline.parser.lines import (
    TextLines,
    is_all_capitals,
    is_sentence_end,
    is_title_like,
    offsets_of,
)
from fourcorners.outline.parser.markers import Marker
from fourcorners.outline.parser.numbering import ATTACHMENTS, BLANK, CARDINALS, NumberReading
from fourcorners.text.patterns import load_patterns

_CARDINALS = sorted(CARDINALS, key=len, reverse=True)
_ATTACHMENT = (
    rf"(?P<word>(?i:{'|'.join(ATTACHMENTS)}))(?!(?i:E?S)\b)(?:{BLANK}{{0,4}}(?:[–—-]{BLANK}|(?i:no\.|number){BLANK}*)?"
    r"[\"“]?(?P<mark>(?!(?:OF|TO|IN|BY|AN|NO)\b)(?:[A-Z]{1,2}\d{0,2}|\d{1,3}[A-Z]{0,2}|[IVX]{1,5}|"
    rf"{'|'.join(map(str.upper, _CARDINALS))}|{'|'.join(map(str.capitalize, _CARDINALS))})"
    r"(?:[.‑-][A-Za-z0-9]{1,4}){0,3}"
    rf"(?:{BLANK}?\((?:[a-z]{{1,4}}|[A-Z]|\d{{1,2}})\))*)[\"”]?)?(?![\w/])"
)
# A heading may follow words in capitals on its line, of a company or a stamp; after these words it
# is a reference.
_LINKS = frozenset(
    "TO OF IN ON AND OR THE THIS SEE WITH UNDER FROM PER BY EACH ANY SUCH".split()  # noqa: SIM905
)
_ATTACHMENT_AT = re.compile(
    rf"(?:^(?P<page>{BLANK}*\d{{1,3}}{BLANK}{{1,3}})?+(?:{BLANK}|[*_#>.\[])*+"
    rf"(?:(?i:this is){BLANK}|"
    rf"(?P<led>(?:[A-Z&][A-Z0-9&.,’'/()-]*{BLANK}){{1,8}}"
    rf"(?=(?:{'|'.join(word.upper() for word in ATTACHMENTS)}){BLANK}[A-Z\d]{{1,3}}\b)))?|"
    rf"(?<=\n\n)(?P<stamp>[^\n]{{3,90}}?\d){BLANK}(?=[A-Z])|"
    rf"(?<!{BLANK}){BLANK}{{3,}}+){_ATTACHMENT}",
    re.MULTILINE,
)
# Papers with a separate name that follow the signatures.
_PAPER_AT = re.compile(
    rf"^{BLANK}*(?P<word>STATEMENT OF WORK|Statement of Work|ADDENDUM(?= TO\b[A-Z ]*$)|"
    r"JOINDER(?= OF\b[^a-z\n]*$))",
    re.MULTILINE,
)
# Whole contracts that follow the signatures of the first.
_TITLE_AT = re.compile(
    rf"^{BLANK}*(?P<title>(?:[A-Z][A-Z0-9.,&’'-]*{BLANK}+){{0,6}}"
    rf"(?:AMENDMENT(?:{BLANK}+(?:NO\.?{BLANK}+)?[\dA-Z]+)?(?:{BLANK}+TO{BLANK}[A-Z ]+)?|AGREEMENT))"
    rf"{BLANK}*$",
    re.MULTILINE,
)
_PATTERNS = load_patterns("fourcorners.outline.parser", "attachments")
_OPENING, _TITLED = 500, 250  # characters after the title, and from an exhibit's heading to it
# Schedules with a name and no number, each on separate pages.
_NAMED_AT = re.compile(
    rf"^{BLANK}*(?P<name>(?:[A-Z][\w®™&,’'-]*{BLANK}|(?:and|of|for|the){BLANK}){{1,6}}"
    rf"(?:SCHEDULE|Schedule|EXHIBIT|Exhibit|ANNEX|Annex|ADDENDUM|Addendum)){BLANK}*$",
    re.MULTILINE,
)
_OF = re.compile(rf"(?:to|of){BLANK}+(?:(?:the|this){BLANK}+)?(?=[A-Z])")
_DASH = re.compile(rf"{BLANK}*[–—-]{BLANK}")
_PAGE_BREAK = 4  # consecutive line breaks that mean a page break in a text without pages
_PAGE_END = re.compile(rf"{BLANK}*(?:\n+Source:[^\n]*)?(?:(?:\n{BLANK}*){{4}}|\n*\f)")
_WORDS = tuple(
    half for word in ATTACHMENTS if word != "Annexure" for half in (word[1:], word[1:].upper())
)
_LONG = 200  # characters
_SHORT = 60  # characters
_STAMP = 100  # maximum characters of a stamp or running header before a heading on its line
_SEVERAL = 2  # schedules without a number, at least
_RUN = 3  # attachments in a row that make a list …
_APART = 240  # … and characters between two of them, page breaks included
_LISTED_TOP = 0.4  # the part of a contract in which they are one, not attachments of a few words
_FILED = 2_500  # characters that hold a filing's own exhibit number


def find_attachments(lines: TextLines, signed: list[int], title: int) -> list[Marker]:
    """Return the headings of exhibits, schedules and annexes, never references in a sentence.

    A heading close above the title is the number that a filing gives the whole document.
    """
    first = signed[0] if signed else lines.length
    found = []
    filed: set[str] = set()  # what the filing calls the whole document: "Exhibit 10.1"
    for match in _named_attachments(lines):
        start, end = match.start("word"), match.end()
        if lines.is_ignored(start):
            continue
        mark = "".join((match.group("mark") or "").split()).replace("‑", "-")
        label = f"{match.group('word').capitalize()} {mark}".strip()
        if label in filed:
            continue
        if start < min(_FILED, first):
            exhibit = match.group("word").lower() == "exhibit" and not filed
            if exhibit and _PATTERNS["sec_exhibit"].fullmatch(match.group("mark") or ""):
                filed.add(label)
                continue
            if start < title < _FILED:
                continue
        worth = _score_heading(lines, match, start >= first)
        if worth is not None:
            leave, take = worth
            reading = NumberReading("attachment", tuple(label.upper().encode()))
            found.append(Marker(start, end, label, (reading,), leave, take))
    ends, papers = {marker.end for marker in found}, _papers(lines, first)
    found += (paper for paper in papers if _end_before(lines.text, paper.start) not in ends)
    found = _without_pages(lines, found)
    found += _schedules(lines, first)
    found += _second_papers(lines, first, found)
    found.sort(key=lambda marker: marker.start)
    return _without_list(lines.text, found, min(first, int(_LISTED_TOP * lines.length)))


def _end_before(text: str, offset: int) -> int:
    first = max(0, offset - _LONG)
    return first + len(text[first:offset].rstrip(" \t\n:–—-"))


def _named_attachments(lines: TextLines) -> Iterator[re.Match[str]]:
    """Yield possible headings, in order, from the lines with one of their words."""
    text = lines.text
    done = 0
    for at in sorted({at for word in _WORDS for at in offsets_of(text, word)}):
        if at < done:
            continue
        begin, end = lines.start_of_line(at), lines.end_of_line(at)
        if at - begin > _LONG:  # only blanks may precede it there
            begin = max(done, at - 1 - _LONG)
            while begin < at and text[begin : begin + 1].isspace():
                begin += 1
        for match in _ATTACHMENT_AT.finditer(text, max(begin, done), min(end, at + _LONG)):
            if match.start("word") <= at:
                done = match.end()
                yield match


def _papers(lines: TextLines, first: int) -> Iterator[Marker]:
    for match in _PAPER_AT.finditer(lines.text, min(first + 1, lines.length)):
        start, end = match.span("word")
        words, breaks = lines.words_before(start)
        opens = breaks >= 2 or is_sentence_end(words) or lines.is_page_top(start)
        if lines.is_ignored(start) or not opens:
            continue
        label = match["word"].title().replace("Of", "of")
        reading = NumberReading("attachment", tuple(label.upper().encode()))
        yield Marker(start, end, label, (reading,), 2.0)


def _without_pages(lines: TextLines, found: list[Marker]) -> list[Marker]:
    """Drop page numbers of an exhibit: "Exhibit C-1" alone, below "EXHIBIT C"."""
    capitals: set[str] = set()
    headings = []
    for marker in found:
        word, _, mark = marker.written.partition(" ")
        name, dash, page = mark.partition("-")
        upper = lines.text.startswith(word.upper(), marker.start)
        numbers = bool(dash) and page.isdigit() and f"{word} {name}" in capitals
        if numbers and not upper and not lines.rest_of_line(marker.end):
            continue
        if upper:
            capitals.add(marker.written)
        headings.append(marker)
    return headings


def _second_papers(lines: TextLines, first: int, found: list[Marker]) -> Iterator[Marker]:
    """Yield the titles of whole contracts that follow the signatures, such as amendments.

    Each opens as a contract does; one right below an exhibit's heading is that exhibit's own.
    """
    heads = [marker.start for marker in found]
    for match in _TITLE_AT.finditer(lines.text, min(first + 1, lines.length)):
        start = match.start("title")
        at = bisect_right(heads, start) - 1
        if (at >= 0 and start - heads[at] < _TITLED) or lines.is_ignored(start):
            continue  # an exhibit's own
        if not _PATTERNS["opened"].search(lines.text, match.end(), match.end() + _OPENING):
            continue
        reading = NumberReading("attachment", (start,))  # the same title twice is two papers
        yield Marker(start, start, "", (reading,), 2.0)


def _schedules(lines: TextLines, first: int) -> list[Marker]:
    """Return the headings of schedules without a number, if several open a page.

    The contract speaks of each by its name before.
    """
    found: dict[str, Marker] = {}
    above = ""
    for match in _NAMED_AT.finditer(lines.text, min(first + 1, lines.length)):
        start, end = match.span("name")
        if lines.is_ignored(start) or not lines.is_page_top(start):
            continue
        name = " ".join(match["name"].split())
        above = above or lines.text[:start].lower()
        if name.lower() in found or name.lower() not in above:
            continue
        reading = NumberReading("attachment", tuple(name.upper().encode()))
        label = name.title() if name.isupper() else name
        found[name.lower()] = Marker(start, end, label, (reading,), 2.0)
    return list(found.values()) if len(found) >= _SEVERAL else []


def _score_heading(
    lines: TextLines, match: re.Match[str], signed: bool
) -> tuple[float, float] | None:
    """Score an attachment's heading; None for words of a sentence."""
    text, start, end = lines.text, match.start("word"), match.end()
    line_start = lines.start_of_line(start)
    virtual = match.start() != line_start
    before, breaks = lines.words_before(start if virtual else line_start)
    if (match["page"] and breaks < 2) or (match["led"] and breaks < 2 and not signed):
        return None
    if match["led"] and match["led"].split()[-1] in _LINKS:
        return None
    rest = _PATTERNS["running_page"].sub("", lines.rest_of_line(end).text_in(text))
    rest = rest.strip(' \t*_"“”.:;–—-]()')
    if breaks >= 2 and _continues_below(lines, end, rest):
        rest = ""
    word = match.group("word")
    if match["stamp"] and breaks < _PAGE_BREAK:
        return None
    if not word[0].isupper() or (not match.group("mark") and (rest or virtual)):
        return None
    dashed = breaks >= 2 and _DASH.match(text, end)
    lower = bool(rest) and (rest[0].islower() or rest[0] in ",;)")
    if lower and not dashed and not ((breaks >= 2 or before[-1:] == ":") and _is_of(rest)):
        return None
    if text[end : end + 1] in (",", ";", ")") and not rest.lower().startswith("page"):
        return None
    goes_on = not is_sentence_end(before) and breaks < 2 and not virtual
    if goes_on and not (signed and _is_short(lines, start)):
        return None
    above = lines.words_before(line_start)[1] if start - line_start < _STAMP else 0
    new_page = max(above, breaks) >= _PAGE_BREAK or lines.is_page_top(start)
    if not rest and not new_page and _PAGE_END.match(text, end) and "-" in (match["mark"] or ""):
        return None  # the number of a page of the exhibit, such as "Exhibit A-1"
    leave = 2.0 if not rest else 1.6 if is_title_like(rest, limit=110) or new_page else 0.5
    take = 0.0 if signed else 1.2
    take = max(0.0, take - 0.6 * (new_page + is_all_capitals(word)))
    if virtual:
        leave *= 0.7
        take += 0.3
    if signed:
        leave += 0.8
    return leave, take


def _is_of(rest: str) -> bool:
    """Return whether a heading continues with the contract's name: "Exhibit A to the Lease"."""
    named = _OF.match(rest)
    words = _PATTERNS["dated"].split(rest[named.end() :])[0] if named else ""
    return is_title_like(words, limit=110) and not any(
        word[0].islower() and len(word) > 3 for word in words.split()
    )


def _continues_below(lines: TextLines, end: int, rest: str) -> bool:
    """Return whether a heading ends with "to", with the contract's name on the next line."""
    if not _PATTERNS["to"].fullmatch(rest):
        return False
    start = lines.end_of_line(end)
    below = lines.text[start : start + _LONG].lstrip()
    return is_title_like(below.partition("\n")[0], limit=110)


def _is_short(lines: TextLines, start: int) -> bool:
    """Return whether the previous line is too short to continue on the next."""
    above = lines.start_of_line(max(0, lines.start_of_line(start) - 1))
    return lines.end_of_line(above) - above < _SHORT


def _without_list(text: str, found: list[Marker], top: int) -> list[Marker]:
    """Drop lists of attachments, with hardly any text between them.

    These are labels that recur later, or a run of several in the upper part of the contract.
    """
    found = _without_runs(text, found, top)
    last: dict[str, int] = {marker.written: index for index, marker in enumerate(found)}
    markers = []
    for index, marker in enumerate(found):
        again = last[marker.written] > index
        nearest = found[index + 1].start - marker.end if index + 1 < len(found) else 10_000
        if again and nearest < 200 and found[index + 1].written != marker.written:
            continue
        markers.append(marker)
    return markers


def _without_runs(text: str, found: list[Marker], top: int) -> list[Marker]:
    remaining: list[Marker] = []
    run: list[Marker] = []
    for marker in [*found, None]:
        again = marker is not None and any(each.written == marker.written for each in run)
        if marker and not again and (not run or marker.start - run[-1].end < _APART):
            run.append(marker)
            continue
        headed = bool(run) and _PATTERNS["list_head"].search(
            text, max(0, run[0].start - 60), run[0].start
        )
        if len(run) < _RUN or (run[-1].end > top and not headed):
            remaining += run
        run = [marker] if marker else []
    return remaining
