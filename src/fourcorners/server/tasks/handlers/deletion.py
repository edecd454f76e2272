"""Deleting contracts, or a collection, with a report; it waits for who asked as a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fourcorners.server.store.deletion_report import DeletionReport, DeletionRequest, DeletionScope
from fourcorners.server.tasks.handlers import TaskContext

if TYPE_CHECKING:
    from fourcorners.operations.access import Access
    from fourcorners.server.context import RequestContext
    from fourcorners.server.tasks.queue import Task

KIND = "deletion"
_LOOK = 1.0  # seconds between looks whether it is done


def start_deletion(context: RequestContext, asked: DeletionRequest) -> Task:
    """Start the task that deletes contracts, or a collection.

    That of an admin of the whole library is not of the collection: it outlives it, and its report
    is for who administers the library.

    Raises as `select_contracts` does.
    """
    from fourcorners.operations.principal import Role
    from fourcorners.server.store.deletion import select_contracts
    from fourcorners.server.tasks.handlers import add

    with context.access() as access:
        documents = select_contracts(access, asked)
    is_whole = context.principal.may_everywhere(Role.ADMIN)
    spec = {
        "collection": asked.collection,
        "documents": documents,
        "scope": asked.scope.value,
        "is_whole": is_whole,
    }
    lane = add.lane(is_shared=context.state.uploads.is_shared)
    return context.start_task(KIND, lane, "" if is_whole else asked.collection, spec)


def report_of(access: Access, task: Task) -> DeletionReport:
    """Return the report of a deletion.

    Raises:
        NotFound: If the task is another, or the file has been deleted by now.
        NotAllowed: If it is on the whole library, and they do not administer that.
    """
    from fourcorners.operations.errors import NotFound
    from fourcorners.server.store.exports import find_file

    if task.kind != KIND:
        raise NotFound(f"there is no deletion {task.id[:40]!r}.")
    _, data = find_file(access, task.id, task.collection)
    return DeletionReport.model_validate_json(data)


def run(work: TaskContext) -> Mapping[str, str | int]:
    from concurrent.futures import ThreadPoolExecutor, wait
    from contextlib import suppress

    from fourcorners.errors import LibraryError
    from fourcorners.library.store import Library
    from fourcorners.library.tokens import fold_name
    from fourcorners.operations.errors import Conflict
    from fourcorners.operations.principal import Principal, Role
    from fourcorners.server.store import exports
    from fourcorners.server.store.deletion_report import report_json
    from fourcorners.server.tasks.handlers import TaskParked

    spec, by = work.task.spec, work.task.asked_by
    documents = [each for each in spec["documents"] if work.library.has_document(each)]
    names = map(fold_name, work.library.collection_names())
    is_collection = spec["scope"] == DeletionScope.COLLECTION
    if not documents and not (is_collection and fold_name(spec["collection"]) in names):
        raise Conflict(
            "These contracts are not in the library any more, so there is nothing to report.",
            remedy="The audit trail says who deleted them, and when.",
        )
    work.report_progress(0, len(documents), 0, "")
    role = {fold_name(spec["collection"]): Role.ADMIN}
    person = Principal(by, Role.ADMIN) if spec["is_whole"] else Principal(by, roles=role)

    def delete() -> DeletionReport:
        from fourcorners.library.originals.files import Originals
        from fourcorners.operations.access import Access
        from fourcorners.server.store.deletion import Deletion, delete_contracts

        with Library.open(work.library.url, create=False) as library:
            access, originals = Access(library, person, watched=False), Originals(settings)
            if is_collection:
                return delete_contracts(access, originals, Deletion(collection=spec["collection"]))
            return delete_contracts(access, originals, Deletion(documents))

    settings = work.settings.originals
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(delete)
        while not wait([made], _LOOK).done:
            with suppress(LibraryError, TaskParked):  # the file is being written; it cannot be left
                work.report_progress(0, len(documents), 0, "")
        report = made.result()
    data = report_json(report).encode()
    name = f"deletion-{report.at[:10]}.json"
    exports.save_file(work.library, work.task.id, name, data)
    found = "unknown" if report.is_clean is None else "nothing" if report.is_clean else "something"
    return {"file": name, "contracts": len(report.contracts), "left": found}
