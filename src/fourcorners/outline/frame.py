"""The frame around the numbered clauses: contents, recitals, signatures, attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fourcorners.outline.lines import Lines, all_capitals, ended, title_like
from fourcorners.outline.markers import Marker
from fourcorners.outline.numbering import ATTACHMENTS, BLANK, CARDINALS, Reading
from fourcorners.text.span import Span, union

_ATTACHMENT = (
    rf"(?P<word>(?i:{'|'.join(ATTACHMENTS)}))(?!(?i:E?S)\b)(?:{BLANK}{{0,4}}(?:[–—-]{BLANK}|(?i:no\.|number){BLANK}*)?"
    r"[\"“]?(?P<mark>(?!(?:OF|TO|IN|BY|AN|NO)\b)(?:[A-Z]{1,2}|\d{1,3}|[IVX]{1,5}|"
    rf"{'|'.join(word.upper() for word in CARDINALS)}|{'|'.join(map(str.capitalize, CARDINALS))})"
    r"(?:[.‑-][A-Za-z0-9]{1,4}){0,3}"
    rf"(?:{BLANK}?\((?:[a-z]{{1,4}}|[A-Z]|\d{{1,2}})\))*)[\"”]?)?(?![\w/])"
)
# Words in capitals that stand before a heading on its line, a company's or a stamp's, are none of
# these, after which it is a reference.
_LINKS = "TO|OF|IN|ON|AND|OR|THE|THIS|SEE|WITH|UNDER|FROM|PER|BY|EACH|ANY|SUCH"
_ATTACHMENT_AT = re.compile(
    rf"(?:^(?P<page>{BLANK}*\d{{1,3}}{BLANK}{{1,3}})?+(?:{BLANK}|[*_#>\[])*+"
    rf"(?:(?i:this is){BLANK}|(?P<led>(?:(?!(?:{_LINKS}){BLANK})[A-Z&][A-Z0-9&.,’'/()-]*{BLANK}){{1,8}}"
    rf"(?=(?:{'|'.join(word.upper() for word in ATTACHMENTS)}){BLANK}[A-Z\d]{{1,3}}\b)))?|"
    rf"(?<=\n\n)(?P<stamp>[^\n]{{3,90}}?\d){BLANK}(?=[A-Z])|"
    rf"(?<!{BLANK}){BLANK}{{3,}}+){_ATTACHMENT}",
    re.MULTILINE,
)
# Papers that stand behind the signatures under a name of their own.
_PAPER_AT = re.compile(
    rf"^{BLANK}*(?P<word>STATEMENT OF WORK|Statement of Work|ADDENDUM(?= TO\b[A-Z ]*$))",
    re.MULTILINE,
)
_OF = re.compile(rf"(?:to|of){BLANK}+(?:(?:the|this){BLANK}+)?(?=[A-Z])")
_DASH = re.compile(rf"{BLANK}*[–—-]{BLANK}")
_DATED = re.compile(r"\W*\b(?:dated|made|between|by and)\b")
_PAGE_BREAK = 4  # line breaks in a row that stand for a page break in a text without pages
_PAGE_END = re.compile(rf"{BLANK}*(?:\n{BLANK}*){{4}}|{BLANK}*\n*\f")
_SHORT = 60  # characters
_STAMP = 100  # characters that a stamp or running header before a heading on its line has, at most
_RUNNING_PAGE = re.compile(r"[\s,;:–—-]*(?:page|pg\.)?\s*[\d-]+\s*(?:of\s+\d+)?$", re.IGNORECASE)
_SEC_EXHIBIT = re.compile(r"(?:\d{1,3}\.\d[\dA-Za-z.()*-]*|99)$")
_SIGNATURE = re.compile(
    rf"(?P<witness>(?:IN|In){BLANK}+(?:WITNESS|[Ww]itness|TESTIMONY),?{BLANK}+"
    rf"(?:(?i:where|there|here)(?i:of|fore)|(?i:of{BLANK}+the{BLANK}+foregoing))\b)|"
    rf"(?P<executed>IN WITNESS,{BLANK}the [Pp]arties|THIS AGREEMENT IS EXECUTED by |"
    r"(?:EXECUTED|Executed|SIGNED|Signed) (?:by|as|BY|AS)\b(?=[^\n]{0,80}"
    r"(?:deed|DEED|party|Party|parties|agreement|on behalf))|"
    r"(?:EXECUTED|Executed) (?:and delivered )?(?:as of|on|this|effective) |"
    r"(?:AS WITNESS|As witness) the hand|"
    r"The [Pp]arties (?:hereto )?have (?:duly )?(?:executed|signed) this )|"
    r"(?P<page>\[?(?:(?i:signature pages? (?:follows?|to follow)|"
    r"signatures? (?:page )?to follow|signatures on next page))|SIGNATURES?\W*$|SIGNATORIES\W*$)",
    re.MULTILINE,
)
_LED = re.compile(rf"(?:^|[.;]{BLANK}|{BLANK}{{2}}){BLANK}*$", re.MULTILINE)
_CAPITAL = re.compile(rf"IN{BLANK}+WITNESS,?{BLANK}+WHEREOF")
_PAGE_LED = re.compile(r"^\W*$", re.MULTILINE)
SIGNED = re.compile(
    r"\b(?:By|BY|Name|NAME|Signature|Its|Title|TITLE|Per|PER)\s?:|/[sS]/|_{6,}|-{12,}|\.{12,}|"
    r"\bAuthori[sz]ed\s+(?:[Ss]ignator|[Rr]epresentative)"
)
_RECITALS = re.compile(
    rf"(?:^(?:{BLANK}|[*#_])*+|(?<!{BLANK}){BLANK}{{3,}}+|"
    rf"(?<=[.:;)\]\"”’']){BLANK}(?=WHEREAS\b|RECITALS?\b|WITNESSETH\b|BACKGROUND\b))"
    r"(?P<head>(?:(?:RECITALS?|Recitals?|R E C I T A L S?|BACKGROUND|B A C K G R O U N D|"
    r"Background|PREAMBLE|Preamble|PRELIMINARY STATEMENTS?|WITNESSETH|W\s?I\s?T\s?N\s?E\s?S\s?S\s?"
    r"(?:E\s?)?(?:T\s?H|S)(?:,?\s?T\s?H\s?A\s?T)?|Witnesseth)"
    rf"[*_]*{BLANK}*[:.;,-]*"
    rf"(?={BLANK}*\n|{BLANK}{{3,}}|{BLANK}*$|{BLANK}(?:WHEREAS|A\.|\(?[A1]\))|(?<=[A-Z][.:]){BLANK}[A-Z][a-z])|"
    rf"(?:(?:WITNESS(?:ES|ETH)|Witness(?:es|eth)),?{BLANK}+(?:(?:THAT|that),?{BLANK}+)?)?(?:WHEREAS|Whereas)\b))",
    re.MULTILINE,
)
# A clause of the contract's own that holds them: then they are no part of the frame.
_NUMBERED_RECITALS = re.compile(
    r"\d\.?\s+(?:RECITALS?|Recitals?|BACKGROUND|Background)[\s.:]*$|"
    rf"(?:ARTICLE|Article|SECTION|Section)\s+(?:\d+|[IVX]+|ONE|One)\W*$|^\W*(?:1|I)[.)]{BLANK}*$",
    re.MULTILINE,
)
_BODY = re.compile(
    r"\b(?:NOW,?\s+THEREFORE|Now,?\s+[Tt]herefore|(?:hereby\s+)?(?:agrees?|covenants?)\s+as\s+"
    r"follows|amended\s+and\s+restated\s+as\s+follows|"
    r"IT\s+IS\s+(?:HEREBY\s+)?AGREED|it\s+is\s+(?:hereby\s+)?agreed|AGREED\s+TERMS|"
    r"Agreed\s+[Tt]erms|OPERATIVE\s+PROVISIONS|(?:THE\s+)?PARTIES\s+(?:HEREBY\s+)?AGREE)\b"
)
_CONTENTS = re.compile(
    rf"^(?:{BLANK}|[*_#])*(?P<head>TABLE{BLANK}+OF{BLANK}+CONTENTS|Table{BLANK}+of{BLANK}+"
    rf"[Cc]ontents|CONTENTS(?={BLANK}*\n)|Contents(?={BLANK}*\n)|INDEX(?={BLANK}*\n))",
    re.MULTILINE,
)
_LEADER = re.compile(
    rf"(?:\.{{5,}}|(?:\.{BLANK}){{5,}})(?:\.|{BLANK})*+(?:\d{{1,3}}|[A-Z](?:-\d{{1,2}})?)(?![\w.,])|"
    rf"(?<=\S)(?:\t|{BLANK}{{4,}}){BLANK}*+\d{{1,3}}{BLANK}*$",
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
_LISTED = frozenset({"article", "section", "1.", "1.1", "1.1.1", "I.", "attachment", "part"})
_LIST_HEAD = re.compile(
    r"(?:list of|index (?:of|to)|table of) (?:exhibits|schedules|annexes|appendices|attachments)\W*$|"
    r"(?:exhibit|schedule|annex|appendix|attachment) (?:list|index)\W*$",
    re.IGNORECASE,
)
_RUN = 3  # attachments in a row that make a list
_LISTED_TOP = 0.4  # the part of a contract in which they are one, not attachments of a few words
_FILED = 2_500  # characters within which a filing's own exhibit number stands
_DENSE_TOP = 15_000  # characters within which a table of contents starts
_PLAIN_TOP = 5_000  # … and one without page numbers
_WIDEST = 240  # characters between two of its entries, page breaks included


def signatures(lines: Lines) -> list[int]:
    """Return where blocks of signatures start, in order."""
    places: list[int] = []
    announced = False  # by words such as "Signature page follows"
    text = lines.text
    for match in _SIGNATURE.finditer(text):
        start = match.start()
        before = text[max(lines.start_of_line(start), start - 12) : start]
        led = _PAGE_LED if match["page"] else _LED
        if lines.is_ignored(start) or not (_CAPITAL.match(text, start) or led.search(before)):
            continue
        if not (match["witness"] or SIGNED.search(text, start, start + 1500)):
            continue
        if not places or start - places[-1] > 3000:
            places.append(start)
        elif announced and match["witness"]:
            places[-1] = start
        announced = bool(match["page"]) and places[-1] == start
    return places


def inner_signatures(signed: list[int], attached: list[Marker]) -> frozenset[int]:
    """Return the signatures that may belong to an attachment: all but the contract's own.

    That is the first, or the last where most attachments stand before the first, as in deeds.
    """
    first = signed[0] if signed else 0
    behind = sum(marker.start > first for marker in attached)
    own = signed[:1] if 2 * behind >= len(attached) else signed[-1:]
    return frozenset(signed) - frozenset(own)


def recitals(lines: Lines, limit: int, contents: list[Span]) -> list[Marker]:
    """Return the start of the recitals and of the body after them, before `limit`.

    The limit counts from the end of the table of contents, if there is one.
    """
    text = lines.text
    top = max((span.end for span in contents), default=0)
    limit = min(lines.length, top + limit)
    for head in _RECITALS.finditer(text, 0, limit):
        start = head.start("head")
        if lines.is_ignored(start) or any(span.start <= start < span.end for span in contents):
            continue
        if _NUMBERED_RECITALS.search(text, max(0, start - 60), start) and not (
            text[start - 2 : start] in (". ", ") ") and text[start : start + 7].lower() == "whereas"
        ):
            return []
        body = _BODY.search(text, head.end(), min(lines.length, head.end() + 20_000))
        if body is None:
            return [event("recitals", start)]
        return [event("recitals", start, closed=True), event("body", body.end())]
    body = _BODY.search(text, top, limit)
    return [event("body", body.end())] if body else []


def event(family: str, start: int, *, closed: bool = False) -> Marker:
    """Return a marker that is taken whatever it costs: the start of a part of the frame.

    A closed part ends at another event; numbers within it never belong to what follows.
    """
    return Marker(start, start, "", (Reading(family, (int(closed),)),), 0.0)


def attachments(lines: Lines, signed: list[int], title: int) -> list[Marker]:
    """Return the headings of exhibits, schedules and annexes, never references in a sentence.

    What stands close above the title is the number that a filing gives the whole document.
    """
    first = signed[0] if signed else lines.length
    found = []
    filed: set[str] = set()  # what the filing calls the whole document: "Exhibit 10.1"
    for match in _ATTACHMENT_AT.finditer(lines.text):
        start, end = match.start("word"), match.end()
        if lines.is_ignored(start):
            continue
        mark = "".join((match.group("mark") or "").split()).replace("‑", "-")
        label = f"{match.group('word').capitalize()} {mark}".strip()
        if label in filed:
            continue
        if start < min(_FILED, first):
            exhibit = match.group("word").lower() == "exhibit" and not filed
            if exhibit and _SEC_EXHIBIT.fullmatch(match.group("mark") or ""):
                filed.add(label)
                continue
            if start < title < _FILED:
                continue
        worth = _attachment_worth(lines, match, start >= first)
        if worth is not None:
            leave, take = worth
            reading = Reading("attachment", tuple(label.upper().encode()))
            found.append(Marker(start, end, label, (reading,), leave, take))
    named = {marker.end for marker in found}
    found += (
        paper
        for paper in _papers(lines, first)
        if len(lines.text[: paper.start].rstrip(" \t\n:–—-")) not in named
    )
    found.sort(key=lambda marker: marker.start)
    return _without_list(lines.text, found, min(first, int(_LISTED_TOP * lines.length)))


def _papers(lines: Lines, first: int) -> Iterator[Marker]:
    """Yield the headings, behind the signatures, of papers that bear a name and no number."""
    for match in _PAPER_AT.finditer(lines.text, min(first + 1, lines.length)):
        start, end = match.span("word")
        words, breaks = lines.before(start)
        if lines.is_ignored(start) or not (breaks >= 2 or ended(words) or lines.page_top(start)):
            continue
        label = match["word"].title().replace("Of", "of")
        reading = Reading("attachment", tuple(label.upper().encode()))
        yield Marker(start, end, label, (reading,), 2.0)


def _attachment_worth(
    lines: Lines, match: re.Match[str], signed: bool
) -> tuple[float, float] | None:
    """Weigh an attachment's heading; None for words of a sentence."""
    text, start, end = lines.text, match.start("word"), match.end()
    line_start = lines.start_of_line(start)
    virtual = match.start() != line_start
    before, breaks = lines.before(start if virtual else line_start)
    if (match["page"] and breaks < 2) or (match["led"] and breaks < 2 and not signed):
        return None
    rest = _RUNNING_PAGE.sub("", lines.rest(end).of(text)).strip(' \t*_"“”.:;–—-]()')
    word = match.group("word")
    if match["stamp"] and breaks < _PAGE_BREAK:
        return None
    if not word[0].isupper() or (not match.group("mark") and (rest or virtual)):
        return None
    dashed = breaks >= 2 and _DASH.match(text, end)
    lower = bool(rest) and (rest[0].islower() or rest[0] in ",;)")
    if lower and not dashed and not (breaks >= 2 and _is_of(rest)):
        return None
    if text[end : end + 1] in (",", ";", ")") and not rest.lower().startswith("page"):
        return None
    if (
        not ended(before)
        and breaks < 2
        and not virtual
        and not (signed and _is_short(lines, start))
    ):
        return None
    above = lines.before(line_start)[1] if start - line_start < _STAMP else 0
    new_page = max(above, breaks) >= _PAGE_BREAK or lines.page_top(start)
    if not rest and not new_page and _ends_page(text, end) and "-" in (match["mark"] or ""):
        return None  # the number of a page of the exhibit, such as "Exhibit A-1"
    leave = 2.0 if not rest else 1.6 if title_like(rest, limit=110) or new_page else 0.5
    take = 0.0 if signed else 1.2
    take = max(0.0, take - 0.6 * (new_page + all_capitals(word)))
    if virtual:
        leave *= 0.7
        take += 0.3
    if signed:
        leave += 0.8
    return leave, take


