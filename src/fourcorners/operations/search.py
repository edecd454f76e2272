"""Search: the passages that match a query, or answer a question, of what a person may read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from fourcorners.operations.access import Access
from fourcorners.operations.principal import Role
from fourcorners.search.filters import Filters
from fourcorners.search.query import Mode, parse_query
from fourcorners.search.run import SearchResult, search_library
from fourcorners.value import Value

if TYPE_CHECKING:
    from fourcorners.operations.local_models import LocalModels


class PassagesRequest(Value):
    """What to look for, and where; all that may be read where nothing is named."""

    query: str
    collection: str | None = None
    documents: Annotated[tuple[str, ...], Field(description="Only in these, by id.")] = ()
    types: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    limit: int = Field(default=20, ge=1)
    mode: Mode = Mode.SYMMETRIC
    stem: bool = False


def search_passages(
    access: Access, asked: PassagesRequest, engines: LocalModels | None
) -> SearchResult:
    """Search as a person does; without `engines` by words alone.

    Raises:
        QueryError: If the query does not parse.
        NotFound: If they may not know of the collection, or of a document.
        ConfigError: If the query names what is not there, or not for them.
    """
    if asked.collection is not None:
        access.require(Role.READER, asked.collection)
    for document in asked.documents:
        access.visible(document)
    query, library = parse_query(asked.query, mode=asked.mode, stem=asked.stem), access.common()
    by_meaning = engines is not None and library.encoder is not None
    is_question = by_meaning and query.plain
    found = search_library(
        library,
        query,
        encoder=engines.encoder if engines and by_meaning else None,
        concepts=engines.concepts if engines and is_question else (),
        reranker=engines.reranker if engines and is_question else None,
        filters=search_filters(access, asked),
        limit=asked.limit,
    )
    access.record("search", {"collection": asked.collection or "", "hits": len(found.hits)})
    return found


def search_filters(access: Access, asked: PassagesRequest) -> Filters:
    """Return what of the library a search looks at."""
    return Filters(
        collection=asked.collection,
        documents=asked.documents,
        types=asked.types,
        labels=asked.labels,
        within=access.readable(),
    )
