"""Reviewing a collection by a playbook: the library's own review, which resumes by itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from fourcorners.errors import StepsClaimed
from fourcorners.server.tasks.handlers import TaskContext

if TYPE_CHECKING:
    from fourcorners.playbooks.playbook import Playbook
    from fourcorners.review.run import ReviewProgress, ReviewScope
    from fourcorners.review.stored_review import FilledReview

KIND = "review"
LANE = "thinking"
_LOOK = 2.0  # seconds until what another process reviews is tried again


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.operations.knowledge import playbooks
    from fourcorners.review import store
    from fourcorners.review.run import ReviewScope

    book = playbooks.collection_playbook(
        work.library, work.task.collection, work.task.spec["playbook"]
    )
    scope = ReviewScope(collection=work.task.collection, again=bool(work.task.spec["again"]))
    made = fill(work, book, scope)
    states = store.count_states(work.library, book, work.task.collection)
    counts = {state.value: count for state, count in states.items()}
    return {"playbook": book.id, "documents": len(made.documents), **counts}


def fill(work: TaskContext, playbook: Playbook, scope: ReviewScope) -> FilledReview:
    """Fill the cells of a review with what the settings allow, and report the progress.

    Contracts that are added meanwhile are reviewed too. What another process is reviewing is
    waited for.
    """
    from fourcorners.review.run import Workers, fill_review

    def report(progress: ReviewProgress) -> None:
        work.report_progress(progress.done, progress.total, 0, "")

    work.report_progress(0, 0, 0, "")
    workers = Workers(jobs=work.settings.jobs, memory=work.settings.memory_mb << 20)
    library, seen = work.library, set[str]()
    while True:
        try:
            filled = fill_review(
                library, playbook, scope, encoder=work.encoder, on_progress=report, workers=workers
            )
        except StepsClaimed:  # by another server of this library, say
            time.sleep(_LOOK)
            work.report_progress(0, 0, 0, "")
            continue
        held = set(library.document_ids(scope.collection)) - library.damaged.keys()
        if scope.documents is not None or held <= seen | {each.id for each in filled.documents}:
            return filled
        scope, seen = replace(scope, again=False), held
