"""`DocumentQueries`: what searches ask of all documents: their rows, types, names and cards.

Several libraries that are searched as one answer it together; all other tables belong to one.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable

from fourcorners.library.database import Bindings, Row, as_integer, as_string
from fourcorners.library.tokens import fold_name

_AMONG = (
    "(?1 IS NULL OR collection IN "
    "(SELECT row FROM collections WHERE fold IN (SELECT value FROM json_each(?1))))"
)
_NAMED = """
    SELECT d.row, d.id, d.name, d.type, d.title, d.card, p.parties FROM documents d
    LEFT JOIN document_parties p ON p.document = d.id WHERE
"""
_WITHOUT_HEADINGS = """
    SELECT count(*) FROM documents
    WHERE row <= (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'headings_after') AND
"""


class DocumentQueries(ABC):
    """Questions about the documents of a library, or of some collections of it."""

    @abstractmethod
    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run a statement and return its rows."""

    def passage_ranges(
        self, collections: Iterable[str] | None = None, documents: Iterable[str] | None = None
    ) -> list[range]:
        """Return the rowids of the passages of each document, ascending."""
        rows = self.execute(
            "SELECT first_passage, passage_count FROM documents "  # noqa: S608
            f"WHERE {_AMONG} AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2))) "
            "ORDER BY first_passage",
            (_folds(collections), None if documents is None else json.dumps([*documents])),
        )
        begins = [(as_integer(first), as_integer(count)) for first, count in rows]
        return [range(first, first + count) for first, count in begins]

    def passages_of_documents(self) -> list[tuple[int, str, range]]:
        """Return row and id of each document with the rowids of its passages, ascending."""
        rows = self.execute(
            "SELECT row, id, first_passage, passage_count FROM documents ORDER BY first_passage"
        )
        found = []
        for row, document, begin, count in rows:
            first = as_integer(begin)
            rowids = range(first, first + as_integer(count))
            found.append((as_integer(row), as_string(document), rowids))
        return found

    def has_document(self, document: str) -> bool:
        return bool(self.execute("SELECT 1 FROM documents WHERE id = ?", (document,)))

    def documents_of_length(
        self, collection: str, media_type: str, shortest: int, longest: int
    ) -> list[str]:
        """Return the ids of the documents of a collection whose text has so many characters."""
        rows = self.execute(
            "SELECT d.id FROM documents d JOIN collections c ON c.row = d.collection "
            "WHERE c.fold = ? AND d.media_type = ? AND d.characters BETWEEN ? AND ? ORDER BY d.row",
            (fold_name(collection), media_type, shortest, longest),
        )
        return [as_string(document) for (document,) in rows]

    def has_documents_outside(self, collections: Iterable[str]) -> bool:
        return bool(
            self.execute(
                f"SELECT 1 FROM documents WHERE NOT {_AMONG} LIMIT 1",  # noqa: S608
                (_folds(collections),),
            )
        )

    def document_types(self, collections: Iterable[str] | None = None) -> list[str]:
        """Return the types of documents, sorted."""
        rows = self.execute(
            f"SELECT DISTINCT type FROM documents WHERE type != '' AND {_AMONG} ORDER BY type",  # noqa: S608
            (_folds(collections),),
        )
        return [as_string(kind) for (kind,) in rows]

    def types_of_documents(self, collections: Iterable[str] | None = None) -> list[tuple[str, str]]:
        """Return id and type of each document."""
        rows = self.execute(
            f"SELECT id, type FROM documents WHERE {_AMONG}",  # noqa: S608
            (_folds(collections),),
        )
        return [(as_string(document), as_string(kind)) for document, kind in rows]

    def named_documents(self, collections: Iterable[str] | None = None) -> list[Row]:
        """Return row, id, name, type and title of each document, its card and given parties."""
        return self.execute(f"{_NAMED} {_AMONG}", (_folds(collections),))

    def count_without_headings(self, collections: Iterable[str] | None = None) -> int:
        """Count the documents that were added before headings were indexed."""
        found = self.execute(f"{_WITHOUT_HEADINGS} {_AMONG}", (_folds(collections),))
        return as_integer(found[0][0])


def _folds(collections: Iterable[str] | None) -> str | None:
    return None if collections is None else json.dumps(sorted(map(fold_name, collections)))
