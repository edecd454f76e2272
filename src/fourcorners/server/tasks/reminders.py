"""Looks once a day for what people are to be reminded of."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime

from fourcorners.errors import FourcornersError
from fourcorners.server.store.connection_pool import ConnectionPool

_FIRST = 60.0  # seconds after the start
_DAY = 86_400.0  # seconds
_log = logging.getLogger("fourcorners.server")


class Reminders:
    """A thread that notifies the owners of bank clauses that expire soon."""

    def __init__(self, pool: ConnectionPool, first: float = _FIRST) -> None:
        self._pool, self._first = pool, first
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reminders", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()

    def _run(self) -> None:
        from fourcorners.operations.knowledge.expiries import notify_owners
        from fourcorners.operations.members import members

        wait = self._first
        while not self._stopping.wait(wait):
            try:
                with self._pool.library() as library:
                    notify_owners(library, members(library, ""), datetime.now(UTC).date())
                wait = _DAY
            except FourcornersError as error:  # the library is locked, or full: try again
                _log.error("nobody can be reminded: %s", error.message)
                wait = self._first
