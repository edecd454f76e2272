"""The library: its collections, and the way to add to it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from fourcorners.operations.documents import new_documents
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.context import Context
from fourcorners.server.store import health_checks
from fourcorners.server.store.watches import stopped_watches

router = APIRouter()


@router.get("/")
def show(context: Context) -> Response:
    with context.access() as access:
        collections = access.collections()
        failures = {each.name: len(access.failures(each.name)) for each in collections}
        library = access.common()
        checked = {
            each.name: health_checks.last_summary(library, each.name) for each in collections
        }
        new = new_documents(access)
        admits = context.state.team and context.principal.may_everywhere(Role.ADMIN)
        may_watch = context.principal.may_everywhere(Role.ADMIN)
        stopped = stopped_watches(library, context.state.settings.watch) if may_watch else []
        users = [each.name for each in Accounts(library).users()] if admits else []
    names = [each.name for each in collections if context.principal.may(Role.EDITOR, each.name)]
    return context.page(
        "library.html.j2",
        collections=collections,
        failures=failures,
        checked=checked,
        writable=names,
        new=new,
        stopped=stopped,
        users=users,
        roles=[each.title for each in Role],
        may_begin=context.principal.may(Role.EDITOR, ""),
        may_add=context.principal.has_role(Role.EDITOR),
        tasks=context.tasks(limit=5),
    )
