"""`WordIndexStore`: in which rows each word stands, and how often, in a table of our own.

Lance's index of words finds rows, but does not tell how often a word counts in them as SQLite
counts; to work that out each row with the word was read. Here the numbers themselves are kept, in
parts that are written once and never changed, each with the documents that it holds. A part knows
them by their generations, so that what it says of a removed document does not count; documents that
no part holds yet are read row by row, once, and held in memory. So parts may be written, joined or
deleted by anyone at any time, and no question is answered otherwise.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pyarrow as pa

from fourcorners.cluster.storage.document_tables import (
    PASSAGES,
    WORDS,
    DocumentTables,
    new_generation,
)
from fourcorners.cluster.storage.tables import RESTORE_REMEDY, Tables, sql_quote
from fourcorners.cluster.words.parts import (
    IndexPart,
    LivePart,
    live_parts,
    merge_in_memory,
    merge_parts,
    unpack_part,
)
from fourcorners.cluster.words.postings import (
    AFTER_ALL,
    BEFORE_ALL,
    Block,
    Postings,
    count_postings,
    merge_postings,
    pack_postings,
    unpack_postings,
)
from fourcorners.cluster.words.visibility import LiveDocument, VisibleRows
from fourcorners.errors import LibraryError

if TYPE_CHECKING:
    from numpy.typing import NDArray

POSTINGS = "postings"
MAX_BATCH = 8192
"""Passages that are indexed together, about; a part holds these at first."""
MERGE_FACTOR = 8
"""Parts of about the same size that are joined into one."""
_HEADER = -1  # the ordinal of the row that says what a part holds
_APPENDED = 32 << 20  # bytes of blocks in one commit, about
_STRETCH = 16  # blocks of the largest part that are joined with those of others at a time
_HELD = 4_000_000  # entries that are remembered
_SCHEMA = pa.schema(
    [
        ("part", pa.string()),
        ("ordinal", pa.int32()),
        ("first", pa.string()),
        ("until", pa.string()),
        ("data", pa.large_binary()),
        ("crc", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class WordRows:
    """The rows that bear a word, in order; how often, and how many words each row has."""

    rows: NDArray[np.int64]
    often: NDArray[np.int64]
    lengths: NDArray[np.int64]


class WordIndexStore:
    """The parts of one library; what is asked is asked of one state of it."""

    def __init__(self, tables: Tables, document_tables: DocumentTables) -> None:
        self._tables = tables
        self._document_tables = document_tables
        self._known: dict[str, IndexPart] = {}
        self._memory: list[IndexPart] = []
        self._living: list[LivePart] = []
        self._postings_in: VisibleRows | None = None
        self._found: OrderedDict[tuple[str, str], WordRows] = OrderedDict()

    def find_word(self, word: str, visible: VisibleRows) -> WordRows:
        """Return the rows that bear a word, or a filter token behind its mark."""
        return self._read_range(word, f"{word}!", visible)  # no word holds the exclamation mark

    def find_prefix(self, start: str, visible: VisibleRows) -> WordRows:
        return self._read_range(start, f"{start}{AFTER_ALL}", visible)

    def _read_range(self, first: str, until: str, visible: VisibleRows) -> WordRows:
        self._settle(visible)
        key = first, until
        if key not in self._found:
            self._found[key] = self._look(first, until, visible)
            held = sum(len(each.rows) for each in self._found.values())
            while held > _HELD and len(self._found) > 1:
                held -= len(self._found.popitem(last=False)[1].rows)
        self._found.move_to_end(key)
        return self._found[key]

    def _look(self, first: str, until: str, visible: VisibleRows) -> WordRows:
        parts = self._living
        try:
            blocks = self._blocks(parts, first, until)
        except LibraryError:  # another process may have joined them, and they were cleared away
            self._settle(visible, rebuild=True)
            parts = self._living
            blocks = self._blocks(parts, first, until)
        some = [_postings_in(part, blocks.get(part.part.name, []), first, until) for part in parts]
        rows, often, lengths = (
            np.concatenate([np.empty(0, dtype=np.int64), *(each[at] for each in some)])
            for at in range(3)
        )
        own, index = np.unique(rows, return_index=True)
        if len(own) == len(rows):
            return WordRows(own, often[index], lengths[index])
        times = np.zeros(len(own), dtype=np.int64)
        np.add.at(times, np.searchsorted(own, rows), often)
        return WordRows(own, times, lengths[index])

    def extend(self, visible: VisibleRows) -> None:
        self._settle(visible)
        fresh = [each for each in self._living if each.part.postings is not None]
        for at in range(0, len(fresh), MERGE_FACTOR):
            part = merge_in_memory(new_generation(), fresh[at : at + MERGE_FACTOR])
            assert part.postings is not None  # noqa: S101 - it was made with them
            self._write(part, pack_postings(part.postings))
        while True:
            self._settle(visible, rebuild=bool(fresh))
            sizes: dict[int, list[LivePart]] = {}
            for each in self._living:
                level = int(log(max(each.passages / MAX_BATCH, 1), MERGE_FACTOR))
                sizes.setdefault(level, []).append(each)
            fresh = next((some for some in sizes.values() if len(some) >= MERGE_FACTOR), [])
            if not fresh:
                return
            self._join(fresh)

    def maintain(self, visible: VisibleRows, *, before: str) -> None:
        """Join what is small beside the whole, and delete parts in which nothing counts.

        Args:
            visible: Which rows count.
            before: Parts made before are deleted, by name.
        """
        self.extend(visible)
        small = [
            each for each in self._living if each.passages < visible.totals.rows / MERGE_FACTOR
        ]
        if len(small) > 1:
            self._join(small)
            self._settle(visible, rebuild=True)
        if POSTINGS not in self._tables.names():
            return
        names = self._tables.rows(POSTINGS, "", ["part"])["part"].unique().to_pylist()
        live_names = {each.part.name for each in self._living}
        dead = [name for name in names if name < before and name not in live_names]
        if dead:
            self._tables.delete(POSTINGS, f"part IN ({', '.join(map(sql_quote, dead))})")

    def all_parts(self, visible: VisibleRows) -> Iterator[tuple[LivePart, list[Postings]]]:
        """Yield each part in the table with all that it holds, stretch by stretch of the alphabet.

        Raises:
            LibraryError: If a part is not what was stored.
        """
        self._settle(visible, rebuild=True)
        for each in self._living:
            if each.part.postings is None:
                for low, high in self._stretches([each]):
                    yield each, self._blocks([each], low, high)[each.part.name]

    def _settle(self, visible: VisibleRows, *, rebuild: bool = False) -> None:
        """Find the parts of a state of the library, and read what none of them holds."""
        if visible is self._postings_in and not rebuild:
            return
        self._found.clear()
        self._read_headers()
        ordered = sorted(self._known.values(), key=lambda part: (-len(part.generations), part.name))
        self._living, missing = live_parts([*ordered, *self._memory], visible)
        self._memory = [each.part for each in self._living if each.part.postings is not None]
        if missing:
            unread = [each for each in visible.documents if each.generation in missing]
            fresh = [self._read(some) for some in _groups(unread)]
            self._memory += fresh
            self._living += live_parts(fresh, visible)[0]
        self._postings_in = visible

    def _read_headers(self) -> None:
        if POSTINGS not in self._tables.names():
            self._known = {}
            return
        where = f"ordinal = {_HEADER:d}"
        names = set(self._tables.rows(POSTINGS, where, ["part"])["part"].to_pylist())
        self._known = {name: part for name, part in self._known.items() if name in names}
        fresh = sorted(names - self._known.keys())
        if not fresh:
            return
        where += f" AND part IN ({', '.join(map(sql_quote, fresh))})"
        for row in self._tables.rows(POSTINGS, where, _SCHEMA.names).to_pylist():
            name = row["part"]
            if _crc(name, _HEADER, "", "", row["data"]) != row["crc"]:
                raise self._damaged()
            try:
                self._known[name] = unpack_part(name, row["data"])
            except ValueError as error:
                raise self._damaged() from error

    def _read(self, documents: Sequence[LiveDocument]) -> IndexPart:
        """Read the words of documents row by row, and return them as a part in memory."""
        where = " OR ".join(
            f"(row >= {rows.start:d} AND row < {rows.stop:d})" for rows in _ranges(documents)
        )
        self._document_tables.flush()
        found = self._tables.rows(PASSAGES, where, [*WORDS, "words_crc"])
        own = {each.generation for each in documents}
        found = found.filter(pa.array([each in own for each in found["generation"].to_pylist()]))
        found = found.sort_by("row")
        self._document_tables.require_words(found)
        if len(found) != sum(len(each.rows) for each in documents):
            raise LibraryError(
                f"words of passages are missing in {self._tables.address.url}.",
                remedy=RESTORE_REMEDY,
            )
        texts, marks = found["tokens"].to_pylist(), found["marks"].to_pylist()
        lengths = [
            len(text.split()) + len(tokens.split())
            for text, tokens in zip(texts, marks, strict=True)
        ]
        return IndexPart(
            "",
            np.array([each.rows.start for each in documents], dtype=np.int64),
            np.array([len(each.rows) for each in documents], dtype=np.int64),
            [each.generation for each in documents],
            np.array(lengths, dtype=np.int64),
            count_postings(found["row"].to_pylist(), texts, marks),
        )

    def _blocks(
        self, parts: Sequence[LivePart], first: str, until: str
    ) -> dict[str, list[Postings]]:
        """Return of each part in the table the words from `first` on and before `until`.

        Raises:
            LibraryError: If one of its blocks is not there, or not what was stored.
        """
        names = [each.part.name for each in parts if each.part.postings is None]
        if not names:
            return {}
        where = (
            f"ordinal >= 0 AND first < {sql_quote(until)} AND until > {sql_quote(first)} "
            f"AND part IN ({', '.join(map(sql_quote, names))})"
        )
        rows = self._tables.rows(POSTINGS, where, _SCHEMA.names).to_pylist()
        reached = dict.fromkeys(names, first)
        found: dict[str, list[Postings]] = {name: [] for name in names}
        for row in sorted(rows, key=lambda row: (row["part"], row["ordinal"])):
            name = row["part"]
            place = name, row["ordinal"], row["first"], row["until"], row["data"]
            if _crc(*place) != row["crc"] or row["first"] > reached[name]:
                raise self._damaged()
            reached[name] = row["until"]
            try:
                found[name].append(unpack_postings(row["data"]).term_range(first, until))
            except ValueError as error:
                raise self._damaged() from error
        if any(each < until for each in reached.values()):
            raise self._damaged()
        return found

    def _join(self, some: Sequence[LivePart]) -> None:
        """Write parts as one; those in memory are not among them."""
        self._write(merge_parts(new_generation(), some), self._merge_parts(some))

    def _merge_parts(self, some: Sequence[LivePart]) -> Iterator[Block]:
        for low, high in self._stretches(some):
            blocks = self._blocks(some, low, high)
            yield from pack_postings(
                merge_postings(
                    [
                        each.live_postings(postings)
                        for each in some
                        for postings in blocks.get(each.part.name, [])
                    ]
                ),
                low,
                high,
            )

    def _stretches(self, some: Sequence[LivePart]) -> list[tuple[str, str]]:
        """Return stretches of the alphabet, the words of each of which fit into memory."""
        largest = max(some, key=lambda each: each.passages).part
        where = f"ordinal > 0 AND part = {sql_quote(largest.name)}"
        firsts = sorted(self._tables.rows(POSTINGS, where, ["first"])["first"].to_pylist())
        cuts = [BEFORE_ALL, *firsts[_STRETCH - 1 :: _STRETCH], AFTER_ALL]
        return list(pairwise(cuts))

    def _write(self, part: IndexPart, blocks: Iterable[Block]) -> None:
        """Write the blocks of a part, and what it holds last: until then nobody sees it."""
        if POSTINGS not in self._tables.names():
            self._tables.make(POSTINGS, _SCHEMA)
        rows: list[tuple[str, int, str, str, bytes]] = []
        size = 0
        for ordinal, block in enumerate(blocks):
            rows.append((part.name, ordinal, block.first, block.until, block.data))
            size += len(block.data)
            if size > _APPENDED:
                self._append(rows)
                rows, size = [], 0
        self._append([*rows, (part.name, _HEADER, "", "", part.pack())])

    def _append(self, rows: Sequence[tuple[str, int, str, str, bytes]]) -> None:
        columns = [*zip(*rows, strict=True), [_crc(*row) for row in rows]]
        values = dict(zip(_SCHEMA.names, map(list, columns), strict=True))
        self._tables.append(POSTINGS, pa.table(values, schema=_SCHEMA))

    def _damaged(self) -> LibraryError:
        return LibraryError(
            f"the index of words in {self._tables.address.url} is not what was stored.",
            remedy=RESTORE_REMEDY,
        )


def _postings_in(
    part: LivePart, blocks: Sequence[Postings], first: str, until: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    words = part.part.postings
    some = [each.rows_of(first, until) for each in (blocks if words is None else [words])]
    none = np.empty(0, dtype=np.int64)
    rows = np.concatenate([none, *(each for each, _ in some)])
    often = np.concatenate([none, *(each for _, each in some)])
    places = part.document_places(rows)
    if not part.live_mask.all():
        is_live = part.live_mask[places]
        rows, often, places = rows[is_live], often[is_live], places[is_live]
    return rows, often, part.lengths(rows, places)


def _groups(documents: Sequence[LiveDocument]) -> Iterator[list[LiveDocument]]:
    some: list[LiveDocument] = []
    passages = 0
    for each in documents:
        some.append(each)
        passages += len(each.rows)
        if passages >= MAX_BATCH:
            yield some
            some, passages = [], 0
    if some:
        yield some


def _ranges(documents: Sequence[LiveDocument]) -> Iterator[range]:
    """Yield the rows of documents in order, those that follow each other as one range."""
    held = documents[0].rows
    for each in documents[1:]:
        if each.rows.start == held.stop:
            held = range(held.start, each.rows.stop)
        else:
            yield held
            held = each.rows
    yield held


def _crc(part: str, ordinal: int, first: str, until: str, data: bytes) -> int:
    return crc32(data, crc32("\0".join((part, str(ordinal), first, until)).encode()))
