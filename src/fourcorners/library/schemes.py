"""Find what opens a library by the scheme of its URL."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias

from fourcorners.errors import ConfigError

Opener: TypeAlias = Callable[[str, bool], object]
"""Opens the library at a URL; the second argument says whether it may be created."""

ENTRY_POINT_GROUP = "fourcorners.stores"
"""The entry points that open libraries of a scheme; each is loaded when such a URL is opened."""

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")  # at least two letters: `C:` is a drive
_OPENERS: dict[str, Opener] = {}


def register_scheme(scheme: str, opener: Opener) -> None:
    """Let URLs that start with `scheme:` be opened by `opener`."""
    _OPENERS[scheme.casefold()] = opener


def scheme_of(url: str) -> str:
    """Return the scheme of a library's URL, in lower case; empty for a plain path."""
    found = _SCHEME.match(url)
    return found.group(1).casefold() if found else ""


def store_opener(url: str) -> Opener:
    """Return the opener of this URL.

    Raises:
        ConfigError: If nothing is registered for its scheme.
    """
    scheme = scheme_of(url)
    if scheme not in _OPENERS:
        for found in entry_points(group=ENTRY_POINT_GROUP, name=scheme):
            _OPENERS[scheme] = found.load()
    if scheme not in _OPENERS:
        names = {*_OPENERS, *entry_points(group=ENTRY_POINT_GROUP).names}
        known = ", ".join(f"{name}:" for name in sorted(names))
        raise ConfigError(
            f"no store opens {scheme}: libraries.",  # the URL may hold a password
            remedy=f"Known are plain paths and {known}.",
        )
    return _OPENERS[scheme]


def sqlite_path(url: str) -> Path:
    """Return the file of `sqlite:relative.db`, `sqlite:/absolute.db` or `sqlite:///absolute.db`."""
    rest = url.split(":", 1)[1]
    rest = rest.removeprefix("//")
    if not rest:
        raise ConfigError(f"{url} names no file.", remedy="Write for example sqlite:firm.db.")
    return Path(rest).expanduser()
