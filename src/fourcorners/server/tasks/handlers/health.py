"""Checking the papers of a collection: `fourcorners health`, kept for its page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from fourcorners.server.tasks.handlers import TaskContext

KIND = "health"
LANE = "looking"


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.review.finding import Severity
    from fourcorners.review.health import check_documents
    from fourcorners.server.store import health_checks

    collection, as_of = work.task.collection, date.fromisoformat(work.task.spec["as_of"])
    members = health_checks.membership_digest(work.library, collection)
    work.report_progress(0, 0, 0, "")
    found = check_documents(
        work.library,
        collection,
        as_of=as_of,
        on_document=lambda done, total: work.report_progress(done, total, 0, ""),
    )
    health_checks.save_check(work.library, collection, found, as_of, members)
    grave = sum(each.severity is Severity.HIGH for each in found.symptoms)
    return {"documents": found.documents, "symptoms": len(found.symptoms), "grave": grave}
