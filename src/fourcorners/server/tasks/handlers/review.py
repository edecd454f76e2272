"""Reviewing a collection by a playbook: the library's own review, which resumes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fourcorners.server.tasks.handlers import TaskContext

if TYPE_CHECKING:
    from fourcorners.review.run import ReviewProgress

KIND = "review"
LANE = "thinking"


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.review import store
    from fourcorners.review.run import ReviewScope, Workers, fill_review
    from fourcorners.server.store import playbook_store

    book = playbook_store.load_playbook(work.library, work.task.spec["playbook"])

    def told(progress: ReviewProgress) -> None:
        work.report_progress(progress.done, progress.total, 0, "")

    work.report_progress(0, 0, 0, "")
    made = fill_review(
        work.library,
        book,
        ReviewScope(collection=work.task.collection, again=bool(work.task.spec["again"])),
        encoder=work.encoder,
        on_progress=told,
        workers=Workers(jobs=work.settings.jobs, memory=work.settings.memory_mb << 20),
    )
    states = store.count_states(work.library, book, work.task.collection)
    counts = {state.value: count for state, count in states.items()}
    return {"playbook": book.id, "documents": len(made.documents), **counts}
