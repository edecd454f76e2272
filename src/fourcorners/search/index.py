"""The interface of a store for searching: the words index and the vectors.

A library in SQLite has `SqliteIndex`; other stores register an index for their kind of library. All
of them rank alike: by BM25 as SQLite's FTS5 computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import REENCODE_REMEDY, Catalogue
from fourcorners.library.words import WordTotals
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.search.filters import Filters, Tokens
from fourcorners.search.query.fts import CompiledLeaf
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Index(Protocol):
    """The passages of a library by their words and vectors; rows are passages' rowids."""

    def scores(self, leaf: CompiledLeaf, filters: Tokens) -> dict[int, float]:
        """Return the rows that satisfy a leaf, exactly, each with its BM25 (without the boost)."""

    def best_rows(
        self,
        leaves: Sequence[CompiledLeaf],
        filters: Tokens,
        limit: int | None,
        *,
        every: bool = False,
    ) -> Mapping[int, float]:
        """Return the best rows for any of some words; ties are ordered by row.

        Args:
            leaves: The words or phrases.
            filters: Filters that the rows must match.
            limit: Maximum rows; None for all.
            every: Whether a row must contain all of them.
        """

    def leaf_score(self, leaf: CompiledLeaf, row: int, words: WordIndex) -> float | None:
        """Return the score of a leaf in a row with these words; None if it does not match."""

    def count(self, leaf: CompiledLeaf, filters: Tokens) -> int:
        """Count the rows that the index finds for a leaf, before verifying them."""

    def document_frequency(self, leaf: CompiledLeaf) -> int:
        """Count the rows of the whole library that match a leaf of one phrase."""

    def totals(self) -> WordTotals: ...

    def filtered_rows(self, filters: Tokens) -> NDArray[np.int64]:
        """Return the rows within filters (one at least), in no order."""

    def token_places(self, token: str, most: int) -> list[tuple[int, int]]:
        """Return document (by row) and ordinal of at most `most` passages with a word."""

    def vocabulary(self, start: str) -> list[str]:
        """Return the folded words that begin with `start` and with a Latin letter, sorted."""

    def cosines(self, vector: NDArray[np.float32], rows: Collection[int]) -> dict[int, float]:
        """Return the cosine with a vector of each of `rows` that has a vector.

        With many rows only the nearest may be returned.
        """

    def nearest(
        self,
        filters: Filters,
        tokens: Tokens,
        vector: NDArray[np.float32],
        limit: int,
        rows: Collection[int] | None,
    ) -> dict[int, float]:
        """Return the `limit` rows within filters (and among `rows`) nearest to a vector."""


_L = TypeVar("_L", bound=Catalogue)
_MAKERS: dict[type[Catalogue], Callable[[Catalogue], Index]] = {}
_KNOWN: WeakKeyDictionary[Catalogue, Index] = WeakKeyDictionary()


def register_index(kind: type[_L], maker: Callable[[_L], Index]) -> None:
    _MAKERS[kind] = cast("Callable[[Catalogue], Index]", maker)


def index_of(library: Catalogue) -> Index:
    """Return the index of a library; it is created once."""
    known = _KNOWN.get(library)
    if known is None:
        from fourcorners.search.sqlite_index import SqliteIndex

        kinds = type(library).__mro__
        maker = next((_MAKERS[each] for each in kinds if each in _MAKERS), SqliteIndex)
        known = _KNOWN[library] = maker(library)
    return known


def require_same_encoder(library: Catalogue, encoder: Encoder) -> None:
    """Refuse to compare vectors of two encoders.

    Raises:
        ConfigError: If the library's vectors were made by another encoder.
    """
    known = library.encoder
    if known and (known.name, known.dimension) != (encoder.name, encoder.dimension):
        raise ConfigError(
            f"the vectors of {library.path} were made by {known.name}, not by {encoder.name}.",
            remedy=REENCODE_REMEDY.format(known.name, library.path),
        )
