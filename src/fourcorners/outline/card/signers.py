"""Find who signs at the foot of the contract."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fourcorners.outline.card.card import Fact, Party
from fourcorners.outline.card.party_names import (
    DESCRIBED,
    FORM,
    NAME,
    NO_PARTY,
    SUFFIX,
    has_number,
    name_key,
    party_fact,
)
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span, word_spans

_SIGNATURES = 40_000  # characters at the end that hold signatures without introductory words
_LED = 15_000  # characters after such words that hold them
_ANCHORS = 120  # maximum signatures that are read
_WINDOW = 260  # characters before a signature that hold its company
_PATTERNS = load_patterns("fourcorners.outline.card", "signers")
_FRONT = 0.2  # of the contract, if none signs
_GAP = re.compile(
    r"(?:[\s,:;_*-]+|Date:?\s+(?:[A-Z][a-z]+\s\d{1,2},\s\d{4}|[\d/.-]{6,10})|\([^()\n]{1,60}\)|ATTEST:?|an?\s[^:]{0,110}?\b(?i:corporation|company|partnership|"
    r"bank|trust|association)\b|\b(?i:d\W?b\W?a)\b[^\n:]{1,60}?(?=\s{2}|\n)|AS\s[A-Z]{3,20}\b|as\s[A-Z]\w+)*"
)
_CLOSES = re.compile(rf"(?<=[\s,]){FORM}(?!,?\s+{SUFFIX})(?=[\s:,/]|$)")
_CLOSES_WEAKLY = re.compile(rf"(?<=[\s,]){SUFFIX}(?!,?\s+{SUFFIX})(?=[\s:,/]|$)")


@dataclass(frozen=True, slots=True)
class Signers:
    companies: tuple[Span, ...]
    persons: tuple[Span, ...]


def find_signers(text: str) -> Signers:
    region = _region(text)
    return Signers(_companies_of(text, region), _persons_of(text, region))


def compare_signers(
    text: str, preamble: Span, found: tuple[Fact[Party], ...], signers: Signers, *, is_form: bool
) -> tuple[Fact[Party], ...]:
    """Compare the parties of the preamble with the signers.

    Signers are added if the preamble refers to the signatures or names only one party; they replace
    parties without short names if none of those signs; and a name that neither signs nor has a
    short name, when the others do, is not a party.
    """
    named = (
        (party_fact(text, span, "").value, span)
        for span in sorted((*signers.companies, *signers.persons))
    )
    signed = [
        Fact(party, span, 0.4)
        for party, span in named
        if has_number(text, span) or not NO_PARTY.match(party.name)
    ]
    if not found:
        return tuple(signed)
    known = {name_key(fact.value.name) for fact in found}
    sure = {key for fact in signed if (key := name_key(fact.value.name)) in known}
    shorts = sum(bool(fact.value.short) for fact in found)
    if len(signed) > 1 and not sure and not shorts:
        return tuple(signed)
    if len(sure) > 1 and shorts > 2:
        return tuple(
            fact for fact in found if fact.value.short or name_key(fact.value.name) in sure
        )
    defers = _PATTERNS["defers"].search(text, preamble.start, preamble.end)
    if not defers and (len(found) > 1 or not sure or is_form):
        return found
    keyed = ((fact, name_key(fact.value.name)) for fact in signed)
    added = [fact for fact, own in keyed if not any(key in own or own in key for key in known)]
    given = _PATTERNS["each"].match(text, defers.end(), preamble.end) if defers else None
    if given:
        shorted = (party_fact(text, fact.span, given["short"]) for fact in added)
        added = [Fact(fact.value, fact.span, 0.4) for fact in shorted]
    return (*found, *added)


def _companies_of(text: str, region: Span) -> tuple[Span, ...]:
    found: dict[str, Span] = {}
    previous = Span(region.start, region.start)
    for anchor in islice(_PATTERNS["anchor"].finditer(text, region.start, region.end), _ANCHORS):
        window = Span(max(previous.end, anchor.start() - _WINDOW), anchor.start())
        for span in _before(text, window, previous):
            found.setdefault(" ".join(span.text_in(text).casefold().split()), span)
        previous = Span(*anchor.span())
    return tuple(sorted(found.values()))


def _persons_of(text: str, region: Span) -> tuple[Span, ...]:
    """Return the persons who sign for themselves: their name, followed by their signature."""
    found = []
    for match in _PATTERNS["again"].finditer(text, region.start, region.end):
        before = [
            *_PATTERNS["words"].finditer(text, max(region.start, match.start() - 80), match.start())
        ]
        again = _plain(match["again"])
        for first in before[-4:-1]:
            name = Span(first.start(), before[-1].end())
            apart = text[name.end : match.start()].strip()
            if not apart and again.startswith(_plain(name.text_in(text))):
                found.append(name)
                break
    return tuple(found)


def _region(text: str) -> Span:
    """Return where the signatures are: after their introductory words, else at the end."""
    whereof = _PATTERNS["whereof"].search(text, int(len(text) * _FRONT))
    if whereof:
        return Span(whereof.end(), min(len(text), whereof.end() + _LED))
    tail = max(0, len(text) - _SIGNATURES)
    return Span(tail, len(text))


def _plain(words: str) -> str:
    plain = unicodedata.normalize("NFKD", words).casefold()
    return "".join(char for char in plain if char.isalpha())


def _before(text: str, window: Span, previous: Span) -> Iterator[Span]:
    """Yield the companies right before a signature, side by side or one below the other."""
    point = window.end
    for match in reversed([*NAME.finditer(text, window.start, window.end)]):
        gap = _GAP.match(text, match.end(), window.end)
        if (
            gap is None
            or gap.end() < point
            or DESCRIBED.search(text, max(0, match.start() - 4), match.start())
        ):
            continue
        by = text[previous.start : previous.end].rstrip(": ")
        if by in ("By", "BY") and match.start() - previous.end <= 3:
            break
        companies = [*_companies(text, Span(*match.span()))]
        if not companies:
            continue
        yield from companies
        point = match.start()
        if "\n" in text[match.start() - 3 : match.start()]:
            break


def _companies(text: str, span: Span) -> Iterator[Span]:
    """Yield the companies in a run of capitalised words, without signers' titles."""
    start = span.start
    ends = [*_CLOSES.finditer(text, span.start, span.end)]
    for end in ends or _CLOSES_WEAKLY.finditer(text, span.start, span.end):
        titled = [*_PATTERNS["signer"].finditer(text, start, end.end())]
        first = titled[-1].end() if titled else start
        numbered = _PATTERNS["before_name"].match(text, first, end.end())
        is_own = has_number(text, Span(first, end.end()))
        first = numbered.end() if numbered and not is_own else first
        first += _mixed_before_capitals(text[first : end.end()])
        if end.end() - first > len(end.group()) + 2:
            yield Span(first, end.end()).strip(text)
        start = end.end()


def _mixed_before_capitals(words: str) -> int:
    """Return how many characters of a person or title precede a name in capitals."""
    places = [*word_spans(words)]
    parts = [place.text_in(words) for place in places]
    first = len(parts)
    joints = ("&", "and", "of", "the", "for")
    while first > 0 and ((word := parts[first - 1]) in joints or _is_capital(word)):
        first -= 1
    while first < len(parts) and not _is_capital(parts[first]):
        first += 1
    capitals = parts[first:]
    long = any(sum(map(str.isalnum, word)) > 3 for word in capitals)
    return places[first].start if 0 < first < len(parts) and len(capitals) > 1 and long else 0


def _is_capital(word: str) -> bool:
    return word == word.upper()
