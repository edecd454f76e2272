"""Folders that the operator has watched: what arrives in them is added to a collection.

A file is taken once its size and time are the same in two looks. What was taken is
remembered in the library, by folder, so that neither a restart nor another server takes it again,
and what people remove stays removed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fourcorners.documents.discovery import is_ignored_name
from fourcorners.library.database import as_string, in_transaction
from fourcorners.library.listing import storable_path
from fourcorners.library.store import Library
from fourcorners.operations.notices import Notice, NoticeKind, notify
from fourcorners.server.store import watches
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.store.watches import WatchProblem
from fourcorners.server.tasks.handlers import add as add_task
from fourcorners.server.tasks.periodic import Periodic
from fourcorners.server.tasks.queue import TaskQueue
from fourcorners.source_settings import WatchSettings

BY = "watched folder"
"""Who adds what arrives, in the audit trail."""
_LOOK = 10.0  # seconds between looks
_AT_ONCE = 500  # files of one task
_MISNAMED = "its name is not in UTF-8"
_log = logging.getLogger("fourcorners.server")


class FolderWatcher(Periodic):
    """Looks into folders; nothing runs where the operator named none.

    Args:
        wake: Called when there is a task.
    """

    def __init__(
        self, pool: ConnectionPool, watched: Sequence[WatchSettings], wake: Callable[[], None]
    ) -> None:
        super().__init__("watcher", _LOOK, wanted=bool(watched))
        self._pool, self._watched, self._wake = pool, watched, wake
        self._seen: dict[tuple[str, Path], str] = {}  # size and time of the last look

    def run_round(self) -> None:
        """Start the tasks that add what has arrived and has not changed since the last look."""
        before, self._seen = self._seen, {}
        for each in self._watched:
            folder = os.path.realpath(each.folder)
            is_there = os.path.isdir(folder)  # noqa: PTH112 - of a text
            still: list[tuple[Path, str]] = []
            for path, stamp in _files(Path(folder), self._pool.files):
                self._seen[folder, path] = stamp
                if before.get((folder, path)) == stamp:
                    still.append((path, stamp))
            with self._pool.library() as library:
                fed = _note_state(library, folder, each.collection, is_there=is_there)
                started = bool(fed and still) and _take(library, folder, fed, still)
            if started:
                self._wake()


def _files(folder: Path, own: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files in a folder with their size and time; no link is followed.

    The library's folder `own`, where uploads are, may lie in it and is left out.
    """
    waiting = [folder]
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda each: each.name)
        except OSError:
            continue
        for each in entries:
            path = Path(each.path)
            if is_ignored_name(each.name) or each.is_symlink() or path == own:
                continue
            if each.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif each.is_file(follow_symlinks=False):
                try:
                    state = each.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield path, f"{state.st_size} {state.st_mtime_ns}"


def _note_state(library: Library, folder: str, named: str, *, is_there: bool) -> str:
    """Return the collection that a watch feeds; where it cannot, notify whom that concerns, once.

    That is the members of the collection where its folder is missing; where the collection was
    deleted, those who administer the library.
    """
    from fourcorners.operations.members import members
    from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts

    with library.transaction():
        fed = watches.fed_collection(library, folder, named)
        problem = None if is_there else WatchProblem.NO_FOLDER
        if not fed:
            problem = WatchProblem.NO_COLLECTION
        if watches.note_problem(library, folder, named, problem) and problem:
            _log.warning(
                "nothing is added from a watched folder: %s",
                "it cannot be entered" if fed else "its collection was deleted",
            )
            people = members(library, fed) if fed else Accounts(library).admins(ALL_COLLECTIONS)
            # The name that a deleted collection had is in the place of a playbook's.
            notice = Notice(
                kind=NoticeKind(problem.value),
                by="Fourcorners",
                collection=fed,
                playbook="" if fed else named,
            )
            for person in people:
                notify(library, person, notice)
    return fed if is_there else ""


@in_transaction
def _take(
    library: Library, folder: str, collection: str, still: Sequence[tuple[Path, str]]
) -> bool:
    """Start the task that adds what was not taken before; tells whether there is any."""
    rows = library.execute("SELECT path, stamp FROM server_watched WHERE folder = ?", (folder,))
    taken = {as_string(path): as_string(stamp) for path, stamp in rows}
    new = [
        (str(path), stamp)
        for path, stamp in still
        if taken.get(storable_path(str(path))) != stamp and not library.owns(path)
    ][:_AT_ONCE]
    if new:
        library.add_collection(collection)
    for path, stamp in new:
        row = (folder, storable_path(path), stamp)
        library.execute("INSERT OR REPLACE INTO server_watched VALUES (?, ?, ?)", row)
        if path != row[1]:
            library.fail(path, _MISNAMED, "Rename it.", collection=collection)
    paths = [path for path, _ in new if path == storable_path(path)]
    if paths:
        spec = {"paths": paths, "files": str(len(paths)), "watched": [folder]}
        lane = add_task.lane(is_shared=False)  # only this machine is known to see the folder
        TaskQueue(library).start(add_task.KIND, lane, collection, spec, by=BY)
    return bool(paths)
