"""Tags that people give the documents of a collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Form
from fastapi.responses import Response

from fourcorners.library.tokens import fold_name
from fourcorners.operations.documents import MAX_TAG, set_tags, tags_of
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.links import collection_href

router = APIRouter()
_MOST = 1_000  # documents tagged together


@router.post("/documents/tags")
def tag_documents(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    tag: Annotated[str, Form(max_length=MAX_TAG)],
    tagging: Annotated[Literal["add", "remove"], Form()],
    d: Annotated[Sequence[str], Form(max_length=_MOST)] = (),
) -> Response:
    """Add a tag to documents of a collection, or take it from them."""
    with context.access() as access:
        library = access.library_for(c, Role.REVIEWER)
        if not d:
            raise Refusal("select documents first.")
        with library.transaction():
            for document in d:
                others = [
                    each for each in tags_of(access, document) if fold_name(each) != fold_name(tag)
                ]
                set_tags(access, document, [*others, tag] if tagging == "add" else others)
    return context.redirect(collection_href(c))
