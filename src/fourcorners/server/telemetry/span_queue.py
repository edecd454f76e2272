"""Where spans wait for the collector: a bounded queue, and one thread that empties it.

Whoever ends a span puts it there and goes on. Where the queue is full, or the collector does not
take them, spans are dropped, and counted in the log.
"""

from __future__ import annotations

import logging
import threading
from collections import deque

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

_BATCH = 512  # spans of one export
_CLOSING = 3.0  # seconds that the end of the server waits for the last export
_log = logging.getLogger("fourcorners.server.telemetry")


class SpanQueue(SpanProcessor):
    """Sends spans in a thread of its own.

    Args:
        exporter: Called in that thread alone.
        most: Spans that may wait.
        every: Seconds between exports; a full batch goes at once.
        stopping: Set where the server ends; it cuts the exporter's waits short.
    """

    def __init__(
        self, exporter: SpanExporter, *, most: int, every: float, stopping: threading.Event
    ) -> None:
        self._exporter, self._most, self._every = exporter, most, every
        self._stopping, self._wake = stopping, threading.Event()
        self._waiting: deque[ReadableSpan] = deque()
        self._lock = threading.Lock()
        self._dropped = self._told = 0
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    @property
    def dropped_count(self) -> int:
        with self._lock:
            return self._dropped

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        pass

    def on_end(self, span: ReadableSpan) -> None:
        """Keep a span for the thread; it never waits."""
        if span.context is None or not span.context.trace_flags.sampled:
            return
        with self._lock:
            if len(self._waiting) >= self._most:
                self._dropped += 1
                return
            self._waiting.append(span)
            is_batch = len(self._waiting) >= _BATCH
        if is_batch:
            self._wake.set()

    def shutdown(self) -> None:
        """Send what waits, for a moment; what is left then is dropped."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(_CLOSING)
        with self._lock:
            self._dropped += len(self._waiting)
            self._waiting.clear()
        self._tell()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002
        self._wake.set()
        return True

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait(self._every)
            self._wake.clear()
            self._empty()
            self._tell()

    def _empty(self) -> None:
        while batch := self._taken():
            try:
                sent = self._exporter.export(batch) is SpanExportResult.SUCCESS
            except Exception:  # noqa: BLE001 - a defect here must not end the thread
                _log.exception("spans could not be sent")
                sent = False
            if not sent:
                with self._lock:
                    self._dropped += len(batch)
                return  # the collector is down: what waits is tried again after a while

    def _taken(self) -> list[ReadableSpan]:
        with self._lock:
            count = min(_BATCH, len(self._waiting))
            return [self._waiting.popleft() for _ in range(count)]

    def _tell(self) -> None:
        dropped = self.dropped_count
        if dropped > self._told:
            _log.warning("spans were dropped", extra={"dropped": dropped})
            self._told = dropped
