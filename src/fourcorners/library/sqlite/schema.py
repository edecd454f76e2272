"""The tables of a library, of all rooms, and their version."""

from pathlib import Path

APPLICATION_ID = 0x34434E52  # "4CNR", in the file's header

VERSION = 9
"""The file's `user_version`."""

LARGE_COLUMNS = ("text", "pages", "marks", "warnings", "outline", "words")
"""The columns of `documents` that are large."""


def schema_sql() -> str:
    """Return the statements that create each table that is not there."""
    return Path(__file__).with_name("schema.sql").read_text("utf-8")
