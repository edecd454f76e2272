"""Find the document that a person means, by id, by a unique part of its name, or by its path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.library.entries import Entry

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
