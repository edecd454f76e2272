"""The index of a library for searching: words by FTS5, meaning by codes and then vectors.

Other stores than SQLite register an index of their kind; all rank alike: by BM25 as FTS5 computes
it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, TypeVar, cast, overload
from weakref import WeakKeyDictionary, ref

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import REENCODE_REMEDY, Catalogue
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.entries import PassageRow
from fourcorners.library.words import WordTotals, word_count, word_totals
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.search.filters import Filters, Tokens
from fourcorners.search.query.fts import BODY, CompiledLeaf, filter_expression, match_expression
from fourcorners.search.query.match import is_match, leaf_instances
from fourcorners.search.query.tree import Field, Leaf
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES = 2_048
"""Minimum passages whose full vectors are compared with a question's."""
TIMES = 16  # passages compared for each requested one, if that is more
# One statement per leaf, summed by the caller: FTS5 refuses bm25() in some forms of a UNION. The
# filter column has weight 0.
_SELECT = "SELECT rowid, -bm25(words, 1.0, 0.0) FROM words WHERE words MATCH ?"
_BEST = """
    SELECT rowid, bm25(words, 1.0, 0.0) AS score FROM words WHERE words MATCH ?
    ORDER BY score, rowid LIMIT ?
"""
_COUNT = "SELECT count(*) FROM words WHERE words MATCH ?"
_BEARING = "SELECT rowid FROM words WHERE words MATCH ?"
_STANDING = """
    SELECT p.document, p.ordinal FROM words JOIN passages p ON p.row = words.rowid
    WHERE words MATCH ? LIMIT ?
"""
_VOCABULARY = """
    SELECT term FROM temp.vocabulary WHERE term >= ?1 AND term < ?2
    AND term GLOB '[a-z]*' ORDER BY term
"""


class Index:
    """The passages of a library by their words and vectors; rows are passages' rowids."""

    def __init__(self, library: Catalogue) -> None:
        self._library_of = ref(library)  # the library holds its index, not vice versa
        self._version = ""
        self._totals = WordTotals(0, 0)
        self._frequencies: dict[str, int] = {}

    @property
    def _library(self) -> Catalogue:
        library = self._library_of()
        assert library is not None  # noqa: S101 - who asks holds it
        return library

    def scores(self, leaf: CompiledLeaf, filters: Tokens) -> dict[int, float]:
        """Return the rows that satisfy a leaf, exactly, each with its BM25 (without the boost)."""
        rows = self._library.execute(_SELECT, (match_expression(leaf.expression, filters),))
        found = dict(cast("list[tuple[int, float]]", rows))
        if leaf.exact or isinstance(leaf.leaf, Field):
            return found
        return self._verified(leaf.leaf, found)

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
        wanted = (" AND " if every else " OR ").join(leaf.expression for leaf in leaves)
        most = -1 if limit is None else limit  # SQLite's sign
        rows = self._library.execute(_BEST, (match_expression(wanted, filters), most))
        return {row: -score for row, score in cast("list[tuple[int, float]]", rows)}

    def leaf_score(self, leaf: CompiledLeaf, row: int, words: WordIndex) -> float | None:
        """Return the score of a leaf in a row with these words; None if it does not match."""
        assert not isinstance(leaf.leaf, Field)  # noqa: S101 - a field counts nothing
        often = len(leaf_instances(leaf.leaf, words))
        if not often:
            return None
        return bm25(
            often, word_count(self._library, row), self.totals(), self.document_frequency(leaf)
        )

    def count(self, leaf: CompiledLeaf, filters: Tokens) -> int:
        """Count the rows that the index finds for a leaf, before verifying them."""
        return self._count(match_expression(leaf.expression, filters))

    def document_frequency(self, leaf: CompiledLeaf) -> int:
        """Count the rows of the whole library that match a leaf of one phrase."""
        self._fresh()
        if leaf.expression not in self._frequencies:
            self._frequencies[leaf.expression] = self._count(f"{BODY} : ({leaf.expression})")
        return self._frequencies[leaf.expression]

    def totals(self) -> WordTotals:
        self._fresh()
        return self._totals

    def filtered_rows(self, filters: Tokens) -> NDArray[np.int64]:
        import numpy as np

        rows = self._library.execute(_BEARING, (filter_expression(filters),))
        return np.fromiter((cast("int", row) for (row,) in rows), dtype=np.int64)

    def token_places(self, token: str, most: int) -> list[tuple[int, int]]:
        """Return document (by row) and ordinal of at most `most` passages with a word."""
        rows = self._library.execute(_STANDING, (f'{BODY} : "{token}"', most))
        return [(as_integer(document), as_integer(ordinal)) for document, ordinal in rows]

    def vocabulary(self, start: str) -> list[str]:
        """Return the folded words that begin with `start` and with a Latin letter, sorted."""
        self._library.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary "
            "USING fts5vocab('main', 'words', 'row')"
        )
        rows = self._library.execute(_VOCABULARY, (start, f"{start}\U0010ffff"))
        return [as_string(term) for (term,) in rows]

    def cosines(self, vector: NDArray[np.float32], rows: Collection[int]) -> dict[int, float]:
        """Return the cosine with a vector of each of `rows` that has a vector.

        With many rows only the nearest may be returned.
        """
        import numpy as np

        if len(rows) > CANDIDATES:
            among = np.fromiter(rows, dtype=np.int64)
            rows = self._library.vector_codes().candidates(vector, CANDIDATES, among).tolist()
        found, matrix = self._library.passage_vectors(rows)
        return dict(zip(found.tolist(), (matrix @ vector).tolist(), strict=True))

    def nearest(
        self,
        filters: Filters,
        tokens: Tokens,
        vector: NDArray[np.float32],
        limit: int,
        rows: Collection[int] | None,
    ) -> dict[int, float]:
        """Return the `limit` rows within filters (and among `rows`) nearest to a vector."""
        import numpy as np

        allowed = None if rows is None else np.fromiter(rows, dtype=np.int64)
        if tokens:
            within = self._rows_within(filters, tokens)
            allowed = within if allowed is None else np.intersect1d(allowed, within)
        most = max(CANDIDATES, TIMES * limit)
        if allowed is None or len(allowed) > most:
            allowed = self._library.vector_codes().candidates(vector, most, allowed)
        found, matrix = self._library.passage_vectors(allowed.tolist())
        cosines = matrix @ vector
        top = np.arange(len(found))
        if limit < len(found):
            top = np.argpartition(-cosines, limit - 1)[:limit]
        return dict(zip(found[top].tolist(), cosines[top].tolist(), strict=True))

    def _rows_within(self, filters: Filters, tokens: Tokens) -> NDArray[np.int64]:
        import numpy as np

        if filters.types or filters.labels:
            return self.filtered_rows(tokens)
        ranges = [np.arange(rows.start, rows.stop) for rows in filters.passages(self._library)]
        return np.concatenate([np.empty(0, np.int64), *ranges])

    def _count(self, expression: str) -> int:
        return as_integer(self._library.execute(_COUNT, (expression,))[0][0])

    def _fresh(self) -> None:
        version = self._library.content_version
        if self._version != version or not self._totals.rows:
            self._frequencies.clear()
            self._version, self._totals = version, self._count_totals()

    def _count_totals(self) -> WordTotals:
        return word_totals(self._library)

    def _verified(self, leaf: Leaf, rows: Mapping[int, float]) -> dict[int, float]:
        """Keep the rows whose passage satisfies the leaf; the index may find too many."""
        by_document: dict[str, list[PassageRow]] = {}
        for passage in self._library.passage_rows(rows).values():
            by_document.setdefault(passage.document, []).append(passage)
        return {
            row: rows[row]
            for document, passages in by_document.items()
            for row in _holding(leaf, self._library.text(document), passages)
        }


