"""`PostgresIndex`: the words of a library in PostgreSQL, ranked as SQLite ranks.

A table gives the places of each word (`postings`): words and phrases are found and counted from it
alone. A proximity is checked by our own matcher and counted by FTS5 itself, on texts with the words
of the query at their places.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import cast

import numpy as np
from numpy.typing import NDArray

from fourcorners.cluster.postgres.all_words import Ranked, Term, rank_all
from fourcorners.cluster.postgres.database import PostgresDatabase
from fourcorners.cluster.postgres.dialect import Value
from fourcorners.cluster.postgres.library import PostgresLibrary
from fourcorners.cluster.postgres.postings import (
    ROW,
    TOKEN_PREFIX,
    Occurrences,
    close_places,
    count_phrases,
    in_a_row,
    length_at,
    merge_rows,
    read_occurrences,
    synthetic_texts,
)
from fourcorners.library.database import as_bytes, as_integer, as_string
from fourcorners.library.tokens import collection_token, type_token
from fourcorners.library.words import WordTotals
from fourcorners.search.filters import Tokens
from fourcorners.search.index import Index, bm25
from fourcorners.search.query.fts import CompiledLeaf, alternatives, leaf_phrases, proximity_window
from fourcorners.search.query.tree import Phrase, Prefix, Proximity, Word, leaf_label
from fourcorners.text.tokenization import WordIndex

_OFTEN = 1 << 40
_AFTER_ALL = "\U0010ffff"

_READ = """
    SELECT p.term, d.first_passage, p.entries FROM postings p JOIN documents d ON d.row = p.document
    WHERE p.term {}
"""
_READ_WORD, _READ_PREFIX = _READ.format("= $1"), _READ.format("BETWEEN $1 AND $2")
_BEARING = "SELECT coalesce(sum(passages), 0) FROM postings WHERE term = $1"
_ROWS_OF = "SELECT d.first_passage, d.passage_count FROM documents d WHERE true"
_TOTALS = "SELECT coalesce(sum(length(lengths)) / 4, 0), coalesce(sum(words), 0) FROM word_lengths"
_LENGTH = """
    SELECT w.lengths, p.ordinal FROM passages p JOIN word_lengths w ON w.document = p.document
    WHERE p.row = $1
"""
_PLACES = "SELECT document, entries FROM postings WHERE term = $1 LIMIT $2"
# So PostgreSQL looks each term up once, and does not pass over all its documents.
_VOCABULARY = """
    WITH RECURSIVE t(term) AS (
        (SELECT term FROM postings WHERE term >= $1 AND term < $2 ORDER BY term LIMIT 1)
        UNION ALL
        SELECT (SELECT p.term FROM postings p WHERE p.term > t.term AND p.term < $2
                ORDER BY p.term LIMIT 1) FROM t WHERE t.term IS NOT NULL
    ) SELECT term FROM t WHERE term ~ '^[a-z]'
