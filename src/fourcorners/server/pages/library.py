"""The library: its collections, and the way to add to it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from fourcorners.server import papers
from fourcorners.server.desk import Desk
from fourcorners.server.principal import Role

router = APIRouter()


@router.get("/")
def show(desk: Desk) -> Response:
    """Show the collections."""
    with desk.access() as access:
        collections = access.collections()
        failures = {each.name: len(access.failures(each.name)) for each in collections}
        library = access.common()
        checked = {each.name: papers.glance(library, each.name) for each in collections}
    names = [each.name for each in collections if desk.principal.may(Role.EDITOR, each.name)]
    return desk.page(
        "library.html.j2",
        collections=collections,
        failures=failures,
        checked=checked,
        writable=names,
        may_add=bool(names) or desk.principal.role_in("") is not None,
        tasks=desk.tasks(limit=5),
    )
