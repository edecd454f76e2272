"""Search, and precedents to draft from: the best clauses of your own contracts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.server.api.models import HitValue, SpanValue, Value
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.links import quote_href

router = APIRouter()


class PlaceValue(Value):
    """Where a clause stands; `span` and `href` are null where that is not known."""

    document: str
    name: str
    path: list[str]
    span: SpanValue | None
    href: str | None


class PrecedentValue(Value):
    """A clause to draft from, once for all places that have its words."""

    text: str
    places: list[PlaceValue]
    score: float
    stars: float | None = Field(description="What a lawyer would give it, 1 to 5, if known.")


@router.get("/search", tags=["Search"])
def search(
    context: Context,
    q: Annotated[
        str,
        Query(min_length=1, max_length=2_000, examples=['"change control"~5', "can they leave"]),
    ],
    collection: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> list[HitValue]:
    """Find passages that match a query, or that answer a question of three or more plain words."""
    with context.access() as access:
        found = access.search(q, context.state.engines, collection=collection, limit=limit)
    return [
        HitValue.make(hit, href=quote_href(hit.document, hit.span, hit.words)) for hit in found.hits
    ]


@router.get("/precedents", tags=["Precedents"])
def precedents(
    context: Context,
    q: Annotated[str, Query(min_length=1, max_length=2_000, examples=["mutual cap on liability"])],
    collection: Annotated[str, Query(max_length=500)],
    limit: Annotated[int, Query(ge=1, le=50)] = 5,
) -> list[PrecedentValue]:
    """Find the clauses of a collection that serve best as precedents."""
    from fourcorners.precedents import gather
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.scoring import vector_cache as kept

    encoder = context.state.engines.encoder
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        clauses = gather.document_clauses(library, access.documents(collection))
        stock = ClauseStock(
            clauses, encoder, vectors=lambda texts: kept.cached_vectors(library, texts, encoder)
        )
        found = rank_clauses(q, stock, limit=limit)
        access.record("precedents", {"collection": collection, "found": len(found)})
    return [
        PrecedentValue(
            text=each.clause.text,
            places=[
                PlaceValue.make(
                    place,
                    name=place.source,
                    href=quote_href(place.document, place.span) if place.span else None,
                )
                for place in each.clause.places
            ],
            score=each.score,
            stars=each.expected,
        )
        for each in found
    ]
