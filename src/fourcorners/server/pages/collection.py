"""One collection, its documents and what could not be read; and search over all of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.library.tokens import fold_name
from fourcorners.search.hit import Hit
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.links import collection_href
from fourcorners.server.rendering.typesetting import TextRun
from fourcorners.text.span import intersect_spans

router = APIRouter()
_PAGE = 100  # documents of one page
_LIMIT = 25  # hits
_NAMES = 8  # documents by name


@router.get("/c/{name:path}")
def show(
    context: Context,
    name: str,
    find: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """Show the documents of a collection."""
    with context.access() as access:
        entries = access.documents(name)
        shown = [each for each in entries if _fits(f"{each.name} {each.title} {each.type}", find)]
        here = shown[(page - 1) * _PAGE : page * _PAGE]
        cards = access.cards(here)
        failures = access.failures(name)
        names = [each.name for each in access.collections()]
    return context.page(
        "collection.html.j2",
        name=next(each for each in names if fold_name(each) == fold_name(name)),
        total=len(entries),
        fitting=len(shown),
        entries=here,
        cards=cards,
        failures=[(context.state.uploads.display_path(each.path), each) for each in failures],
        find=find,
        number=page,
        last=max(1, -(-len(shown) // _PAGE)),
        may_edit=context.principal.may(Role.EDITOR, name),
    )


@router.post("/remove")
def remove(
    context: Context, document: Annotated[str, Form()], collection: Annotated[str, Form()]
) -> Response:
    """Take a document out of a collection."""
    with context.access() as access:
        path = access.visible(document).entry.path
        if access.remove(document, collection):
            context.state.uploads.delete_file(path)
    return context.redirect(collection_href(collection))


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
            inside = access.documents(c or None)
            named = [each for each in inside if _fits(f"{each.name} {each.title}", q)][:_NAMES]
            try:
                engines = context.state.engines
                hits = access.search(q, engines, collection=c or None, limit=_LIMIT).hits
            except ConfigError as error:
                problem = error
    return context.page(
        "search.html.j2",
        200 if problem is None else 422,
        q=q,
        c=c,
        collections=collections,
        named=named,
        hits=[(hit, _snippet(hit)) for hit in hits],
        problem=problem,
    )


def _snippet(hit: Hit) -> list[TextRun]:
    """Return the snippet of a hit, cut where its matches start and end."""
    pieces = []
    at = hit.snippet.start
    for span in intersect_spans(hit.matched, [hit.snippet]):
        pieces.append(TextRun(hit.words[at - hit.span.start : span.start - hit.span.start]))
        pieces.append(TextRun(span.shift(-hit.span.start).text_in(hit.words), marked=True))
        at = span.end
    pieces.append(TextRun(hit.words[at - hit.span.start : hit.snippet.end - hit.span.start]))
    return [piece for piece in pieces if piece.text]


def _fits(text: str, find: str) -> bool:
    return all(word in text.casefold() for word in find.casefold().split())
