"""Columns that reviewers asked for, in a review that is sent as a file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.research.columns.store import Column, columns_playbook
from fourcorners.review import store
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.finding import CellState, ColumnHeader, Finding, Review

_EMPTY = "It is not filled yet."
_FILL = "Have the column filled, in the grid or by `fourcorners review`, and write this again."
_FILL_BY_MODEL = (
    "Have the column filled, in the grid or by `fourcorners review --with-model`, and write this "
    "again."
)


def add_columns(library: Library, review: Review, columns: Sequence[Column]) -> Review:
    """Return a review with its asked columns after its own.

    A cell that is not filled yet is a failed one, which says so.
    """
    if not columns:
        return review
    book = columns_playbook(columns[0].collection, columns[0].playbook, columns)
    cells = store.load_cells(library, book, [each.provision for each in columns])
    texts = {each.id: each.text for each in review.documents}
    found = [
        _sound(
            cells.get(document, {}).get(column.provision) or _empty(document, column),
            text,
        )
        for document, text in texts.items()
        for column in columns
    ]
    engines = _engines(library, book, texts)
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


def _sound(finding: Finding, text: str) -> Finding:
    """Take the place from a value that is not there any more, for the file was read anew."""
    if finding.place is None or finding.place.text_in(text) == finding.value:
        return finding
    return replace(finding, place=None)


def _empty(document: str, column: Column) -> Finding:
    remedy = _FILL_BY_MODEL if column.with_model else _FILL
    return Finding(document, column.provision, CellState.FAILED, error=_EMPTY, remedy=remedy)


def _engines(library: Library, book: Playbook, documents: Collection[str]) -> list[str]:
    rows = library.execute(
        "SELECT DISTINCT document, engine FROM review_findings WHERE playbook = ?", (book.hash,)
    )
    return sorted(
        {as_string(engine) for document, engine in rows if as_string(document) in documents}
    )
