"""Files that could not be read: read again, dismissed, or brought to an administrator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Form
from fastapi.responses import Response

from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.failures import FailuresRequest, ask_for_help, dismiss_failures
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.links import collection_href
from fourcorners.server.tasks.handlers.add import retry_files

router = APIRouter()


@router.post("/failures")
def change(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    action: Annotated[Literal["retry", "dismiss", "help"], Form()],
    file: Annotated[Sequence[str], Form(max_length=5_000)] = (),
) -> Response:
    asked = FailuresRequest.from_fields(collection=c, files=file)
    if action == "retry":
        return context.redirect(f"/tasks/{retry_files(context, asked).id}")
    if action == "dismiss":
        dismiss(context, asked)
        return context.redirect(collection_href(c))
    ask_administrators(context, c)
    return context.redirect(f"{collection_href(c)}?helped=1#unread")


def dismiss(context: RequestContext, asked: FailuresRequest) -> None:
    """Take files off the list, and remove what was uploaded of them."""
    with context.access() as access:
        paths = dismiss_failures(access, asked)
    context.delete_files(paths)


def ask_administrators(context: RequestContext, collection: str) -> None:
    """Notify those who administer a collection that someone needs help with its files.

    Raises:
        Refusal: If nobody else administers it.
    """
    with context.access() as access:
        access.require(Role.READER, collection)
        admins = [each for each in _admins(access, collection) if each != access.principal.name]
        if not admins:
            raise Refusal("nobody else administers this collection.")
        ask_for_help(access, collection, admins)


def _admins(access: Access, collection: str) -> list[str]:
    return Accounts(access.library_for(collection, Role.READER)).admins(collection)