def _holding(leaf: Leaf, text: str, passages: Iterable[PassageRow]) -> list[int]:
    return [
        passage.row
        for passage in passages
        if is_match(leaf, WordIndex(passage.passage.span.text_in(text)))
    ]


_L = TypeVar("_L", bound=Catalogue)
_MAKERS: dict[type[Catalogue], Callable[[Catalogue], Index]] = {}
_KNOWN: WeakKeyDictionary[Catalogue, Index] = WeakKeyDictionary()


def register_index(kind: type[_L], maker: Callable[[_L], Index]) -> None:
    _MAKERS[kind] = cast("Callable[[Catalogue], Index]", maker)


def index_of(library: Catalogue) -> Index:
    """Return the index of a library; it is created once."""
    known = _KNOWN.get(library)
    if known is None:
        kinds = type(library).__mro__
        maker = next((_MAKERS[each] for each in kinds if each in _MAKERS), Index)
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
            f"the vectors of {library.place} were made by {known.name}, not by {encoder.name}.",
            remedy=REENCODE_REMEDY.format(known.name, library.place),
        )


K1, B = 1.2, 0.75
"""BM25's constants, as SQLite sets them."""
_LEAST_RARITY = 1e-6  # the IDF of a word in more than half of the passages, as in SQLite


@overload
def bm25(often: int, length: int, whole: WordTotals, containing: int) -> float: ...


@overload
def bm25(
    often: NDArray[np.int64], length: NDArray[np.int64], whole: WordTotals, containing: int
) -> NDArray[np.float64]: ...


def bm25(
    often: int | NDArray[np.int64],
    length: int | NDArray[np.int64],
    whole: WordTotals,
    containing: int,
) -> float | NDArray[np.float64]:
    """Score one phrase in one row as FTS5 does, or in each of many rows; higher is better.

    Args:
        often: How often the phrase occurs in the row.
        length: The number of words in the row, including filter tokens.
        whole: The size of the index.
        containing: How many rows have the phrase.
    """
    rarity = log((whole.rows - containing + 0.5) / (containing + 0.5))
    rarity = rarity if rarity > 0 else _LEAST_RARITY
    mean = whole.words / whole.rows
    rest = K1 * (1 - B + B * length / mean)
    weighed: float | NDArray[np.float64]
    weighed = rarity * ((often * (K1 + 1.0)) / (often + rest))  # type: ignore[assignment] # float64
    return weighed
