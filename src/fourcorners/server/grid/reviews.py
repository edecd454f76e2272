"""The reviews that there are, with how far each is."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.library.tokens import fold_name
from fourcorners.playbooks.playbook import Playbook
from fourcorners.server.context import RequestContext
from fourcorners.server.grid.cell_summaries import count_filled
from fourcorners.server.store import playbook_store
from fourcorners.server.tasks.handlers import review as reviewing
from fourcorners.server.tasks.queue import Task

_MAX_SEARCHED = 50  # tasks looked through for those that go on


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
        by_hash = {book.hash: book for book in playbook_store.usable_playbooks(access.common())}
        filled = count_filled(access.common(), by_hash)
    running = running_reviews(context)
    return [
        CollectionReview(
            each.collection,
            (book := by_hash[each.playbook]),
            sizes[each.collection] * len(book.provisions),
            each.cells,
            each.last,
            running.get((fold_name(each.collection), book.id)),
        )
        for each in sorted(filled, key=lambda each: each.last, reverse=True)
        if each.collection in sizes
    ]


def running_reviews(context: RequestContext) -> dict[tuple[str, str], Task]:
    """Return the tasks of reviews that go on, by folded collection and playbook."""
    return {
        (fold_name(task.collection), task.spec["playbook"]): task
        for task in context.tasks(limit=_MAX_SEARCHED)
        if task.kind == reviewing.KIND and not task.state.is_final
    }
