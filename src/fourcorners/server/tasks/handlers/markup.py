"""Proposing changes of a contract that is to be reviewed first; kept for who asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fourcorners.server.tasks.handlers import TaskContext

if TYPE_CHECKING:
    from fourcorners.review.run import Progress

KIND = "markup"
LANE = "thinking"


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.review.run import review_library
    from fourcorners.server.markups import make_proposal
    from fourcorners.server.store import playbook_store
    from fourcorners.server.store.markups import MarkupRequest

    document, request = work.task.spec["document"], MarkupRequest.parse(work.task.spec["request"])
    book = playbook_store.load_playbook(work.library, work.task.spec["playbook"])

    def report(progress: Progress) -> None:
        work.report_progress(progress.done, progress.total, 0, "")

    work.report_progress(0, 0, 0, "")
    review_library(
        work.library,
        book,
        documents=[document],
        encoder=work.encoder,
        jobs=work.settings.jobs,
        memory=work.settings.memory_mb << 20,
        on_progress=report,
    )
    person = work.task.asked_by
    made = make_proposal(work.library, work.settings, document, book, request, person, work.encoder)
    changes, points = len(made.redline.changes), len(made.redline.open_points)
    return {"document": document, "playbook": book.id, "changes": changes, "open": points}
