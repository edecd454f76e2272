"""Search, and precedents to draft from."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from fourcorners.server.api.models import HitValue, SpanValue
from fourcorners.server.context import Context
from fourcorners.server.links import quote_href

router = APIRouter(tags=["Search"])


@router.get("/search")
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
        HitValue(
            document=hit.document,
            name=hit.name,
            span=SpanValue.from_span(hit.span),
            words=hit.words,
            page=hit.page,
            path=list(hit.path),
            matched=[SpanValue.from_span(each) for each in hit.matched],
            score=hit.score,
            href=quote_href(hit.document, hit.span, hit.words),
        )
        for hit in found.hits
    ]
