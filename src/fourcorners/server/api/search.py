"""Search, and precedents to draft from."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.operations.contracts import precedents
from fourcorners.operations.contracts.precedents import Precedent, PrecedentsRequest
from fourcorners.operations.search import PassagesRequest, search_passages
from fourcorners.search.hit import Hit
from fourcorners.server.api.models import CollectionName, Cursor, HitValue, Paged
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.cursors import decode_cursor, encode_cursor
from fourcorners.server.links import quote_href
from fourcorners.text.span import Span
from fourcorners.value import Value

router = APIRouter(tags=["Search"], route_class=ApiRoute)
MAX_NAMED = 500
"""Contracts of a search whose clauses that give orders are named."""
_DEEPEST = 1_000  # hits of one query that can be paged through
_Documents = Annotated[
    list[Annotated[str, Field(max_length=40)]],
    Query(max_length=50, description="Only in these contracts, by id; repeat it for several."),
]


class PlaceValue(Value):
    """Where a clause is; `span` and `href` are null where that is not known."""

    document: str
    name: str
    path: list[str]
    span: Span | None
    href: str | None


class DifferenceValue(Value):
    """Words that a draft and a precedent share, or that only one of them has."""

    change: Literal["same", "added", "removed"]
    text: str


class PrecedentValue(Value):
    """A clause to draft from, once for all places that have its words."""

    text: str
    places: list[PlaceValue]
    score: float
    stars: float | None = Field(description="What a lawyer would give it, 1 to 5, if known.")
    bank: str = Field(default="", description="The clause bank; empty for a clause of a contract.")
    clause: str = Field(default="", description="Its id in the bank.")
    covers: list[str] = Field(default_factory=list, description="What it has of the query.")
    lacks: list[str] = Field(default_factory=list)
    alike: int | None = Field(
        default=None, description="The share of words that are the draft's, in percent."
    )
    difference: list[DifferenceValue] = Field(
        default_factory=list, description="What would change in the draft, word by word."
    )


class HitPage(Paged[HitValue]):
    """A part of what a search found."""

    warnings: list[str] = Field(
        default_factory=list, description="Contracts and clauses that were left out, and why."
    )


@router.get("/search")
def search(
    context: Context,
    q: Annotated[
        str,
        Query(min_length=1, max_length=2_000, examples=['"change control"~5', "can they leave"]),
    ],
    collection: CollectionName | None = None,
    document: _Documents = [],  # noqa: B006 - FastAPI copies it
    cursor: Cursor = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> HitPage:
    """Find passages that match a query, or that answer a question of three or more plain words.

    The best come first, 1,000 at most. A cursor continues the ranking of its query; where
    contracts were added meanwhile, a passage may be listed twice, or passed over.
    """
    hits, after, warnings = find_hits(context, q, collection, document, cursor, limit)
    return HitPage(
        items=[
            HitValue.make(hit, href=quote_href(hit.document, hit.span, hit.words)) for hit in hits
        ],
        next=after,
        warnings=warnings,
    )


def find_hits(
    context: RequestContext,
    query: str,
    collection: str | None,
    documents: list[str],
    cursor: str,
    limit: int,
) -> tuple[tuple[Hit, ...], str | None, list[str]]:
    """Return a part of the passages that a query finds, the cursor of the next, and warnings."""
    asked = "\n".join([query, collection or "", *documents])
    name = f"search {sha256(asked.encode('utf-8', 'surrogatepass')).hexdigest()}"
    start = int(decode_cursor(context, name, cursor)[0]) if cursor else 0
    end = min(start + limit, _DEEPEST)
    with context.access() as access:
        request = PassagesRequest(
            query=query,
            collection=collection,
            documents=tuple(documents),
            limit=min(end + 1, _DEEPEST),
        )
        found = search_passages(access, request, context.state.engines)
        within = documents or [each.id for each in access.documents(collection)][:MAX_NAMED]
        failed = [found.failure] if found.failure else []
        warnings = [*failed, *access.left_out(collection), *access.set_apart(within)]
    more = len(found.hits) > end
    after = encode_cursor(context, name, (str(end),)) if more else None
    return found.hits[start:end], after, warnings


@router.get("/precedents")
def find_precedents(
    context: Context,
    q: Annotated[str, Query(min_length=1, max_length=2_000, examples=["mutual cap on liability"])],
    collection: CollectionName | None = None,
    bank: Annotated[str, Query(max_length=200, description="A clause bank, by its name.")] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 5,
) -> list[PrecedentValue]:
    """Find the clauses of a collection, of a bank, or of all, that serve best as precedents."""
    asked = PrecedentsRequest(query=q, collection=collection or None, bank=bank, limit=limit)
    return compare_precedents(context, asked)


@router.post("/precedents")
def compare_precedents(context: Context, asked: PrecedentsRequest) -> list[PrecedentValue]:
    """Find precedents for a query or a draft, which stays out of addresses and logs."""
    with context.access() as access:
        found = precedents.find_precedents(access, asked, context.state.engines).found
    return [_precedent(each, asked.bank) for each in found]


def _precedent(found: Precedent, bank: str) -> PrecedentValue:
    places = [
        PlaceValue.make(
            place,
            name=place.source,
            href=quote_href(place.document, place.span) if place.span else None,
        )
        for place in found.clause.places
    ]
    return PrecedentValue(
        text=found.clause.text,
        places=places,
        score=found.ranked.score,
        stars=found.ranked.expected,
        bank=bank,
        clause=found.id,
        covers=list(found.ranked.reasons.covers),
        lacks=list(found.ranked.reasons.missing),
        alike=found.alike,
        difference=[
            DifferenceValue(change=each.change.value, text=each.text) for each in found.pieces
        ],
    )
