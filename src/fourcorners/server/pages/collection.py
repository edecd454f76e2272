"""One collection: its documents, and what could not be read."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.library.entries import Entry
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.links import collection_href

router = APIRouter()
_PAGE = 100  # documents of one page


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
        shown = [entry for entry in entries if _fits(entry, find)]
        here = shown[(page - 1) * _PAGE : page * _PAGE]
        cards = access.cards(here)
        failures = access.failures(name)
        title = next(each.name for each in access.collections() if _same(each.name, name))
    return context.page(
        "collection.html.j2",
        name=title,
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


def _same(one: str, other: str) -> bool:
    from fourcorners.library.tokens import fold_name

    return fold_name(one) == fold_name(other)


def _fits(entry: Entry, find: str) -> bool:
    words = find.casefold().split()
    text = f"{entry.name} {entry.title} {entry.type}".casefold()
    return all(word in text for word in words)
