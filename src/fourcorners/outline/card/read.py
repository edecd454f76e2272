"""The contract card by rules: what the contract says of itself, with the words that say it."""

from __future__ import annotations

import re
from datetime import date

from fourcorners.documents.document import Document
from fourcorners.outline.card.card import Card, Fact
from fourcorners.outline.card.dates import WrittenDate, add_months, find_dates
from fourcorners.outline.card.laws import find_governing_law
from fourcorners.outline.card.parties import find_parties
from fourcorners.outline.card.titles import Title, find_title
from fourcorners.outline.card.types import contract_type
from fourcorners.outline.parser.lines import TextLines
from fourcorners.outline.parser.numbering import CARDINALS
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.text.span import Span

_PREAMBLE = 3_000  # characters a preamble may have
_FRONT = 25_000  # characters that a cover and a table of contents may have
_PREAMBLE_WORDS = re.compile(r"\b(?:between|among|parties|dated|by and)\b", re.IGNORECASE)
_OPENS = re.compile(
    r"\b(?:THIS|This)\s+[^.;]{0,160}?\b(?i:agreement|contract|lease|amendment|addendum|deed)\b"
    r"[^;]{0,200}?\b(?:is\b|made\b|dated\b|entered\b|between\b|effective\b|BETWEEN\b|DATED\b|MADE\b)"
)
_RECITALS = re.compile(
    r"\bW\s?H\s?E\s?R\s?E\s?A\s?S\b|\bR\s?E\s?C\s?I\s?T\s?A\s?L\s?S\b|^\W*(?:Recitals?|RECITALS?|Background|BACKGROUND|"
    r"Introduction|INTRODUCTION|Preliminary\s+Statements?)\W*$|\bWhereas\b|\bWITNESSETH|\bNOW,?\s+THEREFORE|"
    r"\b(?:agrees?|covenants?)\s+as\s+follows|\bAGREED\s+TERMS|\bIT\s+IS\s+(?:HEREBY\s+)?AGREED",
    re.MULTILINE,
)
_CONSIDERED = re.compile(
    r"\b(?:WHEREAS|Whereas)\b|\bW\s?I\s?T\s?N\s?E\s?S\s?S\s?E\s?T\s?H\b|\bNOW,?\s+THEREFORE\b"
)
_FOOTER = re.compile(r"^[^\S\n]*Source:[^\n]*$", re.MULTILINE)  # a filing service's footer
_SALUTATION = re.compile(r"^\W*(?:Dear|Ladies\s+and\s+Gentlemen|Gentlemen)\b", re.MULTILINE)
_CITES = re.compile(r"(?:amendment|addendum|variation)", re.IGNORECASE)
_MADE = re.compile(
    r"\b(?:dated|made|entered\s+into|executed|signed|effective)\b[^.;]{0,60}$|"
    r"\b(?:as\s+of|as\s+at|on\s+this|this)\s+(?:the\s+)?$|^\W*date\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_EFFECTIVE_ONLY = re.compile(
    r"\b(?:effective|commenc\w+)\b(?![^.;]*\b(?:made|entered|dated)\b)", re.I
)
_OTHER_PAPER = re.compile(
    r"\b(?:that\s+certain|certain|the|an?|amends?|amending|to)\s+(?!this\b)[^.;()\"“]{0,80}?\b(?:agreement|contract|"
    r"letter|lease|note|plan|amendment)[^.;()\"“]{0,30}\bdated[^.;]{0,12}$|\b(?:filed|amended|as\s+of\s+its)\s+on\s*$",
    re.IGNORECASE,
)
_DURING = re.compile(
    r"\b(?:from|until|to|by|before|through|after|since|than|ending|ended|between|and)\s+(?:the\s+)?$",
    re.I,
)
_DATED, _SURE = 0.4, 0.6  # how sure a date must be, and where the signatures are not asked
_CLOSING = 40_000  # characters at the end in which the contract is signed
_EXECUTED = re.compile(
    r"\b(?:WITNESS\s+WHEREOF|witness\s+whereof|is\s+executed|accepted|ACCEPTED|DONE\s+AND\s+SIGNED|[Ss]igned\s+and\s+effective|"
    r"evidence\s+whereof)\b[^.]{0,300}?\b(?:on|of|this)\s[^.]{0,20}?\d[^.\n]{0,40}(?:\.\s?\d{4})?",
)
_SIGNATURE_DATE = re.compile(
    r"(?:\b[Dd]ated?|DATED?)\b[^\w\n]{0,12}$|\n[^\S\n]*$|\d{2,4}\s{3,}$|/\s*$|"
    r"[A-Z][\w/-]+,\s*$"
)
_SIGNATURE = re.compile(
    r"/s/|\.{8}|_{8}|\bBy:|\bBY:|\b(?:Name|Title|Signature)\b|\(seal\)|\\s\\|[Cc]ompany\s+seal"
)
_EFFECTIVE_SOON = re.compile(
    r"[\s,]*(?:\([^()]{0,60}[\"“'‘](?:[^\"”]{0,20}\s)?(?:Effective|Commencement)\s+Date[\"”'’]|"
    r"[^.;\d]{0,30}[\"“](?:the\s+)?Effective\s+Date[\"”])",
    re.IGNORECASE,
)
_AS_OF = re.compile(r"\beffective\s+(?:(?:as\s+of|on)\s+)?(?:this\s+|the\s+)?$", re.IGNORECASE)
_EFFECTIVE = re.compile(
    r"[\"“](?:Effective|Commencement)\s+Date[\"”][^.;]{0,80}?\b(?:means?|is|shall\s+(?:be|mean)|"
    r"refers?\s+to)\b|\b(?:effective|in\s+effect|with\s+effect|shall\s+commence|commences?|"
    r"commencing|takes?\s+effect|(?:enter|come)s?\s+into\s+(?:force|effect)|starts?|begins?|beginning)\s+(?:\w+\s+){0,2}?(?:as\s+of|on|from|upon)\b",
    re.IGNORECASE,
)
_SAME_DATE = re.compile(
    r"[\s,]*(?:the\s+)?(?:date\s+(?:first\s+)?(?:of\s+this|hereof|above|written|set\s+forth)|"
    r"Agreement\s+Date|Execution\s+Date|date\s+of\s+(?:this|the)\s+Agreement)",
    re.IGNORECASE,
)
_EXPIRES = re.compile(
    r"\b(?:expir(?:e|es|ing|ation)|finish(?:es)?|applies|terminat(?:e|es|ing)|end(?:s|ing)?|"
    r"continu(?:es?|ing)|remains?|in\s+(?:full\s+force\s+and\s+)?effect|in\s+force|runs?|valid|term|"
    r"through|extends?)\b[^.;]{0,120}?\b(?:on|until|through|to|till|at\s+midnight\s+on|as\s+of|date\s+of|"
    r"is|means)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_ABOUT_TERM = re.compile(
    r"\b(?:term|agreement|contract|arrangement|engagement|appointment|licen[cs]e|lease)\b",
    re.IGNORECASE,
)
_COUNTS = {word: number for number, word in enumerate(CARDINALS, 1)} | {
    "fifteen": 15,
    "eighteen": 18,
    "twenty": 20,
    "twenty-four": 24,
    "thirty": 30,
    "thirty-six": 36,
}
_PERIOD = re.compile(
    r"\b(?:term|period|duration|continues?|remains?|effect|runs?|valid|force)\b[^.;]{0,120}?\b"
    rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})(?:\s*\((?P<digits>\d{{1,3}})\))?[\s-]*"
    r"(?P<unit>years?|months?)\b(?P<from>[^.;]{0,80}?\b(?:from|after|commencing|beginning|starting|"
    r"following|of)\b[^.;]{0,40}?)",
    re.IGNORECASE,
)
_RUNS = re.compile(
    r"\b(?:agreement|term)\b[^.;]{0,120}?\b(?:commenc|begin|effective|effect\b|start)(?P<begin>"
    r"[^.;]{0,160}?)\b(?:for|term\s+of|period\s+of)\s[^.;]{0,60}?\b"
    rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})(?:\s*\((?P<digits>\d{{1,3}})\))?[\s-]*"
    r"(?P<unit>years?|months?)\b",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"\b(?:commenc|begin|start|effective|(?:enter|come)s?\s+into|takes?\s+effect)\w*"
    r"(?![^.;]*\b(?:until|through|expir|terminat|end))[^.;]{0,30}$",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:elect|option|extended\s+(?:to|until)|payment|announcement)\b", re.IGNORECASE
)
_OWN_TERM = re.compile(
    r"\b(?:this\s+(?:\w+\s+){0,4}?agreement|the\s+agreement|(?:initial|effective)\s+term|the\s+term|"
    r"term\s+of|this\s+(?:contract|lease|licen[cs]e|amendment))\b",
    re.IGNORECASE,
)
_RENEWS = re.compile(
    r"\b(?:renew\w*|successive|additional|extend\w*|extension|notice|minimum|sell-off)\b", re.I
)
_PERIOD_START = re.compile(
    r"[^.;]{0,60}?\b(?:Effective\s+Date(?!\s+of\s+(?:such\s+|any\s+)?(?:terminat|expir))|Commencement\s+Date|date\s+hereof|date\s+of\s+this|"
    r"date\s+first\s+(?:above\s+)?written|Agreement\s+Date|execution\s+of\s+this|"
    r"date\s+of\s+execution)",
    re.IGNORECASE,
)
_ORDINAL = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:st|nd|rd|th))"
)
_SELF = re.compile(r"\b(?:This|THIS)\s+([\w&,’'/ -]{3,80}?(?i:agreement|lease|policy))")
_AMENDS = re.compile(
    rf"\b(?:{_ORDINAL}\s+)?(?:amendment|addendum|supplement)(?:\s+(?:no\.?|number|#)\s*\w+|\s+#\w+|"
    r"\s+[\dIVX]+)?(?:\s*\([^)]{0,60}\))?[\s,:]+to\s+(?:the\s+|that\s+certain\s+)?"
    r"(?P<what>[^.;()\"“]{5,160}?(?:agreement|contract|lease|licen[cs]e|note|indenture|plan)s?\b"
    r"(?:,?\s+(?:is\s+)?dated\s+(?:as\s+of\s+)?[^.;()\"“]{4,40}?\d{4})?)",
    re.IGNORECASE,
)
_AMENDED_TITLE = re.compile(
    r"(?P<what>[^:;\n]{5,100}?(?i:agreement|contract|lease|licen[cs]e)\b"
    r"(?:,?\s+dated\s+[^:;\n]{4,40}?\d{4})?)"
    r"\s*[:,–—-]\s*[^\n]{0,60}?(?i:amendment|addendum|variation)\b"
)
_AMENDED = re.compile(
    r"\b(?:amends?|amend\s+and\s+restate|modif(?:y|ies)|supplements?)\s+(?:and\s+restates?\s+)?"
    r"(?:the|that\s+certain)\s+(?P<what>[^.;()\"“]{5,160}?(?:Agreement|Contract|Lease|License)\b"
    r"(?:,?\s+dated\s+(?:as\s+of\s+)?[^.;()\"“]{4,40}?\d{4})?)",
)


