"""What the process of one library does for a federation: rank its passages by what all hold.

BM25 depends on how many passages all libraries have, and in how many of these a word is. So a
federation first asks each library for its own figures, and then for its ranking by their sums.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fourcorners.cluster.postgres.all_words import Term
from fourcorners.cluster.postgres.connection import Address
from fourcorners.cluster.postgres.index import PostgresIndex, term_name
from fourcorners.cluster.postgres.library import PostgresLibrary
from fourcorners.library.damage import without_damaged
from fourcorners.library.words import WordTotals
from fourcorners.search.filters import Filters, Tokens
from fourcorners.search.query.fts import CompiledLeaf
from fourcorners.search.query.tree import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fourcorners.cluster.postgres.postings import Occurrences


@dataclass(frozen=True, slots=True)
class Statistics:
    """What all libraries hold: their passages and words, and in how many passages terms are."""

    totals: WordTotals
    frequencies: Mapping[str, int] = field(default_factory=dict)


class MemberIndex(PostgresIndex):
    """The index of one library of a federation."""

    def __init__(self, library: PostgresLibrary) -> None:
        super().__init__(library)
        self.whole: Statistics | None = None
        self._found: dict[str, Occurrences] = {}

    def own_totals(self) -> WordTotals:
        return super().totals()

    def own_frequencies(self, terms: Sequence[Term]) -> list[int]:
        """Count the rows with each of some terms; what is read for it is ranked next."""
        self._found.clear()
        return [self.own_rows(term) for term in terms]

    def totals(self) -> WordTotals:
        return self.whole.totals if self.whole else super().totals()

    def _count_rows(self, term: Term) -> int:
        return self.whole.frequencies[term_name(term)] if self.whole else self.own_rows(term)

    def _count_found(self, term: Term, found: Occurrences, filters: Tokens) -> int:
        del found, filters
        return self._count_rows(term)

    def find(
        self, term: Term, filters: Tokens, documents: NDArray[np.int64] | None = None
    ) -> Occurrences:
        if filters or isinstance(term, Word):
            return super().find(term, filters, documents)
        name = term_name(term)
        if self.whole is None:  # its rows are counted, and ranked in the next request
            self._found[name] = super().find(term, filters)
            return self._found[name]
        return self._found.pop(name, None) or super().find(term, filters)

    def rank_best(
        self, leaves: Sequence[CompiledLeaf], limit: int | None, every: bool, filters: Tokens
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the best rows for any of some words, or for all, with their scores."""
        found = self.best_rows(leaves, filters, limit, every=every)
        return np.fromiter(found, np.int64, len(found)), np.fromiter(found.values(), np.float64)

    def nearest(
        self,
        filters: Filters,
        tokens: Tokens,
        vector: NDArray[np.float32],
        limit: int,
        rows: Collection[int] | None,
    ) -> dict[int, float]:
        if self._library.encoder is None:
            return {}
        return super().nearest(filters, tokens, vector, limit, rows)


@dataclass(frozen=True, slots=True)
class Request:
    """A method of `MemberIndex` with its arguments.

    Attributes:
        whole: What all libraries hold; None while that is being counted.
    """

    address: Address
    whole: Statistics | None
    method: str
    arguments: tuple[Any, ...]


_OPEN: dict[Address, tuple[PostgresLibrary, MemberIndex]] = {}


def answer(asked: Request) -> object:
    """Do what a federation asks, in the process of one of its libraries.

    Raises:
        LibraryError: If the library is out of reach, or refuses it.
    """
    if asked.address not in _OPEN:
        library = PostgresLibrary(asked.address, create=False)
        _OPEN[asked.address] = library, MemberIndex(library)
    return _answer(*_OPEN[asked.address], asked)


@without_damaged
def _answer(library: PostgresLibrary, index: MemberIndex, asked: Request) -> object:
    index.whole = asked.whole
    with library.snapshot():
        return getattr(index, asked.method)(*asked.arguments)
