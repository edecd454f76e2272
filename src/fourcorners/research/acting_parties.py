"""Find which party a question asks about, and which party the words of a contract bind.

"May the Supplier terminate?" asks about the Supplier; "the Customer may terminate" is about the
Customer. A question in the first person ("may we …") is about the person who asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from fourcorners.library.contract import Contract
from fourcorners.research.rewriting import is_distinct
from fourcorners.review.obligations.actors import (
    ActorMentionKind,
    Mentions,
    find_actors,
    locate_actors,
)
from fourcorners.review.obligations.clauses import PREDICATE
from fourcorners.review.obligations.obligation import Actor
from fourcorners.review.obligations.subjects import SubjectReader
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize

_PATTERNS = load_patterns("fourcorners.research", "acting_parties")
_CACHED = 64  # contracts whose mentions are kept


def asked_parties(question: str, contract: Contract) -> frozenset[str]:
    """Return the names of the parties that a question asks about; empty if it names none.

    These follow an auxiliary verb: "may the Supplier …", "what must Acme …".
    """
    named = locate_actors(question, _actors(contract), contract.card)
    for auxiliary in _PATTERNS["auxiliary"].finditer(question):
        mention = named.get(auxiliary.end())
        is_party = mention is not None and mention.kind is ActorMentionKind.PARTY
        if mention is not None and is_party and not _owns(question, mention.span):
            return frozenset(mention.actor.parties)
    return frozenset()


def acting_parties(contract: Contract, span: Span) -> Iterator[frozenset[str]]:
    """Yield the parties, by name, that are the subjects of words which bind or entitle."""
    mentions = _mentions(contract)
    headings = frozenset(each.heading.end for each in contract.outline.nodes if each.heading)
    reader = SubjectReader(contract.text, mentions, headings)
    matches = [*PREDICATE.finditer(contract.text, span.start, span.end)]
    starts = [match.start() for match in matches]
    for sentence in split_sentences(contract.text, span):
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        for each in reader.read_sentence(sentence, matches[low:high]):
            if each.actor is not None:
                yield frozenset(each.actor.parties)


def find_others(question: str, contract: Contract, known: Callable[[], Iterable[str]]) -> list[str]:
    """Return the known companies that a question names and that are not a party here.

    `known` is called only if the question names somebody other than the parties.
    """
    own = {token for fact in contract.card.parties for token in tokenize(fact.value.name).tokens}
    named = {
        token
        for token, start, _ in tokenize(question)
        if question[start].isupper() and is_distinct(token) and token not in own
    }
    found: dict[str, str] = {}
    for name in known() if named else ():
        token = next(filter(is_distinct, tokenize(name).tokens), "")
        if token in named:
            found.setdefault(token, name)
    return list(found.values())


def _owns(question: str, span: Span) -> bool:
    return question.startswith(("'", "’"), span.end)


@lru_cache(maxsize=_CACHED)
def _mentions(contract: Contract) -> Mentions:
    return locate_actors(contract.text, _actors(contract), contract.card)


@lru_cache(maxsize=_CACHED)
def _actors(contract: Contract) -> Mapping[str, Actor]:
    return find_actors(contract.text, contract.card, contract.outline.terms)
