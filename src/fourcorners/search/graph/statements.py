"""Find what a document says of another: that it amends, restates or replaces it.

This reads the title, the words at the top ("Amendment No. 2 to the Supply Agreement dated …",
"WHEREAS the parties entered into that certain …"), and, for what is replaced, the whole text
("supersedes the Trial Licence dated 4 May 2020").
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from fourcorners.outline.card.card import Card
from fourcorners.search.graph.changes import parse_changes
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import word_list
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.dates import find_dates

MAX_PREAMBLE = 5_000
"""Characters after the title that say what a document amends."""


class AmendmentRelation(StrEnum):
    """What a document does to another; `amends` includes addenda and supplements."""

    AMENDS = "amends"
    RESTATES = "restates"
    REPLACES = "replaces"


@dataclass(frozen=True, slots=True)
class AmendmentStatement:
    """A document's words on another document.

    Attributes:
        span: The words that name the other document; those of the title if no others do.
        title: Its name, without its date; may be just `Agreement`.
        date: The date by which they name it.
    """

    relation: AmendmentRelation
    span: Span
    title: str
    date: datetime.date | None


_PAPER = (
    r"(?:Agreement|AGREEMENT|Contract|CONTRACT|Lease|LEASE|Sublease|Licen[cs]e|LICEN[CS]E|Deed|DEED|"
    r"Indenture|INDENTURE|Note|NOTE|Guarant(?:y|ee)|GUARANT(?:Y|EE)|Mortgage|Arrangement|"
    r"Terms\s+and\s+Conditions|Statement\s+of\s+Work|Memorandum\s+of\s+Understanding)"
)
MENTION = re.compile(
    r"(?<![\w’'-])(?P<title>(?:(?:[A-Z][\w&./’'®™-]*,?|&|\d{4}|and|of|for|AND|OF|FOR|to|the)(?:\s(?!\s*\n))+){0,14}?"
    rf"{_PAPER})(?![\w’'-])(?!\s+(?:{_PAPER}|[A-Z][a-z]+\s+{_PAPER})(?!\w))"
    r"(?:\s+(?:[Nn]o\.?|[Nn]umber|#)\s*[\w/.-]+)?(?:\s*\((?:[A-Z]+[\w-]*\d[\w-]*)\))?"
)
# In lower case, as deeds name another: "a supply agreement dated 3 March 2015".
_SMALL_MENTION = re.compile(
    r"\b(?:an?|the|that\s+certain|existing)\s+(?P<title>(?:[a-z][\w-]*\s+){1,4}?"
    r"(?:agreement|contract|(?:sub)?lease|licen[cs]e|deed))(?=\s+(?:\(|dated\b|made\b|entered\b|(?:of|on)\s+\d))"
)
PAPER_WORD = re.compile(_PAPER, re.IGNORECASE)
_PATTERNS = load_patterns("fourcorners.search.graph", "statements")
_REPLACED = _PATTERNS["replaced"]
_CHANGES = (
    r"amendments?|addendum|supplement|supplemental|variation|amended|restated|restatement|"
    r"modification|rider|correction|rectification|side\s+letter"
)
_IN_TITLE = re.compile(rf"\b(?:{_CHANGES}|amend)\b", re.IGNORECASE)
RESTATED = _PATTERNS["restated"]
_STATED = _PATTERNS["said"]
_LEAD = _PATTERNS["lead"]
_SELF = _PATTERNS["self"]
_TO = re.compile(
    rf"\b(?:{_CHANGES})\b(?:\s+N[oO]\.)?[^.;]{{0,40}}?\b(?:to|of)\s+(?:(?:the|that|certain|a|an|an\s+existing)\s+)*$",
    re.IGNORECASE,
)
_OWN = _PATTERNS["own"]
_ENTERED = _PATTERNS["entered"]
_CALLED_ON = _PATTERNS["called_on"]
_VERB = _PATTERNS["verb"]
_DATED = _PATTERNS["dated"]
_OTHER_DATE = _PATTERNS["other_date"]
_SENTENCE_END = _PATTERNS["sentence_end"]
_LETTER = 20_000  # characters of a letter that changes a contract; longer ones are contracts
_NEAR = 40  # characters before a name that say that the paper was signed
_FAR = 220  # characters after a name that may hold its date
_OWN_WORDS = word_list("amending")
_SHORTEN = re.compile(
    rf"^.*\b(?:{_CHANGES})\b(?:\s*(?:no\.?|n[°º]|number|#)?\s*[\dIVX]{{1,3}}\b)?(?:\s+letter)?\s*[:,–—-]?\s*"
    r"(?:to|of)?\s*(?:the\s+)?",
    re.IGNORECASE | re.DOTALL,
)
_SHORTEN_END = re.compile(
    rf"\s*[:,–—-]?\s*(?:(?:first|second|third|fourth|fifth)\s+)?(?:letter\s+of\s+)?\b(?:{_CHANGES})\b.*$",
    re.IGNORECASE | re.DOTALL,
)


def parse_statements(text: str, card: Card) -> tuple[AmendmentStatement, ...]:
    """Return what a document says of others, in order of place; most say nothing."""
    found = [*_replaced(text, card)]
    changed = _amended(text, card)
    if changed is not None:
        found = [one for one in found if not one.span.overlaps(changed.span)] + [changed]
    return tuple(sorted(found, key=lambda one: one.span))


def distinctive_words(title: str) -> frozenset[str]:
    return frozenset(tokenize(title).tokens) - _OWN_WORDS


@dataclass(frozen=True, slots=True)
class _Mention:
    span: Span
    title: str
    dated: date | None
    weight: float


def _amended(text: str, card: Card) -> AmendmentStatement | None:
    title = " ".join(card.title.span.text_in(text).split()) if card.title else ""
    start = card.title.span.start if card.title else 0
    top = Span(start, min(len(text), start + MAX_PREAMBLE))
    opening = text[top.start : min(len(text), top.start + 2_500)]
    titled = bool(_IN_TITLE.search(title)) or bool(card.type and card.type.value == "Amendment")
    if not titled and _is_letter(text) and parse_changes(text):
        titled, title = True, ""
    if not titled and card.amends is None and not _STATED.search(opening):
        return None
    restates = bool(RESTATED.search(title))
    mentions = sorted(
        _mentions(text, top, card, title, titled=titled), key=lambda one: (-one.weight, one.span)
    )
    relation = AmendmentRelation.RESTATES if restates else AmendmentRelation.AMENDS
    if mentions and mentions[0].weight >= (2.0 if titled else 3.5):
        best = mentions[0]
        dated = best.dated or _date_of_same(best, mentions)
        if not titled and re.search(
            r"restates?\W", text[max(0, best.span.start - 60) : best.span.start]
        ):
            relation = AmendmentRelation.RESTATES
        return AmendmentStatement(relation, best.span, best.title, dated)
    if not titled or card.title is None:
        return None
    named = _shortened(title)
    known = PAPER_WORD.search(named) and distinctive_words(named)
    return AmendmentStatement(relation, card.title.span, named if known else "", None)


def _is_letter(text: str) -> bool:
    """Return whether a document is a letter, by its salutation, and not a contract in that form."""
    return len(text) < _LETTER and "\nDear " in text[:MAX_PREAMBLE]


def _date_of_same(best: _Mention, mentions: list[_Mention]) -> date | None:
    wanted = distinctive_words(best.title)
    for one in mentions:
        if one.dated and (
            distinctive_words(one.title) == wanted or not distinctive_words(one.title)
        ):
            return one.dated
    return None


def _shortened(title: str) -> str:
    """Return the title of what is amended, by the amendment's own: `Services Agreement`."""
    rest = _SHORTEN.sub("", title).strip()
    return rest if distinctive_words(rest) else _SHORTEN_END.sub("", title).strip()


