"""The cells of a column, filled contract by contract: each is kept as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourcorners.library.store import Library
from fourcorners.research.columns.fill import ColumnFiller
from fourcorners.research.columns.store import Column, column_versions, columns_playbook
from fourcorners.review import store
from fourcorners.review.finding import Finding


def pending_documents(
    library: Library,
    column: Column,
    engine: str,
    documents: Sequence[str],
    *,
    again: bool = False,
    only_failed: bool = False,
) -> list[str]:
    """Return the documents whose cells are to be filled, in their order.

    Those that are empty, failed, or were filled by another engine; with `again` all of them, with
    `only_failed` the failed ones.
    """
    book = columns_playbook(column.collection, column.playbook, [column])
    if only_failed:
        failed = store.failed_cells(library, book)
        return [each for each in documents if column.provision in failed.get(each, ())]
    done = {} if again else store.filled_cells(library, book.hash, engine)
    return [each for each in documents if column.provision not in done.get(each, ())]


def fill_column(
    library: Library, column: Column, filler: ColumnFiller, documents: Sequence[str]
) -> Iterator[Finding]:
    """Fill and keep the cell of each document, and yield it; end where the column is gone.

    Raises:
        BudgetExceeded: If a language model may spend no more; what is filled is kept.
    """
    book = columns_playbook(column.collection, column.playbook, [column])
    for document in documents:
        if not is_current(library, column):
            return
        cell = filler.fill(document)
        store.save_findings(library, book, filler.engine, [cell])
        yield cell


def is_current(library: Library, column: Column) -> bool:
    """Tell whether a column is still asked, and so."""
    last = column_versions(library, column.id)[-1:]
    return any(each.is_active and each.version == column.version for each in last)
