"""Find who acts in some words of a contract: the subjects of what binds or entitles."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache

from fourcorners.library.contract import Contract
from fourcorners.review.obligations.actors import Mentions, find_actors, locate_actors
from fourcorners.review.obligations.clauses import PREDICATE
from fourcorners.review.obligations.obligation import Actor
from fourcorners.review.obligations.subjects import SubjectReader
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

_CACHED = 64  # contracts whose mentions are kept


def acting_parties(contract: Contract, span: Span) -> Iterator[frozenset[str]]:
    """Yield the parties, by name, that are the subjects of words which bind or entitle."""
    reader = _subjects(contract)
    matches = [*PREDICATE.finditer(contract.text, span.start, span.end)]
    starts = [match.start() for match in matches]
    for sentence in split_sentences(contract.text, span):
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        for each in reader.read_sentence(sentence, matches[low:high]):
            if each.actor is not None:
                yield frozenset(each.actor.parties)


def first_actor(contract: Contract, sentence: Span) -> frozenset[str]:
    """Return the parties that first act in a sentence, or with which it begins; empty for none."""
    acting = next(acting_parties(contract, sentence), None)
    if acting is not None:
        return acting
    reader = _subjects(contract)
    first = next(reader.mentions.list_within(sentence), None)
    if first is None or reader.edge(sentence, first.span.start, strict=True) is None:
        return frozenset()
    is_owner = contract.text.startswith(("'", "’"), first.span.end)
    return frozenset() if is_owner else frozenset(first.actor.parties)


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
