"""Parties: who the preamble says the contract is between."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    r"AB|Oy|K\.K|KK|SE|S\.?\s?[ÀA]\.?\s?R\.?L|S\.?R\.?L|S\.?A\.?S|S/A|F\.?S\.?B|MHC|Pty|EURL|Bhd|"
    r"SpA|inc|llc|ltd|(?!U\.S)(?:[A-Z]\.){2,3}[A-Z])(?![\w’'])\.?"
)
_SUFFIX = (
    rf"(?:{_STRONG}|(?:Corporation|CORPORATION|Co|CO|Company|COMPANY|Trust|TRUST|Bank|BANK|"
    r"Partners(?:hip)?|PARTNERS(?:HIP)?|Association|ASSOCIATION|University|UNIVERSITY|Foundation|"
    r"FOUNDATION|Institute|INSTITUTE|Authority|Holdings?|HOLDINGS?|Group|GROUP|Fund|FUND|Society|"
    r"College|Organi[sz]ation|Commission|Council|Center|Centre)\b\.?)"
)
_BLANKS = r"(?:[^\S\n]{1,4}|[^\S\n]?\n(?!\s*\n)[^\S\n]{0,4})"
_WORD = (
    r"(?!(?:AND|And|BETWEEN|Between|DATED?|Dated?|WHEREAS|RECITALS?|Source|Attn|Attention|"
    r"Hereinafter|HEREINAFTER|EXHIBIT|TABLE|THIS|"
    r"By|BY|Name(?=:)|Title(?=:)|/s/)(?![\w’']))"
    r"(?:[A-Z0-9][\w’'./!+*®™&-]*|&|plc\b|(?:inc|llc|ltd)\b\.?|[a-z]\d+\b(?=[^\S\n][A-Z])|"
    r"[a-z][\w.-]*(?=,?[^\S\n](?:Inc|LLC|inc|Ltd|Corp|GmbH)\b)|"
    r"[a-z]{1,5}-?[A-Z][\w’'./!*®™&-]*|"
    r"\w+\.(?:com|COM|org|ORG|net)\b)"
)
_NAME = re.compile(
    rf"{_WORD}(?:(?:{_BLANKS}|,{_BLANKS}?(?={_SUFFIX})|[^\S\n][/–-][^\S\n](?=[A-Z][A-Za-z])|"
    rf",?(?:{_BLANKS})?\((?!the\s)[A-Z][\w.& -]{{1,24}}\){_BLANKS}?"
    rf"(?=(?:(?!An?\b)[A-Z][\w&.,-]*[^\S\n]){{0,3}}{_SUFFIX})|"
    rf",{_BLANKS}(?=[A-Z][\w’'-]+{_BLANKS}(?:&|and){_BLANKS}[A-Z][\w’'-]+,?{_BLANKS}{_SUFFIX})|"
    rf"{_BLANKS}(?:of|the|de|for|and|van|von|y|AND|OF|THE|FOR)(?:[^\S\n](?:the|THE|la))?[^\S\n]{{1,3}}(?=[A-Z])){_WORD})*",
)
_ENDS_WITH_SUFFIX = re.compile(rf"(?<!\w){_SUFFIX}$")
_ABBREVIATED = re.compile(r"(?:\b(?i:Inc|Corp|Ltd|Co)|\.\w|\b[A-Z])\.$")
_COMPANY_END = re.compile(rf"(?<=[\s,]){_STRONG}(?!,?\s+{_SUFFIX})(?=\s)")
_ADDRESS = re.compile(r"(?<=(?:tion|pany|TION|PANY))\s+\d{1,5}\s")
_DESCRIBED = re.compile(r"\b[Aa]n?\s+$|[\"“]$")
_SUFFIX_ALONE = re.compile(_SUFFIX)
_SENTENCE_END = re.compile(
    r"(?<=[a-z\dA-Z]{2})\.(?=[^\S\n]+[A-Z][a-z]+\b)(?<!\bInc\.)(?<!\bINC\.)(?<!\bLtd\.)(?<!\bLTD\.)(?<!\bCorp\.)"
    r"(?<!\bCORP\.)(?<!\bCo\.)(?<!\bCO\.)(?<!\bSt\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bEtc\.)"
    r"(?<!\bBros\.)(?<!\bIntl\.)(?<!\bInt'l\.)(?<!\bMfg\.)(?<!\bNo\.)(?<!\bJr\.)(?<!\bPte\.)(?<!\bPty\.)"
)
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
    r"(?:[\s,;:_*]+|and\b|AND\b|And\b|(?:the|THE)\s+|The\s+(?!\w+\s+of\b)|\((?:\w{1,3})\)|\d\.\s|[a-z]\)\s|"
    r"(?:each|both)\s+of\b|on\s+the\s+one\s+hand|on\s+the\s+other\s+hand|(?:Mr|Ms|Mrs|Dr)\.\s|"
    r"the\s+following\s+parties|the\s+parties\s+(?:below|hereto))+"
)
_NEXT = re.compile(
    r"(?:[,;)\"”.]?[-–—\s*]+(?:and|AND|And)[-–—\s:*,]+(?:\(\w{1,3}\)\s*)?(?:between\s+)?(?:the\s+)?"
    r"(?=\S)|;\s*|"
    r"\)\s*,\s*(?=[A-Z])|[,;]\s+(?:and\s+)?(?=\([a-z\d]\)\s)|\n\s*\n\s*|[).;,]*\s*\n\s*(?=\(\d\)))"
)
# A list of names alone, "X, Inc., Y, LLC and Z": the next starts right after the comma.
_LISTED = re.compile(
    rf"(?P<comma>,\s+)(?!an?\s|the\s)[A-Z][\w’'.&-]*(?:[^\S\n][A-Z&][\w’'.&-]*){{0,6}},?[^\S\n]{_STRONG}(?=[,\s])"
)
_NO_PARTY = re.compile(
    r"^(?:\d{1,3}(?:\.\d+)?\s|(?:U\.S\.A|USA|U\.S|P\.?R\.?C)\.?$|This|THIS|The(?!\s+\w+\s+of\b)|Agreement|AGREEMENT|Effective|Party|Parties|PARTIES|PARTY|WHEREAS|Whereas|"
    r"RECITALS?|Date|DATE|Section|Article|Exhibits?|Exchange\s+Commission|Securities\s+and\s+Exchange|You|In|IN|NOW|Now|WITNESSETH|Background|BACKGROUND|"
    r"EFFECTIVE|Each|Both|As|Dated|DATED|Wales|TABLE|State|County|Street|Suite|It|If|A(?=\s)|An|"
    r"January|February|March|April|May|June|July|August|September|October|November|December|Germany|Attention|Hereafter|"
    r"Hereinafter|PURPOSE|Purpose|Address|ADDRESS|Name|NAME|Client\s+Name|Signature|By)\b"
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
        *("operator", "merchant", "subcontractor", "partner", "participant", "stockholder", "you"),
        *("shareholder", "corporation", "trust", "fund", "party", "vendor", "institution", "us"),
        *("representative", "underwriter", "investor", "parent", "assignor", "assignee", "artist"),
    ]
)
# Where the sentence goes on to another contract and its parties.
_ANOTHER = re.compile(
    r"\b(?:amendment|agreement|Agreement)\s+(?:dated|made|entered|by\s+and|between|among)\b|\bamendment\s+to\b"
)
_SIGNATURES = 40_000  # characters in which signatures stand, at most
_WHEREOF = re.compile(
    r"\b(?:WITNESS|witness|evidence)\s+(?:WHEREOF|whereof)|^Dated?:", re.MULTILINE
)
_SIGNS = re.compile(r",?\s{1,20}(?:an?\s[^\n:]{0,60}\s)?(?:By\b|BY\b|/[sS]/)")
_COMPANY_CLOSES = re.compile(rf"(?<=[\s,]){_SUFFIX}(?!,?\s+{_SUFFIX})(?=\s|$)")
_SIGNER = re.compile(
    r"\b(?:Signatory|Officer|Director|President|Member|Manager|Secretary|Treasurer|Counsel|Partner|Person|"
    r"Attorney|CEO|CFO|(?:19|20)\d\d\.?)\s+"
)
_BEFORE_NAME = re.compile(
    r"(?:[\d.]+\s+|Authori[sz]ed\s+\w+\s+|(?:President|Director|Title|CEO|CFO)\s+)+"
)
_LABEL = re.compile(
    r"(?:(?P<label>Party\s+[A-D1-4])(?:\s*\([^()]{1,30}\))?|\b(?P<role>(?i:licensor|licensee|lessor|"
    r"lessee|customer|client|supplier|seller|buyer|company|vendor|consultant|distributor|landlord|"
    r"tenant|sponsor|employer|contractor|provider|shipper|sender|agent|lender|borrower))"
    r"(?:\s+[Nn]ame)?)\s*:\s*(?:[Tt]he\s+)?"
)
_GIVEN = re.compile(r",?\s{0,3}\((?:the\s+|hereinafter\s+)?[\"“](?P<short>[^\"“”\n]{1,40})[\"”]")
_LED = re.compile(r"\b(?:of|by|for|with|under|from|between|to|in)\s+(?:the\s+)?$", re.IGNORECASE)
_BLANK = re.compile(r"(?:_{2,}|\.{4,}|…+|\[[^\]\n]{0,60}\]|<[^>\n]{1,60}>)[_.\s…]*")
_OTHER_BLANK = re.compile(
    r"[\s,;)–-]and[\s–-]+(?:(?:the\s+)?(?:undersigned|party|entity|individual|person|company)\b|you\b|"
    r"the\s+\w+,?\s+as\s+(?:identified|set\s+forth)|\(?2?\)?\s*(?:_{2,}|\.{4,}|…+|\[|<|\n\s*\(?hereinafter|"
    r"with\s+offices\b|\(hereinafter))|^\s*and\s*[_\[(]",
    re.MULTILINE,
)
_MENTIONED = re.compile(r"\b(?:by|of|under)\s+(?:the\s+)?$")  # "insured by the … ("FDIC")"
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
            return _with_others(text, found)
    return (
        _between(text, preamble)
        or _labelled(text, preamble)
        or _by_short_names(text, preamble)
        or _signed(text)
    )


def _with_others(text: str, found: tuple[Fact[Party], ...]) -> tuple[Fact[Party], ...]:
    """Add the companies between the parties that are given a short name right after theirs."""
    limit = found[-1].span.start
    names = {fact.value.name.casefold() for fact in found}
    shorts = {fact.value.short.casefold() for fact in found}
    others = []
    for match in _NAME.finditer(text, found[0].span.end, limit):
        given = _GIVEN.match(text, match.end(), min(limit, match.end() + 80))
        span = _name(text, match.start(), limit) if given else None
        if given is None or span is None or _NO_SHORT.search(given["short"]):
            continue
        known = any(span.overlaps(fact.span) for fact in found)
        led = _LED.search(text, max(0, span.start - 30), span.start)
        said = span.of(text).casefold()
        if known or led or " for " in said or said in names or given["short"].casefold() in shorts:
            continue
        if _ENDS_WITH_SUFFIX.search(span.of(text)):
            others.append(_fact(text, span, given["short"]))
            names.add(said)
    return tuple(sorted((*found, *others), key=lambda fact: fact.span)) if others else found


def _labelled(text: str, preamble: Span) -> tuple[Fact[Party], ...]:
    """Read parties from labels, as in "Party A: …", "Licensor: …" or "… (… as Party A)"."""
    found: dict[str, Fact[Party]] = {}
    for match in _LABEL.finditer(text, preamble.start, preamble.end):
        label = match["label"] or match["role"]
        span = _name(text, match.end(), preamble.end)
        if span is None or _only_roles(span.of(text).casefold()) or label in found:
            continue
        short = match["label"] or ""
        fact = _fact(text, span, short)
        role = (match["role"] or "").title()
        found[label] = Fact(Party(fact.value.name, short or role, role), span, 0.7)
    return tuple(found.values()) if len(found) > 1 else ()


def _signed(text: str) -> tuple[Fact[Party], ...]:
    """Read the companies that sign, for papers made by "the undersigned"."""
    found: dict[str, Fact[Party]] = {}
    tail = max(0, len(text) - _SIGNATURES)
    whereof = [match.end() for match in _WHEREOF.finditer(text, tail)]
    for match in _NAME.finditer(text, whereof[0] if whereof else tail):
        led = text[max(0, match.start() - 6) : match.start()]
        if "By" in led or not _SIGNS.match(text, match.end()):
            continue
        for span in _companies(text, Span(*match.span())):
            fact = _fact(text, span, "")
            found.setdefault(fact.value.name.casefold(), Fact(fact.value, span, 0.4))
    return tuple(found.values())


def _companies(text: str, span: Span) -> Iterator[Span]:
    """Yield the companies that a run of capitalised words names, without signers' titles."""
    start = span.start
    for end in _COMPANY_CLOSES.finditer(text, span.start, span.end):
        titled = [*_SIGNER.finditer(text, start, end.end())]
        first = titled[-1].end() if titled else start
        numbered = _BEFORE_NAME.match(text, first, end.end())
        first = numbered.end() if numbered else first
        if end.end() - first > len(end.group()) + 2:
            yield Span(first, end.end()).strip(text)
        start = end.end()


