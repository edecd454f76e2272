"""How numbers and days are written for whoever reads a page: by the language that a browser asks.

The words of the pages stay English, and what a contract says stays as it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date

_POINT = frozenset(("da", "de", "el", "es", "id", "it", "nl", "pt", "ro", "sl", "tr"))
_SPACE = frozenset(("bg", "cs", "fi", "fr", "hu", "nb", "no", "pl", "ru", "sk", "sv", "uk"))
_THIN_SPACE = "\u202f"
_language: ContextVar[str] = ContextVar("language", default="en-gb")


@contextmanager
def reading(accepted: str) -> Iterator[None]:
    """Write for a reader by the header `Accept-Language`, while the block lasts."""
    first = accepted.split(",")[0].partition(";")[0].strip().casefold()
    before = _language.set(first or "en-gb")
    try:
        yield
    finally:
        _language.reset(before)


def write_number(value: int) -> str:
    """Return a whole number with its thousands apart: `12,345`, `12.345` in Germany."""
    language, _, region = _language.get().partition("-")
    mark = "." if language in _POINT else _THIN_SPACE if language in _SPACE else ","
    mark = "’" if region in ("ch", "li") else mark
    return f"{value:,}".replace(",", mark)


def write_day(value: date) -> str:
    """Return a day in words: `3 May 2026`, and `May 3, 2026` in the United States."""
    if _language.get() == "en-us":
        return f"{value:%B} {value.day}, {value.year}"
    return f"{value.day} {value:%B} {value.year}"
