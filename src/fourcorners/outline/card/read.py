"""Read the contract card by rules, with the words that support each fact."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from fourcorners.documents.document import Document
from fourcorners.outline.card.card import Card, Fact, Party, Renewal, RenewalManner, Value
from fourcorners.outline.card.contract_titles import contract_type
from fourcorners.outline.card.duration import DurationReader
from fourcorners.outline.card.laws import find_governing_law
from fourcorners.outline.card.parties import find_parties
from fourcorners.outline.card.party_names import CLOSED, name_at
from fourcorners.outline.card.titles import Title, find_title
from fourcorners.outline.card.values.candidates import statement_around
from fourcorners.outline.card.values.judge import KINDS, Reading, judge_values
from fourcorners.outline.exclusions import blank_text, document_exclusions
from fourcorners.outline.parser.lines import TextLines
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import WrittenDate, dates_of, find_dates
from fourcorners.text.values.numbers import parse_number

_PREAMBLE = 3_000  # maximum characters of a preamble
_FRONT = 25_000  # maximum characters of a cover and a table of contents
_PATTERNS = load_patterns("fourcorners.outline.card", "read")
_DAY = len("2005-04-30")  # a whole date in ISO form
_LIKELY = 0.65  # minimum probability of a date on the card: below it most are wrong
_DATED, _SURE = 0.4, 0.6  # confidence a date needs, and that which needs no signatures
_RULED = 0.9  # the confidence of the dates of rules when the weights were learned
_CLOSING = 40_000  # characters at the end that hold the signatures
_ORDINAL = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:st|nd|rd|th))"
)
_AMENDS = re.compile(
    rf"\b(?:{_ORDINAL}\s+)?(?:amendment|addendum|supplement)(?:\s+(?:no\.?|number|#)\s*\w+|\s+#\w+|"
    r"\s+[\dIVX]+)?(?:\s*\([^)]{0,60}\))?[\s,:]+to\s+(?:the\s+|that\s+certain\s+)?"
    r"(?P<what>[^.;()\"“]{5,160}?(?:agreement|contract|lease|licen[cs]e|note|indenture|plan)s?\b"
    r"(?:,?\s+(?:is\s+)?dated\s+(?:as\s+of\s+)?[^.;()\"“]{4,40}?\d{4})?)",
    re.IGNORECASE,
)


def read_card(document: Document, outline: Outline) -> Card:
    document = _readable(document, outline)
    text = document.text
    if not text.strip():
        return Card()
    front = _read_front(document, outline)
    values = _with_certain(text, front, judge_values(_open(text, outline, front)))
    judged = {value.kind: value for value in values}
    return Card(
        title=_title(text, front.title),
        type=_type(text, front.title, front.preamble),
        parties=find_parties(text, front.preamble),
        agreement_date=_likely_or_ruled(judged.get("agreement"), front.dates["agreement"]),
        effective_date=_likely_or_ruled(judged.get("effective"), front.dates["effective"]),
        expiry_date=_asserted_date(judged.get("end")),
        governing_law=find_governing_law(text),
        amends=front.amends,
        values=values,
        renewal=find_renewal(text, judged.get("renewal")),
    )


def read_parties(document: Document, outline: Outline) -> tuple[Fact[Party], ...]:
    """Return only the parties, in a fraction of the time that the whole card takes."""
    document = _readable(document, outline)
    title = find_title(TextLines(document), document)
    return find_parties(document.text, _preamble(document.text, outline, title))


def open_reading(document: Document, outline: Outline) -> Reading:
    """Return a contract prepared for finding values, with what the rules say of its dates."""
    document = _readable(document, outline)
    return _open(document.text, outline, _read_front(document, outline))


def _readable(document: Document, outline: Outline) -> Document:
    """Return a document with white space in place of what is not evidence."""
    exclusions = document_exclusions(document, outline)
    return replace(document, text=blank_text(document.text, exclusions)) if exclusions else document


@dataclass(frozen=True, slots=True)
class _Front:
    """What rules read at the top of a contract, and from its dates."""

    title: Title | None
    preamble: Span
    amends: Fact[str] | None
    dates: Mapping[str, Fact[date] | None]
    certain: Mapping[str, Value]


def _read_front(document: Document, outline: Outline) -> _Front:
    text = document.text
    title = find_title(TextLines(document), document)
    preamble = _preamble(text, outline, title)
    agreed = _agreement_date(text, preamble, title)
    named = title.span.text_in(text) if title else ""
    reader = DurationReader(text, named, agreed, _last_signature(text))
    certain = reader.read()
    dates = {
        "agreement": agreed,
        "effective": reader.named_start() or _ruled(certain.get("effective")),
        "end": _ruled(certain.get("end")),
    }
    return _Front(title, preamble, _amends(text, title, preamble), dates, certain)


def _ruled(value: Value | None) -> Fact[date] | None:
    """Return a date as `values.judge` was taught to read one that a rule gave."""
    found = _asserted_date(value)
    return replace(found, confidence=_RULED) if found else None


def _open(text: str, outline: Outline, front: _Front) -> Reading:
    named = front.title.span.text_in(text) if front.title else ""
    return Reading(text, outline, front.dates, bool(_PATTERNS["cites"].search(named)))


def _with_certain(text: str, front: _Front, values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values with those that the contract's own words and arithmetic give.

    What has two readings is not asserted, however it was found.
    """
    unsure = {each.span: each.other.isoformat() for each in dates_of(text) if each.other}
    found = {each.kind: each for each in values}
    for kind, value in front.certain.items():
        if value.asserted or value.other or kind not in found or not found[kind].asserted:
            found[kind] = value
    return tuple(
        replace(each, asserted=False, other=unsure[each.span]) if each.span in unsure else each
        for kind in KINDS
        if (each := found.get(kind))
    )