def read_card(document: Document, outline: Outline) -> Card:
    """Read the contract's card; what the contract does not state is None."""
    text = document.text
    if not text.strip():
        return Card()
    lines = TextLines(document)
    title = find_title(lines, document)
    preamble = _preamble(text, outline, title)
    agreed = _agreement_date(text, preamble, title)
    effective = _effective_date(text, preamble, agreed)
    return Card(
        title=_title(text, title),
        type=_type(text, title, preamble),
        parties=find_parties(text, preamble),
        agreement_date=agreed,
        effective_date=effective,
        expiry_date=_expiry_date(text, effective, agreed),
        governing_law=find_governing_law(text),
        amends=_amends(text, title, preamble),
    )


def _title(text: str, title: Title | None) -> Fact[str] | None:
    if title is None:
        return None
    return Fact(" ".join(title.span.text_in(text).split()), title.span, title.confidence)


def _preamble(text: str, outline: Outline, title: Title | None) -> Span:
    """Return the text from the title to the recitals or the first clause.

    Where a cover and a table of contents stand above, it reaches to the contract's own opening.
    """
    start = title.span.start if title else 0
    if text[:start].rstrip().casefold().endswith("this"):  # named in the opening alone
        start = 0
    body = [
        node.span.start
        for node in outline.nodes
        if node.parent is None and node.span.start > start and _is_body(text, node)
    ]
    first = next((place for place in body if place >= start + 150), len(text))
    front = _CONSIDERED.search(text, start + 150, min(len(text), start + _FRONT))
    opening = _OPENS.search(text, start, front.start() if front else min(len(text), start + _FRONT))
    if opening is None:
        end = min(front.start() if front else first, start + _PREAMBLE, len(text))
        return Span(min(start, end), end)
    least = opening.end()
    recitals = _RECITALS.search(text, least, min(len(text), least + _PREAMBLE))
    first = next((place for place in body if place >= least + 150), len(text))
    end = min(recitals.start() if recitals else first, least + _PREAMBLE, len(text))
    return Span(min(start, end), end)


