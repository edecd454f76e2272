"""Rank the passages that have all of some words, and read as little as possible for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourcorners.cluster.postgres.postings import Occurrences
from fourcorners.search.filters import Tokens
from fourcorners.search.query.tree import Phrase, Prefix, Word

Term: TypeAlias = Word | Prefix | Phrase
Ranked: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Rows, ascending, with the score of each."""

MANY_DOCUMENTS = 1_000
"""If more have the rarer words of a query, the commoner ones are read for the best rows alone."""


class WordReader(Protocol):
    """What finds words and scores them: `PostgresIndex`."""

    def find(
        self, term: Term, filters: Tokens, documents: NDArray[np.int64] | None = None
    ) -> Occurrences: ...

    def own_rows(self, term: Term) -> int: ...

    def scores_of(
        self, term: Term, found: Occurrences, rows: NDArray[np.int64], filters: Tokens
    ) -> NDArray[np.float64]: ...

    def highest_score(self, word: Term) -> float: ...


def rank_all(
    reader: WordReader, terms: Sequence[Term], filters: Tokens, limit: int | None
) -> Ranked:
    """Rank the rows with all of some words and phrases, or at least the best.

    A common word is read only of documents that have the rarer ones. If these are many, it is read
    only of those that may be among the best, as it adds little to a score. `limit` says how many
    are needed; None is for all.
    """
    # What is no word is read whole, to be counted.
    rarity = [reader.own_rows(each) if isinstance(each, Word) else -1 for each in terms]
    order = sorted(range(len(terms)), key=rarity.__getitem__)
    first = reader.find(terms[order[0]], filters)
    found = {order[0]: first}
    rows, documents = first.rows, first.documents_of(first.rows)
    for place, at in enumerate(order[1:], start=1):
        is_word = isinstance(terms[at], Word)
        if limit is not None and is_word and len(documents) > MANY_DOCUMENTS:
            return _rank_best(reader, terms, filters, limit, (found, order[place:], rows))
        own = found[at] = reader.find(terms[at], filters, documents if is_word else None)
        rows = np.intersect1d(rows, own.rows, assume_unique=True)
        documents = own.documents_of(rows)
    return rows, _sum_scores(reader, terms, filters, found, rows)


def _rank_best(
    reader: WordReader,
    terms: Sequence[Term],
    filters: Tokens,
    limit: int,
    so_far: tuple[dict[int, Occurrences], Sequence[int], NDArray[np.int64]],
) -> Ranked:
    """Rank at least the best of the rows with some of the words, of those with the others too.

    The others are read for the rows with the highest scores so far, until no row that is left can
    be as good as the best, whatever they add. `so_far` is what was found of some words, by their
    numbers; the numbers of the others; and the rows with all of the first.
    """
    found, others, rows = so_far
    scores = _sum_scores(reader, terms, filters, found, rows)
    most = sum(reader.highest_score(terms[at]) for at in others)
    order = np.argsort(-scores, kind="stable")
    some = next(iter(found.values()))
    ranked: list[Ranked] = []
    begin, count = 0, limit + MANY_DOCUMENTS
    while begin < len(order):
        best = np.sort(rows[order[begin : begin + count]])
        documents = some.documents_of(best)
        read = {at: reader.find(terms[at], filters, documents) for at in others}
        for own in read.values():
            best = np.intersect1d(best, own.rows, assume_unique=True)
        ranked.append((best, _sum_scores(reader, terms, filters, found | read, best)))
        begin, count = begin + count, 2 * count
        whole = np.concatenate([each for _, each in ranked])
        if begin < len(order) and len(whole) >= limit:
            least = np.partition(whole, len(whole) - limit)[len(whole) - limit]
            if scores[order[begin]] + most < least:
                break
    known = np.concatenate([each for each, _ in ranked])
    ascending = np.argsort(known)
    return known[ascending], np.concatenate([each for _, each in ranked])[ascending]


def _sum_scores(
    reader: WordReader,
    terms: Sequence[Term],
    filters: Tokens,
    found: Mapping[int, Occurrences],
    rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the scores of the words that were found, in rows with all of them."""
    total = np.zeros(len(rows))
    for at in sorted(found):  # in the order of the words, as sums differ in their last digit
        total += reader.scores_of(terms[at], found[at], rows, filters)
    return total
