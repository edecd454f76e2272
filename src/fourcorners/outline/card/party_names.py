"""Recognise the names of parties, the short names that contracts give them, and roles."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from fourcorners.outline.card.card import Fact, Party
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

MAX_PARTIES = 12  # a longer list is not a preamble
MAX_NAMES_TESTED = 100  # short names that are tested for acting in the contract
_MINOR = r"(?:d\.o\.o|s\.r\.o|a\.s|r\.l|sp\.[^\S\n]?z[^\S\n]?o\.?[^\S\n]?o)\b\.?"
STRONG = (
    rf"(?:{_MINOR}|"
    r"(?i:limited\s+liability\s+(?:company|partnership)|limited\s+partnership|national\s+association)\b|"
    r"S\.?\s?A\.?(?:B\.?)?(?:\s+de\s+C\.?V\b)|S\.\s+de\s+R\.?L\.?(?:\s+de\s+C\.?V\b)?|"
    r"(?:GmbH|AG|SE)\s+&\s+Co\.?\s+(?:KG(?:aA)?|OHG)|KG(?:aA)?|Sdn\.?\s+Bhd|P(?:vt|te|ty)\.?\s+Ltd|"
    r"Kft|Zrt|Nyrt|Ltda|Lt[ée]e|ApS|ASA|Oyj|LLLP|PBC|DAC|Aktiengesellschaft|Inc(?:orporated)?|INC(?:ORPORATED)?|L\.?\s?L\.?\s?C|Ltd|LTD|Limited|LIMITED|Corp|CORP|"
    r"L\.?L?\.?P|N\.?A|S\.?A\.?R\.?L|S\.?A|S\.?p\.?A|GmbH|GMBH|AG|B\.?V|N\.?V|PLC|plc|Plc|A/S|"
    r"AB|Oy|K\.K|KK|SE|S\.?\s?[ÀAà]\.?\s?[Rr]\.?[Ll]|S\.?R\.?L|S\.?A\.?S|S/A|F\.?S\.?B|MHC|Pty|EURL|Bhd|"
    r"SpA|inc|llc|ltd|(?!U\.S)(?:[A-Z]\.){2,3}[A-Z])(?![\w’'])\.?"
)
SUFFIX = (
    rf"(?:{STRONG}|(?:Corporation|CORPORATION|Co|CO|Company|COMPANY|Trust|TRUST|Bank|BANK|"
    r"Partners(?:hip)?|PARTNERS(?:HIP)?|Association|ASSOCIATION|University|UNIVERSITY|Foundation|"
    r"FOUNDATION|Institute|INSTITUTE|Authority|Holdings?|HOLDINGS?|Group|GROUP|Fund|FUND|Society|"
    r"College|Organi[sz]ation|Commission|Council|Center|Centre)\b\.?)"
)
FORM = (
    rf"(?:{STRONG}|(?:Corporation|CORPORATION|Company|COMPANY|Co|CO|Association|ASSOCIATION)\b\.?)"
)
_BLANKS = (  # or a line of dashes, by which old filings underline
    r"(?:(?:[^\S\n]{0,90}\n)?[^\S\n]{1,90}-{3,}[^\S\n]{1,4}|[^\S\n]{1,4}|"
    r"[^\S\n]?\n(?!\s*\n|\s*\d+\s)[^\S\n]{0,4})"
)
_WORD = (
    r"(?!(?:AND|And|BETWEEN|Between|DATED?|Dated?|WHEREAS|RECITALS?|Source|Attn|Attention|"
    r"Hereinafter|HEREINAFTER|EXHIBIT|TABLE|THIS|"
    r"By|BY|Name(?=:)|Title(?=:)|/s/)(?![\w’']))"
    rf"(?:[A-Z0-9][\w’'./!+*®™&-]*|&|plc\b|(?:inc|llc|ltd)\b\.?|{_MINOR}|"
    r"[a-z]\d+\b(?=[^\S\n][A-Z])|"
    r"[a-z][\w.-]{0,60}+(?=,?[^\S\n](?:Inc|LLC|inc|Ltd|Corp|GmbH)\b)|"
    r"(?<![\w.])(?!(?:[ie]\.[eg]|[afnd]\.[kb]\.a|[ap]\.m)\b)[a-z]\w{0,2}(?:\.[^\W\d_A-Z]+)+\.?"
    rf"(?:[^\S\n][^\W\d_A-Z]+){{0,3}}(?=,?[^\S\n](?:{STRONG}|[A-Z]))|"
    r"[a-z]{1,5}-?[A-Z][\w’'./!*®™&-]*|"
    r"\w{1,60}+\.(?:com|COM|org|ORG|net)\b)"
)
NAME = re.compile(
    rf"{_WORD}(?:(?:{_BLANKS}|,{_BLANKS}?(?={SUFFIX})|[^\S\n][/–-][^\S\n](?=[A-Z][A-Za-z])|"
    rf",?(?:{_BLANKS})?\((?!the\s)[A-Z][\w.& -]{{1,24}}\),?{_BLANKS}?"
    rf"(?=(?:(?!An?\b)[A-Z][\w&.,-]*[^\S\n]){{0,3}}{SUFFIX})|"
    rf",{_BLANKS}(?=(?:[A-Z][\w’'-]+,{_BLANKS}){{1,3}}[A-Z][\w’'-]+{_BLANKS}&{_BLANKS}[A-Z][\w’'-]+,?{_BLANKS}{SUFFIX})|"
    rf",{_BLANKS}(?=[A-Z][\w’'-]+{_BLANKS}(?:&|and){_BLANKS}[A-Z][\w’'-]+,?{_BLANKS}{SUFFIX})|"
    rf"{_BLANKS}(?:of|the|de|for|and|van|von|y|AND|OF|THE|FOR)(?:[^\S\n](?:the|THE|la))?[^\S\n]{{1,3}}(?=[A-Z])){_WORD})*",
)
ENDS_WITH_SUFFIX = re.compile(rf"(?<!\w){SUFFIX}$")
ENDS_WITH_FORM = re.compile(rf"[\s,]*(?<!\w){FORM}$")
CLOSED = re.compile(rf"(?<!\w){STRONG}$")
HAS_FORM = re.compile(rf"(?<!\w)(?:{FORM}(?=\s|$)|{SUFFIX}$)")
_PATTERNS = load_patterns("fourcorners.outline.card", "party_names")
_COMPANY_END = re.compile(
    rf"(?<=[\s,]){STRONG}(?:\s+of\s+[A-Z]\w+(?=,?\s+(?:an?\s|\())|\s+[IVX]{{1,4}}\b(?!\.))?(?!,?\s+{SUFFIX})(?=[\s,])"
)
DESCRIBED = _PATTERNS["described"]
SUFFIX_ALONE = re.compile(SUFFIX)
NO_PARTY = _PATTERNS["no_party"]
NO_SHORT = _PATTERNS["no_short"]
SHORT = _PATTERNS["short"]
SHORT_FORMS = (
    ("incorporated", "inc"),
    ("limited", "ltd"),
    ("corporation", "corp"),
    ("company", "co"),
)
_COMMON_KEYS = frozenset(("usa", "operatingpartnership", "thecompany", "company"))
PRONOUNS = frozenset({"we", "us", "our", "you", "your"})
_QUOTED = re.compile(r"[\"“]([A-Z][^\"”,\n]{1,40}),?[\"”]")
_BRACKET = 120  # characters of the names in a bracket
_LIST = 1_500  # characters around a party that hold the others of its list
_REACH = 400  # maximum characters of a name, including underlined ones
_ACTS = r"(?:shall|will|agrees|may|must|hereby|represents|acknowledges|undertakes|grants|desires)"
_BOUND = re.compile(
    r"(?:\b(?:[Tt]he|THE)\s+|\b)([A-Z][\w’'-]{0,60}(?:[^\S\n]+[A-Z][\w’'-]{0,60}){0,2}),?\s+"
    rf"{_ACTS}\b(?!\s+(?:be|mean)\b)"
)
_DOES = re.compile(  # "The Theatre lets the Hall", not "London offices are closed"
    r"\b[Tt]he\s+([A-Z][\w’'-]{0,60}(?:[^\S\n]+[A-Z][\w’'-]{0,60}){0,2})\s+"
    r"(?!as\b|is\b|was\b|has\b|its\b|means\b)[a-z]+s\s+(?:the|an?|to)\b"
)
ROLES = frozenset(
    [
        *("supplier", "buyer", "seller", "purchaser", "customer", "client", "vendor", "provider"),
        *("licensor", "licensee", "distributor", "manufacturer", "reseller", "dealer", "agent"),
        *("principal", "consultant", "contractor", "company", "employer", "employee", "executive"),
        *("landlord", "tenant", "lessor", "lessee", "lender", "borrower", "guarantor", "bank"),
        *("franchisor", "franchisee", "sponsor", "promoter", "publisher", "developer", "owner"),
        *("service provider", "recipient", "disclosing party", "receiving party", "transporter"),
        *("sender", "shipper", "carrier", "host", "affiliate", "marketing affiliate"),
        *("endorser", "producer", "sub-advisor", "advisor", "adviser", "trustee", "depositor"),
        *("servicer", "issuer", "operator", "merchant", "subcontractor", "partner", "participant"),
        *("stockholder", "shareholder", "corporation", "trust", "fund", "party", "institution"),
        *("you", "us", "broker dealer", "broker-dealer", "franchise owner", "marketing agent"),
        *("representative", "underwriter", "investor", "parent", "assignor", "assignee", "artist"),
    ]
)


def has_only_roles(name_words: str) -> bool:
    """Return whether words name nobody, only roles: "Consultant and Company"."""
    named = (each.removeprefix("the ") for each in re.split(r"\s+and\s+|,\s+", name_words))
    return all(each in ROLES or each.startswith("its ") for each in named)


def name_at(text: str, offset: int, limit: int) -> Span | None:
    """Return the name that starts at an offset, without what follows it; None if there is none."""
    limit = min(limit, offset + _REACH)
    match = NAME.match(text, offset, limit)
    if match is None or _names_none(text, match):
        return None
    end = match.end()
    address = _PATTERNS["address"].search(text, match.start(), min(limit, end + 1))
    if address:
        end = address.start()
    closed = _COMPANY_END.search(text, match.start() + 1, min(limit, end + 4))
    if closed and closed.end() < end:
        end = closed.end()
    for joint in _PATTERNS["and_inside"].finditer(text, match.start(), end):
        before = text[match.start() : joint.start()]
        if ENDS_WITH_SUFFIX.search(before):
            end = joint.start()
            break
    sentence = _PATTERNS["sentence_end"].search(text, match.start(), end)
    if sentence:
        end = sentence.start()
    if text[end - 1] == "." and not _PATTERNS["abbreviated"].search(text, match.start(), end):
        end -= 1
    while end > match.start() and text[end - 1] in "*_'’":  # bold type in Markdown, or a slip
        end -= 1
    span = Span(match.start(), max(match.start(), end))
    words = span.text_in(text)
    if DESCRIBED.search(text, max(0, span.start - 4), span.start):
        return None
    if not 2 <= len(words) <= 120 or not any(char.isalpha() for char in words):
        return None
    return None if SUFFIX_ALONE.fullmatch(words) else span


def _names_none(text: str, match: re.Match[str]) -> bool:
    number = _PATTERNS["number"].match(text, match.start(), match.end())
    start = number.end() if number and has_number(text, Span(*match.span())) else match.start()
    return NO_PARTY.match(text[start : match.end()]) is not None


def has_number(text: str, name: Span) -> bool:
    """Return whether a number before a company's words belongs to its name: "99 Pears Inc.".

    Such as "1 Alder Ltd" and "2 Birch Ltd" are numbered in a list; a small number at the beginning
    of a line is one only if the contract repeats it.
    """
    number = _PATTERNS["number"].match(text, name.start, name.end)
    words = text[number.end() : name.end] if number else ""
    if number is None or not HAS_FORM.search(words) or SUFFIX_ALONE.match(words):
        return False
    before = text[max(0, name.start - _REACH) : name.start].rpartition("\n")[2].split()
    if before and _PATTERNS["counted"].fullmatch(before[-1]):
        return False  # "Suite 12", "May 3"
    value = int(number.group())
    around = text[max(0, name.start - _LIST) : name.end + _LIST]
    others = _PATTERNS["number"].finditer(around)
    numbers = {int(each.group()) for each in others if _is_company(around, each.end())}
    if value <= MAX_PARTIES and numbers & {value - 1, value + 1}:
        return False
    again = rf"(?<![\d.]){value}\s+{re.escape(words.split()[0])}"
    return value > MAX_PARTIES or bool(before) or len(re.findall(again, text)) > 1


def _is_company(text: str, offset: int) -> bool:
    name = NAME.match(text, offset)
    return name is not None and HAS_FORM.search(name.group()) is not None


def find_short_name(text: str, start: int, end: int) -> re.Match[str] | None:
    return next(find_short_names(text, start, end), None)


def find_short_names(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield consecutive short names in brackets, the first of which the pattern finds.

    Words in brackets without quotation marks are a short name if "hereinafter" or "called" precedes
    them, or if they act in the contract or are a role: "(Germany)" is not.
    """
    patterns = (SHORT, _PATTERNS["bare_short"])
    nexts = [pattern.search(text, start, end) for pattern in patterns]
    while found := [match for match in nexts if match]:
        first = min(found, key=lambda match: match.start())
        if first.re is SHORT or first["called"] or acts_as_party(text, first["short"]):
            yield first
        for at, match in enumerate(nexts):
            if match and match.start() < first.end():
                nexts[at] = patterns[at].search(text, first.end(), end)


