"""The family of a contract, and which contract a document belongs to."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing import families
from fourcorners.operations.reviewing.families import FamilyRequest
from fourcorners.server.context import Context
from fourcorners.server.links import document_href

router = APIRouter()


@router.get("/d/{document}/family")
def show(context: Context, document: str) -> Response:
    with context.access() as access:
        family = families.find_family(access, document)
        entry = access.visible(document).entry
        others = [each.id for each in access.documents(entry.collection) if each.id != document]
        titles = access.titles([document, *others])
    return context.page(
        "family.html.j2",
        document=document,
        called=titles[document],
        collection=entry.collection,
        family=family,
        others=sorted(((each, titles[each]) for each in others), key=lambda pair: str(pair[1])),
        may_set=context.principal.may(Role.REVIEWER, entry.collection),
    )


@router.post("/d/{document}/family")
def set_head(
    context: Context, document: str, head: Annotated[str, Form(max_length=40)] = ""
) -> Response:
    """Say which contract a document belongs to; to none, if no contract is chosen."""
    with context.access() as access:
        families.set_family(access, document, FamilyRequest(head=head or None))
    return context.redirect(f"{document_href(document)}/family")
