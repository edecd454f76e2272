"""Find what a person names: a document by id, part of its name or path; a library by its URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.library.entries import Entry

Opener: TypeAlias = Callable[[str, bool], object]
"""Opens the library at a URL; the second argument says whether it may be created."""

ENTRY_POINT_GROUP = "fourcorners.stores"
"""The entry points that open libraries of a scheme; each is loaded when such a URL is opened."""

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")  # at least two letters: `C:` is a drive
_OPENERS: dict[str, Opener] = {}

_LISTED = 8  # names; the rest is counted
_ID_PREFIX = 6  # hex digits from which the start of an id is accepted


def resolve_name(name: str, entries: Sequence[Entry], paths: Iterable[tuple[str, str]]) -> Entry:
    """Return the one document that `name` means; the strictest reading with a match wins.

    Args:
        name: What the person wrote; case does not matter.
        entries: The documents to choose from.
        paths: The paths at which documents were seen, each with a document's id.

    Raises:
        ConfigError: If several documents match (it lists them), or none (it lists the nearest).
    """
    wanted = name.strip().casefold()
    places = _places(name, paths)
    readings: list[Callable[[Entry], bool]] = [
        lambda entry: entry.id == wanted,
        lambda entry: entry.id in places,
        lambda entry: entry.name.casefold() == wanted,
        lambda entry: Path(entry.name).stem.casefold() == wanted,
        lambda entry: len(wanted) >= _ID_PREFIX and entry.id.startswith(wanted),
        lambda entry: wanted in entry.name.casefold(),
        lambda entry: (
            bool(_space_punctuation(wanted))
            and _space_punctuation(wanted) in _space_punctuation(entry.name)
        ),
        lambda entry: wanted in entry.path.casefold() or wanted in entry.title.casefold(),
    ]
    for reading in readings if wanted else []:
        found = [entry for entry in entries if reading(entry)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ConfigError(
                f"{name!r} matches {len(found)} documents: {_join_names(found)}.",
                remedy="Name the collection, or write the id."
                if len({(each.name, each.path) for each in found}) == 1
                else "Write more of the name, the path, or the id.",
            )
    raise _unknown(name, entries)


def _space_punctuation(name: str) -> str:
    """Return the name with a space for each run of punctuation, as a person may write it."""
    return " ".join(re.split(r"[\W_]+", name.casefold())).strip()


def _places(name: str, paths: Iterable[tuple[str, str]]) -> set[str]:
    """Return the documents seen at the path `name`, as it is written or as it is meant here."""
    meant = {name.strip().casefold(), str(Path(name.strip()).absolute()).casefold()}
    return {
        document
        for path, document in paths
        if path.casefold() in meant or str(Path(path).absolute()).casefold() in meant
    }


def _join_names(entries: Sequence[Entry]) -> str:
    shown = "; ".join(
        f"{entry.name} ({entry.id}, {entry.path}, in {entry.collection})"
        for entry in entries[:_LISTED]
    )
    rest = len(entries) - _LISTED
    return f"{shown}; and {rest} more" if rest > 0 else shown


def _unknown(name: str, entries: Sequence[Entry]) -> ConfigError:
    if not entries:
        return ConfigError(
            f"no document is called {name!r}: there are none.",
            remedy="Add some with `fourcorners add FOLDER`.",
        )
    from rapidfuzz import fuzz, process

    names = sorted({entry.name for entry in entries})
    near = process.extract(
        name.casefold(), names, scorer=fuzz.WRatio, processor=str.casefold, limit=3
    )
    return ConfigError(
        f"no document is called {name!r}.",
        remedy=f"The nearest names are {', '.join(found for found, _, _ in near)}.",
    )


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