def acts_as_party(text: str, short: str, *, bound: bool = False) -> bool:
    """Return whether a name is a role, or of somebody who acts; if `bound`, who has duties."""
    name = " ".join(short.casefold().split())
    return (
        name in ROLES
        or name in _actors(text, _BOUND)
        or (not bound and name in _actors(text, _DOES))
    )


@lru_cache(maxsize=4)
def _actors(text: str, acts: re.Pattern[str]) -> frozenset[str]:
    return frozenset(" ".join(each.casefold().split()) for each in acts.findall(text))


def short_name(match: re.Match[str]) -> str:
    """Return the short name in a match, unless it is the contract's."""
    short = match.group("short")
    other = match.groupdict().get("other")
    if short.strip(",").casefold() in PRONOUNS:  # ("we," "us" or "Franchisor")
        rest = match.string[match.end("short") : match.end("short") + _BRACKET].partition(")")[0]
        further = (each for each in _QUOTED.findall(rest) if each.casefold() not in PRONOUNS)
        return next(further, short)
    return other or "" if NO_SHORT.search(short) else short


def common_name(name: str) -> str:
    """Return a party's name as the contract prints it, without its legal form."""
    return ENDS_WITH_FORM.sub("", name) or name


def is_acting(text: str, short: str) -> bool:
    """Return whether a short name acts in the contract, as its parties do."""
    return bool(re.search(rf"\b{re.escape(short)},?\s+{_ACTS}\b", text))


