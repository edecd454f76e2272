"""The schema of a library, and the earlier one that becomes this one when a library is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fourcorners.errors import LibraryError
from fourcorners.library.database import Database

VERSION: Final = 14
"""The version of the schema, in a file its `user_version`."""

FORMER: Final = 9
"""The schema that becomes this one by the tables that it lacks."""


def schema_sql() -> str:
    """Return the statements that create each table that is not there."""
    return Path(__file__).with_name("schema.sql").read_text("utf-8")


def too_old(database: Database, what: str) -> LibraryError:
    return LibraryError(
        f"{database.path} was written by an earlier version of Fourcorners ({what}).",
        remedy="Open it once with the version before this one, then with this one.",
    )
