"""The passages that a field of a query asks for: `type:lease`, `party:acme`, `date:2019`."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import as_integer
from fourcorners.library.tokens import (
    collection_token,
    heading_token,
    label_token,
    type_token,
)
from fourcorners.search.filters import document_types, no_such_type
from fourcorners.search.index import index_of
from fourcorners.search.names import name_index
from fourcorners.search.query.tree import Field, FieldName, leaf_label
from fourcorners.text.tokenization import tokenize


def field_rows(
    library: Catalogue, field: Field, filters: Collection[Collection[str]] = ()
) -> set[int]:
    """Return the rowids of the passages that fit a field, within filters.

    Raises:
        ConfigError: If the library has no such collection or type; a mistyped field must not look
            like an absence.
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
            library.documents(field.text)  # says what there is, where there is none such
            return _with(library, [*filters, [collection_token(field.text)]])
        case FieldName.TYPE:
            return _with(library, [*filters, _types(library, field)])
        case FieldName.LABEL:
            return _with(library, [*filters, [label_token(field.text)]])
        case FieldName.HEADING:
            _require_headings(library)
            field_tokens = tokenize(field.text).tokens
            return _with(library, [*filters, *([heading_token(word)] for word in field_tokens)])


def _with(library: Catalogue, tokens: Collection[Collection[str]]) -> set[int]:
    """Return the passages that bear one token of each of the collections."""
    return set(index_of(library).filtered_rows(tokens).tolist())


def _field_matches(
    library: Catalogue, documents: Iterable[int], filters: Collection[Collection[str]]
) -> set[int]:
    """Return the passages of documents, by their rows in `documents`, within filters."""
    wanted = set(documents)
    found = {
        passage
        for row, first, count in library.execute(
            "SELECT row, first_passage, passage_count FROM documents"
        )
        if as_integer(row) in wanted
        for passage in range(as_integer(first), as_integer(first) + as_integer(count))
    }
    return found & _with(library, filters) if filters and found else found


def _types(library: Catalogue, field: Field) -> list[str]:
    """Return the tokens of the types that have all the field's words in their name."""
    known = document_types(library)
    wanted = set(tokenize(field.text).tokens)
    fitting = [kind for kind in known if wanted <= set(tokenize(kind).tokens)]
    if not fitting:
        raise no_such_type(f"a type that fits {leaf_label(field)}", known)
    return [type_token(kind) for kind in fitting]


def _require_headings(library: Catalogue) -> None:
    """Refuse to look among headings where some are not in the index: that would look like absence.

    Raises:
        ConfigError: If documents were added before headings were indexed.
    """
    rows = library.execute(
        "SELECT count(*) FROM documents WHERE row <= "
        "(SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'headings_after')"
    )
    count = as_integer(rows[0][0])
    if count:
        raise ConfigError(
            f"{count} documents of {library.path} were added before headings were indexed.",
            remedy="Add the contracts to a new library, or leave `heading:` out.",
        )
