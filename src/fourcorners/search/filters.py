"""`Filters`: what of the library a search looks at, as tokens of the words index."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import SQLiteValue, as_string
from fourcorners.library.tokens import (
    collection_token,
    document_token,
    fold_name,
    label_token,
    type_token,
)

Tokens: TypeAlias = Collection[Collection[str]]
"""Filters: a passage must bear one token of each collection (`fourcorners.library.tokens`)."""

_LISTED = 12  # names; the rest is counted


@dataclass(frozen=True, slots=True)
class Filters:
    """What to look at; a passage must meet every filter that is given.

    Attributes:
        documents: Ids of documents, of which any.
        types: Document types such as `License Agreement`, of which any; case does not matter.
        labels: Outline labels such as `7.2`, of which any, with all that stands under them.
    """

    collection: str | None = None
    documents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def tokens(self, library: Catalogue) -> list[list[str]]:
        """Return, for each filter, the tokens of which a passage must bear one.

        Raises:
            ConfigError: If the library has no such collection, document or document type; a
                mistyped filter must not look like an absence.
        """
        found: list[list[str]] = []
        if self.collection is not None:
            if not _holds(library, "collections", "fold", fold_name(self.collection)):
                library.documents(self.collection)  # says what there is
            if _leaves_documents_out(library, self.collection):
                found.append([collection_token(self.collection)])
        if self.documents:
            for document in self.documents:
                if not _holds(library, "documents", "id", document):
                    library.text(document)  # says that there is none
            found.append([document_token(document) for document in self.documents])
        if self.types:
            _require_types(library, self.types)
            found.append([type_token(kind) for kind in self.types])
        if self.labels:
            found.append([label_token(label) for label in self.labels])
        return found


NO_FILTERS = Filters()


def _holds(library: Catalogue, table: str, column: str, value: SQLiteValue) -> bool:
    return bool(library.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", (value,)))  # noqa: S608


def _leaves_documents_out(library: Catalogue, collection: str) -> bool:
    """Tell whether any document is outside: a filter that keeps all costs time for nothing."""
    return bool(
        library.execute(
            "SELECT 1 FROM documents WHERE row NOT IN (SELECT m.document FROM "
            "document_collections m JOIN collections c ON c.row = m.collection WHERE c.fold = ?) "
            "LIMIT 1",
            (fold_name(collection),),
        )
    )


def _require_types(library: Catalogue, types: Iterable[str]) -> None:
    known = document_types(library)
    for kind in types:
        if fold_name(kind) not in map(fold_name, known):
            raise no_such_type(f"the type {kind!r}", known)


def document_types(library: Catalogue) -> list[str]:
    rows = library.execute("SELECT DISTINCT type FROM documents WHERE type != '' ORDER BY type")
    return [as_string(kind) for (kind,) in rows]


def no_such_type(name: str, known: list[str]) -> ConfigError:
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    listed = f"There are: {', '.join(known[:_LISTED])}{more}."
    return ConfigError(
        f"no document in the library is of {name}.",
        remedy=listed if known else "No document's type is known.",
    )