def _likely_or_ruled(value: Value | None, ruled: Fact[date] | None) -> Fact[date] | None:
    sure = ruled if ruled and ruled.confidence >= _SURE else None
    return None if value and value.other else _likely_date(value) or sure


def _likely_date(value: Value | None) -> Fact[date] | None:
    """Return a date that is more likely right than wrong, even if it is not asserted."""
    if value is None or len(value.text) != _DAY or value.confidence < _LIKELY:
        return None
    return Fact(date.fromisoformat(value.text), value.span, value.confidence)


def _asserted_date(value: Value | None) -> Fact[date] | None:
    return _likely_date(value) if value and value.asserted else None


def _title(text: str, title: Title | None) -> Fact[str] | None:
    if title is None:
        return None
    return Fact(" ".join(title.span.text_in(text).split()), title.span, title.confidence)


def _preamble(text: str, outline: Outline, title: Title | None) -> Span:
    """Return the text from the title to the recitals or the first clause.

    With a cover and a table of contents above, it extends to the contract's own opening.
    """
    start = title.span.start if title else 0
    if text[:start].rstrip().casefold().endswith("this"):  # named only in the opening
        start = 0
    body = [
        node.span.start
        for node in outline.nodes
        if node.parent is None and node.span.start > start and _is_body(text, node)
    ]
    first = next((place for place in body if place >= start + 150), len(text))
    front = _PATTERNS["considered"].search(text, start + 150, min(len(text), start + _FRONT))
    opening = _PATTERNS["opens"].search(
        text, start, front.start() if front else min(len(text), start + _FRONT)
    )
    if opening is None:
        end = min(front.start() if front else first, start + _PREAMBLE, len(text))
        return Span(min(start, end), end)
    least = opening.end()
    recitals = _PATTERNS["recitals"].search(text, least, min(len(text), least + _PREAMBLE))
    first = next((place for place in body if place >= least + 150), len(text))
    end = min(recitals.start() if recitals else first, least + _PREAMBLE, len(text))
    return Span(min(start, end), end)


def _is_body(text: str, node: Node) -> bool:
    if node.kind in (NodeKind.TITLE, NodeKind.PARAGRAPH) or node.label.startswith("("):
        return False
    heading = node.heading.text_in(text).casefold() if node.heading else ""
    number = _PATTERNS["numbered"].match(text, node.span.start, node.span.end)
    name = name_at(text, number.end(), node.span.end) if number else None
    is_party = name is not None and CLOSED.search(name.text_in(text))
    return heading not in ("parties", "between") and not is_party


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
    cited = (
        title.span if title and _PATTERNS["cites"].search(title.span.text_in(text)) else Span(0, 0)
    )
    for found in find_dates(text, Span(0, preamble.end)):
        if _PATTERNS["footer"].search(text, max(0, found.span.start - 120), found.span.start):
            continue
        if cited.overlaps(found.span):
            continue
        before = text[max(0, found.span.start - 120) : found.span.start]
        sure = _dates_the_contract(text, before, found)
        if sure >= _DATED and (best is None or sure > best.confidence):
            best = _fact(found, sure)
    if best and best.confidence >= _SURE:
        return best
    return _signing_day(text) or best


