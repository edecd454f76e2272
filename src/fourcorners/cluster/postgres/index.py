"""`PostgresIndex`: the words of a library in PostgreSQL, ranked as SQLite ranks.

A table gives the places of each word (`postings`): words and phrases are found and counted from it
alone. A proximity is checked by our own matcher and counted by FTS5 itself, on texts with the words
of the query at their places.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import TypeAlias, cast

import apsw
import numpy as np
from numpy.typing import NDArray

from fourcorners.cluster.postgres.database import PostgresDatabase
from fourcorners.cluster.postgres.dialect import Value
from fourcorners.cluster.postgres.library import PostgresLibrary
from fourcorners.cluster.postgres.postings import (
    ROW,
    TOKEN_PREFIX,
    Occurrences,
    length_at,
    read_occurrences,
    synthetic_texts,
)
from fourcorners.library.database import as_bytes, as_integer, as_string
from fourcorners.library.tokens import collection_token, type_token
from fourcorners.library.words import WordTotals
from fourcorners.search.filters import Tokens
from fourcorners.search.index import Index, bm25
from fourcorners.search.query.fts import CompiledLeaf, alternatives, leaf_phrases, proximity_window
from fourcorners.search.query.match import is_match, leaf_instances
from fourcorners.search.query.tree import Field, Phrase, Prefix, Proximity, Word, leaf_label
from fourcorners.text.tokenization import TOKENIZE, WordIndex

Term: TypeAlias = Word | Prefix | Phrase
Ranked: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]
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
        rows, total = (self._rank_all if every else self._rank_any)(leaves, filters)
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

    def _rank_all(self, leaves: Sequence[CompiledLeaf], filters: Tokens) -> Ranked:
        """Rank the rows with all words; a common word is read in documents with the rarer alone."""
        terms = [_term(leaf) for leaf in leaves]
        found: dict[int, Occurrences] = {}
        rows: NDArray[np.int64] | None = None
        documents: NDArray[np.int64] | None = None
        for at in sorted(range(len(terms)), key=lambda at: self._rarity(terms[at])):
            own = found[at] = self._find(terms[at], filters, documents)
            rows = own.rows if rows is None else np.intersect1d(rows, own.rows, assume_unique=True)
            documents = np.unique(own.documents[np.isin(own.rows, rows, assume_unique=True)])
        rows = np.empty(0, np.int64) if rows is None else rows
        total = np.zeros(len(rows))
        for at, term in enumerate(terms):  # in their order, as sums differ in their last digit
            own, word = found[at], isinstance(term, Word)
            bearing = self._count_rows(term) if word else self._count_found(term, own, filters)
            places = np.searchsorted(own.rows, rows)
            total += bm25(own.often[places], own.lengths[places], self.totals(), bearing)
        return rows, total

    def _rarity(self, term: Term) -> int:
        """Return in how many rows a word is; others come first, as they are counted when read."""
        return self._own_rows(term) if isinstance(term, Word) else -1

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
        return len(self._find(_term(leaf), filters).rows)

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
            found = self._find(term, filters)
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
        return self._own_rows(term)

    def _own_rows(self, term: Term) -> int:
        """Count the rows with a word or a phrase; cached until a document is added or removed."""
        self._fresh()
        name = term_name(term)
        if name not in self._frequencies:
            if isinstance(term, Word):
                found = as_integer(self._server.query(_BEARING, (term.token,))[0][0])
            else:
                found = len(self._find(term, ()).rows)
            self._frequencies[name] = found
        return self._frequencies[name]

    def _find(
        self, term: Term, filters: Tokens, documents: NDArray[np.int64] | None = None
    ) -> Occurrences:
        """Return the places within filters, and within documents, by their first rows, if given."""
        if isinstance(term, Phrase):
            return _in_a_row([self._find(each, filters, documents) for each in _words(term)])
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
            bearing = _union([found[word] for word in own])
            documents = np.unique(bearing.documents[np.isin(bearing.rows, rows)])
        window = proximity_window(near) + max(len(one) for part in parts for one in part)
        # Of a phrase that is one of several FTS5 counts what it passed over: it must see all of it.
        if not any(len(part) > 1 and any(len(one) > 1 for one in part) for part in parts):
            places = [
                np.sort(np.concatenate([_in_a_row([found[w] for w in one]).places for one in part]))
                for part in parts
            ]
            rows = np.intersect1d(rows, _close(places, window) // ROW)
        candidates = _union(found.values()).select_rows(rows)
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
            [self._own_rows(word) if isinstance(word, Word) else math.inf for word in one]
            for one in part
        ]
        return sum(map(min, often))

    def _allowed(self, filters: Tokens) -> NDArray[np.int64] | None:
        """Return the rows within the filters that are not of whole documents; None for all."""
        rows: NDArray[np.int64] | None = None
        for tokens in filters:
            if _kind(tokens) not in _OF_DOCUMENTS:
                own = [self._find(Word(f"{TOKEN_PREFIX}{token}"), ()).rows for token in tokens]
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


def _in_a_row(parts: Sequence[Occurrences]) -> Occurrences:
    places = parts[0].places
    for at, part in enumerate(parts[1:], start=1):
        places = np.intersect1d(places, part.places - at, assume_unique=True)
    return parts[0] if len(parts) == 1 else parts[0].with_places(places)


def _union(some: Collection[Occurrences]) -> Occurrences:
    """Return the rows of several words; of their places, none."""
    rows, first = np.unique(np.concatenate([each.rows for each in some]), return_index=True)
    lengths = np.concatenate([each.lengths for each in some])[first]
    documents = np.concatenate([each.documents for each in some])[first]
    return Occurrences(np.empty(0, np.int64), rows, lengths, documents)


def _rows_of(words: Iterable[Occurrences]) -> NDArray[np.int64]:
    """Return the rows with all of some words."""
    return reduce(np.intersect1d, [each.rows for each in words])


def _close(parts: Sequence[NDArray[np.int64]], window: int) -> NDArray[np.int64]:
    """Return the places of the first part near which there is one of each other part."""
    selected = parts[0]
    for other in parts[1:]:
        first = np.searchsorted(other, selected - window)
        selected = selected[first < np.searchsorted(other, selected + window, side="right")]
    return selected


def count_phrases(leaf: CompiledLeaf, texts: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """Return, for the texts that satisfy a leaf, how often each phrase of its expression counts.

    It is as SQLite's FTS5 counts. Where a proximity offers a phrase as an alternative, FTS5 also
    counts what it left over from the row at which it stopped before: that comes out alike as the
    same rows are at hand, in the same order.

    Args:
        leaf: Any leaf but a field.
        texts: Folded words of each row, separated by spaces, in the order of the rows.
    """
    assert not isinstance(leaf.leaf, Field)  # noqa: S101 - a field has no words
    if isinstance(leaf.leaf, Proximity):
        found = _near_matches(leaf.expression, texts)
        if leaf.exact:
            return found
        near = leaf.leaf
        return {at: often for at, often in found.items() if is_match(near, WordIndex(texts[at]))}
    if isinstance(leaf.leaf, Word):
        token = leaf.leaf.token
        times = ((at, text.split(" ").count(token)) for at, text in enumerate(texts))
    else:
        one = leaf.leaf
        times = ((at, len(leaf_instances(one, WordIndex(text)))) for at, text in enumerate(texts))
    return {at: (often,) for at, often in times if often}


def _near_matches(expression: str, texts: Sequence[str]) -> dict[int, tuple[int, ...]]:
    memory = apsw.Connection(":memory:")
    memory.register_fts5_function("often", _count_matches)
    memory.execute(
        f"CREATE VIRTUAL TABLE words USING fts5(body, content='', tokenize='{TOKENIZE}')"
    )
    with memory:
        memory.executemany("INSERT INTO words(rowid, body) VALUES (?, ?)", enumerate(texts))
    rows = cast(
        "list[tuple[int, str]]",
        memory.execute(
            "SELECT rowid, often(words) FROM words WHERE words MATCH ?", (f"body : ({expression})",)
        ).fetchall(),
    )
    return {row: tuple(json.loads(often)) for row, often in rows}


def _count_matches(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    """Return how often each phrase counts in the row, as FTS5's own bm25() sees it."""
    return json.dumps(
        [
            sum(len(places) for places in api.phrase_locations(phrase))
            for phrase in range(api.phrase_count)
        ]
    )
