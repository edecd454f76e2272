"""Columns that reviewers asked for, in a review that is sent as a file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from fourcorners.library.database import string
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.amending import with_amendments
from fourcorners.review.finding import CellState, ColumnHead, Finding, Review

_EMPTY = "It is not filled yet."
_FILL = "Wait until the column is filled, or have it filled in the grid, and export again."


def with_columns(library: Library, review: Review, book: Playbook) -> Review:
    """Return a review with its asked columns after its own; `book` is the playbook of their cells.

    A cell that is not filled yet is a failed one, which says so.
    """
    if not book.provisions:
        return review
    ids = [each.id for each in book.provisions]
    cells = store.cells(library, book, ids)
    texts = {each.id: each.text for each in review.documents}
    found = [
        _sound(cells.get(document, {}).get(column) or _empty(document, column), text)
        for document, text in texts.items()
        for column in ids
    ]
    engines = _engines(library, book, texts)
    return replace(
        review,
        columns=(
            *review.columns,
            *(ColumnHead(each.id, each.name, each.definition) for each in book.provisions),
        ),
        findings=(*review.findings, *with_amendments(library, found)),
        provenance=(
            *review.provenance,
            *(("Asked column", each.definition) for each in book.provisions),
            *([("Answered by", ", ".join(engines))] if engines else []),
        ),
    )


def _sound(finding: Finding, text: str) -> Finding:
    """Take the place from a value that is not there any more, for the file was read anew."""
    if finding.place is None or finding.place.of(text) == finding.value:
        return finding
    return replace(finding, place=None)


def _empty(document: str, column: str) -> Finding:
    return Finding(document, column, CellState.FAILED, error=_EMPTY, remedy=_FILL)


def _engines(library: Library, book: Playbook, documents: Collection[str]) -> list[str]:
    rows = library.execute(
        "SELECT DISTINCT document, engine FROM review_findings WHERE playbook = ?", (book.hash,)
    )
    return sorted({string(engine) for document, engine in rows if string(document) in documents})
