"""The cells of a column, filled contract by contract: each is kept as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourcorners.library.store import Library
from fourcorners.research.columns.filling import Filler
from fourcorners.research.columns.kept import AskedColumn, book_of, versions
from fourcorners.review import store
from fourcorners.review.finding import Finding


def waiting(
    library: Library,
    column: AskedColumn,
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
    book = book_of(column.collection, column.playbook, [column])
    if only_failed:
        failed = store.failed(library, book)
        return [each for each in documents if column.provision in failed.get(each, ())]
    done = {} if again else store.filled(library, book.hash, engine)
    return [each for each in documents if column.provision not in done.get(each, ())]


def fill(
    library: Library, column: AskedColumn, filler: Filler, documents: Sequence[str]
) -> Iterator[Finding]:
    """Fill and keep the cell of each document, and yield it; end where the column is gone.

    Raises:
        BudgetExceeded: If a language model may spend no more; what is filled is kept.
    """
    book = book_of(column.collection, column.playbook, [column])
    for document in documents:
        if not stands(library, column):
            return
        cell = filler.fill(document)
        store.save(library, book, filler.engine, [cell])
        yield cell


def stands(library: Library, column: AskedColumn) -> bool:
    """Tell whether a column is still asked, and so."""
    last = versions(library, column.id)[-1:]
    return any(each.stands and each.version == column.version for each in last)
