"""The values that the library returns: entries, rows, vectors, failures, figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from fourcorners.outline.tree import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Entry:
    """A document as the library lists it, without its text.

    Attributes:
        type: The document type by the contract card; empty if the card has none.
        title: The title by the contract card, or the file's name.
        rows: The rowids of its passages (and of their words); consecutive, in order of ordinal.
        needs_ocr: The numbers of the pages that show something but gave no text.
    """

    id: str
    name: str
    path: str
    media_type: str
    type: str
    title: str
    characters: int
    pages: int
    rows: range
    needs_ocr: tuple[int, ...]
    added: datetime
    collection: str

    @property
    def passages(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Place:
    """A document's place in the tables: its row and key, first passage, and time of adding."""

    row: int
    key: str
    first: int
    added: str


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage with its rowid and the id of its document."""

    row: int
    document: str
    passage: Passage


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """The vectors of a scope, one row a passage, L2-normalised.

    Attributes:
        rowids: The passages' rowids, ascending.
        matrix: Shape (n, dimension), C order; read-only, because it is shared.
        documents: The ids of the documents, one for each row.
    """

    rowids: NDArray[np.int64]
    matrix: NDArray[np.float32]
    documents: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True, slots=True)
class EncoderRecord:
    """The encoder whose vectors the library holds."""

    name: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be added, and what can be done about it."""

    path: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """The figures of one collection, and for whom its contracts are read."""

    name: str
    documents: int
    characters: int
    passages: int
    read_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of a library; `bytes` is its size on disk, including the log."""

    documents: int
    characters: int
    passages: int
    vectors: int
    failures: int
    bytes: int
    collections: tuple[CollectionStats, ...]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit trail; `detail` is JSON text, `hash` covers it and `previous`."""

    seq: int
    at: str
    event: str
    detail: str
    previous: str
    hash: str