def _is_of(rest: str) -> bool:
    """Tell whether a heading goes on with the name of the contract: "Exhibit A to the Lease"."""
    named = _OF.match(rest)
    words = _DATED.split(rest[named.end() :])[0] if named else ""
    return title_like(words, limit=110) and not any(
        word[0].islower() and len(word) > 3 for word in words.split()
    )


def _is_short(lines: Lines, start: int) -> bool:
    """Tell whether the line above is too short to be one that goes on in the next."""
    above = lines.start_of_line(max(0, lines.start_of_line(start) - 1))
    return lines.end_of_line(above) - above < _SHORT


def _ends_page(text: str, end: int) -> bool:
    """Tell whether a page ends with the line at `end`."""
    return bool(_PAGE_END.match(text, end))


def _without_list(text: str, found: list[Marker], top: int) -> list[Marker]:
    """Drop lists of attachments, with hardly a text between them.

    That is a label that comes again later, or a run of several in the upper part of the contract.
    """
    found = _without_runs(text, found, top)
    last: dict[str, int] = {marker.written: index for index, marker in enumerate(found)}
    kept = []
    for index, marker in enumerate(found):
        again = last[marker.written] > index
        nearest = found[index + 1].start - marker.end if index + 1 < len(found) else 10_000
        if again and nearest < 200 and found[index + 1].written != marker.written:
            continue
        kept.append(marker)
    return kept


