"""Find tables of contents, to exclude them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fourcorners.outline.parser.lines import TextLines
from fourcorners.outline.parser.markers import Marker
from fourcorners.outline.parser.numbering import ATTACHMENTS, BLANK, NumberReading
from fourcorners.text.span import Span, merge_spans

_CONTENTS = re.compile(
    rf"^(?:{BLANK}|[*_#])*(?P<head>TABLE{BLANK}+OF{BLANK}+CONTENTS|Table{BLANK}+of{BLANK}+"
    rf"[Cc]ontents|CONTENTS(?={BLANK}*\n)|Contents(?={BLANK}*\n)|INDEX(?={BLANK}*\n))",
    re.MULTILINE,
)
_LEADER = re.compile(
    rf"(?:\.{{5}}|(?:\.{BLANK}){{5}})(?:\.|{BLANK}){{0,200}}+(?:\d{{1,3}}|[A-Z](?:-\d{{1,2}})?)(?![\w.,])|"
    rf"(?<=\S)(?=\t|{BLANK}{{4}}){BLANK}++\d{{1,3}}{BLANK}*+$",
    re.MULTILINE,
)
_DENSE = 140  # characters an entry of a table of contents takes, at most, where lines are long
_PAGE_AT_END = re.compile(r"\s(?:\d{1,3}|[ivx]{1,5})\s*$")
_ENTRY = 100  # characters of a line in it, at most
# The lines of a list of schedules below the clauses: its heading, "Exhibit A Prices", "4.2 Plan".
_LISTING = re.compile(
    rf"(?i:list{BLANK}of{BLANK})?(?:{'|'.join(word.upper() for word in ATTACHMENTS)}|"
    rf"{'|'.join(ATTACHMENTS)})(?:e?s)?(?:{BLANK}*:?$|{BLANK}+[A-Z\d]{{1,4}}\b(?!{BLANK}*$))|"
    rf"\d{{1,2}}\.\d{{1,2}}{BLANK}+[A-Z][^.]+$|[A-Z]{BLANK}+[A-Z][^.]+$|"
    rf"(?:[A-Z]\.{BLANK}+[A-Z][A-Z /&-]+)+$"
)
_LISTED = frozenset(
    {"article", "section", "1.", "1.1", "1.1.1", "I.", "attachment", "part", "chapter"}
)
_DENSE_TOP = 15_000  # characters within which a table of contents starts
_PLAIN_TOP = 5_000  # … and one without page numbers
_WIDEST = 240  # characters between two of its entries, page breaks included


def find_contents(lines: TextLines, markers: list[Marker]) -> list[Span]:
    """Return the tables of contents, which are in the first part of a document.

    They are found by a heading "Contents" above numbers, by lines that end in leaders and a
    page number, or as a dense run of numbers that recur in the text below.
    """
    text = lines.text
    limit = max(12_000, lines.length // 4)
    zones: list[Span] = []
    head = _CONTENTS.search(text, 0, limit)
    for zone in (*_leaders(text, limit), *_dense(lines, markers, head.end() if head else None)):
        if head and 0 <= zone.start - head.end() < 600:
            zone = Span(head.start("head"), zone.end)
        zones.append(Span(zone.start, _tail(lines, zone)))
    return merge_spans(zones, gap=200)


def without_cover(contents: Iterable[Span], title: Span | None, text: str) -> tuple[Span, ...]:
    """Return tables of contents without a cover below the heading of one.

    If the title of the contract is in one, its entries begin with the first line after the title
    that ends with a page number.
    """
    found = []
    for zone in contents:
        if title is not None and zone.contains(title):
            at = text.find("\n", title.end) + 1
            while 0 < at < zone.end:
                end = text.find("\n", at)
                end = zone.end if end < 0 else min(end, zone.end)
                if _PAGE_AT_END.search(text[max(at, end - 12) : end]):
                    found.append(Span(at, zone.end))
                    break
                at = end + 1
            continue
        found.append(zone)
    return tuple(found)


def _tail(lines: TextLines, zone: Span) -> int:
    """Return where a table of contents ends, with the list of schedules that closes it."""
    text = lines.text
    paged = bool(_PAGE_AT_END.search(text[max(zone.start, zone.end - 12) : zone.end]))
    end = zone.end
    while end < lines.length:
        start = lines.start_of_words(end)
        stop = lines.end_of_line(start)
        line = text[start:stop].rstrip()
        listing = _LISTING.match(line)
        too_long = len(line) > (2 * _ENTRY if listing else _ENTRY)
        closed = line[-1:] in (".", ";", ",") or (line[-1:] == ":" and not listing)
        if not line or too_long or closed or start - end > _WIDEST:
            return end
        if not (listing or (paged and _PAGE_AT_END.search(line) and line[-1].isdigit())):
            return end
        end = stop
    return end


def _leaders(text: str, limit: int) -> Iterator[Span]:
    run: list[re.Match[str]] = []
    for match in [*_LEADER.finditer(text, 0, limit), None]:
        if match and (not run or match.start() - run[-1].end() < 300):
            run.append(match)
            continue
        if len(run) >= 5:
            start = text.rfind("\n", 0, run[0].start()) + 1
            yield Span(max(start, run[0].start() - _ENTRY), run[-1].end())
        run = [match] if match else []


def _dense(lines: TextLines, markers: list[Marker], head: int | None) -> Iterator[Span]:
    """Yield dense runs of numbers, most of which recur further down."""
    last = {marker.readings: marker.start for marker in markers}
    run: list[Marker] = []
    limit = max(_DENSE_TOP, (head or 0) + _DENSE_TOP)
    for marker in markers:
        listed = marker.readings[0].family in _LISTED
        headed = bool(run) and head is not None and run[-1].start < head <= marker.start
        if run and (not listed or headed or marker.start - run[-1].end > _WIDEST):
            yield from _listed_markers(lines, run, last, _is_near(head, run[0].start))
            run = []
        if marker.start > limit and not run:
            return
        if listed:
            run.append(marker)
    yield from _listed_markers(lines, run, last, bool(run) and _is_near(head, run[0].start))


def _slipped(before: Marker, marker: Marker) -> bool:
    """Return whether a repeated number is a slip for the next one, as 4.1 after 4.9 is."""
    past, path = before.readings[0].path, marker.readings[0].path
    return len(path) > 1 and path[:-1] == past[:-1]


def _is_near(head: int | None, start: int) -> bool:
    return head is not None and 0 <= start - head < 600


def _listed_markers(
    lines: TextLines, run: list[Marker], last: dict[tuple[NumberReading, ...], int], headed: bool
) -> Iterator[Span]:
    # Where the text itself follows at no distance, its first numbers are the table's again.
    seen: set[tuple[NumberReading, ...]] = set()
    for index, marker in enumerate(run):
        if marker.readings in seen and not _slipped(run[index - 1], marker):
            run = run[:index]
            break
        seen.add(marker.readings)
    if len(run) < 4:
        return
    text = lines.text
    ends = [marker.start for marker in run[1:]]
    ends.append(min(lines.end_of_line(run[-1].end), run[-1].end + _DENSE))
    paged = sum(bool(_PAGE_AT_END.search(text[max(0, e - 12) : e])) for e in ends)
    again = sum(last[marker.readings] > ends[-1] for marker in run)
    entries = [text[m.end : e].rstrip() for m, e in zip(run, ends, strict=True)]
    bare = sum(entry[-1:] in ".;:," for entry in entries) <= 0.3 * len(run)
    plain = bare and (headed or (len(run) >= 8 and run[0].start < _PLAIN_TOP))
    if again >= 0.7 * len(run) and (paged >= 0.5 * len(run) or plain):
        yield Span(run[0].start, ends[-1])
