"""The reviews that there are: started, and with how far each is."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from fourcorners.errors import PlaybookError
from fourcorners.library.tokens import fold_name
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.knowledge.playbooks import PlaybookVersion
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.reviews import ReviewRequest, check_review, set_review_side
from fourcorners.playbooks.playbook import Playbook
from fourcorners.server import columns
from fourcorners.server.context import RequestContext
from fourcorners.server.grid.cell_summaries import count_filled
from fourcorners.server.tasks.handlers import review as reviewing
from fourcorners.server.tasks.queue import Task, TaskState
from fourcorners.value import Value

_MAX_VERSIONS = 20  # of a playbook whose findings are counted
_MAX_SEARCHED = 200  # tasks looked through for those of reviews


@dataclass(frozen=True, slots=True)
class CollectionReview:
    """A collection reviewed by a playbook.

    Attributes:
        cells: Contracts times provisions; `filled` of them have a finding.
        last: When the last was filled, in UTC and ISO 8601.
        task: The one that fills it now.
    """

    collection: str
    playbook: Playbook
    cells: int
    filled: int
    last: str
    task: Task | None


def list_progress(context: RequestContext) -> list[CollectionReview]:
    """Return the reviews of the collections that somebody may read, the latest first."""
    with context.access() as access:
        sizes = {each.name: each.documents for each in access.collections()}
        known = playbooks.playbooks_of_reviews(access)
        filled = count_filled(access.common(), {hash_ for _, hash_ in known})
    running = running_reviews(context)
    return [
        CollectionReview(
            each.collection,
            book,
            sizes[each.collection] * len(book.provisions),
            each.cells,
            each.last,
            running.get((fold_name(each.collection), book.id)),
        )
        for each in sorted(filled, key=lambda each: each.last, reverse=True)
        if (book := known.get((fold_name(each.collection), each.playbook)))
    ]


class PlaybookVersionUse(Value):
    """A version of a review's playbook, and the findings that it made."""

    number: int | None = Field(
        description="Of the version, 1 for the first that was saved; null for a playbook of the "
        "package."
    )
    by: str = Field(description="Who saved it; empty for a playbook of the package.")
    at: str = Field(description="When they did, in UTC.")
    findings: int
    last: str = Field(description="When it made the last of them; empty if it made none.")
    is_shown: bool = Field(description="Whether the review shows its findings.")


def review_playbook_versions(
    context: RequestContext, collection: str, playbook: str
) -> list[PlaybookVersionUse]:
    """Return which versions of a playbook made findings of a collection, the last first.

    The last version is always among them: the review shows its findings. Those of earlier versions
    are kept, and shown again once their version is restored.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
    """
    with context.access() as access:
        access.require(Role.READER, collection)
        current = playbooks.load_playbook(access, playbook, collection)
        saved: dict[str, PlaybookVersion | None] = {current.hash: None}
        for each in playbooks.playbook_versions(access, playbook, collection)[:_MAX_VERSIONS]:
            with suppress(PlaybookError):
                version = playbooks.parse_cached(each.text).hash
                saved[version] = saved.get(version) or each
        filled = {
            each.playbook: each
            for each in count_filled(access.common(), saved)
            if fold_name(each.collection) == fold_name(collection)
        }
    return [
        PlaybookVersionUse(
            number=version.number if version else None,
            by=version.by if version else "",
            at=version.at if version else "",
            findings=filled[hash_].cells if hash_ in filled else 0,
            last=filled[hash_].last if hash_ in filled else "",
            is_shown=hash_ == current.hash,
        )
        for hash_, version in saved.items()
        if hash_ == current.hash or hash_ in filled
    ]


def start_review(context: RequestContext, asked: ReviewRequest) -> Task:
    """Start a review and fill its columns; one that goes on already is not started again.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
        NotAllowed: If they are no reviewer there.
    """
    with context.access() as access:
        book = check_review(access, asked)
        is_other = set_review_side(access, asked)
    task = running_reviews(context).get((fold_name(asked.collection), book.id))
    if task is None or is_other or asked.again:
        spec = {"playbook": book.id, "again": asked.again}
        task = context.start_task(reviewing.KIND, reviewing.LANE, asked.collection, spec)
    columns.fill_new_documents(context, asked.collection, book.id)
    return task


def running_reviews(context: RequestContext) -> dict[tuple[str, str], Task]:
    """Return the tasks of reviews that go on, by folded collection and playbook."""
    last = _last_tasks(context)
    return {review: task for review, task in last.items() if not task.state.is_final}


def stopped_reviews(
    context: RequestContext, collection: str | None = None
) -> list[tuple[Task, Playbook]]:
    """Return the tasks of the reviews that failed and nobody continued, of one collection or all.

    Each comes with the playbook; a review without one cannot be continued.
    """
    with context.access() as access:
        known = {
            (fold, book.id): book
            for (fold, _), book in playbooks.playbooks_of_reviews(access).items()
            if collection is None or fold == fold_name(collection)
        }
    return [
        (task, known[review])
        for review, task in _last_tasks(context).items()
        if task.state is TaskState.FAILED and review in known
    ]


def review_tasks(context: RequestContext, collection: str, playbook: str) -> dict[str, Any]:
    """Return, for the head of a grid, the task that fills it, or that failed to."""
    task = _last_tasks(context).get((fold_name(collection), playbook))
    is_working = task is not None and not task.state.is_final
    has_failed = task is not None and task.state is TaskState.FAILED
    return {"task": task if is_working else None, "review_stopped": task if has_failed else None}


def _last_tasks(context: RequestContext) -> dict[tuple[str, str], Task]:
    """Return the task of each review that goes on, else its last, as `running_reviews` does."""
    found: dict[tuple[str, str], Task] = {}
    for task in context.tasks(limit=_MAX_SEARCHED):
        if task.kind == reviewing.KIND:
            review = fold_name(task.collection), task.spec["playbook"]
            if review not in found or not task.state.is_final:
                found[review] = task
    return found
