"""The columns of a review as the server has them: what cannot be is refused by its status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.research.columns import kept
from fourcorners.research.columns.kept import (
    LONGEST,
    MOST,
    PREFIX,
    AskedAlready,
    AskedColumn,
    NoSuchColumn,
    asked_of,
    book_for,
    book_of,
    of_collections,
    of_review,
    open_cells,
    versions,
)
from fourcorners.server.refusals import Conflict, NotFound, Refusal

__all__ = [
    "LONGEST",
    "MOST",
    "PREFIX",
    "AskedColumn",
    "ask",
    "asked_of",
    "book_for",
    "book_of",
    "change",
    "find",
    "of_collections",
    "of_review",
    "open_cells",
    "remove",
    "versions",
]


def ask(
    library: Library, collection: str, playbook: str, question: str, *, with_model: bool, by: str
) -> AskedColumn:
    """Keep a new column, and return it; its cells are empty.

    Raises:
        Refusal: If nothing is asked, too much, or there are as many columns as may be.
        Conflict: If the same is asked already.
    """
    with _refused():
        return kept.ask(library, collection, playbook, question, with_model=with_model, by=by)


def change(
    library: Library, identity: str, question: str, *, with_model: bool, by: str
) -> AskedColumn:
    """Ask something else in a column, and return its next version, whose cells are empty.

    Raises:
        NotFound: If there is no such column.
        Refusal: If nothing is asked, or too much.
        Conflict: If the same is asked already, here or in another column of the review.
    """
    with _refused():
        return kept.change(library, identity, question, with_model=with_model, by=by)


def remove(library: Library, identity: str, *, by: str) -> AskedColumn:
    """Take a column out of its review; what people said of its cells stays in the trail.

    Raises:
        NotFound: If there is no such column.
    """
    with _refused():
        return kept.remove(library, identity, by=by)


def find(library: Library, identity: str) -> AskedColumn:
    """Return a column that stands, by its id or by what names its cells.

    Raises:
        NotFound: If there is none.
    """
    with _refused():
        return kept.find(library, identity)


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except NoSuchColumn as error:
        raise NotFound(error.message, remedy=error.remedy) from error
    except AskedAlready as error:
        raise Conflict(error.message, remedy=error.remedy) from error
    except ConfigError as error:
        raise Refusal(error.message, remedy=error.remedy) from error
