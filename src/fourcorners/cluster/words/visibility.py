"""`VisibleRows`: which rows of the passages count, by the catalogue."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.tokens import collection_token, document_token, type_token
from fourcorners.library.words import WordTotals

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DOCUMENTS = """
    SELECT d.first_passage, d.passage_count, d.row, d.id, d.type, s.generation, s.words,
           coalesce(v.generation, ''), c.name
    FROM documents d JOIN shelved s ON s.document = d.row LEFT JOIN vectors v ON v.document = d.row
    JOIN collections c ON c.row = d.collection
    WHERE d.passage_count > 0 ORDER BY d.first_passage
"""


@dataclass(frozen=True, slots=True)
class LiveDocument:
    """A document with its range of rowids and the generations that count."""

    rows: range
    row: int
    id: str
    generation: str
    vectors: str
    tokens: frozenset[str]
    """What filters may name of the document as a whole."""
    common: int
    """How many filter tokens each of its passages bears for the document."""


class VisibleRows:
    """The documents of one state of a library, by the rowids of their passages."""

    def __init__(self, library: Catalogue) -> None:
        self.documents: list[LiveDocument] = []
        words = 0
        for first, count, row, identifier, kind, generation, own, vectors, name in library.execute(
            _DOCUMENTS
        ):
            tokens = {document_token(as_string(identifier)), collection_token(as_string(name))}
            if kind:
                tokens.add(type_token(as_string(kind)))
            rows = range(as_integer(first), as_integer(first) + as_integer(count))
            words += as_integer(own) + len(rows)
            self.documents.append(
                LiveDocument(
                    rows,
                    as_integer(row),
                    as_string(identifier),
                    as_string(generation),
                    as_string(vectors),
                    frozenset(tokens),
                    2 + bool(kind),
                )
            )
        self.totals = WordTotals(sum(len(each.rows) for each in self.documents), words)
        self._starts = np.array([each.rows.start for each in self.documents], dtype=np.int64)
        self._stops = np.array([each.rows.stop for each in self.documents], dtype=np.int64)

    def owner(self, row: int) -> LiveDocument | None:
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        return self.documents[at] if at >= 0 and row < self.documents[at].rows.stop else None

    def live_rows(
        self, rows: NDArray[np.int64], generations: Sequence[str], *, vectors: bool = False
    ) -> NDArray[np.bool_]:
        """Tell of each row that was read whether the catalogue names its generation."""
        if not len(self._starts):
            return np.zeros(len(rows), dtype=np.bool_)
        at = np.maximum(np.searchsorted(self._starts, rows, side="right") - 1, 0)
        inside = (rows >= self._starts[at]) & (rows < self._stops[at])
        known = [each.vectors if vectors else each.generation for each in self.documents]
        same = [known[index] == own for index, own in zip(at.tolist(), generations, strict=True)]
        return inside & np.array(same, dtype=np.bool_)

    def rows_with_tokens(self, tokens: Collection[str]) -> NDArray[np.int64]:
        wanted = frozenset(tokens)
        ranges = [
            np.arange(each.rows.start, each.rows.stop)
            for each in self.documents
            if not wanted.isdisjoint(each.tokens)
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *ranges])
