"""Search over everything that this person may read."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.search.hit import Hit
from fourcorners.server.context import Context
from fourcorners.server.rendering.typesetting import TextRun
from fourcorners.text.span import intersect_spans

router = APIRouter()
_LIMIT = 25  # hits
_NAMES = 8  # documents by name


@router.get("/search")
def search(
    context: Context,
    q: Annotated[str, Query(max_length=2_000)] = "",
    c: Annotated[str, Query(max_length=500)] = "",
) -> Response:
    """Show the passages that match, and the documents whose names do."""
    hits: tuple[Hit, ...] = ()
    problem: ConfigError | None = None
    with context.access() as access:
        collections = [each.name for each in access.collections()]
        named = []
        if q.strip():
            words = q.casefold().split()
            named = [
                entry
                for entry in access.documents(c or None)
                if all(word in f"{entry.name} {entry.title}".casefold() for word in words)
            ][:_NAMES]
            try:
                hits = access.search(
                    q, context.state.engines, collection=c or None, limit=_LIMIT
                ).hits
            except ConfigError as error:
                problem = error
    return context.page(
        "search.html.j2",
        200 if problem is None else 422,
        q=q,
        c=c,
        collections=collections,
        named=named,
        hits=[(hit, snippet(hit)) for hit in hits],
        problem=problem,
    )


def snippet(hit: Hit) -> list[TextRun]:
    """Return the snippet of a hit, cut where its matches start and end."""
    pieces = []
    at = hit.snippet.start
    for span in intersect_spans(hit.matched, [hit.snippet]):
        pieces.append(TextRun(hit.words[at - hit.span.start : span.start - hit.span.start]))
        pieces.append(TextRun(span.shift(-hit.span.start).text_in(hit.words), marked=True))
        at = span.end
    pieces.append(TextRun(hit.words[at - hit.span.start : hit.snippet.end - hit.span.start]))
    return [piece for piece in pieces if piece.text]
