"""The frame around the numbered clauses: recitals and signatures."""

from __future__ import annotations

import re

from fourcorners.outline.parser.lines import TextLines, offsets_of
from fourcorners.outline.parser.markers import Marker
from fourcorners.outline.parser.numbering import BLANK, NumberReading
from fourcorners.outline.parser.sequence import INNER, LISTED, OPEN
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

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
# What every match of it holds, and how far before and after that it reaches.
_SIGNING_WORDS = (
    *("WITNESS", "itness", "TESTIMONY", "xecuted ", "EXECUTED ", "igned ", "SIGNED "),
    *("IGNATURE", "ignature", "SIGNATORIES"),
)
_WORDS_BEFORE, _WORDS_AFTER = 48, 160
_LED = re.compile(rf"(?:^|[.;]{BLANK}|{BLANK}{{2}}){BLANK}*$", re.MULTILINE)
_CAPITAL = re.compile(rf"IN{BLANK}+WITNESS,?{BLANK}+WHEREOF")
_PATTERNS = load_patterns("fourcorners.outline.parser", "frame")
SIGNATURE_LINE = _PATTERNS["signature_line"]
_RECITALS = re.compile(
    rf"(?:^(?:{BLANK}|[*#_])*+|(?<!{BLANK}){BLANK}{{3,}}+|"
    rf"(?<=[.:;)\]\"”’']){BLANK}(?=(?:WHEREAS|RECITALS?|WITNESSETH|BACKGROUND)\b)|"
    rf"(?<=[.:;\"”]){BLANK}(?=Whereas\b))"
    r"(?P<head>(?:(?:RECITALS?|Recitals?|R E C I T A L S?|BACKGROUND|B A C K G R O U N D|"
    r"Background|PREAMBLE|Preamble|PRELIMINARY STATEMENTS?|WITNESSETH|W\s?I\s?T\s?N\s?E\s?S\s?S\s?"
    r"(?:E\s?)?(?:T\s?H|S)(?:,?\s?T\s?H\s?A\s?T)?|Witnesseth)"
    rf"[*_]*{BLANK}*[:.;,-]*"
    rf"(?={BLANK}*\n|{BLANK}{{3,}}|{BLANK}*$|{BLANK}(?:WHEREAS|[Aa]\.|\(?[Aa1]\))|(?<=[A-Z][.:]){BLANK}[A-Z][a-z])|"
    rf"(?:(?:WITNESS(?:ES|ETH)|Witness(?:es|eth)),?{BLANK}+(?:(?:THAT|that),?{BLANK}+)?)?(?:WHEREAS|Whereas)\b))",
    re.MULTILINE,
)
# A clause of the contract that contains them: then they are not part of the frame.
_NUMBERED_RECITALS = re.compile(
    r"\d\.?\s+(?:RECITALS?|Recitals?|BACKGROUND|Background)[\s.:]*$|"
    rf"(?:ARTICLE|Article|SECTION|Section)\s+(?:\d+|[IVX]+|ONE|One)\W*$|^\W*(?:1|I)[.)]{BLANK}*$",
    re.MULTILINE,
)


_TERMS = re.compile(
    rf"^{BLANK}*(?P<head>(?:GENERAL {{1,3}}|STANDARD {{1,3}})?TERMS {{1,3}}AND {{1,3}}CONDITIONS)"
    rf"{BLANK}*$",
    re.MULTILINE,
)
# Where a part ends. A closed one ends at another event: numbers within it never belong to what
# follows. A listed one holds the numbers right below it, up to the next that is the first again.
_OPEN, _CLOSED, _LISTED = OPEN[0], INNER[0], LISTED[0]
_LIST = re.compile(rf"[\s:.,;–—-]*1[.)]{BLANK}")


def find_signatures(lines: TextLines) -> list[int]:
    places: list[int] = []
    announced = False  # by words such as "Signature page follows"
    text = lines.text
    for start, match in _frame_words(text):
        before = text[max(lines.start_of_line(start), start - 12) : start]
        led = _PATTERNS["page_led"] if match["page"] else _LED
        if lines.is_ignored(start) or not (_CAPITAL.match(text, start) or led.search(before)):
            continue
        if not (match["witness"] or SIGNATURE_LINE.search(text, start, start + 1500)):
            continue
        if not places or start - places[-1] > 3000:
            places.append(start)
        elif announced and match["witness"]:
            places[-1] = start
        announced = bool(match["page"]) and places[-1] == start
    return places


def _frame_words(text: str) -> list[tuple[int, re.Match[str]]]:
    """Return the places of words that may open a block of signatures, in order.

    Only the surroundings of a few characteristic words are searched, which is much faster.
    """
    found: dict[int, re.Match[str]] = {}
    for word in _SIGNING_WORDS:
        for at in offsets_of(text, word):
            begin, end = max(0, at - _WORDS_BEFORE), at + _WORDS_AFTER
            for match in _SIGNATURE.finditer(text, begin, end):
                if match.start() > at:
                    break
                found.setdefault(match.start(), match)
    return sorted(found.items())


def inner_signatures(signed: list[int], attached: list[Marker]) -> frozenset[int]:
    """Return the signatures that may belong to an attachment: all except the contract's own.

    Those are the first, or the last if most attachments precede the first, as in deeds.
    """
    first = signed[0] if signed else 0
    behind = sum(marker.start > first for marker in attached)
    own = signed[:1] if 2 * behind >= len(attached) else signed[-1:]
    return frozenset(signed) - frozenset(own)


def find_recitals(lines: TextLines, limit: int, contents: list[Span]) -> list[Marker]:
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
        body = _PATTERNS["body"].search(text, head.end(), min(lines.length, head.end() + 20_000))
        if body is None:
            listed = _LIST.match(text, head.end())
            return [fixed_marker("recitals", start, _LISTED if listed else _OPEN)]
        return [fixed_marker("recitals", start, _CLOSED), fixed_marker("body", body.end())]
    body = _PATTERNS["body"].search(text, top, limit)
    return [fixed_marker("body", body.end())] if body else []


def first_clause_after(
    lines: TextLines, counted: list[Marker], attached: list[Marker]
) -> Marker | None:
    """Return where the contract's clauses start after attachments to a cover without clauses."""
    if not attached:
        return None
    one = NumberReading("1.", (1,))
    clauses = (each.start for each in counted if each.own_line and each.readings[0] == one)
    first = next(clauses, lines.length)
    head = _TERMS.search(lines.text, attached[0].start)
    if head is None or first < head.start() or not lines.is_page_top(head.start("head")):
        return None
    return fixed_marker("body", head.end())


def fixed_marker(family: str, start: int, value: float = _OPEN) -> Marker:
    """Return a marker that is always taken: the start of a part of the frame."""
    return Marker(start, start, "", (NumberReading(family, (value,)),), 0.0)
