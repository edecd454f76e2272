"""The columns of a review as the server has them: what cannot be is refused by its status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.research.columns import store as kept
from fourcorners.research.columns.store import (
    MAX_COLUMNS,
    MAX_QUESTION,
    PREFIX,
    Column,
    DuplicateColumn,
    NoSuchColumn,
    column_versions,
    columns_of_collections,
    columns_playbook,
    empty_cells,
    playbook_for,
    review_columns,
    review_playbook,
)
from fourcorners.server.errors import Conflict, HttpError, NotFound

__all__ = [
    "MAX_COLUMNS",
    "MAX_QUESTION",
    "PREFIX",
    "Column",
    "add_column",
    "column_versions",
    "columns_of_collections",
    "columns_playbook",
    "empty_cells",
    "find_column",
    "playbook_for",
    "remove_column",
    "review_columns",
    "review_playbook",
    "update_column",
]


def add_column(
    library: Library, collection: str, playbook: str, question: str, *, with_model: bool, by: str
) -> Column:
    """Keep a new column, and return it; its cells are empty.

    Raises:
        Refusal: If nothing is asked, too much, or there are as many columns as may be.
        Conflict: If the same is asked already.
    """
    with _refused():
        return kept.add_column(
            library, collection, playbook, question, with_model=with_model, by=by
        )


def update_column(
    library: Library, identity: str, question: str, *, with_model: bool, by: str
) -> Column:
    """Ask something else in a column, and return its next version, whose cells are empty.

    Raises:
        NotFound: If there is no such column.
        Refusal: If nothing is asked, or too much.
        Conflict: If the same is asked already, here or in another column of the review.
    """
    with _refused():
        return kept.update_column(library, identity, question, with_model=with_model, by=by)


def remove_column(library: Library, identity: str, *, by: str) -> Column:
    """Take a column out of its review; what people said of its cells stays in the trail.

    Raises:
        NotFound: If there is no such column.
    """
    with _refused():
        return kept.remove_column(library, identity, by=by)


def find_column(library: Library, identity: str) -> Column:
    """Return a column that stands, by its id or by what names its cells.

    Raises:
        NotFound: If there is none.
    """
    with _refused():
        return kept.find_column(library, identity)


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except NoSuchColumn as error:
        raise NotFound(error.message, remedy=error.remedy) from error
    except DuplicateColumn as error:
        raise Conflict(error.message, remedy=error.remedy) from error
    except ConfigError as error:
        raise HttpError(error.message, remedy=error.remedy) from error
