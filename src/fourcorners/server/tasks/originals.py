"""Originals that are not in their bucket yet, and objects to be deleted: each is tried again."""

from __future__ import annotations

import logging

from fourcorners.library.originals.files import Originals
from fourcorners.server.rendering.renditions import Renditions
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.periodic import Periodic

_EVERY = 60.0  # seconds between rounds
_log = logging.getLogger("fourcorners.server")


class OriginalsMover(Periodic):
    """Does so each minute for the files of this machine; nothing runs without a bucket.

    What another server has deleted is also removed from the files that this one has fetched.
    """

    def __init__(self, pool: ConnectionPool, originals: Originals, renditions: Renditions) -> None:
        super().__init__("originals", _EVERY, wanted=bool(originals.sections))
        self._pool, self._originals, self._renditions = pool, originals, renditions

    def run_round(self) -> None:
        with self._pool.library() as library:
            moved = self._originals.move(library)
            deleted, failed = self._originals.delete_loose(library)
            self._renditions.keep_only(library.document_ids())
        if moved.moved or deleted:
            _log.info("originals: %d stored, %d deleted", moved.moved, len(deleted))
        if moved.failed or failed:
            reason = next(iter((*moved.failed.values(), *failed.values())))
            waiting = len(moved.failed), len(failed)
            _log.warning("originals: %d not stored, %d not deleted: %s", *waiting, reason)