def _is_body(text: str, node: Node) -> bool:
    """Tell whether a node stands below the preamble: no title, no list of the parties."""
    if node.kind in (NodeKind.TITLE, NodeKind.PARAGRAPH) or node.label.startswith("("):
        return False
    return node.heading is None or node.heading.text_in(text).casefold() not in (
        "parties",
        "between",
    )


def _type(text: str, title: Title | None, preamble: Span) -> Fact[str] | None:
    if title:
        found = contract_type(title.span.text_in(text))
        if found:
            name, match = found
            return Fact(name, Span(*match.span()).shift(title.span.start), title.confidence)
    opening = Span(preamble.start, min(preamble.end, preamble.start + 600))
    named = re.search(
        r"\b[Tt](?:his|HIS)\s+([\w&,’'/ -]{3,80}?(?i:agreement|lease|policy))",
        opening.text_in(text),
    )
    found = contract_type(named.group(1)) if named else None
    if named is None or found is None:
        return None
    name, match = found
    return Fact(name, Span(*match.span()).shift(opening.start + named.start(1)), 0.5)


def _fact(found: WrittenDate, confidence: float) -> Fact[date]:
    return Fact(found.value, found.span, confidence)


def _agreement_date(text: str, preamble: Span, title: Title | None) -> Fact[date] | None:
    best: Fact[date] | None = None
    cited = title.span if title and _CITES.search(title.span.text_in(text)) else Span(0, 0)
    for found in find_dates(text, Span(0, preamble.end)):
        if _FOOTER.search(text, max(0, found.span.start - 120), found.span.start):
            continue
        if cited.overlaps(found.span):
            continue
        before = text[max(0, found.span.start - 120) : found.span.start]
        sure = _dates_the_contract(text, before, found)
        if sure >= _DATED and (best is None or sure > best.confidence):
            best = _fact(found, sure)
    if best and best.confidence >= _SURE:
        return best
    return _signed_on(text) or best


