"""The values that the library returns: entries, found by their names, rows, vectors, figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.outline.tree import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LISTED = 8  # names; the rest is counted
_ID_PREFIX = 6  # hex digits from which the start of an id is accepted


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


def resolve_name(name: str, entries: Sequence[Entry], paths: Iterable[tuple[str, str]]) -> Entry:
    """Return the one document that `name` means; the strictest reading with a match wins.

    Args:
        name: What the person wrote; case does not matter.
        entries: The documents to choose from.
        paths: The paths at which documents were seen, each with a document's id.

    Raises:
        ConfigError: If several documents match (it lists them), or none (it lists the nearest).
    """
    wanted = name.strip().casefold()
    places = _places(name, paths)
    readings: list[Callable[[Entry], bool]] = [
        lambda entry: entry.id == wanted,
        lambda entry: entry.id in places,
        lambda entry: entry.name.casefold() == wanted,
        lambda entry: Path(entry.name).stem.casefold() == wanted,
        lambda entry: len(wanted) >= _ID_PREFIX and entry.id.startswith(wanted),
        lambda entry: wanted in entry.name.casefold(),
        lambda entry: (
            bool(_space_punctuation(wanted))
            and _space_punctuation(wanted) in _space_punctuation(entry.name)
        ),
        lambda entry: wanted in entry.path.casefold() or wanted in entry.title.casefold(),
    ]
    for reading in readings if wanted else []:
        found = [entry for entry in entries if reading(entry)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ConfigError(
                f"{name!r} matches {len(found)} documents: {_join_names(found)}.",
                remedy="Name the collection, or write the id."
                if len({(each.name, each.path) for each in found}) == 1
                else "Write more of the name, the path, or the id.",
            )
    raise _unknown(name, entries)


def _space_punctuation(name: str) -> str:
    """Return the name with a space for each run of punctuation, as a person may write it."""
    return " ".join(re.split(r"[\W_]+", name.casefold())).strip()


def _places(name: str, paths: Iterable[tuple[str, str]]) -> set[str]:
    """Return the documents seen at the path `name`, as it is written or as it is meant here."""
    meant = {name.strip().casefold(), str(Path(name.strip()).absolute()).casefold()}
    return {
        document
        for path, document in paths
        if path.casefold() in meant or str(Path(path).absolute()).casefold() in meant
    }


def _join_names(entries: Sequence[Entry]) -> str:
    shown = "; ".join(
        f"{entry.name} ({entry.id}, {entry.path}, in {entry.collection})"
        for entry in entries[:_LISTED]
    )
    rest = len(entries) - _LISTED
    return f"{shown}; and {rest} more" if rest > 0 else shown


def _unknown(name: str, entries: Sequence[Entry]) -> ConfigError:
    if not entries:
        return ConfigError(
            f"no document is called {name!r}: there are none.",
            remedy="Add some with `fourcorners add FOLDER`.",
        )
    from rapidfuzz import fuzz, process

    names = sorted({entry.name for entry in entries})
    near = process.extract(
        name.casefold(), names, scorer=fuzz.WRatio, processor=str.casefold, limit=3
    )
    return ConfigError(
        f"no document is called {name!r}.",
        remedy=f"The nearest names are {', '.join(found for found, _, _ in near)}.",
    )
