"""Find who acts in some words of a contract: the subjects of what binds or entitles."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from fourcorners.library.contract import Contract
from fourcorners.review.obligations.actors import Mentions, find_actors, locate_actors
from fourcorners.review.obligations.clauses import PREDICATE
from fourcorners.review.obligations.obligation import Actor
from fourcorners.review.obligations.subjects import Predicate, SubjectReader
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

_BEFORE = 60  # characters before a party that say what belongs to it
_CACHED = 64  # contracts whose mentions are kept
_PATTERNS = load_patterns("fourcorners.review.obligations", "acting")


class ActionKind(StrEnum):
    """What words say of their subject; a right with a condition is uncertain."""

    BURDEN = "burden"
    RIGHT = "right"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True)
class Action:
    """Who acts in a sentence, by the names of the card, and whether that is a burden or a right."""

    parties: frozenset[str] = frozenset()
    kind: ActionKind = ActionKind.UNCERTAIN


def acting_parties(contract: Contract, span: Span) -> Iterator[frozenset[str]]:
    """Yield the parties, by name, that are the subjects of words which bind or entitle."""
    for _, each in _acting(contract, span):
        if each.actor is not None:
            yield frozenset(each.actor.parties)


def _acting(contract: Contract, span: Span) -> Iterator[tuple[Span, Predicate]]:
    reader = _subjects(contract)
    matches = [*PREDICATE.finditer(contract.text, span.start, span.end)]
    starts = [match.start() for match in matches]
    for sentence in split_sentences(contract.text, span):
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        for each in reader.read_sentence(sentence, matches[low:high]):
            yield sentence, each


def first_action(contract: Contract, sentence: Span) -> Action:
    """Return who first acts in a sentence, or with whom it begins; by no names for nobody."""
    for part, each in _acting(contract, sentence):
        if each.actor is not None:
            return Action(frozenset(each.actor.parties), _kind(contract.text, part, each))
    reader, text = _subjects(contract), contract.text
    if notifying := _notifying(contract, reader, sentence):
        return Action(notifying, ActionKind.BURDEN)
    for named in reader.mentions.list_within(sentence):
        low = max(sentence.start, named.span.start - _BEFORE)
        found = _PATTERNS["before"].search(text, low, named.span.start)
        liable = _PATTERNS["liable"].match(text, named.span.end, sentence.end)
        if liable or _PATTERNS["liability_of"].search(text, low, named.span.start):
            at = liable.end() if liable else named.span.end
            found = found or _PATTERNS["limit"].match(text, at, sentence.end)
        if found and found.lastgroup and named.actor.parties:
            return Action(frozenset(named.actor.parties), ActionKind(found.lastgroup))
    first = next(reader.mentions.list_within(sentence), None)
    if first is None or reader.edge(sentence, first.span.start, strict=True) is None:
        return Action()
    if contract.text.startswith(("'", "’"), first.span.end):
        return Action()
    plain = _PATTERNS["plain"].match(contract.text, first.span.end, sentence.end)
    kind = ActionKind(plain.lastgroup or "") if plain else ActionKind.UNCERTAIN
    return Action(frozenset(first.actor.parties), kind)


def right_of(contract: Contract, sentence: Span) -> frozenset[str]:
    """Return the parties of whose right alone a sentence speaks; none where it names another."""
    first = next((each for each in _acting(contract, sentence)), None)
    if first is None or first[1].actor is None:
        return frozenset()
    holders = frozenset(first[1].actor.parties)
    named = _subjects(contract).mentions.list_within(sentence)
    is_right = _kind(contract.text, *first) is ActionKind.RIGHT
    is_alone = holders.issuperset(party for each in named for party in each.actor.parties)
    return holders if is_right and is_alone else frozenset()


def _notifying(contract: Contract, reader: SubjectReader, sentence: Span) -> frozenset[str]:
    """Return who must give notice so that something does not go on: "unless the Buyer notifies"."""
    text = contract.text
    named = {each.span.start: each for each in reader.mentions.list_within(sentence)}
    for unless in _PATTERNS["unless"].finditer(text, sentence.start, sentence.end):
        each = named.get(unless.end())
        end = unless.end() if unless["each"] or each is None else each.span.end
        if _PATTERNS["notifies"].match(text, end, sentence.end):
            if unless["each"]:
                return frozenset(fact.value.name for fact in contract.card.parties)
            return frozenset(each.actor.parties) if each is not None else frozenset()
    return frozenset()


def _kind(text: str, sentence: Span, each: Predicate) -> ActionKind:
    """Tell a duty or a prohibition from a right, which "shall not be liable" gives, too."""
    if each.match["falls"]:
        return ActionKind.UNCERTAIN
    denied = _PATTERNS["denied"].match(text, each.after, sentence.end)
    at = denied.end() if denied else each.after
    negated = each.negated or denied is not None or "not" in each.match[0].casefold().split()
    entitled = each.match["may"] or _PATTERNS["entitled"].match(text, at, sentence.end)
    if entitled:
        if negated:
            return ActionKind.BURDEN
        is_limited = _PATTERNS["limited"].search(text, at, sentence.end)
        return ActionKind.UNCERTAIN if is_limited else ActionKind.RIGHT
    free = _PATTERNS["free"].match(text, at, sentence.end)
    if free or each.match["bound"]:
        is_free = negated or (free is not None and free["no"] is not None)
        return ActionKind.RIGHT if is_free else ActionKind.BURDEN
    return ActionKind.BURDEN


def _subjects(contract: Contract) -> SubjectReader:
    headings = frozenset(each.heading.end for each in contract.outline.nodes if each.heading)
    return SubjectReader(contract.text, _mentions(contract), headings)


@lru_cache(maxsize=_CACHED)
def contract_actors(contract: Contract) -> Mapping[str, Actor]:
    """Return the actors of a contract by the words, in small letters, that name them."""
    return find_actors(contract.text, contract.card, contract.outline.terms)


@lru_cache(maxsize=_CACHED)
def _mentions(contract: Contract) -> Mentions:
    return locate_actors(contract.text, contract_actors(contract), contract.card)
