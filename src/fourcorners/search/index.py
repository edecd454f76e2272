"""What a search asks of a store: the words index and the vectors, whatever engine keeps them.

A library in SQLite is asked with `SqliteIndex`; a room that keeps the words elsewhere registers its
own for its kind of library. All of them rank alike: BM25 as SQLite's FTS5 works it out.
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
        """Return the best rows for any of some words; of equal ones those that come first.

        Args:
            leaves: The words or phrases.
            filters: What the rows are within.
            limit: How many rows at most; None for all.
            every: Whether a row must bear all of them.
        """

    def leaf_score(self, leaf: CompiledLeaf, row: int, words: WordIndex) -> float | None:
        """Return what a leaf counts in a row whose words are these; None where it does not."""

    def count(self, leaf: CompiledLeaf, filters: Tokens) -> int:
        """Count the rows that the index finds for a leaf, before any are read and refused."""

    def document_frequency(self, leaf: CompiledLeaf) -> int:
        """Count the rows of the whole library that bear what a leaf of one phrase finds."""

    def totals(self) -> WordTotals: ...

    def filtered_rows(self, filters: Tokens) -> NDArray[np.int64]:
        """Return the rows within filters (one at least), in no order."""

    def token_places(self, token: str, most: int) -> list[tuple[int, int]]:
        """Return document (by row) and ordinal of at most `most` passages that bear a word."""

    def vocabulary(self, start: str) -> list[str]:
        """Return the folded words that begin with `start` and with a Latin letter, sorted."""

    def cosines(self, vector: NDArray[np.float32], rows: Collection[int]) -> dict[int, float]:
        """Return the cosine with a vector of each of `rows` that has a vector itself.

        Of many rows only the nearest may be told.
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
    """Return the index of a library; it is made once."""
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
        ConfigError: If the library's vectors are another encoder's.
    """
    known = library.encoder
    if known and (known.name, known.dimension) != (encoder.name, encoder.dimension):
        raise ConfigError(
            f"the vectors of {library.path} were made by {known.name}, not by {encoder.name}.",
            remedy=REENCODE_REMEDY.format(known.name, library.path),
        )
