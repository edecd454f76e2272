"""Reading contracts for their obligations, where too many are new for a page to wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fourcorners.server.tasks.handlers import TaskContext
from fourcorners.server.tasks.queue import TaskQueue

if TYPE_CHECKING:
    from fourcorners.operations.contracts.obligations import Obligations, ObligationsRequest
    from fourcorners.server.context import RequestContext

KIND = "obligations"
LANE = "looking"
_MOST_NEW = 12  # contracts that are read while a page waits, some 2 seconds of CPU


def read(context: RequestContext, asked: ObligationsRequest, *, whole: bool = False) -> Obligations:
    """List obligations; where many contracts were never read for them, a task begins to.

    Args:
        context: The request.
        asked: Which obligations.
        whole: Whether a list without the contracts that are not read yet is of no use.

    Raises:
        NotFound: If they may not know of the collection, or of a document.
        ConfigError: If nobody in these contracts has a name of `read_for`.
        Conflict: If it must be whole, and is not.
    """
    from fourcorners.operations.contracts.obligations import read_obligations
    from fourcorners.operations.errors import Conflict

    with context.access() as access:
        found = read_obligations(access, asked, most_new=_MOST_NEW)
        entries = access.documents(asked.collection) if found.unread else []
    homes = {each.collection for each in entries if each.id in (asked.documents or {each.id})}
    for home in sorted(homes - _at_work(context)):
        context.start_task(KIND, LANE, home, {})
    if found.unread and whole:
        raise Conflict(
            f"{found.unread} of {found.contracts} contracts are not read for obligations yet.",
            remedy="They are being read now: try again in a few minutes.",
        )
    return found


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.review.obligations.table import list_obligations

    contracts = work.library.documents(work.task.collection)
    work.report_progress(0, len(contracts), 0, "")
    found = list_obligations(
        work.library,
        contracts,
        on_document=lambda done, total: work.report_progress(done, total, 0, ""),
    )
    return {"contracts": len(contracts), "obligations": len(found.heads)}


def _at_work(context: RequestContext) -> set[str]:
    """Return the collections whose contracts are being read."""
    with context.state.connection_pool.library() as library:
        tasks = TaskQueue(library).of_kind(KIND)
    return {each.collection for each in tasks if not each.state.is_final}
