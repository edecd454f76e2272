"""Precedents: the best clauses of your own contracts to draft from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.server.api.models import SpanValue, Value
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.links import quote_href

if TYPE_CHECKING:
    from fourcorners.precedents.rank import Ranked

router = APIRouter(tags=["Precedents"])


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

    @classmethod
    def from_ranked(cls, found: Ranked) -> PrecedentValue:
        """Return a ranked clause as the API says it."""
        clause = found.clause
        return cls(
            text=clause.text,
            places=[
                PlaceValue(
                    document=each.document,
                    name=each.source,
                    path=list(each.path),
                    span=SpanValue.from_span(each.span) if each.span else None,
                    href=quote_href(each.document, each.span) if each.span else None,
                )
                for each in clause.places
            ],
            score=found.score,
            stars=found.expected,
        )


@router.get("/precedents")
def precedents(
    context: Context,
    q: Annotated[str, Query(min_length=1, max_length=2_000, examples=["mutual cap on liability"])],
    collection: Annotated[str, Query(max_length=500)],
    limit: Annotated[int, Query(ge=1, le=50)] = 5,
) -> list[PrecedentValue]:
    """Find the clauses of a collection that serve best as precedents."""
    from fourcorners.precedents import clause as gather
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.scoring import collection as kept

    encoder = context.state.engines.encoder
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        clauses = gather.document_clauses(library, access.documents(collection))
        stock = ClauseStock(
            clauses, encoder, vectors=lambda texts: kept.cached_vectors(library, texts, encoder)
        )
        found = rank_clauses(q, stock, limit=limit)
        access.record("precedents", {"collection": collection, "found": len(found)})
    return [PrecedentValue.from_ranked(each) for each in found]