def _between(text: str, preamble: Span) -> tuple[Fact[Party], ...]:
    """Read the parties after each word such as "between", and return the surest list."""
    best: tuple[Fact[Party], ...] = ()
    for cue in islice(_CUE.finditer(text, preamble.start, preamble.end), _CUES):
        found = _after(text, cue.end(), preamble.end)
        alone = cue.group().lower().startswith(("made", "entered")) or _faces_blank(text, found)
        if len(found) < 2 and not alone:
            continue
        if _sureness(found) > _sureness(best) + 0.1:
            best = found
        if _sureness(best) >= 0.95:
            break
    return best


def _faces_blank(text: str, found: tuple[Fact[Party], ...]) -> bool:
    """Tell whether one party is named and the place of the other is empty, as in a form."""
    if len(found) != 1:
        return False
    end = found[0].span.end
    return bool(_OTHER_BLANK.search(text, end, min(len(text), end + 700)))


def _sureness(found: tuple[Fact[Party], ...]) -> float:
    return sum(fact.confidence for fact in found[:2]) / 2


def _after(text: str, offset: int, limit: int) -> tuple[Fact[Party], ...]:
    found: list[Fact[Party]] = []
    while offset < limit and len(found) < _MOST:
        skipped = _SKIP.match(text, offset, limit)
        offset = skipped.end() if skipped else offset
        blank = _BLANK.match(text, offset, limit)
        if blank and not found:
            stop, _ = _until(text, blank.end(), limit)
            if stop is None:
                break
            offset = stop
            continue
        span = _name(text, offset, limit)
        if span is None:
            break
        said = " ".join(span.of(text).split()).casefold()
        names = [name.casefold() for f in found for name in (f.value.short, f.value.name)]
        if _only_roles(said) or any(name == said or name.startswith(f"{said} ") for name in names):
            break
        stop, short = _until(text, span.end, limit)
        found.append(_fact(text, span, short))
        if stop is None:
            break
        offset = stop
    return tuple(found)


