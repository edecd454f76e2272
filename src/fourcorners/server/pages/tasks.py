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
from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.doing import adding, asking
from fourcorners.server.principal import Role
from fourcorners.server.tasks import Task

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
def show(desk: Desk, identifier: str) -> Response:
    """Show a task; the page renews its part while it goes on."""
    task = desk.task(identifier)
    if task.kind == asking.KIND:
        return desk.see(f"/ask/at/{task.id}")
    files = _files(desk, task) if task.kind == adding.KIND else []
    template = "_task.html.j2" if desk.is_partial else "task.html.j2"
    return desk.page(template, task=task, files=files)


@router.post("/tasks/{identifier}/cancel")
def cancel(desk: Desk, identifier: str) -> Response:
    """End a task."""
    desk.cancel(identifier)
    return desk.see(f"/tasks/{identifier}")


def _files(desk: DeskOf, task: Task) -> list[FileState]:
    folder = Path(task.spec["folder"])
    with desk.access() as access:
        # The first files may be bad, so that the collection is not there yet, or never will be.
        library = (
            access.library_for(task.collection, Role.READER, to_come=True) if task.done else None
        )
        bad = access.failures(task.collection, to_come=True) if library else []
        failures = {each.path: each for each in bad}
        found = [each for each in find_files([folder]) if not isinstance(each, UnreadPath)]
        within = {str(path): library.at(str(path)) for path in found} if library else {}
    states = [
        _state(desk, str(path), within.get(str(path)), failures, ended=task.state.ended)
        for path in found[:_MOST]
    ]
    return [*states, *_members(desk, found, failures)]


def _state(
    desk: DeskOf, path: str, document: str | None, failures: dict[str, Failure], *, ended: bool
) -> FileState:
    name = desk.office.uploads.told(path)
    if path in failures:
        return FileState(name, "failed", "", failures[path].reason, failures[path].remedy)
    if document:
        return FileState(name, "read", document)
    return FileState(name, "opened" if ended else "waiting")


def _members(desk: DeskOf, found: list[Path], failures: dict[str, Failure]) -> Iterator[FileState]:
    """Yield the files within uploaded archives that could not be read."""
    heads = tuple(f"{path}/" for path in found)
    inside = (each for path, each in failures.items() if path.startswith(heads))
    for each in islice(inside, _MOST):
        yield FileState(desk.office.uploads.told(each.path), "failed", "", each.reason, each.remedy)
