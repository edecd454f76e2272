"""The compiler to Lance's full-text queries: for each leaf, rows among which all of its own are.

Lance knows ordered proximity only (`PhraseQuery` with a slop), so two words in any order are asked
for in both orders. What it cannot say (more than two parts, phrases within a proximity, the start
of a word at the end of a phrase) is asked for as the words that must be there. Places and scores
are worked out on the rows that come back (`fourcorners.cluster.words.rescoring`).

The index holds folded words separated by spaces, so that a word of a query is a word of the index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import TypeAlias

from lancedb.query import BooleanQuery, FullTextQuery, MatchQuery, Occur, PhraseQuery

from fourcorners.search.query.fts import alternatives, proximity_window
from fourcorners.search.query.tree import Leaf, Phrase, Prefix, Proximity, Word

TOKENS, MARKS = "tokens", "marks"
_MOST_PAIRS = 64
"""Pairs of words that are asked for as proximities; beyond, they must merely both be there."""

Term: TypeAlias = Word | Prefix | Phrase
Vocabulary: TypeAlias = Callable[[str], Sequence[str]]
"""Gives the words of the index that begin with some letters."""


def compile_leaf(leaf: Leaf, vocabulary: Vocabulary) -> FullTextQuery | None:
    """Return a query for a leaf; None where no row can satisfy it."""
    if not isinstance(leaf, Proximity):
        return _term(leaf, vocabulary)
    parts = [list(alternatives(part)) for part in leaf.parts]
    return _pairs(leaf, parts) or _combine_parts(parts, vocabulary)


def any_of(words: Sequence[str], column: str = TOKENS) -> FullTextQuery | None:
    """Return a query for rows with any of some words; None where there are none."""
    if not words:
        return None
    return MatchQuery(" ".join(words), column)  # type: ignore[call-arg] # it has defaults


def _term(term: Term, vocabulary: Vocabulary) -> FullTextQuery | None:
    match term:
        case Word():
            return any_of([term.token])
        case Prefix():
            return any_of(vocabulary(term.token))
        case Phrase(prefix=False):
            return _in_a_row(term.tokens)
        case Phrase():
            return _words(term, vocabulary)


def _words(term: Term, vocabulary: Vocabulary) -> FullTextQuery | None:
    if not isinstance(term, Phrase):
        return _term(term, vocabulary)
    *before, last = term.tokens
    ends = vocabulary(last) if term.prefix else [last]
    return _all([*(any_of([token]) for token in before), any_of(ends)])


def _in_a_row(words: Sequence[str], slop: int = 0) -> FullTextQuery:
    phrase = " ".join(words)
    return PhraseQuery(phrase, TOKENS, slop=slop)  # type: ignore[call-arg] # it has defaults


def _pairs(near: Proximity, parts: Sequence[Sequence[Term]]) -> FullTextQuery | None:
    """Return both orders of each pair of words; None where the proximity is of another kind."""
    if len(parts) != 2 or len(parts[0]) * len(parts[1]) > _MOST_PAIRS:
        return None
    orders: list[FullTextQuery] = []
    for left, right in product(*parts):
        if not isinstance(left, Word) or not isinstance(right, Word) or left.token == right.token:
            return None
        for first, second in permutations((left.token, right.token)):
            orders.append(_in_a_row((first, second), proximity_window(near)))
    return BooleanQuery([(Occur.SHOULD, query) for query in orders])


def _combine_parts(parts: Sequence[Sequence[Term]], vocabulary: Vocabulary) -> FullTextQuery | None:
    """Return a query for rows with the words of one of the alternatives of each part.

    Of a phrase the words will do: where FTS5 stops at such a row, what it counts in the next one
    depends on it (`fourcorners.cluster.words.rescoring`).
    """
    found: list[FullTextQuery | None] = []
    for part in parts:
        queries = [query for term in part if (query := _words(term, vocabulary)) is not None]
        if not queries:
            return None
        found.append(
            queries[0]
            if len(queries) == 1
            else BooleanQuery([(Occur.SHOULD, query) for query in queries])
        )
    return _all(found)


def _all(queries: Sequence[FullTextQuery | None]) -> FullTextQuery | None:
    wanted = [query for query in queries if query is not None]
    if len(wanted) < len(queries):
        return None
    return BooleanQuery([(Occur.MUST, query) for query in wanted])