def _only_roles(said: str) -> bool:
    """Tell whether words name nobody, only roles: "Consultant and Company"."""
    return all(each.removeprefix("the ") in ROLES for each in re.split(r"\s+and\s+|,\s+", said))


def _name(text: str, offset: int, limit: int) -> Span | None:
    match = _NAME.match(text, offset, limit)
    if match is None or _NO_PARTY.match(match.group()):
        return None
    end = match.end()
    address = _ADDRESS.search(text, match.start(), min(limit, end + 1))
    if address:
        end = address.start()
    closed = _COMPANY_END.search(text, match.start() + 1, min(limit, end + 1))
    if closed and closed.end() < end:
        end = closed.end()
    for joint in _AND_INSIDE.finditer(text, match.start(), end):
        before = text[match.start() : joint.start()]
        if _ENDS_WITH_SUFFIX.search(before):
            end = joint.start()
            break
    sentence = _SENTENCE_END.search(text, match.start(), end)
    if sentence:
        end = sentence.start()
    if text[end - 1] == "." and not _ABBREVIATED.search(text, match.start(), end):
        end -= 1
    while end > match.start() and text[end - 1] in "*_":  # bold type in Markdown
        end -= 1
    span = Span(match.start(), max(match.start(), end))
    words = span.of(text)
    if _DESCRIBED.search(text, max(0, span.start - 4), span.start):
        return None
    if (
        len(words) < 2
        or len(words) > 120
        or _SUFFIX_ALONE.fullmatch(words)
        or not any(char.isalpha() for char in words)
    ):
        return None
    return span


