"""Custom columns in a review that is exported to a file, and in the edits that come back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.research.columns.store import (
    PREFIX,
    QuestionColumn,
    column_versions,
    columns_playbook,
    is_current,
)
from fourcorners.review import store
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.finding import CellState, ColumnHeader, Finding, Review
from fourcorners.review.people.report_import import (
    ImportOutcome,
    ImportProblem,
    ReportEdit,
    import_edits,
)

_EMPTY = "It is not filled yet."
_FILL = "Fill the column, in the grid or with `fourcorners review`, and export again."
_FILL_BY_MODEL = (
    "Have the column filled, in the grid or by `fourcorners review --with-model`, and write this "
    "again."
)
_GONE = "This column was removed from its review since the report was written."
_OTHER = "The question of this column has changed since the report was written."


def add_columns(library: Library, review: Review, columns: Sequence[QuestionColumn]) -> Review:
    """Return a review with its custom columns after the playbook's.

    A cell that is not filled yet is shown as a failed one.
    """
    if not columns:
        return review
    book = columns_playbook(columns[0].collection, columns[0].playbook, columns)
    cells = store.load_cells(library, book, [each.provision for each in columns])
    documents = [each.id for each in review.documents]
    found = [
        cells.get(document, {}).get(column.provision) or _empty(document, column)
        for document in documents
        for column in columns
    ]
    engines = _engines(library, book, documents)
    heads = tuple(ColumnHeader(each.id, each.name, each.definition) for each in book.provisions)
    return replace(
        review,
        columns=(*review.columns, *heads),
        findings=(*review.findings, *apply_amendments(library, found)),
        provenance=(
            *review.provenance,
            *(("Asked column", each.definition) for each in book.provisions),
            *([("Answered by", ", ".join(engines))] if engines else []),
        ),
    )


def _empty(document: str, column: QuestionColumn) -> Finding:
    remedy = _FILL_BY_MODEL if column.with_model else _FILL
    return Finding(document, column.provision, CellState.FAILED, error=_EMPTY, remedy=remedy)


def _engines(library: Library, book: Playbook, documents: Collection[str]) -> list[str]:
    rows = library.execute(
        "SELECT DISTINCT document, engine FROM review_findings WHERE playbook = ?", (book.hash,)
    )
    return sorted(
        {as_string(engine) for document, engine in rows if as_string(document) in documents}
    )


def import_review_edits(
    library: Library,
    playbook: Playbook,
    edits: Iterable[ReportEdit],
    *,
    by: str,
    source: str,
    dry_run: bool = False,
) -> ImportOutcome:
    """Apply a report's rows, including those of custom columns, in one transaction.

    As `reconcile` does. Edits of a column that was removed or changed are reported and not applied.
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
                # The playbook that lacks unknown rows reports them.
                outcomes.append(import_edits(library, playbook, rows, by=by, source=source))
                continue
            book = columns_playbook(column.collection, column.playbook, [column])
            is_asked = is_current(library, column)
            outcome = import_edits(
                library, book, rows, by=by, source=source, dry_run=dry_run or not is_asked
            )
            outcomes.append(outcome if is_asked else _refuse(library, column, outcome))
    return _join_outcomes(outcomes)


def _version(library: Library, provision: str) -> QuestionColumn | None:
    identity = provision.rpartition("-v")[0]
    held = column_versions(library, identity) if identity else []
    return next((each for each in held if each.provision == provision), None)


def _refuse(library: Library, column: QuestionColumn, outcome: ImportOutcome) -> ImportOutcome:
    is_there = column_versions(library, column.id)[-1].is_active
    details = [
        ImportProblem(each.row, each.document, column.question, _OTHER if is_there else _GONE)
        for each in outcome.applied
    ]
    return ImportOutcome((), (*outcome.problems, *details), outcome.untouched, outcome.known)


def _join_outcomes(outcomes: Sequence[ImportOutcome]) -> ImportOutcome:
    applied = chain.from_iterable(each.applied for each in outcomes)
    problems = chain.from_iterable(each.problems for each in outcomes)
    return ImportOutcome(
        tuple(sorted(applied, key=lambda each: each.row)),
        tuple(sorted(problems, key=lambda each: each.row)),
        sum(each.untouched for each in outcomes),
        sum(each.known for each in outcomes),
    )
