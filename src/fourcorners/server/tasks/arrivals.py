"""Contracts that arrive after a review are reviewed too, unless someone has switched that off."""

from __future__ import annotations

from datetime import datetime

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.principal import Role
from fourcorners.research.columns import store as columns
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.tasks.handlers import column as column_task
from fourcorners.server.tasks.handlers import review as review_task
from fourcorners.server.tasks.queue import Task, TaskQueue, TaskState


def reviews_of(library: Library, collection: str) -> dict[str, Task]:
    """Return the last review of a collection by each playbook; none that a person stopped."""
    fold, last = fold_name(collection), dict[str, Task]()
    for task in TaskQueue(library).of_kind(review_task.KIND):
        if fold_name(task.collection) == fold:
            last.setdefault(task.spec["playbook"], task)
    return {name: each for name, each in last.items() if each.state is not TaskState.CANCELLED}


def disabled_reviews(library: Library, collection: str) -> frozenset[str]:
    """Return the playbooks by which contracts of a collection are not reviewed as they arrive."""
    rows = library.execute(
        "SELECT playbook FROM server_arrivals WHERE fold = ?", (fold_name(collection),)
    )
    return frozenset(as_string(playbook) for (playbook,) in rows)


def review_arrivals(access: Access, collection: str, playbook: str, *, wanted: bool) -> None:
    """Have contracts of a collection reviewed by a playbook as they arrive, or no longer.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
        NotAllowed: If they are no reviewer there.
    """
    library = access.library_for(collection, Role.REVIEWER)
    row = (fold_name(collection), load_playbook(access, playbook, collection).id)
    with library.transaction():
        library.execute("DELETE FROM server_arrivals WHERE fold = ? AND playbook = ?", row)
        if not wanted:
            library.execute("INSERT INTO server_arrivals VALUES (?, ?)", row)
        event = "arrivals reviewed" if wanted else "arrivals not reviewed"
        access.record(event, {"collection": collection, "playbook": playbook}, always=True)


def start_reviews(library: Library, collection: str) -> None:
    """Start the reviews of what was added to a collection since, and fill its columns by rules.

    A review that is running may have looked for contracts already: only one that waits will do.
    Each is started for whoever last had it run, if they may still review.
    """
    off, tasks = disabled_reviews(library, collection), TaskQueue(library)
    added = [each.added for each in library.documents(collection)]
    for playbook, last in reviews_of(library, collection).items():
        if (
            playbook in off
            or last.state is TaskState.WAITING
            or not added
            or max(added) < datetime.fromisoformat(last.created)
            or not _may_review(library, last)
        ):
            continue
        with library.transaction():
            by, spec = last.asked_by, {"playbook": playbook, "again": False}
            tasks.start(review_task.KIND, review_task.LANE, collection, spec, by=by)
            busy = {
                each.spec["column"]
                for each in tasks.of_kind(column_task.KIND)
                if each.state is TaskState.WAITING
            }
            for each in columns.review_columns(library, collection, playbook):
                if each.id not in busy and not each.with_model:  # a model costs money
                    spec = {"column": each.id, "playbook": playbook, "question": each.question}
                    tasks.start(column_task.KIND, column_task.LANE, collection, spec, by=by)


def _may_review(library: Library, last: Task) -> bool:
    accounts = Accounts(library)
    if not accounts.users():
        return True  # the one person at this machine
    found = accounts.active_principal(last.asked_by)
    return found is not None and found.may(Role.REVIEWER, last.collection)
