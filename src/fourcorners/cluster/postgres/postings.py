"""The postings of words: passages, counts and places, one row per word and document.

A row contains, in order: the number of passages with the word; for each its ordinal, its number of
words (including filter tokens) and how often it has the word; and all places. Numbers have two
bytes, or four if one needs them; the first two bytes say which. What FTS5 alone can count it counts
on texts that are made of places.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import apsw
import numpy as np

from fourcorners.library.words import marked_passages
from fourcorners.search.query.match import is_match, leaf_instances
from fourcorners.search.query.tree import Field, Proximity, Word
from fourcorners.text.tokenization import TOKENIZE, WordIndex, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fourcorners.library.columns import DocumentColumns
    from fourcorners.search.query.fts import CompiledLeaf

TOKEN_PREFIX = "#"  # noqa: S105
"""What a filter token begins with, so that it is no word of a text."""
_OF_PASSAGES = "lh"
"""How tokens of labels and headings begin; the others are those of a whole document."""
ROW = np.int64(1 << 32)  # so far apart are the places of the passages of two rows
_NARROW, _WIDE = b"\x02\x00", b"\x04\x00"


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The occurrences of a word or a phrase.

    Attributes:
        places: Row × 2³² + number of the word in the passage, ascending.
        rows: The passages with it, ascending.
        lengths: How many words each has, including filter tokens.
        documents: The first row of the document of each.
    """

    places: NDArray[np.int64]
    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    documents: NDArray[np.int64]

    @property
    def often(self) -> NDArray[np.int64]:
        """Return how often each row has it."""
        return np.diff(np.searchsorted(self.places, self.rows * ROW), append=len(self.places))

    def documents_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first rows of the documents of some of its rows."""
        return np.unique(self.documents[np.searchsorted(self.rows, rows)])

    def select_rows(self, rows: NDArray[np.int64] | None) -> Occurrences:
        """Return those in some rows; all, if None are given."""
        if rows is None:
            return self
        selected = np.isin(self.rows, rows)
        places = self.places[np.isin(self.places // ROW, self.rows[selected])]
        return self._selected(places, selected)

    def with_places(self, places: NDArray[np.int64]) -> Occurrences:
        """Return these with other places, in some of the same rows."""
        return self._selected(places, np.isin(self.rows, places // ROW))

    def _selected(self, places: NDArray[np.int64], selected: NDArray[np.bool_]) -> Occurrences:
        columns = (each[selected] for each in (self.rows, self.lengths, self.documents))
        return Occurrences(places, *columns)


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """The words of a document: a row of `postings` for each, and the length of each passage."""

    postings: list[tuple[str, int, bytes]]
    lengths: NDArray[np.int64]


def count_words(columns: DocumentColumns, collection: str) -> DocumentWords:
    """Find the words of a document that is to be stored."""
    numbers: dict[str, int] = {}
    terms: list[int] = []
    sizes: list[int] = []
    lengths: list[int] = []
    passages = columns.index_rows()
    for body, marks in marked_passages(columns.id, passages, columns.type, collection):
        tokens = tokenize(body).tokens
        own = marks.split()
        terms += [numbers.setdefault(token, len(numbers)) for token in tokens]
        tagged = {f"{TOKEN_PREFIX}{mark}" for mark in own if mark[0] in _OF_PASSAGES}
        terms += [numbers.setdefault(mark, len(numbers)) for mark in tagged]
        sizes.append(len(tokens) + len(tagged))
        lengths.append(len(tokens) + len(own))
    ordinals = np.repeat(np.arange(len(sizes)), sizes)
    places = _ranges(np.zeros(len(sizes), np.int64), np.array(sizes, np.int64))
    which, whole = np.array(terms, np.int64), np.array(lengths, np.int64)
    order = np.argsort(which, kind="stable")
    pairs, often = np.unique(which * len(sizes) + ordinals, return_counts=True)
    bearing = pairs % len(sizes)
    numbered = np.arange(len(numbers) + 1)
    bounds = np.searchsorted(pairs // len(sizes), numbered).tolist()
    standing = np.searchsorted(which[order], numbered).tolist()
    rows = []
    for number, term in enumerate(numbers):
        some = slice(bounds[number], bounds[number + 1])
        at = places[order[standing[number] : standing[number + 1]]]
        count = some.stop - some.start
        entries = (np.array([count]), bearing[some], whole[bearing[some]], often[some], at)
        rows.append((term, count, _pack(np.concatenate(entries))))
    return DocumentWords(rows, whole)


def read_occurrences(rows: Iterable[tuple[int, bytes]]) -> Occurrences:
    """Return the occurrences of a word, from the first row of documents and their entries.

    Documents may come several times, with different words.
    """
    stored = list(rows)
    parts = [
        _unpack([each for each in stored if each[1][:2] == mark], kind)
        for mark, kind in ((_NARROW, "<u2"), (_WIDE, "<u4"))
    ]
    places, *columns = (np.concatenate(each) for each in zip(*parts, strict=True))
    _, first = np.unique(columns[0], return_index=True)
    return Occurrences(np.sort(places, kind="stable"), *(each[first] for each in columns))


def in_a_row(parts: Sequence[Occurrences]) -> Occurrences:
    """Return the places of the first of some words after which the others follow."""
    places = parts[0].places
    for at, part in enumerate(parts[1:], start=1):
        places = np.intersect1d(places, part.places - at, assume_unique=True)
    return parts[0] if len(parts) == 1 else parts[0].with_places(places)


def merge_rows(some: Collection[Occurrences]) -> Occurrences:
    """Return the rows of several words; of their places, none."""
    rows, first = np.unique(np.concatenate([each.rows for each in some]), return_index=True)
    lengths = np.concatenate([each.lengths for each in some])[first]
    documents = np.concatenate([each.documents for each in some])[first]
    return Occurrences(np.empty(0, np.int64), rows, lengths, documents)


def close_places(parts: Sequence[NDArray[np.int64]], window: int) -> NDArray[np.int64]:
    """Return the places of the first part near which there is one of each other part."""
    selected = parts[0]
    for other in parts[1:]:
        first = np.searchsorted(other, selected - window)
        selected = selected[first < np.searchsorted(other, selected + window, side="right")]
    return selected


def _pack(numbers: NDArray[np.int64]) -> bytes:
    if numbers.max() < 1 << 16:
        return _NARROW + numbers.astype("<u2").tobytes()
    return _WIDE + numbers.astype("<u4").tobytes()


def _unpack(stored: Sequence[tuple[int, bytes]], kind: str) -> tuple[NDArray[np.int64], ...]:
    """Return places, and the row, number of words and document's first row of each passage."""
    if not stored:
        return (np.empty(0, np.int64),) * 4
    size = np.dtype(kind).itemsize
    numbers = np.frombuffer(b"".join(entries[2:] for _, entries in stored), kind).astype(np.int64)
    ends = np.cumsum([(len(entries) - 2) // size for _, entries in stored])
    starts = np.concatenate(([0], ends[:-1]))
    counts = numbers[starts]
    firsts = np.repeat(np.array([first for first, _ in stored], np.int64), counts)
    rows = firsts + numbers[_ranges(starts + 1, counts)]
    lengths = numbers[_ranges(starts + 1 + counts, counts)]
    often = numbers[_ranges(starts + 1 + 2 * counts, counts)]
    begin = starts + 1 + 3 * counts
    places = np.repeat(rows, often) * ROW + numbers[_ranges(begin, ends - begin)]
    return places, rows, lengths, firsts


def _ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers from each start on, so many as it counts, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def pack_lengths(lengths: NDArray[np.int64]) -> bytes:
    return lengths.astype("<u4").tobytes()


def length_at(data: bytes, ordinal: int) -> int:
    return int(np.frombuffer(data, "<u4")[ordinal])


def synthetic_texts(
    rows: NDArray[np.int64],
    words: Sequence[tuple[str, NDArray[np.int64]]],
    filler: str,
    most: int,
) -> Iterator[str]:
    """Yield for each row the words given, at their places; all between them is one word repeated.

    Args:
        rows: The rows, ascending.
        words: Each with its places.
        filler: The word between them.
        most: Maximum repetitions between two words.
    """
    none = np.empty(0, np.int64)
    places = np.concatenate([none, *(at for _, at in words)])
    which = np.repeat(np.arange(len(words)), [len(at) for _, at in words])
    order = np.argsort(places, kind="stable")
    places, which = places[order], which[order].tolist()
    gaps = np.minimum(np.diff(places, prepend=0) - 1, most).tolist()
    starts, ends = np.searchsorted(places, rows * ROW), np.searchsorted(places, (rows + 1) * ROW)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        text = [words[which[start]][0]]
        for at in range(start + 1, end):
            text += [filler] * gaps[at]
            text.append(words[which[at]][0])
        yield " ".join(text)


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
