"""Query errors that point at the character."""

from __future__ import annotations

from fourcorners.errors import QueryError

MAX_SHOWN = 72
"""How many characters of a long query are shown around the fault."""


def query_error(query: str, at: int, what: str, remedy: str) -> QueryError:
    """Return an error that shows the query with a caret under the character at `at`."""
    start = max(0, min(at - MAX_SHOWN // 2, len(query) - MAX_SHOWN))
    shown = "".join(
        char if char.isprintable() else " " for char in query[start : start + MAX_SHOWN]
    )
    before = "…" if start else ""
    after = "…" if start + MAX_SHOWN < len(query) else ""
    caret = " " * (len(before) + at - start) + "^"
    error = QueryError(f"{what}\n  {before}{shown}{after}\n  {caret}", remedy=remedy)
    error.at = at
    return error
