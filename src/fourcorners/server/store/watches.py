"""What stops a watched folder, noted as long as it lasts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.source_settings import WatchSettings

_FEEDS = "feeds "  # before the name of a collection, in the place of a path
_STOPPED = "stopped "  # likewise; the stamp is the problem, and since when


class WatchProblem(StrEnum):
    """Why nothing that arrives in a watched folder is added."""

    NO_FOLDER = "no_folder"
    NO_COLLECTION = "no_collection"  # it was deleted


@dataclass(frozen=True, slots=True)
class StoppedWatch:
    """A watch that adds nothing; `collection` is as it is called, or was in the settings."""

    collection: str
    problem: WatchProblem
    since: str


def fed_collection(library: Library, folder: str, named: str) -> str:
    """Return the collection that a watch feeds: the one of this name, whatever that is called now.

    It is empty once the collection was deleted: another of its name is another deal.
    """
    fold = _stamp(library, folder, f"{_FEEDS}{fold_name(named)}")
    if fold is None:
        fold = fold_name(named)
        key = f"{_FEEDS}{fold}"
        library.execute("INSERT INTO server_watched VALUES (?, ?, ?)", (folder, key, fold))
    held = {fold_name(each): each for each in library.collection_names()}
    return held.get(fold, named if fold == fold_name(named) else "")


def note_problem(library: Library, folder: str, named: str, problem: WatchProblem | None) -> bool:
    """Note what stops a watch, or that nothing does; return whether that is a new problem."""
    key = f"{_STOPPED}{fold_name(named)}"
    before = (_stamp(library, folder, key) or "").partition(" ")[0]
    if before == (problem or ""):
        return False
    library.execute("DELETE FROM server_watched WHERE folder = ? AND path = ?", (folder, key))
    if problem is None:
        return False
    row = (folder, key, f"{problem.value} {utc_now()}")
    library.execute("INSERT INTO server_watched VALUES (?, ?, ?)", row)
    return True


def stopped_watches(library: Library, watched: Sequence[WatchSettings]) -> list[StoppedWatch]:
    """Return the watches of the settings that add nothing, by where they belong."""
    folders = {os.path.realpath(each.folder) for each in watched}
    rows = (
        library.execute(
            "SELECT folder, path, stamp FROM server_watched "
            "WHERE path LIKE ? AND folder IN (SELECT value FROM json_each(?))",
            (f"{_STOPPED}%", json.dumps(sorted(folders))),
        )
        if folders
        else []
    )
    names = {fold_name(each.collection): each.collection for each in watched}
    held = {fold_name(each): each for each in library.collection_names()}
    found = []
    for folder, path, stamp in (tuple(map(as_string, row)) for row in rows):
        named = path.removeprefix(_STOPPED)
        fed = _stamp(library, folder, f"{_FEEDS}{named}") or named
        problem, _, since = stamp.partition(" ")
        if named in names:
            name = held.get(fed, names[named])
            found.append(StoppedWatch(name, WatchProblem(problem), since))
    return sorted(found, key=lambda each: fold_name(each.collection))


def _stamp(library: Library, folder: str, key: str) -> str | None:
    rows = library.execute(
        "SELECT stamp FROM server_watched WHERE folder = ? AND path = ?", (folder, key)
    )
    return as_string(rows[0][0]) if rows else None
