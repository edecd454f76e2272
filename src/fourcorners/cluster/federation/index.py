"""`FederatedIndex`: the passages of several libraries, ranked as those of one.

Each library ranks its own passages, in its own process, by the figures of all: so scores are
those that one library with all documents gives, and the best of all are among the best of each.
Passages with equal scores are in the order of the libraries.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fourcorners.cluster.federation.library import FederatedLibrary
from fourcorners.cluster.federation.members import Member
from fourcorners.cluster.federation.ranking import Statistics
from fourcorners.cluster.postgres.all_words import Term
from fourcorners.cluster.postgres.index import PostgresIndex, term_name
from fourcorners.cluster.postgres.postings import count_phrases
from fourcorners.library.tokens import collection_token, document_token
from fourcorners.library.words import WordTotals
from fourcorners.search.filters import Filters, Tokens
from fourcorners.search.index import CANDIDATES, Index, bm25
from fourcorners.search.query.fts import CompiledLeaf, leaf_phrases
from fourcorners.search.query.tree import Field
from fourcorners.text.tokenization import WordIndex

_Scored = tuple[NDArray[np.int64], NDArray[np.float64]]


class FederatedIndex(Index):
    """What the indexes of several libraries tell together."""

    def __init__(self, library: FederatedLibrary) -> None:
        super().__init__(library)
        self._measured = -1, 0  # a row and its number of words

    @property
    def _several(self) -> FederatedLibrary:
        return cast("FederatedLibrary", self._library)

    def scores(self, leaf: CompiledLeaf, filters: Tokens) -> dict[int, float]:
        rows, scores = self._score_rows([leaf], filters, "rank_rows", leaf)
        return dict(zip(rows.tolist(), scores.tolist(), strict=True))

    def best_rows(
        self,
        leaves: Sequence[CompiledLeaf],
        filters: Tokens,
        limit: int | None,
        *,
        every: bool = False,
    ) -> Mapping[int, float]:
        rows, scores = self._score_rows(leaves, filters, "rank_best", leaves, limit, every)
        order = np.lexsort((rows, -scores))[:limit]
        return dict(zip(rows[order].tolist(), scores[order].tolist(), strict=True))

    def leaf_score(self, leaf: CompiledLeaf, row: int, words: WordIndex) -> float | None:
        often = count_phrases(leaf, [" ".join(words.words.tokens)])
        if not often:
            return None
        if row != self._measured[0]:  # its leaves are asked for one after the other
            member = self._several.federation.member_of_row(row)
            own = PostgresIndex(self._several.library_of(member))
            self._measured = row, own.row_length(row - member.first_row)
        length = self._measured[1]
        return bm25(often[0][0], length, self.totals(), self.document_frequency(leaf))

    def count(self, leaf: CompiledLeaf, filters: Tokens) -> int:
        return sum(self._ask_within(filters, "count", leaf).values())

    def document_frequency(self, leaf: CompiledLeaf) -> int:
        (term,) = _terms(leaf)
        return self._count_terms([term])[term_name(term)]

    def filtered_rows(self, filters: Tokens) -> NDArray[np.int64]:
        found = self._ask_within(filters, "filtered_rows")
        own = [rows + member.first_row for member, rows in found.items()]
        return np.concatenate([np.empty(0, np.int64), *own])

    def token_places(self, token: str, most: int) -> list[tuple[int, int]]:
        found = self._ask("token_places", token, most)
        return [
            (document + member.first_row, ordinal)
            for member, places in found.items()
            for document, ordinal in places
        ][:most]

    def vocabulary(self, start: str) -> list[str]:
        terms = self._ask("vocabulary", start).values()
        return sorted({term for own in terms for term in own})

    def cosines(self, vector: NDArray[np.float32], rows: Collection[int]) -> dict[int, float]:
        asked = {
            member: (vector, own.tolist())
            for member, own in self._split(np.fromiter(rows, np.int64)).items()
        }
        return _nearest(self._several.processes.ask("cosines", asked), CANDIDATES)

    def nearest(
        self,
        filters: Filters,
        tokens: Tokens,
        vector: NDArray[np.float32],
        limit: int,
        rows: Collection[int] | None,
    ) -> dict[int, float]:
        among = None if rows is None else self._split(np.fromiter(rows, np.int64))
        asked: dict[Member, tuple[Any, ...]] = {}
        for member, own in self._filters_of_members(tokens).items():
            ids = (self._several.federation.split_id(each) for each in filters.documents)
            documents = tuple(each[1] for each in ids if each and each[0] == member)
            within = None if among is None else among.get(member, np.empty(0, np.int64)).tolist()
            asked[member] = (replace(filters, documents=documents), own, vector, limit, within)
        return _nearest(self._several.processes.ask("nearest", asked), limit)

    def _score_rows(
        self, leaves: Sequence[CompiledLeaf], filters: Tokens, method: str, *arguments: object
    ) -> _Scored:
        """Return rows and scores by a method that ranks, with the figures of all libraries."""
        terms = [term for leaf in leaves for term in _terms(leaf)]
        whole = Statistics(self.totals(), self._count_terms(terms))
        found: Mapping[Member, _Scored]
        found = self._ask_within(filters, method, *arguments, whole=whole)
        rows = [own + member.first_row for member, (own, _) in found.items()]
        scores = [own for _, own in found.values()]
        return (
            np.concatenate([np.empty(0, np.int64), *rows]),
            np.concatenate([np.empty(0), *scores]),
        )

    def _count_totals(self) -> WordTotals:
        own = self._ask("own_totals").values()
        return WordTotals(sum(each.rows for each in own), sum(each.words for each in own))

    def _count_terms(self, terms: Sequence[Term]) -> dict[str, int]:
        """Count the rows of all libraries with each term; cached until one of them changes."""
        self._fresh()
        named = {term_name(term): term for term in terms}
        unknown = {name: term for name, term in named.items() if name not in self._frequencies}
        if unknown:
            own = self._ask("own_frequencies", [*unknown.values()]).values()
            self._frequencies |= dict(zip(unknown, map(sum, zip(*own, strict=True)), strict=True))
        return {name: self._frequencies[name] for name in named}

    def _ask(self, method: str, *arguments: object) -> dict[Member, Any]:
        members = self._several.federation.members
        return self._several.processes.ask(method, dict.fromkeys(members, arguments))

    def _ask_within(
        self, filters: Tokens, method: str, *arguments: object, whole: Statistics | None = None
    ) -> dict[Member, Any]:
        """Ask the libraries that filters do not exclude; the filters are the last argument."""
        own = self._filters_of_members(filters)
        asked = {member: (*arguments, tokens) for member, tokens in own.items()}
        return self._several.processes.ask(method, asked, whole)

    def _filters_of_members(self, filters: Tokens) -> dict[Member, list[list[str]]]:
        """Return filters as each library has them; those that have nothing within are left out."""
        found: dict[Member, list[list[str]]] = {}
        for member in self._several.federation.members:
            own = [self._own_tokens(member, tokens) for tokens in filters]
            if all(own):
                found[member] = own
        return found

    def _own_tokens(self, member: Member, tokens: Collection[str]) -> list[str]:
        kind = next(iter(tokens), "")[:1]
        if kind == "c":
            own = map(collection_token, self._several.collections_of(member))
            return sorted({*own}.intersection(tokens))
        prefix = document_token(member.global_id(""))
        if kind == "d":
            return [
                document_token(token.removeprefix(prefix))
                for token in tokens
                if token.startswith(prefix)
            ]
        return list(tokens)

    def _split(self, rows: NDArray[np.int64]) -> dict[Member, NDArray[np.int64]]:
        """Return rows by library, as each numbers them."""
        found: dict[Member, NDArray[np.int64]] = {}
        for member in self._several.federation.members:
            own = rows[(rows >= member.first_row) & (rows < member.end_row)] - member.first_row
            if len(own):
                found[member] = own
        return found


def _terms(leaf: CompiledLeaf) -> list[Term]:
    """Return the words and phrases whose frequencies count in the score of a leaf."""
    assert not isinstance(leaf.leaf, Field)  # noqa: S101 - a field has no words
    return leaf_phrases(leaf.leaf)


def _nearest(found: Mapping[Member, Mapping[int, float]], limit: int) -> dict[int, float]:
    """Return the rows with the highest cosines of all libraries; of equal ones the first."""
    whole = {
        row + member.first_row: cosine
        for member, own in found.items()
        for row, cosine in own.items()
    }
    if len(whole) <= limit:
        return whole
    best = sorted(whole, key=lambda row: (-whole[row], row))[:limit]
    return {row: whole[row] for row in best}
