"""The full check of a library on Lance tables: everything that can be wrong, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter

import numpy as np
import pyarrow as pa

from fourcorners.cluster.catalogue.replica import Replica
from fourcorners.cluster.storage.document_tables import PASSAGES, WORDS, DocumentTables
from fourcorners.cluster.storage.tables import Tables
from fourcorners.cluster.words.store import WordIndexStore
from fourcorners.cluster.words.visibility import VisibleRows
from fourcorners.errors import FourcornersError
from fourcorners.library.audit import audit_faults
from fourcorners.library.check import documents_without_collection, table_faults
from fourcorners.library.store import Library


@dataclass(frozen=True)
class Parts:
    """What a library on Lance tables is made of."""

    library: Library
    replica: Replica
    tables: Tables
    documents: DocumentTables
    words: WordIndexStore
    visible: VisibleRows


def find_faults(parts: Parts) -> list[str]:
    """Return what is wrong, one sentence each; empty if the library is whole."""
    found: list[str] = []
    for check in (_catalogue, _documents, _words, _word_parts, _vectors):
        try:
            found += check(parts)
        except FourcornersError as error:
            found.append(error.message)
    return found


def _catalogue(parts: Parts) -> Iterator[str]:
    yield from table_faults(parts.replica, "the copy of the catalogue")
    yield from documents_without_collection(parts.replica)
    yield from audit_faults(parts.replica)


def _documents(parts: Parts) -> Iterator[str]:
    for entry in parts.library.documents():
        readers: tuple[Callable[[str], object], ...] = (
            parts.library.document,
            parts.library.outline,
            parts.library.card,
            parts.library.passages,
        )
        for read in readers:
            try:
                read(entry.id)
            except FourcornersError as error:
                yield f"document {entry.id}: {error.message}"


def _words(parts: Parts) -> Iterator[str]:
    for each in parts.visible.documents:
        where = f"row >= {each.rows.start:d} AND row < {each.rows.stop:d}"
        found = parts.tables.rows(PASSAGES, where, [*WORDS, "words_crc"])
        counting = [own == each.generation for own in found["generation"].to_pylist()]
        counted = found.filter(pa.array(counting, pa.bool_()))
        parts.documents.require_words(counted)
        if len(counted) != len(each.rows):
            yield f"document {each.id} has the words of {len(counted)} of {len(each.rows)} passages"


def _word_parts(parts: Parts) -> Iterator[str]:
    for living, blocks in groupby(parts.words.all_parts(parts.visible), key=itemgetter(0)):
        part = living.part
        counted = np.zeros(len(part.lengths), dtype=np.int64)
        for postings in chain.from_iterable(some for _, some in blocks):
            places = living.document_places(postings.rows)
            at = living.offsets[places] + postings.rows - part.starts[places]
            np.add.at(counted, at, postings.often)
        for place in np.flatnonzero(living.live_mask).tolist():
            own = slice(living.offsets[place], living.offsets[place] + part.counts[place])
            if not np.array_equal(counted[own], part.lengths[own]):
                owner = parts.visible.owner(int(part.starts[place]))
                yield f"document {owner.id if owner else '?'} has other words in the index"


def _vectors(parts: Parts) -> Iterator[str]:
    for each in parts.visible.documents:
        if each.vectors:
            try:
                parts.library.vectors(document=each.id)
            except FourcornersError as error:
                yield f"document {each.id}: {error.message}"
