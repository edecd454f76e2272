"""The passages that a field of a query asks for: `type:lease`, `party:acme`, `date:2019`."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.tokens import (
    collection_token,
    heading_token,
    label_token,
    type_token,
)
from fourcorners.search.filters import (
    no_such_type,
    require_collection,
)
from fourcorners.search.index import index_of
from fourcorners.search.names import name_index
from fourcorners.search.query.tree import Field, FieldName, Node, leaf_label, tree_fields
from fourcorners.text.tokenization import tokenize


def require_fields(library: Catalogue, tree: Node, within: Collection[str] | None = None) -> None:
    """Refuse a query whose fields name something that does not exist for the user.

    Args:
        library: Where to look.
        tree: The query.
        within: The collections that exist for the user; None for all.

    Raises:
        ConfigError: If there is no such collection or type; a mistyped field must not look like an
            absence.
    """
    for field in tree_fields(tree):
        if field.name is FieldName.COLLECTION:
            require_collection(library, field.text, within)
        elif field.name is FieldName.TYPE:
            _types(field, library.document_types(within))
        elif field.name is FieldName.HEADING:
            _require_headings(library, within)


def field_rows(
    library: Catalogue, field: Field, filters: Collection[Collection[str]] = ()
) -> set[int]:
    """Return the rowids of the passages that match a field, within filters.

    Raises:
        ConfigError: As `require_fields` does, for the whole library.
    """
    match field.name:
        case FieldName.PARTY:
            return _field_matches(
                library, name_index(library).documents_with_party(field.text), filters
            )
        case FieldName.DATE:
            return _field_matches(
                library, name_index(library).documents_dated(field.first, field.last), filters
            )
        case FieldName.COLLECTION:
            require_collection(library, field.text)
            return _passages_with(library, [*filters, [collection_token(field.text)]])
        case FieldName.TYPE:
            return _passages_with(library, [*filters, _types(field, library.document_types())])
        case FieldName.LABEL:
            return _passages_with(library, [*filters, [label_token(field.text)]])
        case FieldName.HEADING:
            _require_headings(library)
            field_tokens = tokenize(field.text).tokens
            return _passages_with(
                library, [*filters, *([heading_token(word)] for word in field_tokens)]
            )


def _passages_with(library: Catalogue, tokens: Collection[Collection[str]]) -> set[int]:
    """Return the passages with at least one token of each group."""
    return set(index_of(library).filtered_rows(tokens).tolist())


def _field_matches(
    library: Catalogue, documents: Iterable[int], filters: Collection[Collection[str]]
) -> set[int]:
    """Return the passages of documents, by their rows in `documents`, within filters."""
    wanted = set(documents)
    found = {
        passage
        for row, _, rowids in library.passages_of_documents()
        if row in wanted
        for passage in rowids
    }
    return found & _passages_with(library, filters) if filters and found else found


def _types(field: Field, known: list[str]) -> list[str]:
    """Return the tokens of those known types that have all the field's words in their name."""
    wanted = set(tokenize(field.text).tokens)
    fitting = [kind for kind in known if wanted <= set(tokenize(kind).tokens)]
    if not fitting:
        raise no_such_type(f"a type that fits {leaf_label(field)}", known, field.text)
    return [type_token(kind) for kind in fitting]


def _require_headings(library: Catalogue, within: Collection[str] | None = None) -> None:
    """Refuse to search headings if some are not in the index: that would look like absence.

    Raises:
        ConfigError: If documents were added before headings were indexed.
    """
    count = library.count_without_headings(within)
    if count:
        raise ConfigError(
            f"{count} documents were added before headings were indexed.",
            remedy="Add the contracts to a new library, or leave `heading:` out.",
        )
