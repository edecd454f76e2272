"""The full check of a library on Lance tables: everything that can be wrong, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, groupby
from operator import itemgetter

import numpy as np
import pyarrow as pa

from fourcorners.cluster.library import LanceLibrary
from fourcorners.cluster.storage.document_tables import PASSAGES, WORDS
from fourcorners.errors import FourcornersError
from fourcorners.library.audit import verify_trail


def find_faults(library: LanceLibrary) -> list[str]:
    """Return what is wrong, one sentence each; empty if the library is whole."""
    found: list[str] = []
    for look in (_catalogue, _documents, _words, _word_parts, _vectors):
        try:
            found += look(library)
        except FourcornersError as error:
            found.append(error.message)
    return found


def _catalogue(library: LanceLibrary) -> Iterator[str]:
    for (line,) in library.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield f"the copy of the catalogue is damaged: {line!s}"
    for table, row, parent, _ in library.execute("PRAGMA foreign_key_check"):
        yield f"row {row!s} of {table!s} belongs to a row of {parent!s} that is not there"
    for (document,) in library.execute(
        "SELECT id FROM documents WHERE row NOT IN (SELECT document FROM document_collections)"
    ):
        yield f"document {document!s} is in no collection"
    for fault in verify_trail(library.replica).faults:
        yield fault.what


def _documents(library: LanceLibrary) -> Iterator[str]:
    for entry in library.documents():
        readers: tuple[Callable[[str], object], ...] = (
            library.document,
            library.outline,
            library.card,
            library.passages,
        )
        for read in readers:
            try:
                read(entry.id)
            except FourcornersError as error:
                yield f"document {entry.id}: {error.message}"


def _words(library: LanceLibrary) -> Iterator[str]:
    for each in library.visible().documents:
        where = f"row >= {each.rows.start:d} AND row < {each.rows.stop:d}"
        found = library.tables.rows(PASSAGES, where, [*WORDS, "words_crc"])
        counting = [own == each.generation for own in found["generation"].to_pylist()]
        kept = found.filter(pa.array(counting, pa.bool_()))
        library.shelves.require_words(kept)
        if len(kept) != len(each.rows):
            yield f"document {each.id} has the words of {len(kept)} of {len(each.rows)} passages"


def _word_parts(library: LanceLibrary) -> Iterator[str]:
    """Count the words of each passage once more, by the index."""
    visible = library.visible()
    for living, blocks in groupby(library.word_parts.all_parts(visible), key=itemgetter(0)):
        part = living.part
        counted = np.zeros(len(part.lengths), dtype=np.int64)
        for postings in chain.from_iterable(some for _, some in blocks):
            places = living.places(postings.rows)
            at = living.offsets[places] + postings.rows - part.starts[places]
            np.add.at(counted, at, postings.often)
        for place in np.flatnonzero(living.alive).tolist():
            own = slice(living.offsets[place], living.offsets[place] + part.counts[place])
            if not np.array_equal(counted[own], part.lengths[own]):
                owner = visible.owner(int(part.starts[place]))
                yield f"document {owner.id if owner else '?'} has other words in the index"


def _vectors(library: LanceLibrary) -> Iterator[str]:
    for each in library.visible().documents:
        if each.vectors:
            try:
                library.vectors(document=each.id)
            except FourcornersError as error:
                yield f"document {each.id}: {error.message}"
