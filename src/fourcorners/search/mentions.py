"""Find the sentences that name the companies, people and papers of a question.

A question about how documents are related names somebody, and what answers it is seldom alike in
words or meaning: a certificate that names an agreement, a subsidiary that names its parent. So
every sentence with the name counts, wherever it is, and the documents give one each in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.search.filters import NO_FILTERS, Filters
from fourcorners.search.names import COMMON, NameIndex, name_index
from fourcorners.text.span import Span
from fourcorners.text.stems import IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize

# By hand, on the 60 older questions of `benchmarks.collection`.
_NAMED = 3.0  # weight of a name's rarity; a stem that the sentence shares with the question has 1
_PARTY = 2.0  # … of a sentence that names a party of its contract
_LEAST = 0.5  # share of the best sentence's weight that others need
_FURTHER = 0.6  # weight of each further sentence of a document relative to the one before
_MOST_DOCUMENTS = 40  # that are read


@dataclass(frozen=True, slots=True)
class NameMention:
    """A sentence with names of a question.

    Attributes:
        names: The words of these names that it has, as in the question.
        is_party: Whether it is where its contract names one of its parties.
        says_more: Whether it does more than name a party of its contract: it has other words of the
            question, too, or names somebody else.
        score: Its weight relative to that of the best sentence, at most 1.
    """

    document: str
    span: Span
    names: tuple[str, ...]
    is_party: bool
    score: float
    says_more: bool


@without_damaged
def find_mentions(
    library: Catalogue, question: str, filters: Filters = NO_FILTERS
) -> list[NameMention]:
    """Return the sentences that name what a question names, the best first, documents in turn.

    Names are words with a capital, except those that too many passages have.
    """
    names = name_index(library, filters.collections)
    named = _name_tokens(question, names)
    asked = frozenset(_stems(question))
    weights = {token: _NAMED * names.rarity(token) for token in named}
    return _in_turn(
        mention
        for document in _documents(library, names, weights, filters.documents)
        for mention in _read(read_contract(library, document), named, weights, asked)
    )


def _name_tokens(question: str, names: NameIndex) -> dict[str, str]:
    """Return the words of names, by token.

    The first word of a sentence is one only if a party has it.
    """
    words = [each for each in tokenize(question) if each[0] not in COMMON | IDLE]
    is_sentence = any(question[start].islower() for _, start, _ in words)
    return {
        token: question[start:end]
        for token, start, end in words
        if question[start].isupper()
        and (not is_sentence or question[:start].strip() or names.is_party_word(token))
    }


def _documents(
    library: Catalogue,
    names: NameIndex,
    weights: Mapping[str, float],
    within: Collection[str],
) -> list[str]:
    """Return the documents with any of the names, those with the rarest and the most first."""
    found: dict[str, float] = {}
    for token, weight in weights.items():
        for document in names.documents_with_word(library, token):
            if not within or document in within:
                found[document] = found.get(document, 0.0) + weight
    best = sorted(found, key=lambda each: (-found[each], each))
    return best[:_MOST_DOCUMENTS]


def _read(
    contract: Contract,
    named: Mapping[str, str],
    weights: Mapping[str, float],
    asked: frozenset[str],
) -> Iterator[NameMention]:
    """Yield the sentences of a contract that have any of the names."""
    index, of_names = contract.index, {*stem_tokens([*named])}
    tokens_at: dict[int, set[str]] = {}
    for token in named:
        for position in index.positions(token):
            at = contract.sentence_at(index.word_span(position).start)
            if at is not None:
                tokens_at.setdefault(at, set()).add(token)
    parties = [fact.span for fact in contract.card.parties if len(fact.span)]
    party_tokens = {*tokenize(" ".join(each.text_in(contract.text) for each in parties)).tokens}
    for at, tokens in tokens_at.items():
        span = contract.sentences[at].span
        is_party = any(span.overlaps(each) for each in parties)
        score = sum(weights[token] for token in tokens) + _PARTY * is_party
        shared = asked.intersection(_stems(span.text_in(contract.text)))
        score += len(shared)
        words = tuple(words for token, words in named.items() if token in tokens)
        says_more = bool(shared - of_names) or not tokens <= party_tokens
        yield NameMention(contract.id, span, words, is_party, score, says_more)


def _in_turn(mentions: Iterable[NameMention]) -> list[NameMention]:
    order = sorted(mentions, key=lambda each: (-each.score, each.document, each.span))
    times: Counter[str] = Counter()
    weighed = []
    for each in order:
        share = each.score / order[0].score
        if share > _LEAST:
            share *= _FURTHER ** times[each.document]
            times[each.document] += 1
            weighed.append(replace(each, score=round(share, 4)))
    return sorted(weighed, key=lambda each: -each.score)


def _stems(words: str) -> list[str]:
    return stem_tokens([each for each in tokenize(words).tokens if each not in IDLE | COMMON])
