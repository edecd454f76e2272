"""Activity: work, what was done and by whom, and what language models cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.documents.discovery import UnreadPath, find_files
from fourcorners.library.entries import AuditEntry, Failure
from fourcorners.operations.principal import Role
from fourcorners.review.annotations import annotation_faults
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.cursors import part_of_tasks
from fourcorners.server.store import audit_trail
from fourcorners.server.tasks.handlers import add as add_task
from fourcorners.server.tasks.handlers import ask as ask_task
from fourcorners.server.tasks.queue import Task

router = APIRouter()
_PAGE = 100  # rows
_MAX_SEARCHED = 5_000  # entries looked through for a name; the page leads on from there
_MOST = 500  # files listed one by one
# Of the trail's details: for programs.
_HIDDEN = frozenset({"fingerprint", "sha256", "hash", "author", "said_at"})


@router.get("/activity")
def tasks(context: Context, before: Annotated[str, Query(max_length=2_000)] = "") -> Response:
    found, more = part_of_tasks(context, before, _PAGE)
    return context.page(
        "_activity.html.j2" if context.is_partial else "activity.html.j2",
        tasks=found,
        more=more or "",
        at_work=any(not each.state.is_final for each in found),
        may_see_all=context.principal.may_everywhere(Role.ADMIN),
        tab="tasks",
    )


@router.get("/activity/audit")
def audit(
    context: Context,
    event: Annotated[str, Query(max_length=60)] = "",
    by: Annotated[str, Query(max_length=120)] = "",
    before: Annotated[int, Query(ge=0)] = 0,
    verify: Annotated[str, Query(max_length=3)] = "",
) -> Response:
    """Show the audit trail, and prove that it is whole where that is asked."""
    with context.access() as access:
        library = access.full_library(Role.ADMIN)
        most = _MAX_SEARCHED if by else _PAGE
        searched = audit_trail.entries_before(library, before, most, event)
        matching = [each for each in searched if by.casefold() in _author(each).casefold()][:_PAGE]
        names = {each.id: each.name for each in access.documents()}
        kinds = audit_trail.event_kinds(library)
        proof = library.audit_verdict() if verify else None
        broken = proof and [each.description for each in proof.faults]
        problems = broken or (annotation_faults(library) if proof else [])
    return context.page(
        "audit.html.j2",
        entries=[(each, _author(each), _details(each, names)) for each in matching],
        kinds=kinds,
        event=event,
        by=by,
        more=_next_cursor(matching, searched, most),
        proof=proof,
        problems=problems,
        may_see_all=True,
        tab="audit",
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


def _next_cursor(shown: list[AuditEntry], searched: list[AuditEntry], most: int) -> int:
    """Return before which entry the next page begins; 0 if the trail has no more."""
    if len(shown) == _PAGE:
        return shown[-1].seq
    return searched[-1].seq if len(searched) == most else 0


def _author(entry: AuditEntry) -> str:
    return str(json.loads(entry.detail).get("by", ""))


def _details(entry: AuditEntry, names: Mapping[str, str]) -> str:
    """Return what an entry is of; documents that are still there go by their names."""
    values = {key: str(value) for key, value in json.loads(entry.detail).items()}
    return ", ".join(
        f"{key} {names.get(value, value) if key == 'document' else value}"
        for key, value in values.items()
        if value and key != "by" and key not in _HIDDEN
    )


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