def _mentions(text: str, top: Span, card: Card, title: str, *, titled: bool) -> Iterator[_Mention]:
    own = distinctive_words(_shortened(title) if titled else title)
    own = frozenset(word for word in own if not (titled and word.isdigit()))  # "Amendment No. 3"
    own_date = card.agreement_date.value if card.agreement_date else None
    small = _SMALL_MENTION.finditer(text, top.start, top.end)
    for match in (*MENTION.finditer(text, top.start, top.end), *small):
        lead = _LEAD.match(match["title"])
        at = match.start("title") + (lead.end() if lead else 0)
        named = " ".join(text[at : match.end("title")].split())
        before = _before(text, at)
        lower = match["title"].casefold()
        itself = _SELF.search(before) or lower.startswith(("this ", "the present "))
        if (itself and not _TO.search(before)) or _letters(named) == _letters(title):
            continue
        changing = bool(_TO.search(before))
        if titled and (cut := _after_change(named)):  # "Amendment to Services Agreement"
            at += max(0, text[at : match.end("title")].find(cut.split()[0]))
            before, named, changing = _before(text, at), cut, True
        dated, end = _date_after(text, match.end())
        entered = _ENTERED.search(text, match.end(), end)
        earlier = changing and not _of_this(text, at, before, card)
        entered = entered or _ENTERED.search(before[-_NEAR:]) or _VERB.search(before)
        is_own = dated is not None and dated == own_date and not entered
        if earlier or is_own:
            dated, end = None, match.end()
        tokens = distinctive_words(named)
        weight = 2.0 * (dated is not None) + 2.5 * changing - 1.5 * earlier
        weight += 2.0 * bool(_CALLED_ON.search(before)) + 2.5 * bool(_VERB.search(before))
        if own and tokens:
            weight += 2.5 * len(own & tokens) / len(own | tokens) - 1.0 * (not own & tokens)
        if not tokens and dated is None:
            weight -= 2.0
        yield _Mention(Span(at, max(end, match.end())).strip(text), named, dated, weight)


