"""Find what a clause mentions that an answer may name: parties, periods, sums and dates.

Parties are recognised by the contract card, by the roles that contracts use, and by capitals: a
name that the card missed is a candidate too. Parties together ("either party") are a separate kind
of mention.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from fourcorners.models.verdict_reader.clause import Mention, MentionKind
from fourcorners.outline.card.card import Card, Party
from fourcorners.outline.card.party_names import ROLES
from fourcorners.review.parties import party_value
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.amounts import distinct, find_amounts
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import find_durations

_PATTERNS = load_patterns("fourcorners.review", "mentions")
_GROUP = _PATTERNS["group"]
_PRONOUN = _PATTERNS["pronoun"]
_DESCRIBED = _PATTERNS["described"]
_NAME = _PATTERNS["name"]
_RATE = _PATTERNS["rate"]
_NO_NAME = frozenset((
    "this", "the", "a", "an", "agreement", "section", "article", "exhibit", "in", "if", "any",
    "all", "such", "no", "each", "either", "neither", "both", "and", "or", "for", "to", "on", "by",
    "it", "subject", "notwithstanding", "except", "provided", "however", "upon", "may", "during",
    "term", "products", "product", "services", "other", "than", "parties", "party's",
    "confidential", "information", "territory", "shall", "will",
))  # fmt: skip
_ROLES_BY_LENGTH = sorted(ROLES - {"party"}, key=len, reverse=True)
_ROLE = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, _ROLES_BY_LENGTH))})(?!\w)", re.IGNORECASE)
_ACTS = _PATTERNS["acts"]
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$")
_PRONOUNS = {"your": "you", "our": "we", "us": "we"}
_ALWAYS = frozenset(("you", "we", "transferor", "transferee", "assignor", "recipient"))
MOST_ACTS = 3  # times that a name acts; more add no information
_LONGEST_NAME = 6  # words; more are a heading
_PERIODS = {"week": "P7D", "month": "P1M", "quarter": "P3M", "semi": "P6M"}
_DAILY = re.compile(r"\bda(?:y|ily)", re.IGNORECASE)


class MentionFinder:
    """Finds what the clauses of one contract mention."""

    def __init__(self, text: str, card: Card) -> None:
        self._text = text
        names = {
            name
            for fact in card.parties
            for name in (fact.value.name, fact.value.short, fact.value.role)
            if len(name) > 1
        }
        self._known = party_keys(fact.value for fact in card.parties)
        written = (
            re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True)
        )
        self._names = re.compile(rf"(?<!\w)(?:{'|'.join(written) or '(?!)'})(?!\w)", re.IGNORECASE)

    def find(self, clause: Span) -> tuple[Mention, ...]:
        """Return what a part of the text mentions, in order; parties do not overlap each other."""
        text = self._text
        found = [*self._parties(clause)]
        found += [
            Mention(MentionKind.DURATION, each.value.iso, each.span)
            for each in distinct(find_durations(text, clause))
        ]
        found += [
            Mention(MentionKind.DURATION, _rate(match.group()), Span(*match.span()))
            for match in _RATE.finditer(text, clause.start, clause.end)
        ]
        for kind, find in ((MentionKind.AMOUNT, find_amounts), (MentionKind.DATE, find_dates)):
            found += [Mention(kind, each.text, each.span) for each in distinct(find(text, clause))]
        return tuple(sorted(found, key=lambda each: (each.span.start, each.span.end)))

    def _parties(self, clause: Span) -> Iterator[Mention]:
        taken: list[Span] = []
        for kind, span in self._party_places(clause):
            if not len(span) or any(span.overlaps(each) for each in taken):
                continue
            key = fold_party(span.text_in(self._text))
            if kind is MentionKind.GROUP:
                yield Mention(kind, key, span)
            else:
                is_known, acts = key in self._known, self._count_acts[key]
                key = self._known.get(key, key)
                if not (is_known or acts or key in _ALWAYS or key in ROLES):
                    continue
                yield Mention(kind, key, span, known=is_known, acts=min(acts, MOST_ACTS))
            taken.append(span)

    @cached_property
    def _count_acts(self) -> Counter[str]:
        """Count how often a name precedes what only a party does: `shall`, `agrees`."""
        counted: Counter[str] = Counter()
        for match in _ACTS.finditer(self._text):
            words = match["who"].split()
            counted.update({fold_party(" ".join(words[at:])) for at in range(len(words))})
        return counted

    def _party_places(self, clause: Span) -> Iterator[tuple[MentionKind, Span]]:
        text = self._text
        for match in _GROUP.finditer(text, clause.start, clause.end):
            yield MentionKind.GROUP, Span(*match.span())
        for match in self._names.finditer(text, clause.start, clause.end):
            yield MentionKind.PARTY, Span(*match.span())
        for match in _ROLE.finditer(text, clause.start, clause.end):
            before = text[max(0, match.start() - 4) : match.start()].casefold()
            if match.group()[0].isupper() or before == "the ":
                yield MentionKind.PARTY, Span(*match.span())
        for pattern in (_PRONOUN, _DESCRIBED):
            for match in pattern.finditer(text, clause.start, clause.end):
                yield MentionKind.PARTY, Span(*match.span())
        for match in _NAME.finditer(text, clause.start, clause.end):
            name = _without_lead(text, Span(*match.span()))
            words = name.text_in(text).split()
            if words and len(words) <= _LONGEST_NAME and not all(map(_is_no_name, words)):
                yield MentionKind.PARTY, name


def party_keys(parties: Iterable[Party]) -> dict[str, str]:
    """Return the key of a party for each of its folded names.

    A name that two parties share is its own key.
    """
    keys: dict[str, str] = {}
    for party in parties:
        key = fold_party(party_value(party))
        for name in {fold_party(each) for each in (party.name, party.short, party.role) if each}:
            keys[name] = name if keys.get(name, key) != key else key
    return keys


def fold_party(name: str) -> str:
    """Return a name as names are compared: `The  Supplier’s,` is `supplier`, `your` is `you`."""
    plain = " ".join(name.split()).casefold().strip('.,;:"“”').removeprefix("the ")
    plain = _POSSESSIVE.sub("", plain)
    return _PRONOUNS.get(plain, plain)


def _rate(words: str) -> str:
    plain = words.casefold()
    for word, period in _PERIODS.items():
        if word in plain:
            return period
    return "P1D" if _DAILY.search(words) else "P1Y"


def _without_lead(text: str, span: Span) -> Span:
    """Return a name without preceding words that begin a sentence."""
    start = span.start
    for word in re.finditer(r"\S+\s*", span.text_in(text)):
        if not _is_no_name(word.group()):
            break
        start = span.start + word.end()
    return Span(start, span.end)


def _is_no_name(word: str) -> bool:
    return word.strip().strip(".,").casefold() in _NO_NAME
