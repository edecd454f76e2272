"""Activity: work, and what language models cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.documents.discovery import UnreadPath, find_files
from fourcorners.library.entries import Failure
from fourcorners.operations.knowledge.titles import PlaybookTitles
from fourcorners.operations.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.cursors import part_of_tasks
from fourcorners.server.tasks.handlers import add as add_task
from fourcorners.server.tasks.handlers import ask as ask_task
from fourcorners.server.tasks.queue import Task

router = APIRouter()
_PAGE = 100  # rows
_MOST = 500  # files listed one by one


@router.get("/activity")
def tasks(context: Context, before: Annotated[str, Query(max_length=2_000)] = "") -> Response:
    found, more = part_of_tasks(context, before, _PAGE)
    with context.access() as access:
        titles = PlaybookTitles(access)
    return context.page(
        "_activity.html.j2" if context.is_partial else "activity.html.j2",
        tasks=found,
        titles=titles,
        more=more or "",
        at_work=any(not each.state.is_final for each in found),
        may_see_all=context.principal.may_everywhere(Role.ADMIN),
        tab="tasks",
    )


@router.get("/activity/models")
def models(context: Context) -> Response:
    from fourcorners.library.llm_store import LibraryLedger
    from fourcorners.llm.ledger import Spending

    with context.access() as access:
        calls = LibraryLedger(access.full_library(Role.ADMIN)).calls()
    sums: dict[tuple[str, str], Spending] = {}
    whole = Spending()
    for call in calls:
        key = (call.model, call.role.value)
        sums[key] = sums.get(key, Spending()).add_call(call)
        whole = whole.add_call(call)
    return context.page(
        "ledger.html.j2",
        spent=sorted(sums.items()),
        whole=whole,
        calls=calls[: -_PAGE - 1 : -1],
        may_see_all=True,
        tab="models",
    )


@router.get("/tasks/{identifier}")
def show_task(context: Context, identifier: str) -> Response:
    """Show a task; the page renews its part while it goes on."""
    task = context.task(identifier)
    if task.kind == ask_task.KIND:
        return context.redirect(f"/ask/at/{task.id}")
    files = _files(context, task) if task.kind == add_task.KIND else []
    template = "_task.html.j2" if context.is_partial else "task.html.j2"
    return context.page(template, task=task, files=files)


@router.post("/tasks/{identifier}/cancel")
def cancel(context: Context, identifier: str) -> Response:
    context.cancel(identifier)
    return context.redirect(f"/tasks/{identifier}")


def _files(context: RequestContext, task: Task) -> list[dict[str, str]]:
    paths = add_task.paths_to_read(task)
    with context.access() as access:
        # The first files may be bad, so that the collection is not there yet, or never will be.
        library = (
            access.library_for(task.collection, Role.READER, to_come=True) if task.done else None
        )
        bad = access.failures(task.collection, to_come=True) if library else []
        failures = {each.path: each for each in bad}
        found = [each for each in find_files(paths) if not isinstance(each, UnreadPath)]
        within = (
            {str(path): library.document_at(str(path), task.collection) for path in found}
            if library
            else {}
        )
    states = [
        _state(context, str(path), within.get(str(path)), failures, ended=task.state.is_final)
        for path in found[:_MOST]
    ]
    return [*states, *_members(context, found, failures)]


def _state(
    context: RequestContext,
    path: str,
    document: str | None,
    failures: Mapping[str, Failure],
    *,
    ended: bool,
) -> dict[str, str]:
    """Return what has become of an uploaded file: waiting, read, failed, or opened (archives)."""
    name = context.state.uploads.display_path(path)
    file = {"name": name, "document": "", "reason": "", "remedy": ""}
    if path in failures:
        failure = failures[path]
        return file | {"state": "failed", "reason": failure.reason, "remedy": failure.remedy}
    if document:
        return file | {"state": "read", "document": document}
    return file | {"state": "opened" if ended else "waiting"}


def _members(
    context: RequestContext, found: list[Path], failures: Mapping[str, Failure]
) -> Iterator[dict[str, str]]:
    """Yield the files within uploaded archives that could not be read."""
    heads = tuple(f"{path}/" for path in found)
    inside = (path for path in failures if path.startswith(heads))
    for path in islice(inside, _MOST):
        yield _state(context, path, None, failures, ended=True)