def _before(text: str, at: int) -> str:
    return text[max(0, at - 90) : at].replace("\n", " ")


def _letters(words: str) -> str:
    return re.sub(r"\W", "", words).casefold()


def _after_change(named: str) -> str:
    """Return what a named amendment amends; a restatement is a separate paper."""
    found = _IN_TITLE.search(named)
    if found is None or found[0].casefold() in ("amended", "restated"):
        return ""
    cut = " ".join(_SHORTEN.sub("", named).split())
    return cut if cut != named and distinctive_words(cut) else ""


def _of_this(text: str, at: int, before: str, card: Card) -> bool:
    """Return whether "amendment to" before a name is this document, not an earlier amendment."""
    if card.title and card.title.span.start <= at <= card.title.span.end + 40:
        return True
    named = _TO.search(before)
    if named is None or named[0].casefold().startswith("supplemental"):
        return True  # only the document itself is called supplemental to another
    lead = text[max(0, at - len(before) + named.start() - 60) : at - len(before) + named.start()]
    return bool(_OWN.search(lead))


def _date_after(text: str, end: int) -> tuple[date | None, int]:
    """Return the date in the name of a paper, and where its words end."""
    for found in find_dates(text, Span(end, min(len(text), end + _FAR))):
        gap = text[end : found.span.start]
        if _OTHER_DATE.search(gap) or _SENTENCE_END.search(gap[:-1]):
            return None, end
        if MENTION.search(gap) and not re.match(r"\s*\(", gap):
            return None, end
        return (found.value, found.span.end) if _DATED.search(gap) else (None, end)
    return None, end


def _replaced(text: str, card: Card) -> Iterator[AmendmentStatement]:
    own = card.agreement_date.value if card.agreement_date else None
    for match in _REPLACED.finditer(text):
        named = " ".join(match["title"].split())
        found = next(find_dates(text, Span(match.end(), min(len(text), match.end() + 40))), None)
        if found is None or found.span.start > match.end() + 12 or found.value == own:
            continue
        if re.search(r"\b(?:this|all|any|each)\b", named, re.IGNORECASE):
            continue
        span = Span(match.start("title"), found.span.end)
        yield AmendmentStatement(AmendmentRelation.REPLACES, span, named, found.value)