def _dates_the_contract(text: str, before: str, found: WrittenDate) -> float:
    """Say how surely a date at the top is the contract's, by the words before it."""
    alone = not before.rpartition("\n")[2].strip()
    if alone and _SALUTATION.search(text, found.span.end, found.span.end + 800):
        return 0.92
    if _OTHER_PAPER.search(before):
        return 0.3
    if _MADE.search(before[-90:]):
        return 0.85 if _EFFECTIVE_ONLY.search(before[-90:]) else 0.9
    if alone:
        return 0.6
    return 0.1 if _DURING.search(before[-30:]) else 0.4


def _signed_on(text: str) -> Fact[date] | None:
    """Return the day of signing: that of the closing words, or the last signature's."""
    start = max(0, len(text) - _CLOSING)
    for match in _EXECUTED.finditer(text, start // 2):
        dated = next(find_dates(text, Span(match.start(), match.end())), None)
        if dated:
            return _fact(dated, 0.7)
    last: WrittenDate | None = None
    for found in find_dates(text, Span(0, len(text))):
        around = text[max(0, found.span.start - 250) : found.span.end + 150]
        if _FOOTER.search(text, max(0, found.span.start - 120), found.span.start):
            continue
        if not _SIGNATURE_DATE.search(text, max(0, found.span.start - 40), found.span.start):
            continue
        if _SIGNATURE.search(around) and (last is None or found.value > last.value):
            last = found
    return _fact(last, 0.6) if last else None


def _effective_date(text: str, preamble: Span, agreed: Fact[date] | None) -> Fact[date] | None:
    for found in find_dates(text, preamble):
        if _EFFECTIVE_SOON.match(text, found.span.end):
            return _fact(found, 0.95)
    for match in _EFFECTIVE.finditer(text):
        near = Span(match.end(), min(len(text), match.end() + 60))
        defined = match.group()[0] in '"“'
        if match.start() > 3 * _PREAMBLE and not defined:
            continue
        dated = next(find_dates(text, near), None)
        if dated and not re.search(r"[.;]\s", text[match.end() : dated.span.start]):
            return _fact(dated, 0.9 if defined else 0.7)
        if defined and agreed and _SAME_DATE.match(text, match.end()):
            return Fact(agreed.value, Span(match.start(), near.end).strip(text), 0.8)
    if agreed and _AS_OF.search(text, max(0, agreed.span.start - 40), agreed.span.start):
        return Fact(agreed.value, agreed.span, 0.5)
    return None


def _expiry_date(
    text: str, effective: Fact[date] | None, agreed: Fact[date] | None
) -> Fact[date] | None:
    start = effective or agreed
    for found in find_dates(text, Span(0, len(text))):
        before = text[max(0, found.span.start - 160) : found.span.start]
        sentence = re.split(r"[.;]\s", before)[-1]
        ahead = start is None or found.value > start.value
        if not ahead or _STARTS.search(sentence) or _CHOICE.search(sentence):
            continue
        if _EXPIRES.search(sentence) and _ABOUT_TERM.search(sentence):
            return _fact(found, 0.75)
    return _computed(text, start)


def _computed(text: str, start: Fact[date] | None) -> Fact[date] | None:
    """Compute the expiry from a stated period and the date it runs from."""
    for match in _PERIOD.finditer(text):
        if not _of_term(text, match):
            continue
        after = Span(match.end(), min(len(text), match.end() + 40))
        where = _PERIOD_START.match(text, match.end())
        dated = next(find_dates(text, after), None)
        base = dated.value if dated else start.value if start and where else None
        if base:
            end = dated.span.end if dated else where.end() if where else match.end()
            return _end_of(match, base, Span(match.start(), end))
    for match in _RUNS.finditer(text):
        if not _of_term(text, match):
            continue
        dated = next(find_dates(text, Span(*match.span("begin"))), None)
        where = _PERIOD_START.match(text, match.start("begin"), match.end("begin"))
        base = dated.value if dated else start.value if start and where else None
        if base:
            return _end_of(match, base, Span(*match.span()))
    return None


def _of_term(text: str, match: re.Match[str]) -> bool:
    """Tell whether a period is the contract's own term, and no renewal, notice or sell-off."""
    lead = re.split(r"[.;]\s|\n\s*\n", text[max(0, match.start() - 120) : match.start()])[-1]
    said = lead + match.group()
    return bool(_OWN_TERM.search(said)) and not _RENEWS.search(said)


def _end_of(match: re.Match[str], base: date, span: Span) -> Fact[date] | None:
    count = int(match["digits"] or 0) or _count(match["count"])
    if not 0 < count <= 100 * 12:
        return None
    if match["unit"].lower().startswith("year"):
        return Fact(add_months(base, years=min(count, 100)), span, 0.6)
    return Fact(add_months(base, months=count), span, 0.6)


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS[word.lower()]


def _amends(text: str, title: Title | None, preamble: Span) -> Fact[str] | None:
    if title:
        named = _AMENDED_TITLE.match(text, title.span.start, title.span.end)
        if named:
            return Fact(_words(named), Span(*named.span("what")), 0.8)
        match = _AMENDS.search(text, title.span.start, min(len(text), title.span.end + 200))
        if match and match.start() <= title.span.end:
            return Fact(_words(match), Span(*match.span("what")), 0.9)
    for pattern, sure in ((_AMENDS, 0.8), (_AMENDED, 0.7)):
        match = pattern.search(text, preamble.start, min(preamble.end, preamble.start + 1_500))
        if match:
            return Fact(_words(match), Span(*match.span("what")), sure)
    return None


def _words(match: re.Match[str]) -> str:
    return " ".join(match["what"].split())
