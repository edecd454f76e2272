"""Proposing changes of a contract that is to be reviewed first; kept for who asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fourcorners.operations.markup.store import MarkupRequest
from fourcorners.server.tasks.handlers import TaskContext

if TYPE_CHECKING:
    from fourcorners.server.context import RequestContext
    from fourcorners.server.tasks.queue import Task

KIND = "markup"
LANE = "thinking"


def start_proposal(context: RequestContext, document: str, asked: MarkupRequest) -> Task | None:
    """Propose changes at once; where the contract is to be reviewed first, start a task for it.

    Raises as `propose_changes` does.
    """
    from fourcorners.operations.markup.proposals import is_reviewed, propose_changes

    with context.access() as access:
        if is_reviewed(access, document, asked):
            propose_changes(access, context.state.engines, document, asked)
            return None
        collection = access.visible(document).entry.collection
    request = asked.model_dump(mode="json")
    spec = {"document": document, "playbook": asked.playbook, "request": request}
    return context.start_task(KIND, LANE, collection, spec)


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.operations.markup.proposals import load_playbooks, make_proposal
    from fourcorners.review.run import ReviewScope
    from fourcorners.server.tasks.handlers import review

    spec = work.task.spec
    document, request = spec["document"], MarkupRequest.model_validate(spec["request"])
    for book in load_playbooks(work.library, document, request):
        review.fill(work, book, ReviewScope(documents=[document]))
    person = work.task.asked_by
    made = make_proposal(work.library, work.settings, document, request, person, work.encoder)
    changes, points = len(made.redline.changes), len(made.redline.open_points)
    return {"document": document, "playbook": request.playbook, "changes": changes, "open": points}
