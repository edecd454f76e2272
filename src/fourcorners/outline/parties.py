"""Parties: who the preamble says the contract is between."""

from __future__ import annotations

import re
from itertools import islice

from fourcorners.outline.card import Fact, Party
from fourcorners.text.span import Span

_CUE = re.compile(
    r"\b(?:by\s+and\s+(?:between|among)(?:st)?|between|among(?:st)?|BY\s+AND\s+(?:BETWEEN|AMONG)|"
    r"BETWEEN|AMONG|Between|Among|PARTIES|Parties(?=\s*:?\s*\n)|entered\s+into\s+by|made\s+by)\b(?:\s+and\s+among)?:?",
)
_STRONG = (
    r"(?:Inc(?:orporated)?|INC(?:ORPORATED)?|L\.?\s?L\.?\s?C|Ltd|LTD|Limited|LIMITED|Corp|CORP|"
    r"L\.?L?\.?P|N\.?A|S\.?A\.?R\.?L|S\.?A|S\.?p\.?A|GmbH|GMBH|AG|B\.?V|N\.?V|PLC|plc|Plc|A/S|"
    r"AB|Oy|K\.K|KK|SE)(?![\w’'])\.?"
)
_SUFFIX = (
    rf"(?:{_STRONG}|(?:Corporation|CORPORATION|Co|CO|Company|COMPANY|Trust|TRUST|Bank|BANK|"
    r"Partners(?:hip)?|PARTNERS(?:HIP)?|Association|ASSOCIATION|University|UNIVERSITY|Foundation|"
    r"FOUNDATION|Institute|INSTITUTE|Authority|Holdings?|HOLDINGS?|Group|GROUP)\b\.?)"
)
_BLANKS = r"(?:[^\S\n]{1,4}|[^\S\n]?\n(?!\s*\n)[^\S\n]{0,4})"
_WORD = (
    r"(?!(?:AND|And|BETWEEN|Between|DATED?|Dated?|WHEREAS|RECITALS?|Source|Attn|Attention|"
    r"Hereinafter|HEREINAFTER|EXHIBIT|TABLE|THIS)\b)"
    r"(?:[A-Z0-9][\w’'./!+*®™&-]*|&|plc\b|[a-z]+[A-Z]\w*|\w+\.(?:com|COM|org|ORG|net)\b)"
)
_NAME = re.compile(
    rf"{_WORD}(?:(?:{_BLANKS}|,{_BLANKS}?(?={_SUFFIX})|"
    rf"{_BLANKS}(?:of|the|de|for|and|van|von|y|AND|OF|THE|FOR)[^\S\n]{{1,3}}(?=[A-Z])){_WORD})*",
)
_ENDS_WITH_SUFFIX = re.compile(rf"(?<!\w){_SUFFIX}$")
_ABBREVIATED = re.compile(r"(?:\b(?i:Inc|Corp|Ltd|Co)|\.\w|\b[A-Z])\.$")
_COMPANY_END = re.compile(rf"(?<=[\s,]){_STRONG}(?!,?\s+{_SUFFIX})(?=\s)")
_AND_INSIDE = re.compile(r"\s+(?:and|AND|And)\s+")
_SHORT = re.compile(
    r"(?:\(|\[|\b(?:herein(?:after|below)?|referred\s+to)\b)[^()\"“”]{0,90}[\"“”‘'](?P<short>[^\"“”’'\n]{1,60}?)"
    r"[,.]?[\"“”’'](?:[^()\"“”]{0,40}[\"“”](?P<other>[^\"“”\n]{1,60}?)[,.]?[\"“”])?"
)
_BARE_SHORT = re.compile(
    r"\((?:the\s+|hereinafter\s+(?:the\s+)?)?"
    r"(?P<short>[A-Z][\w’'-]+(?:[^\S\n][A-Z][\w’'-]*){0,2})\)"
)
_SKIP = re.compile(
    r"(?:[\s,;:_*]+|and\b|AND\b|And\b|(?:the|The|THE)\s+(?!\w+\s+of\b)|\((?:\w{1,3})\)|\d\.\s|[a-z]\)\s|"
    r"(?:each|both)\s+of\b|on\s+the\s+one\s+hand|on\s+the\s+other\s+hand|(?:Mr|Ms|Mrs|Dr)\.\s)+"
)
_NEXT = re.compile(
    r"(?:[,;)\"”.]?\s*[-–—\s](?:and|AND|And)[-–—\s:]+(?:\(\w{1,3}\)\s*)?(?:between\s+)?(?:the\s+)?"
    r"(?=\S)|;\s*|"
    r"\)\s*,\s*(?=[A-Z])|\n\s*\n\s*|[).;,]*\s*\n\s*(?=\(\d\)))"
)
_NO_PARTY = re.compile(
    r"^(?:This|THIS|The|Agreement|AGREEMENT|Effective|Party|Parties|PARTIES|PARTY|WHEREAS|Whereas|"
    r"RECITALS?|Date|DATE|Section|Article|Exhibit|In|IN|NOW|Now|WITNESSETH|Background|BACKGROUND|"
    r"EFFECTIVE|Each|Both|As|Dated|DATED|Wales|TABLE|State|County|Street|Suite|It|If|A|An|"
    r"January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_NO_SHORT = re.compile(
    r"\b(?:agreement|contract|effective date|part(?:y|ies)|amendment|date|lease|term|license|"
    r"territory|products?|collectively|closing)\b",
    re.IGNORECASE,
)
ROLES = frozenset(
    [
        *("supplier", "buyer", "seller", "purchaser", "customer", "client", "vendor", "provider"),
        *("licensor", "licensee", "distributor", "manufacturer", "reseller", "dealer", "agent"),
        *("principal", "consultant", "contractor", "company", "employer", "employee", "executive"),
        *("landlord", "tenant", "lessor", "lessee", "lender", "borrower", "guarantor", "bank"),
        *("franchisor", "franchisee", "sponsor", "promoter", "publisher", "developer", "owner"),
        *("service provider", "recipient", "disclosing party", "receiving party", "transporter"),
        *("shipper", "carrier", "host", "affiliate", "marketing affiliate", "endorser", "producer"),
        *("sub-advisor", "advisor", "adviser", "trustee", "depositor", "servicer", "issuer"),
        *("representative", "underwriter", "investor", "parent", "assignor", "assignee", "artist"),
    ]
)
_MOST = 12
_CLOSE = 60  # characters from a party's short name to the next party's name
_CUES = 8  # words such as "between" to try, at most
_OPENING = re.compile(
    r"\b(?:THIS|This)\s+[^.;]{0,160}?\b(?:AGREEMENT|Agreement|CONTRACT|Contract|LEASE|Lease|"
    r"AMENDMENT|Amendment|ADDENDUM|Addendum|DEED|Deed|agreement)\b"
)


