"""`Filters`: the part of the library that a search covers, as tokens of the words index."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from fourcorners.errors import ConfigError, name_remedy
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.library.tokens import (
    collection_token,
    document_token,
    fold_name,
    label_token,
    type_token,
)

Tokens: TypeAlias = Collection[Collection[str]]
"""Filters: a passage must have one token of each group (`fourcorners.library.tokens`)."""

_NOWHERE = "nowhere"  # a token that no passage has
_AMONG = (
    "(?1 IS NULL OR collection IN "
    "(SELECT row FROM collections WHERE fold IN (SELECT value FROM json_each(?1))))"
)


@dataclass(frozen=True, slots=True)
class Filters:
    """What to search; a passage must match every given filter.

    Attributes:
        within: The collections that exist for the user: what is in others is not found, named or
            counted. None for all.
        documents: Ids of documents; any of them matches.
        types: Document types such as `License Agreement`; any of them matches, in any case.
        labels: Outline labels such as `7.2`; any of them matches, with everything below it.
    """

    collection: str | None = None
    documents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    within: tuple[str, ...] | None = None

    @property
    def collections(self) -> tuple[str, ...] | None:
        """Return the collections to search; None for all."""
        return self.within if self.collection is None else (self.collection,)

    def tokens(self, library: Catalogue) -> list[list[str]]:
        """Return, for each filter, the tokens of which a passage must have one.

        Raises:
            ConfigError: If the library has no such collection, document or document type; a
                mistyped filter must not look like an absence.
        """
        found: list[list[str]] = []
        if self.collection is not None:
            require_collection(library, self.collection, self.within)
        if self.collections is not None and _leaves_documents_out(library, self.collections):
            found.append([collection_token(name) for name in self.collections] or [_NOWHERE])
        if self.documents:
            for document in self.documents:
                if document in (damaged := library.damaged):
                    raise damaged[document]
                if not _holds(library, "documents", "id", document):
                    library.text(document)  # raises if there is none
            found.append([document_token(document) for document in self.documents])
        if self.types:
            _require_types(library, self.types, self.within)
            found.append([type_token(kind) for kind in self.types])
        if self.labels:
            found.append([label_token(label) for label in self.labels])
        return found

    def passages(self, library: Catalogue) -> list[range]:
        """Return the rowids of the passages of each document in the collections and ids."""
        rows = library.execute(
            "SELECT first_passage, passage_count FROM documents "  # noqa: S608
            f"WHERE {_AMONG} AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2))) "
            "ORDER BY first_passage",
            (_folds(self.collections), json.dumps(self.documents) if self.documents else None),
        )
        begins = [(as_integer(first), as_integer(count)) for first, count in rows]
        return [range(first, first + count) for first, count in begins]


NO_FILTERS = Filters()


def _holds(library: Catalogue, table: str, column: str, value: SQLiteValue) -> bool:
    return bool(library.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", (value,)))  # noqa: S608


def _leaves_documents_out(library: Catalogue, collections: Iterable[str]) -> bool:
    """Return whether any document is excluded: a filter that keeps all only costs time."""
    return bool(
        library.execute(
            f"SELECT 1 FROM documents WHERE NOT {_AMONG} LIMIT 1",  # noqa: S608
            (_folds(collections),),
        )
    )


def require_collection(
    library: Catalogue, collection: str, within: Collection[str] | None = None
) -> None:
    """Refuse a collection that does not exist for the user.

    Raises:
        ConfigError: If it does not; the message lists those that exist.
    """
    there = library.collection_names() if within is None else sorted(within)
    if fold_name(collection) not in map(fold_name, there):
        problem = f"collection {collection!r} not found."
        raise ConfigError(problem, remedy=name_remedy(collection, there))


def _require_types(
    library: Catalogue, types: Iterable[str], within: Collection[str] | None
) -> None:
    known = document_types(library, within)
    for kind in types:
        if fold_name(kind) not in map(fold_name, known):
            raise no_such_type(f"the type {kind!r}", known, kind)


def document_types(library: Catalogue, within: Collection[str] | None = None) -> list[str]:
    """Return the types of the documents of a library, or of some collections of it."""
    rows = library.execute(
        f"SELECT DISTINCT type FROM documents WHERE type != '' AND {_AMONG} ORDER BY type",  # noqa: S608
        (_folds(within),),
    )
    return [as_string(kind) for (kind,) in rows]


def documents_in(library: Catalogue, collections: Collection[str] | None) -> list[tuple[str, str]]:
    """Return id and type of each document of some collections, or of the library."""
    rows = library.execute(
        f"SELECT id, type FROM documents WHERE {_AMONG}",  # noqa: S608
        (_folds(collections),),
    )
    return [(as_string(document), as_string(kind)) for document, kind in rows]


def _folds(collections: Iterable[str] | None) -> str | None:
    return None if collections is None else json.dumps(sorted(map(fold_name, collections)))


def no_such_type(name: str, known: list[str], wanted: str) -> ConfigError:
    return ConfigError(
        f"no document in the library is of {name}.",
        remedy=name_remedy(wanted, known) if known else "No document's type is known.",
    )
