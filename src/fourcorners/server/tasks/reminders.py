"""Looks once a day for what people are to be reminded of."""

from __future__ import annotations

from datetime import UTC, datetime

from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.periodic import Periodic

_FIRST = 60.0  # seconds after the start
_DAY = 86_400.0  # seconds


class Reminders(Periodic):
    """Notifies the owners of bank clauses that expire soon."""

    def __init__(self, pool: ConnectionPool, first: float = _FIRST) -> None:
        super().__init__("reminders", first, _DAY)
        self._pool = pool

    def run_round(self) -> None:
        """Notify whoever was not notified yet."""
        from fourcorners.operations.knowledge.expiries import notify_owners
        from fourcorners.operations.members import members

        with self._pool.library() as library:
            notify_owners(library, members(library, ""), datetime.now(UTC).date())