"""
_OF_DOCUMENTS = {"d": "id", "c": "collection", "t": "type"}
"""How tokens of whole documents begin, and of which column of `documents` each is made."""
_FILLERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class PostgresIndex(Index):
    """What the tables of a library tell of words; its vectors are scanned as those of a file."""

    @property
    def _server(self) -> PostgresDatabase:
        return cast("PostgresLibrary", self._library).server

    def scores(self, leaf: CompiledLeaf, filters: Tokens) -> dict[int, float]:
        """Return the rows that satisfy a leaf with their BM25, in order."""
        rows, scores = self.rank_rows(leaf, filters)
        return dict(zip(rows.tolist(), scores.tolist(), strict=True))

    def best_rows(
        self,
        leaves: Sequence[CompiledLeaf],
        filters: Tokens,
        limit: int | None,
        *,
        every: bool = False,
    ) -> Mapping[int, float]:
        """Return the best rows for any of some words, or for all; of equal ones the first."""
        if every and leaves:
            rows, total = rank_all(self, [_term(leaf) for leaf in leaves], filters, limit)
        else:
            rows, total = self._rank_any(leaves, filters)
        if limit is not None and limit < len(rows):
            least = np.partition(total, len(rows) - limit)[len(rows) - limit]
            rows, total = rows[total >= least], total[total >= least]
        order = np.lexsort((rows, -total))[:limit]
        return dict(zip(rows[order].tolist(), total[order].tolist(), strict=True))

    def _rank_any(self, leaves: Sequence[CompiledLeaf], filters: Tokens) -> Ranked:
        parts = [self.rank_rows(leaf, filters) for leaf in leaves]
        rows = np.unique(np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in parts)]))
        total = np.zeros(len(rows))
        for own, scores in parts:  # in the order of the leaves, as sums differ in their last digit
            total[np.searchsorted(rows, own)] += scores
        return rows, total

    def scores_of(
        self, term: Term, found: Occurrences, rows: NDArray[np.int64], filters: Tokens
    ) -> NDArray[np.float64]:
        """Return the BM25 of a word or phrase, found within filters, in rows that have it."""
        is_word = isinstance(term, Word)
        bearing = self._count_rows(term) if is_word else self._count_found(term, found, filters)
        places = np.searchsorted(found.rows, rows)
        return bm25(found.often[places], found.lengths[places], self.totals(), bearing)

    def highest_score(self, word: Term) -> float:
        """Return a score above any that a word can have."""
        return bm25(_OFTEN, 0, self.totals(), self._count_rows(word))

    def leaf_score(self, leaf: CompiledLeaf, row: int, words: WordIndex) -> float | None:
        often = count_phrases(leaf, [" ".join(words.words.tokens)])
        if not often:
            return None
        length = self.row_length(row)
        return bm25(often[0][0], length, self.totals(), self.document_frequency(leaf))

    def row_length(self, row: int) -> int:
        """Return how many words a row has, filter tokens among them."""
        lengths, ordinal = self._server.query(_LENGTH, (row,))[0]
        return length_at(as_bytes(lengths), as_integer(ordinal))

    def count(self, leaf: CompiledLeaf, filters: Tokens) -> int:
        if isinstance(leaf.leaf, Proximity):
            _, texts = self._find_proximity(leaf.leaf, filters)
            return len(count_phrases(replace(leaf, exact=True), texts))
        return len(self.find(_term(leaf), filters).rows)

    def document_frequency(self, leaf: CompiledLeaf) -> int:
        """Count the rows with a phrase; cached until a document is added or removed."""
        return self._count_rows(_term(leaf))

    def filtered_rows(self, filters: Tokens) -> NDArray[np.int64]:
        whole, values = self._document_conditions(filters, 0)
        ranges = cast("list[tuple[int, int]]", self._server.query(_ROWS_OF + whole, values))
        rows = [np.arange(first, first + count) for first, count in ranges]
        found = np.sort(np.concatenate([np.empty(0, np.int64), *rows]))
        allowed = self._allowed(filters)
        return found if allowed is None else np.intersect1d(found, allowed)

    def token_places(self, token: str, most: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for document, entries in self._server.query(_PLACES, (token, most)):
            ordinals = read_occurrences([(0, as_bytes(entries))]).rows
            found += [(as_integer(document), ordinal) for ordinal in ordinals.tolist()]
        return found[:most]

    def vocabulary(self, start: str) -> list[str]:
        rows = self._server.query(_VOCABULARY, (start, f"{start}{_AFTER_ALL}"))
        return [as_string(term) for (term,) in rows]

    def _count_totals(self) -> WordTotals:
        rows, words = self._server.query(_TOTALS)[0]
        return WordTotals(as_integer(rows), as_integer(words))

    def rank_rows(self, leaf: CompiledLeaf, filters: Tokens) -> Ranked:
        """Return the rows that satisfy a leaf, ascending, and the BM25 of each."""
        if not isinstance(leaf.leaf, Proximity):
            term = _term(leaf)
            found = self.find(term, filters)
            if not len(found.rows):
                return found.rows, np.empty(0)
            bearing = self._count_found(term, found, filters)
            return found.rows, bm25(found.often, found.lengths, self.totals(), bearing)
        candidates, texts = self._find_proximity(leaf.leaf, filters)
        often = count_phrases(leaf, texts)
        at = np.array(sorted(often), np.int64)
        scores = np.zeros(len(at))
        if often:
            lengths = candidates.lengths[at]
            counts = np.array([often[each] for each in at.tolist()], np.int64)
            for part, term in enumerate(leaf_phrases(leaf.leaf)):
                scores += bm25(counts[:, part], lengths, self.totals(), self._count_rows(term))
        return candidates.rows[at], scores

    def _count_found(self, term: Term, found: Occurrences, filters: Tokens) -> int:
        """Count the rows with a word or a phrase, of which those within filters were found."""
        return self._count_rows(term) if filters else len(found.rows)

    def _count_rows(self, term: Term) -> int:
        """Count the rows of all that is searched with a word or a phrase."""
        return self.own_rows(term)

    def own_rows(self, term: Term) -> int:
        """Count the rows with a word or a phrase; cached until a document is added or removed."""
        self._fresh()
        name = term_name(term)
        if name not in self._frequencies:
            if isinstance(term, Word):
                found = as_integer(self._server.query(_BEARING, (term.token,))[0][0])
            else:
                found = len(self.find(term, ()).rows)
            self._frequencies[name] = found
        return self._frequencies[name]

    def find(
        self, term: Term, filters: Tokens, documents: NDArray[np.int64] | None = None
    ) -> Occurrences:
        """Return the places within filters, and within documents, by their first rows, if given."""
        if isinstance(term, Phrase):
            return in_a_row([self.find(each, filters, documents) for each in _words(term)])
        read = self._read(term, filters, documents)
        return read_occurrences(chain(*read.values())).select_rows(self._allowed(filters))

    def _read(
        self, term: Word | Prefix, filters: Tokens, documents: NDArray[np.int64] | None = None
    ) -> dict[str, list[tuple[int, bytes]]]:
        """Return the entries of a word, or of all that begin so, by word.

        Filters by document are met, those by passage not yet.
        """
        statement, values = _READ_WORD, [term.token]
        if isinstance(term, Prefix):
            statement, values = _READ_PREFIX, [term.token, f"{term.token}{_AFTER_ALL}"]
        whole, more = self._document_conditions(filters, len(values))
        given: list[Value] = [*values, *more]
        if documents is not None:
            given.append(documents.tolist())
            whole += f" AND d.first_passage = ANY(${len(given):d})"
        found: dict[str, list[tuple[int, bytes]]] = {}
        for word, first, entries in self._server.query(statement + whole, given):
            found.setdefault(as_string(word), []).append((as_integer(first), as_bytes(entries)))
        return found

    def _find_proximity(self, near: Proximity, filters: Tokens) -> tuple[Occurrences, list[str]]:
        """Return passages among which are all that satisfy a proximity, and texts for theirs.

        The texts have the words of the query at their places, and another word between.
        """
        parts = [[_words(one) for one in alternatives(part)] for part in near.parts]
        allowed = self._allowed(filters)
        stored: dict[str, list[tuple[int, bytes]]] = {}
        found: dict[Word | Prefix, Occurrences] = {}
        rows, documents = np.empty(0, np.int64), None
        for part in sorted(parts, key=self._part_rarity):
            own = [word for one in part for word in one]
            for word in dict.fromkeys(own):
                if word not in found:
                    read = self._read(word, filters, documents)
                    found[word] = read_occurrences(chain(*read.values())).select_rows(allowed)
                    stored |= read
            held = reduce(np.union1d, [_rows_of(found[word] for word in one) for one in part])
            rows = held if documents is None else np.intersect1d(rows, held)
            bearing = merge_rows([found[word] for word in own])
            documents = bearing.documents_of(rows)
        window = proximity_window(near) + max(len(one) for part in parts for one in part)
        # Of a phrase that is one of several FTS5 counts what it passed over: it must see all of it.
        if not any(len(part) > 1 and any(len(one) > 1 for one in part) for part in parts):
            places = [
                np.sort(np.concatenate([in_a_row([found[w] for w in one]).places for one in part]))
                for part in parts
            ]
            rows = np.intersect1d(rows, close_places(places, window) // ROW)
        candidates = merge_rows(found.values()).select_rows(rows)
        words = [
            (word, read_occurrences(entries).select_rows(rows).places)
            for word, entries in stored.items()
        ]
        asked = tuple(word.token for word in found)
        filler = next(each for each in _FILLERS if not each.startswith(asked))
        return candidates, list(synthetic_texts(candidates.rows, words, filler, window + 2))

    def _part_rarity(self, part: Sequence[Sequence[Word | Prefix]]) -> float:
        """Return in how many rows a part of a proximity is at most; beginnings come last."""
        often = [
            [self.own_rows(word) if isinstance(word, Word) else math.inf for word in one]
            for one in part
        ]
        return sum(map(min, often))

    def _allowed(self, filters: Tokens) -> NDArray[np.int64] | None:
        """Return the rows within the filters that are not of whole documents; None for all."""
        rows: NDArray[np.int64] | None = None
        for tokens in filters:
            if _kind(tokens) not in _OF_DOCUMENTS:
                own = [self.find(Word(f"{TOKEN_PREFIX}{token}"), ()).rows for token in tokens]
                bearing = np.unique(np.concatenate([np.empty(0, np.int64), *own]))
                rows = bearing if rows is None else np.intersect1d(rows, bearing)
        return rows

    def _document_conditions(self, filters: Tokens, before: int) -> tuple[str, list[Value]]:
        """Return the filters of whole documents as conditions, and their values.

        Args:
            filters: All of them.
            before: How many values the statement has before.
        """
        conditions: list[str] = []
        values: list[Value] = []
        for tokens in filters:
            if (kind := _kind(tokens)) in _OF_DOCUMENTS:
                values.append(self._column_values(kind, tokens))
                place = before + len(values)
                conditions.append(f" AND d.{_OF_DOCUMENTS[kind]} = ANY(${place:d})")
        return "".join(conditions), values

    def _column_values(self, kind: str, tokens: Collection[str]) -> list[int] | list[str]:
        """Return the values of a column of `documents` of which filter tokens are made."""
        if kind == "d":
            return [token[1:] for token in tokens]
        if kind == "c":
            rows = self._server.query("SELECT row, name FROM collections")
            return [as_integer(row) for row, name in rows if collection_token(str(name)) in tokens]
        rows = self._server.query("SELECT DISTINCT type FROM documents")
        return [str(name) for (name,) in rows if type_token(str(name)) in tokens]


def term_name(term: Term) -> str:
    return leaf_label(replace(term, boost=1.0))


def _term(leaf: CompiledLeaf) -> Term:
    assert isinstance(leaf.leaf, Word | Prefix | Phrase)  # noqa: S101 - of one phrase
    return leaf.leaf


def _kind(tokens: Collection[str]) -> str:
    return next(iter(tokens), "")[:1]


def _words(term: Term) -> list[Word | Prefix]:
    if not isinstance(term, Phrase):
        return [replace(term, boost=1.0)]
    *before, last = term.tokens
    return [*map(Word, before), Prefix(last) if term.prefix else Word(last)]


def _rows_of(words: Iterable[Occurrences]) -> NDArray[np.int64]:
    """Return the rows with all of some words."""
    return reduce(np.intersect1d, [each.rows for each in words])