def _without_runs(text: str, found: list[Marker], top: int) -> list[Marker]:
    kept: list[Marker] = []
    run: list[Marker] = []
    for marker in [*found, None]:
        again = bool(marker) and any(each.written == marker.written for each in run)
        if marker and not again and (not run or marker.start - run[-1].end < _WIDEST):
            run.append(marker)
            continue
        headed = bool(run) and _LIST_HEAD.search(text, max(0, run[0].start - 60), run[0].start)
        if len(run) < _RUN or (run[-1].end > top and not headed):
            kept += run
        run = [marker] if marker else []
    return kept


def contents(lines: Lines, markers: list[Marker]) -> list[Span]:
    """Return the tables of contents, which stand in the first part of a document.

    They are found by a heading "Contents" above numbers, by lines that end in leaders and a
    page number, or as a dense run of numbers that come again in the text below.
    """
    text = lines.text
    limit = max(12_000, lines.length // 4)
    zones: list[Span] = []
    head = _CONTENTS.search(text, 0, limit)
    for zone in (*_leaders(text, limit), *_dense(lines, markers, head.end() if head else None)):
        if head and 0 <= zone.start - head.end() < 600:
            zone = Span(head.start("head"), zone.end)
        zones.append(Span(zone.start, _tail(lines, zone)))
    return union(zones, gap=200)


def _tail(lines: Lines, zone: Span) -> int:
    """Return where a table of contents ends, with the list of schedules that closes it."""
    text = lines.text
    paged = bool(_PAGE_AT_END.search(text[max(zone.start, zone.end - 12) : zone.end]))
    end = zone.end
    while end < lines.length:
        start = end
        while start < lines.length and text[start].isspace():
            start += 1
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
    """Yield runs of lines with leaders and a page number."""
    run: list[re.Match[str]] = []
    for match in [*_LEADER.finditer(text, 0, limit), None]:
        if match and (not run or match.start() - run[-1].end() < 300):
            run.append(match)
            continue
        if len(run) >= 5:
            start = text.rfind("\n", 0, run[0].start()) + 1
            yield Span(max(start, run[0].start() - _ENTRY), run[-1].end())
        run = [match] if match else []


def _dense(lines: Lines, markers: list[Marker], head: int | None) -> Iterator[Span]:
    """Yield dense runs of numbers most of which come again further down."""
    last: dict[tuple[Reading, ...], int] = {}
    for marker in markers:
        last[marker.readings] = marker.start
    run: list[Marker] = []
    limit = max(_DENSE_TOP, (head or 0) + _DENSE_TOP)
    for marker in markers:
        listed = marker.readings[0].family in _LISTED
        headed = bool(run) and head is not None and run[-1].start < head <= marker.start
        if run and (not listed or headed or marker.start - run[-1].end > _WIDEST):
            yield from _listed(lines, run, last, _near(head, run[0].start))
            run = []
        if marker.start > limit and not run:
            return
        if listed:
            run.append(marker)
    yield from _listed(lines, run, last, bool(run) and _near(head, run[0].start))


def _slipped(before: Marker, marker: Marker) -> bool:
    """Tell whether a number seen before is a slip for the next one, as 4.1 after 4.9 is."""
    past, path = before.readings[0].path, marker.readings[0].path
    return len(path) > 1 and path[:-1] == past[:-1]


def _near(head: int | None, start: int) -> bool:
    return head is not None and 0 <= start - head < 600


def _listed(
    lines: Lines, run: list[Marker], last: dict[tuple[Reading, ...], int], headed: bool
) -> Iterator[Span]:
    """Yield the span of a run of numbers if it is a table of contents."""
    # Where the text itself follows at no distance, its first numbers are the table's again.
    seen: set[tuple[Reading, ...]] = set()
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