def find_parties(text: str, preamble: Span) -> tuple[Fact[Party], ...]:
    """Find the parties named in the preamble, with the short names it gives them.

    The sentence that opens the contract is read first, the cover above it only if that gives none.
    """
    opening = _OPENING.search(text, preamble.start, preamble.end)
    if opening:
        found = _between(text, Span(opening.start(), preamble.end))
        if found:
            return found
    return _between(text, preamble) or _by_short_names(text, preamble)


def _between(text: str, preamble: Span) -> tuple[Fact[Party], ...]:
    """Read the parties after each word such as "between", and return the surest list."""
    best: tuple[Fact[Party], ...] = ()
    for cue in islice(_CUE.finditer(text, preamble.start, preamble.end), _CUES):
        found = _after(text, cue.end(), preamble.end)
        if len(found) < 2 and not cue.group().lower().startswith(("made", "entered")):
            continue
        if _sureness(found) > _sureness(best) + 0.1:
            best = found
        if _sureness(best) >= 0.95:
            break
    return best


def _sureness(found: tuple[Fact[Party], ...]) -> float:
    return sum(fact.confidence for fact in found[:2]) / 2


def _after(text: str, offset: int, limit: int) -> tuple[Fact[Party], ...]:
    found: list[Fact[Party]] = []
    while offset < limit and len(found) < _MOST:
        skipped = _SKIP.match(text, offset, limit)
        offset = skipped.end() if skipped else offset
        span = _name(text, offset, limit)
        if span is None:
            break
        said = " ".join(span.of(text).split()).casefold()
        if any(said in (f.value.short.casefold(), f.value.name.casefold()) for f in found):
            break
        stop, short = _until(text, span.end, limit)
        found.append(_fact(text, span, short))
        if stop is None:
            break
        offset = stop
    return tuple(found)


