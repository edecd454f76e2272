"""Checking the papers of a collection: `fourcorners health`, kept for its page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from fourcorners.server.doing.work import Work

KIND = "health"
LANE = "looking"


def do(work: Work) -> Mapping[str, str | int]:
    """Examine the documents of a collection, and keep what was found."""
    from fourcorners.review.finding import Severity
    from fourcorners.review.health import examine
    from fourcorners.server import papers

    collection, as_of = work.task.collection, date.fromisoformat(work.task.spec["as_of"])
    members = papers.members(work.library, collection)
    work.tell(0, 0, 0, "")
    found = examine(
        work.library,
        collection,
        as_of=as_of,
        on_document=lambda done, total: work.tell(done, total, 0, ""),
    )
    papers.keep(work.library, collection, found, as_of, members)
    grave = sum(each.severity is Severity.HIGH for each in found.symptoms)
    return {"documents": found.documents, "symptoms": len(found.symptoms), "grave": grave}