def _dates_the_contract(text: str, before: str, found: WrittenDate) -> float:
    """Return the confidence that a date at the top is the contract's, by the words before it."""
    alone = not before.rpartition("\n")[2].strip()
    if alone and _PATTERNS["salutation"].search(text, found.span.end, found.span.end + 800):
        return 0.92
    if _PATTERNS["other_paper"].search(before):
        return 0.3
    if _PATTERNS["made"].search(before[-90:]):
        return 0.85 if _PATTERNS["effective_only"].search(before[-90:]) else 0.9
    if alone:
        return 0.6
    return 0.1 if _PATTERNS["during"].search(before[-30:]) else 0.4


def _signing_day(text: str) -> Fact[date] | None:
    """Return the day of signing, from the closing words or the last signature."""
    start = max(0, len(text) - _CLOSING)
    for match in _PATTERNS["executed"].finditer(text, start // 2):
        dated = next(find_dates(text, Span(match.start(), match.end())), None)
        if dated:
            return _fact(dated, 0.7)
    return _last_signature(text)


def _last_signature(text: str) -> Fact[date] | None:
    last: WrittenDate | None = None
    for found in dates_of(text):
        around = text[max(0, found.span.start - 250) : found.span.end + 150]
        if _PATTERNS["footer"].search(text, max(0, found.span.start - 120), found.span.start):
            continue
        near = max(0, found.span.start - 40)
        if not _PATTERNS["signature_date"].search(text, near, found.span.start):
            continue
        if _PATTERNS["signature"].search(around) and (last is None or found.value > last.value):
            last = found
    return _fact(last, 0.6) if last else None


def _amends(text: str, title: Title | None, preamble: Span) -> Fact[str] | None:
    if title:
        named = _PATTERNS["amended_title"].match(text, title.span.start, title.span.end)
        if named:
            return _amended(named, 0.8)
        match = _AMENDS.search(text, title.span.start, min(len(text), title.span.end + 200))
        if match and match.start() <= title.span.end:
            return _amended(match, 0.9)
    for pattern, sure in ((_AMENDS, 0.8), (_PATTERNS["amended"], 0.7)):
        match = pattern.search(text, preamble.start, min(preamble.end, preamble.start + 1_500))
        if match:
            return _amended(match, sure)
    return None


def _amended(match: re.Match[str], sure: float) -> Fact[str]:
    return Fact(" ".join(match["what"].split()), Span(*match.span("what")), sure)


_MANNERS = (  # the most certain first: one that renews by itself may also be extended by choice
    (RenewalManner.AUTOMATIC, _PATTERNS["automatic"]),
    (RenewalManner.CHOICE, _PATTERNS["choice"]),
    (RenewalManner.AGREEMENT, _PATTERNS["agreement"]),
)


def find_renewal(text: str, value: Value | None = None) -> Renewal | None:
    """Return how the term is renewed, with the words; None if there are none.

    `value` is the length of a renewal; if it is asserted, its statement says how. Without it all
    words of renewal count, even if their manner is unclear: a contract that may renew is never
    assumed to have ended.
    """
    if value is not None and value.parts:  # its sentence; in it, somebody has a choice, or nobody
        words = _plain(text, value.parts[0])
        manner = RenewalManner.AUTOMATIC if value.asserted else _manner(words)
        return _renewal(manner, words, value.parts[0], asserted=value.asserted)
    if value is not None and value.asserted:
        span = statement_around(text, value.span).strip(text)
        words = _plain(text, span)
        return _renewal(_manner(words), words, span, asserted=True)
    found: dict[RenewalManner, Span] = {}
    for match in _PATTERNS["renews"].finditer(text):
        span = statement_around(text, Span(*match.span())).strip(text)
        words = _plain(text, span)
        if _PATTERNS["term"].search(words) and not _PATTERNS["denied"].search(words):
            found.setdefault(_manner(words), span)
    if not found:
        return None
    manner = min(found, key=[*RenewalManner].index)
    return _renewal(manner, _plain(text, found[manner]), found[manner], asserted=False)


def _renewal(manner: RenewalManner, words: str, span: Span, *, asserted: bool) -> Renewal:
    times = _times(words)
    again = times is None and _PATTERNS["again"].search(words) is not None
    return Renewal(manner, times, span, asserted, again)


def _plain(text: str, span: Span) -> str:
    return " ".join(span.text_in(text).lower().split())


def _manner(words: str) -> RenewalManner:
    found = (manner for manner, pattern in _MANNERS if pattern.search(words))
    return next(found, RenewalManner.UNCLEAR)


def _times(words: str) -> int | None:
    """Return how many renewals there may be; None if no number is given."""
    counted = _PATTERNS["times"].search(words)
    if counted:
        count = parse_number(counted["count"])
        return None if count is None else int(count)
    if _PATTERNS["again"].search(words):
        return None
    return 1 if _PATTERNS["once"].search(words) else None