def _name(text: str, offset: int, limit: int) -> Span | None:
    match = _NAME.match(text, offset, limit)
    if match is None or _NO_PARTY.match(match.group()):
        return None
    end = match.end()
    closed = _COMPANY_END.search(text, match.start(), min(limit, end + 1))
    if closed and closed.end() < end:
        end = closed.end()
    for joint in _AND_INSIDE.finditer(text, match.start(), end):
        before = text[match.start() : joint.start()]
        if _ENDS_WITH_SUFFIX.search(before):
            end = joint.start()
            break
    if text[end - 1] == "." and not _ABBREVIATED.search(text, match.start(), end):
        end -= 1
    span = Span(match.start(), max(match.start(), end))
    words = span.of(text)
    if len(words) < 2 or len(words) > 120 or not any(char.isalpha() for char in words):
        return None
    return span


def _until(text: str, offset: int, limit: int) -> tuple[int | None, str]:
    """Return where the next party may start, and the short name given before that."""
    named = _short(text, offset, min(limit, offset + 700))
    following = None
    for step in _NEXT.finditer(text, offset, min(limit, offset + 900)):
        if text[max(0, step.start() - 7) : step.start()].endswith("England"):
            continue
        inside = named is not None and step.start() > named.start()
        close = named is not None and inside and step.start() - named.end() < _CLOSE
        skipped = _SKIP.match(text, step.end(), limit)
        candidate = _name(text, skipped.end() if skipped else step.end(), limit)
        paragraph = not step.group().strip(' ,;)"”.\n\t\xa0')
        if candidate is None:
            if paragraph and inside:
                break
            continue
        near = _short(text, candidate.end, min(limit, candidate.end + 60))
        if _ENDS_WITH_SUFFIX.search(candidate.of(text)) or near or (close and not paragraph):
            following = step.end()
            break
        if paragraph and inside:
            break
    if named is None or (following is not None and named.start() >= following):
        return following, ""
    return following, _short_name(named)


def _short(text: str, start: int, end: int) -> re.Match[str] | None:
    """Find the first short name in brackets, with quotation marks or without."""
    quoted, bare = _SHORT.search(text, start, end), _BARE_SHORT.search(text, start, end)
    if quoted and bare:
        return min(quoted, bare, key=lambda match: match.start())
    return quoted or bare


def _short_name(match: re.Match[str]) -> str:
    short = match.group("short")
    other = match.groupdict().get("other")
    return other or "" if _NO_SHORT.search(short) else short


def _fact(text: str, span: Span, short: str) -> Fact[Party]:
    words = " ".join(span.of(text).split())
    short = " ".join(short.split())
    if _NO_SHORT.search(short):
        short = ""
    role = short if short.lower().removeprefix("the ") in ROLES else ""
    sure = 0.5 + 0.25 * bool(_ENDS_WITH_SUFFIX.search(words)) + 0.2 * bool(short)
    return Fact(Party(words, short, role), span, round(sure, 2))


def _by_short_names(text: str, preamble: Span) -> tuple[Fact[Party], ...]:
    """Find companies that are given a short name, where no words such as "between" lead them."""
    found: dict[str, Fact[Party]] = {}
    for match in _SHORT.finditer(text, preamble.start, preamble.end):
        if _NO_SHORT.search(match.group("short")):
            continue
        start = max(preamble.start, match.start() - 200)
        companies = [
            name
            for name in _NAME.finditer(text, start, match.start())
            if _ENDS_WITH_SUFFIX.search(name.group()) and not _NO_PARTY.match(name.group())
        ]
        if companies:
            fact = _fact(text, Span(*companies[-1].span()), match.group("short"))
            found.setdefault(fact.value.name, Fact(fact.value, fact.span, 0.5))
    return tuple(found.values())[:_MOST]