def party_fact(text: str, span: Span, short: str) -> Fact[Party]:
    words = " ".join(_PATTERNS["underline"].sub(" ", span.text_in(text)).split())
    short = " ".join(short.split())
    if NO_SHORT.search(short):
        short = ""
    role = short if short.lower().removeprefix("the ") in ROLES else ""
    sure = 0.5 + 0.25 * bool(ENDS_WITH_SUFFIX.search(words)) + 0.2 * bool(short)
    return Fact(Party(words, short, role), span, round(sure, 2))


_CACHED = 2_048  # names


def name_key(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum()).removeprefix("the")


@lru_cache(_CACHED)
def party_key(name: str) -> str:
    """Return a key shared by all spellings of a party's name, including its legal form.

    `Larch Supply, Inc.` and `LARCH SUPPLY INCORPORATED` are one party, `Larch Supply Limited` is
    another.
    """
    key = name_key(name)
    for long, short in SHORT_FORMS:
        if key.endswith(long):
            return key.removesuffix(long) + short
    return key


def party_keys(names: Collection[str]) -> dict[str, str]:
    keyed = {party_key(name): name for name in names}
    return {key: name for key, name in keyed.items() if len(key) > 2 and key not in _COMMON_KEYS}


def drop_partial_names(found: tuple[Fact[Party], ...]) -> tuple[Fact[Party], ...]:
    """Drop names that are only the end of another, without a separate short name."""
    keys = [name_key(fact.value.name) for fact in found]
    return tuple(
        fact
        for fact, key in zip(found, keys, strict=True)
        if fact.value.short or not any(other != key and other.endswith(key) for other in keys)
    )


def name_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of a name with different blanks or capitals."""
    return re.compile(r"\b" + r"\s+".join(map(re.escape, name.split())), re.IGNORECASE)
