"""`Filters`: the part of the library that a search covers, as tokens of the words index."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from fourcorners.errors import ConfigError, name_remedy
from fourcorners.library.catalogue import Catalogue
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
        if self.collections is not None and library.has_documents_outside(self.collections):
            found.append([collection_token(name) for name in self.collections] or [_NOWHERE])
        if self.documents:
            for document in self.documents:
                if document in (damaged := library.damaged):
                    raise damaged[document]
                if not library.has_document(document):
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
        return library.passage_ranges(self.collections, self.documents or None)


NO_FILTERS = Filters()


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
    known = library.document_types(within)
    for kind in types:
        if fold_name(kind) not in map(fold_name, known):
            raise no_such_type(f"the type {kind!r}", known, kind)


def no_such_type(name: str, known: list[str], wanted: str) -> ConfigError:
    return ConfigError(
        f"no document in the library is of {name}.",
        remedy=name_remedy(wanted, known) if known else "No document's type is known.",
    )
