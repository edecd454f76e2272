"""`LanceIndex`: the words and vectors of a library on Lance tables, ranked as SQLite ranks.

Which rows bear a word, and how often, is in a table of our own (`WordIndexStore`): questions in
words are ranked from it without reading a row. Of proximities and phrases Lance finds the rows; how
much each counts is worked out here, in FTS5's way, because Lance's own score of a phrase does not
see how near the words stand. Which rows count at all is for the catalogue to say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np
import pyarrow as pa

from fourcorners.cluster.library import LanceLibrary
from fourcorners.cluster.storage.document_tables import PASSAGES, VECTOR_COLUMNS, VECTORS, WORDS
from fourcorners.cluster.words.compiler import compile_leaf
from fourcorners.cluster.words.postings import TOKEN_PREFIX
from fourcorners.cluster.words.rescoring import count_phrases
from fourcorners.cluster.words.store import WordRows
from fourcorners.cluster.words.visibility import VisibleRows
from fourcorners.library.database import as_string
from fourcorners.library.words import WordTotals
from fourcorners.search.bm25 import bm25
from fourcorners.search.filters import Filters, Tokens
from fourcorners.search.fusion import sort_by_score
from fourcorners.search.query.fts import CompiledLeaf, is_exact, leaf_expression, leaf_phrases
from fourcorners.search.query.tree import Field, Phrase, Prefix, Word, leaf_label
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    from lancedb.query import FullTextQuery
    from numpy.typing import NDArray

_READ = (*WORDS, "words_crc")
_COMMON = "dct"  # how tokens of a whole document begin
_FEW = 24
"""Ranges of rowids that a query is limited to in the store; more are sorted out here."""
_HELD = 16  # filters whose rows are remembered
_MORE = 4  # times as many of the nearest are fetched again, until enough of them count


class LanceIndex:
    """What the tables of a library tell of words and vectors."""

    def __init__(self, library: LanceLibrary) -> None:
        self._library_of = ref(library)  # the library keeps its index, not the other way round
        self._of: VisibleRows | None = None
        self._containing_rows: dict[str, int] = {}
        self._within: dict[tuple[tuple[str, ...], ...], NDArray[np.int64]] = {}

    @property
    def _library(self) -> LanceLibrary:
        library = self._library_of()
        assert library is not None  # noqa: S101 - who asks holds it
        return library

    def _visible(self) -> VisibleRows:
        """Return which rows count; what was worked out for others is forgotten."""
        visible = self._library.visible()
        if visible is not self._of:
            self._containing_rows.clear()
            self._within.clear()
            self._of = visible
        return visible

    def scores(self, leaf: CompiledLeaf, filters: Tokens) -> dict[int, float]:
        """Return the rows that satisfy a leaf with their BM25, in order."""
        rows, scores = self._rank_rows(leaf, filters)
        return dict(zip(rows.tolist(), scores.tolist(), strict=True))

    def _rank_rows(
        self, leaf: CompiledLeaf, filters: Tokens
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if isinstance(leaf.leaf, Word | Prefix):
            whole = self._words(leaf.leaf)
            found = self._within_filters(whole, filters)
            if not len(found.rows):
                return found.rows, np.empty(0)
            return found.rows, bm25(found.often, found.lengths, self.totals(), len(whole.rows))
        visible = self._visible()
        read = self._read(self._query(leaf), filters)
        texts = read["tokens"].to_pylist()
        often = count_phrases(leaf, texts)
        assert not isinstance(leaf.leaf, Field)  # noqa: S101 - a field has no score
        containing_rows = (
            [self._rows_with_term(term) for term in leaf_phrases(leaf.leaf)] if often else []
        )
        marks = read["marks"].to_pylist()
        rows = read["row"].to_pylist()
        at = sorted(often)
        lengths = {one: _length(visible, rows[one], texts[one], marks[one]) for one in at}
        scores = [
            sum(
                bm25(time, lengths[one], visible.totals, bearing)
                for time, bearing in zip(often[one], containing_rows, strict=True)
            )
            for one in at
        ]
        return np.array([rows[one] for one in at], np.int64), np.array(scores, np.float64)

    def best_rows(
        self,
        leaves: Sequence[CompiledLeaf],
        filters: Tokens,
        limit: int | None,
        *,
        every: bool = False,
    ) -> Mapping[int, float]:
        """Return the best rows for any of some words, or for all; of equal ones the first."""
        parts = [self._rank_rows(leaf, filters) for leaf in leaves]
        rows = np.unique(np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in parts)]))
        total = np.zeros(len(rows))
        for own, scores in parts:  # in the order of the leaves, as sums differ in their last digit
            total[np.searchsorted(rows, own)] += scores
        if every:
            whole = np.ones(len(rows), np.bool_)
            for own, _ in parts:
                whole &= np.isin(rows, own)
            rows, total = rows[whole], total[whole]
        if limit is not None and limit < len(rows):
            least = np.partition(total, len(rows) - limit)[len(rows) - limit]
            rows, total = rows[total >= least], total[total >= least]
        order = np.lexsort((rows, -total))[:limit]
        return dict(zip(rows[order].tolist(), total[order].tolist(), strict=True))

    def leaf_score(self, leaf: CompiledLeaf, row: int, words: WordIndex) -> float | None:
        often = count_phrases(leaf, [" ".join(words.words.tokens)])
        if not often:
            return None
        found = self._counting(self._library.tables.rows(PASSAGES, f"row = {row:d}", _READ))
        tokens, marks = found["tokens"][0].as_py(), found["marks"][0].as_py()
        length = _length(self._visible(), row, tokens, marks)
        return bm25(often[0][0], length, self.totals(), self.document_frequency(leaf))

    def count(self, leaf: CompiledLeaf, filters: Tokens) -> int:
        if isinstance(leaf.leaf, Word | Prefix):
            return len(self._within_filters(self._words(leaf.leaf), filters).rows)
        texts = self._read(self._query(leaf), filters)["tokens"].to_pylist()
        return len(count_phrases(replace(leaf, exact=True), texts))

    def document_frequency(self, leaf: CompiledLeaf) -> int:
        """Count the rows that bear a phrase; known until a passage comes or goes."""
        assert isinstance(leaf.leaf, Word | Prefix | Phrase)  # noqa: S101 - of one phrase
        return self._rows_with_term(leaf.leaf)

    def totals(self) -> WordTotals:
        return self._visible().totals

    def filtered_rows(self, filters: Tokens) -> NDArray[np.int64]:
        visible = self._visible()
        key = tuple(tuple(tokens) for tokens in filters)
        if key not in self._within:
            rows: NDArray[np.int64] | None = None
            for tokens in filters:
                bearing = self._rows_with_any(visible, tokens)
                rows = bearing if rows is None else np.intersect1d(rows, bearing)
            if len(self._within) >= _HELD:
                self._within.clear()
            self._within[key] = np.empty(0, dtype=np.int64) if rows is None else np.sort(rows)
        return self._within[key]

    def token_places(self, token: str, most: int) -> list[tuple[int, int]]:
        visible = self._visible()
        rows = self._words(Word(token)).rows[:most].tolist()
        owners = [(visible.owner(row), row) for row in rows]
        return [(owner.row, row - owner.rows.start) for owner, row in owners if owner]

    def vocabulary(self, start: str) -> list[str]:
        """Return the words that begin with `start` and with a Latin letter; some may be gone."""
        return [term for term in self._terms(start) if "a" <= term[0] <= "z"]

    def cosines(self, vector: NDArray[np.float32], rows: Collection[int]) -> dict[int, float]:
        if not rows or not self._has_vectors():
            return {}
        found: dict[int, float] = {}
        wanted = sorted(rows)
        for at in range(0, len(wanted), 500):
            where = f"row IN ({', '.join(map(str, wanted[at : at + 500]))})"
            found |= self._cosines(
                self._library.tables.rows(VECTORS, where, VECTOR_COLUMNS), vector
            )
        return found

    def nearest(
        self,
        filters: Filters,
        tokens: Tokens,
        vector: NDArray[np.float32],
        limit: int,
        rows: Collection[int] | None,
    ) -> dict[int, float]:
        """Return the nearest rows, by an exact scan in the store."""
        del filters  # `tokens` say the same
        if not self._has_vectors():
            return {}
        allowed = self.filtered_rows(tokens) if tokens else None
        if rows is not None:
            among = np.array(sorted(rows), dtype=np.int64)
            allowed = among if allowed is None else np.intersect1d(allowed, among)
        if allowed is not None and not len(allowed):
            return {}
        where = _ranges("row", allowed)
        fetched = limit
        while True:
            found = self._library.tables.nearest(VECTORS, vector, VECTOR_COLUMNS, fetched, where)
            cosines = self._cosines(found.select(VECTOR_COLUMNS), vector)
            if allowed is not None:
                allowed_rows = set(allowed.tolist())
                cosines = {row: cosine for row, cosine in cosines.items() if row in allowed_rows}
            if len(cosines) >= limit or len(found) < fetched:
                return {
                    row: cosines[row] for row in sort_by_score(sorted(cosines), cosines)[:limit]
                }
            fetched *= _MORE

    def _cosines(self, found: pa.Table, vector: NDArray[np.float32]) -> dict[int, float]:
        rows, generations, matrix = self._library.document_tables.read_vectors(found)
        if not len(rows):
            return {}
        counting = self._visible().live_rows(rows, generations, vectors=True)
        cosines = matrix[counting] @ vector
        return dict(zip(rows[counting].tolist(), cosines.tolist(), strict=True))

    def _has_vectors(self) -> bool:
        return any(each.vectors for each in self._visible().documents)

    def _query(self, leaf: CompiledLeaf) -> FullTextQuery | None:
        assert not isinstance(leaf.leaf, Field)  # noqa: S101 - a field has no words
        return compile_leaf(leaf.leaf, self._terms)

    def _terms(self, start: str) -> list[str]:
        rows = self._library.execute(
            "SELECT term FROM terms WHERE term >= ?1 AND term < ?2 ORDER BY term",
            (start, f"{start}\U0010ffff"),
        )
        return [as_string(term) for (term,) in rows]

    def _words(self, term: Word | Prefix) -> WordRows:
        visible = self._visible()
        parts = self._library.word_parts
        if isinstance(term, Word):
            return parts.find_word(term.token, visible)
        return parts.find_prefix(term.token, visible)

    def _within_filters(self, found: WordRows, filters: Tokens) -> WordRows:
        if not filters:
            return found
        allowed = np.isin(found.rows, self.filtered_rows(filters))
        return WordRows(found.rows[allowed], found.often[allowed], found.lengths[allowed])

    def _rows_with_term(self, term: Word | Prefix | Phrase) -> int:
        if isinstance(term, Word | Prefix):
            return len(self._words(term).rows)
        bare = Phrase(term.tokens, term.prefix)
        name = leaf_label(bare)
        if name not in self._containing_rows:
            leaf = CompiledLeaf(bare, name, 1.0, leaf_expression(bare), is_exact(bare), True)
            found = self._read(self._query(leaf), ())
            self._containing_rows[name] = len(count_phrases(leaf, found["tokens"].to_pylist()))
        return self._containing_rows[name]

    def _rows_with_any(self, visible: VisibleRows, tokens: Collection[str]) -> NDArray[np.int64]:
        rows = visible.rows_with_tokens(tokens)
        for token in tokens:
            if token[:1] not in _COMMON:
                marked = self._library.word_parts.find_word(f"{TOKEN_PREFIX}{token}", visible).rows
                rows = np.union1d(rows, marked)
        return rows

    def _read(self, query: FullTextQuery | None, filters: Tokens) -> pa.Table:
        """Return the rows of a query that count, within filters, with their words."""
        library = self._library
        library.document_tables.flush()
        allowed = self.filtered_rows(filters) if filters else None
        if query is None or (allowed is not None and not len(allowed)):
            return pa.table({name: pa.array([], pa.string()) for name in _READ})
        where = _ranges("row", allowed)
        found = self._counting(library.tables.words(PASSAGES, query, _READ, where))
        if allowed is not None:
            found = found.filter(pa.array(np.isin(found["row"].to_numpy(), allowed)))
        return found.sort_by("row")

    def _counting(self, found: pa.Table) -> pa.Table:
        """Keep the rows that the catalogue names, and look whether they are what was stored."""
        counting = self._visible().live_rows(
            found["row"].to_numpy(), found["generation"].to_pylist()
        )
        allowed = found.filter(pa.array(counting))
        self._library.document_tables.require_words(allowed)
        return allowed


def _length(visible: VisibleRows, row: int, tokens: str, marks: str) -> int:
    owner = visible.owner(row)
    assert owner is not None  # noqa: S101 - only rows that count are read
    own = tokens.count(" ") + 1 if tokens else 0
    return own + marks.count(" ") + 1 + owner.common


def _ranges(column: str, rows: NDArray[np.int64] | None) -> str:
    """Return a condition for rows in a few ranges; empty where they are many, or any will do."""
    if rows is None or not len(rows):
        return ""
    breaks = np.flatnonzero(np.diff(rows) > 1)
    if len(breaks) >= _FEW:
        return ""
    starts = rows[np.concatenate(([0], breaks + 1))].tolist()
    stops = rows[np.concatenate((breaks, [len(rows) - 1]))].tolist()
    return " OR ".join(
        f"({column} >= {start:d} AND {column} <= {stop:d})"
        for start, stop in zip(starts, stops, strict=True)
    )