def _until(text: str, offset: int, limit: int) -> tuple[int | None, str]:
    """Return where the next party may start, and the short name given before that."""
    listed = _LISTED.match(text, offset, limit)
    if listed:
        return listed.end("comma"), ""
    named = _short(text, offset, min(limit, offset + 700))
    following = None
    for step in _NEXT.finditer(text, offset, min(limit, offset + 900)):
        if text[max(0, step.start() - 7) : step.start()].endswith("England"):
            continue
        between = text[offset : step.end()]
        if between.count("(") > between.count(")") and step.group()[0] != ")":
            continue
        if _ANOTHER.search(text, offset, step.end()):
            break
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
        direct = step.start() - offset <= 1 and "and" in step.group().lower()
        certain = _ENDS_WITH_SUFFIX.search(candidate.of(text)) or near or direct
        if certain or (close and not paragraph):
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
        if not companies:
            continue
        last = companies[-1]
        numbered = re.match(r"\d{1,2}\.\s+", last.group())
        span = Span(last.start() + (numbered.end() if numbered else 0), last.end())
        said = span.of(text).casefold()
        mentioned = _MENTIONED.search(text, max(0, span.start - 12), span.start)
        described = _DESCRIBED.search(text, max(0, span.start - 4), span.start)
        if _only_roles(said) or mentioned or described or _SUFFIX_ALONE.fullmatch(span.of(text)):
            continue
        fact = _fact(text, span, match.group("short"))
        found.setdefault(fact.value.name, Fact(fact.value, fact.span, 0.5))
    return tuple(found.values())[:_MOST]
