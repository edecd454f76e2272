"""Sends each entry of the audit trail to a collector of logs, in the order of the trail.

The trail itself is the queue: the library knows up to which entry the collector has them, so that
nobody waits for it, and nothing is dropped while it is away or the server is not running.
"""

from __future__ import annotations

import json
import logging
import time
from contextlib import suppress

from fourcorners.errors import CallError
from fourcorners.library.entries import AuditEntry
from fourcorners.server.store.audit_trail import entries_after, note_sent, sent_entry
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.tasks.periodic import Periodic
from fourcorners.source_settings import AuditSettings
from fourcorners.syslog import Collector, SyslogConnection, syslog_line

_LOOK, _AFTER_FAULT = 1.0, 5.0  # seconds between looks; after a fault of the library
_BATCH = 200  # entries, after which the library knows that they were sent
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0  # seconds before a collector that is away is tried again
_log = logging.getLogger("fourcorners.server")


class AuditSender(Periodic):
    """Sends entries; nothing runs where the operator named no collector.

    Raises:
        ConfigError: If the collector's address cannot be read.
    """

    def __init__(self, pool: ConnectionPool, settings: AuditSettings) -> None:
        super().__init__("audit", _AFTER_FAULT, _LOOK, wanted=bool(settings.syslog))
        self._pool = pool
        self._pause, self._next = 0.0, 0.0
        self._connection: SyslogConnection | None = None
        if settings.syslog:
            collector = Collector.from_url(settings.syslog)
            self._connection = SyslogConnection(collector, settings.authority)

    def run_round(self) -> None:
        """Send what is new, a batch after the other over a connection, else one a round."""
        connection = self._connection
        if connection is None or time.monotonic() < self._next:
            return
        is_left = True
        while is_left and not self.is_stopping:
            with self._pool.library() as library:
                entries = entries_after(library, sent_entry(library), _BATCH)
            if not entries:
                with suppress(CallError):  # one that ends idle connections is not away
                    connection.confirm()
                return
            try:
                for entry in entries:
                    if not connection.send(audit_message(entry)):
                        connection.send(audit_message(entry, is_whole=False))
                connection.confirm()
            except CallError as error:
                self._wait(error)
                return
            with self._pool.library() as library:
                note_sent(library, entries[-1].seq)
            self._resume()
            # Datagrams have no way to say that they come too fast.
            is_left = len(entries) == _BATCH and not connection.is_datagram

    def stop(self) -> None:
        super().stop()
        if self._thread.ident is None:
            self._close()

    def _run(self) -> None:
        try:
            super()._run()
        finally:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _wait(self, error: CallError) -> None:
        if not self._pause:
            cause = type(error.__cause__).__name__ if error.__cause__ else ""
            _log.warning("audit entries wait: %s", error.message, extra={"cause": cause})
        self._pause = min(_LONGEST_PAUSE, self._pause * 2 or _FIRST_PAUSE)
        self._next = time.monotonic() + self._pause

    def _resume(self) -> None:
        if self._pause:
            _log.info("audit entries are sent again")
        self._pause = 0.0


def audit_message(entry: AuditEntry, *, is_whole: bool = True) -> bytes:
    """Return an entry as a line; without its details, if it does not fit into a datagram."""
    fields: dict[str, object] = {
        "seq": entry.seq,
        "at": entry.at,
        "event": entry.event,
        "detail": json.loads(entry.detail) if is_whole else {},
        "previous": entry.previous,
        "hash": entry.hash,
    }
    if not is_whole:
        fields["detail_left_out"] = True
    return syslog_line(entry.at, "audit", json.dumps(fields))
