"""A task: how far it is, file by file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import Response

from fourcorners.documents.discovery import UnreadPath, find_files
from fourcorners.library.entries import Failure
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.tasks.handlers import add as adding
from fourcorners.server.tasks.handlers import ask as asking
from fourcorners.server.tasks.queue import Task

router = APIRouter()
_MOST = 500  # files told of, one by one


@dataclass(frozen=True, slots=True)
class FileState:
    """What has become of one uploaded file: `waiting`, `read`, `failed`, or `opened` (archives)."""

    name: str
    state: str
    document: str = ""
    reason: str = ""
    remedy: str = ""


@router.get("/tasks/{identifier}")
def show(context: Context, identifier: str) -> Response:
    """Show a task; the page renews its part while it goes on."""
    task = context.task(identifier)
    if task.kind == asking.KIND:
        return context.redirect(f"/ask/at/{task.id}")
    files = _files(context, task) if task.kind == adding.KIND else []
    template = "_task.html.j2" if context.is_partial else "task.html.j2"
    return context.page(template, task=task, files=files)


@router.post("/tasks/{identifier}/cancel")
def cancel(context: Context, identifier: str) -> Response:
    """End a task."""
    context.cancel(identifier)
    return context.redirect(f"/tasks/{identifier}")


def _files(context: RequestContext, task: Task) -> list[FileState]:
    folder = Path(task.spec["folder"])
    with context.access() as access:
        # The first files may be bad, so that the collection is not there yet, or never will be.
        library = (
            access.library_for(task.collection, Role.READER, to_come=True) if task.done else None
        )
        bad = access.failures(task.collection, to_come=True) if library else []
        failures = {each.path: each for each in bad}
        found = [each for each in find_files([folder]) if not isinstance(each, UnreadPath)]
        within = {str(path): library.document_at(str(path)) for path in found} if library else {}
    states = [
        _state(context, str(path), within.get(str(path)), failures, ended=task.state.is_final)
        for path in found[:_MOST]
    ]
    return [*states, *_members(context, found, failures)]


def _state(
    context: RequestContext,
    path: str,
    document: str | None,
    failures: dict[str, Failure],
    *,
    ended: bool,
) -> FileState:
    name = context.state.uploads.display_path(path)
    if path in failures:
        return FileState(name, "failed", "", failures[path].reason, failures[path].remedy)
    if document:
        return FileState(name, "read", document)
    return FileState(name, "opened" if ended else "waiting")


def _members(
    context: RequestContext, found: list[Path], failures: dict[str, Failure]
) -> Iterator[FileState]:
    """Yield the files within uploaded archives that could not be read."""
    heads = tuple(f"{path}/" for path in found)
    inside = (each for path, each in failures.items() if path.startswith(heads))
    for each in islice(inside, _MOST):
        yield FileState(
            context.state.uploads.display_path(each.path), "failed", "", each.reason, each.remedy
        )
