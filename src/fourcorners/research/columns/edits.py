"""What people wrote in a report of a review with asked columns, brought to the library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.research.columns.jobs import is_current
from fourcorners.research.columns.store import PREFIX, Column, column_versions, columns_playbook
from fourcorners.review.people.report_import import (
    ImportOutcome,
    ImportProblem,
    ReportEdit,
    import_edits,
)

_GONE = "This column was taken out of its review since the report was written."
_OTHER = "This column asks something else now than when the report was written."


def import_review_edits(
    library: Library,
    playbook: Playbook,
    edits: Iterable[ReportEdit],
    *,
    by: str,
    source: str,
    dry_run: bool = False,
) -> ImportOutcome:
    """Apply a report's rows, those of its asked columns too, all in one transaction.

    As `reconcile` does. What was said in a column that is gone, or asks something else by now, is
    told and not applied.
    """
    by_column: dict[str, list[ReportEdit]] = defaultdict(list)
    for edit in edits:
        by_column[edit.provision if edit.provision.startswith(PREFIX) else ""].append(edit)
    with library.transaction():
        own = by_column.pop("", [])
        outcomes = [import_edits(library, playbook, own, by=by, source=source, dry_run=dry_run)]
        for provision, rows in by_column.items():
            column = _version(library, provision)
            if column is None or column.playbook != playbook.id:
                # Unknown rows are told by the playbook that lacks them.
                outcomes.append(import_edits(library, playbook, rows, by=by, source=source))
                continue
            book = columns_playbook(column.collection, column.playbook, [column])
            is_asked = is_current(library, column)
            outcome = import_edits(
                library, book, rows, by=by, source=source, dry_run=dry_run or not is_asked
            )
            outcomes.append(outcome if is_asked else _refused(library, column, outcome))
    return _joined(outcomes)


def _version(library: Library, provision: str) -> Column | None:
    identity = provision.rpartition("-v")[0]
    held = column_versions(library, identity) if identity else []
    return next((each for each in held if each.provision == provision), None)


def _refused(library: Library, column: Column, outcome: ImportOutcome) -> ImportOutcome:
    """Return what would have been applied as what was not."""
    is_there = column_versions(library, column.id)[-1].is_active
    told = [
        ImportProblem(each.row, each.document, column.question, _OTHER if is_there else _GONE)
        for each in outcome.applied
    ]
    return ImportOutcome((), (*outcome.problems, *told), outcome.untouched, outcome.known)


def _joined(outcomes: Sequence[ImportOutcome]) -> ImportOutcome:
    applied = chain.from_iterable(each.applied for each in outcomes)
    problems = chain.from_iterable(each.problems for each in outcomes)
    return ImportOutcome(
        tuple(sorted(applied, key=lambda each: each.row)),
        tuple(sorted(problems, key=lambda each: each.row)),
        sum(each.untouched for each in outcomes),
        sum(each.known for each in outcomes),
    )
