"""Spans by OpenTelemetry's SDK, sent as OTLP in protobuf through `fourcorners.net`.

Whoever ends a span puts it into a bounded queue and goes on. Where the queue is full, or the
collector does not take them, spans are dropped, and counted in the log. What leaves is rebuilt
from what is allowed: a name and attributes of known forms, ids, times and whether it failed.
Events, links, the words of an error and what the environment adds are left out.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from google.protobuf.message import DecodeError
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Span, SpanContext, SpanKind, Status, StatusCode, set_span_in_context
from opentelemetry.util.types import AttributeValue

from fourcorners.errors import CallError
from fourcorners.llm.ledger import Call, Ledger, Spending
from fourcorners.net import RetryPolicy, post_bytes, require_url
from fourcorners.server.telemetry import spans
from fourcorners.server.telemetry.spans import ALLOWED, NAMES, ServerSpan, Telemetry, known_method
from fourcorners.settings import TelemetrySettings
from fourcorners.version import __version__

_GOOD = frozenset({"answered", "cached"})
_KIND = "application/x-protobuf"
_MOST = 1 << 20  # bytes of an answer
_LARGEST = (1 << 63) - 1  # integer of OTLP
_QUEUE = 2_048  # spans that wait; more are dropped and counted
_EVERY = 5.0  # seconds between exports
_TIMEOUT = 10.0  # seconds of an export
_BATCH = 512  # spans of one export
_CLOSING = 3.0  # seconds that the end of the server waits for the last export
# Not OpenTelemetry's own current span: libraries would find that, and tell of it elsewhere.
_current: ContextVar[Span | None] = ContextVar("fourcorners_span", default=None)
_log = logging.getLogger("fourcorners.server.telemetry")


class OpenTelemetryTracing(Telemetry):
    """Makes spans, and puts them into the outbox.

    Raises:
        ConfigError: If the endpoint cannot be called.
    """

    def __init__(self, settings: TelemetrySettings) -> None:
        stopping = threading.Event()
        self.exporter = TelemetryExporter(settings, stopping.wait)
        self.outbox = SpanQueue(self.exporter, most=_QUEUE, every=_EVERY, stopping=stopping)
        provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(settings.share)),
            resource=Resource({}),
            shutdown_on_exit=False,
        )
        provider.add_span_processor(self.outbox)
        self._provider = provider
        self._tracer = provider.get_tracer("fourcorners")

    @property
    def dropped_count(self) -> int:
        return self.outbox.dropped_count + self.exporter.rejected

    @contextmanager
    def request(self, method: str, identifier: str) -> Iterator[ServerSpan]:
        method_name = known_method(method)
        span = self._begin_span(f"{method_name} -", SpanKind.SERVER)
        span.set_attributes({spans.METHOD: method_name, spans.REQUEST_ID: identifier})
        with _server_span(span, method_name) as traced:
            yield traced

    @contextmanager
    def task(self, kind: str, identifier: str) -> Iterator[ServerSpan]:
        span = self._begin_span(f"task {kind}", SpanKind.CONSUMER)
        span.set_attributes({spans.TASK_KIND: kind, spans.TASK_ID: identifier})
        with _server_span(span) as traced:
            yield traced

    def ledger(self, ledger: Ledger) -> Ledger:
        return _Traced(ledger, self)

    def record_call(self, call: Call) -> None:
        ended = round(datetime.fromisoformat(call.at).timestamp() * 1e9)
        span = self._begin_span(
            f"model {call.role.value}", SpanKind.CLIENT, ended - round(call.seconds * 1e9)
        )
        span.set_attributes(
            {
                spans.OPERATION: "chat",
                spans.MODEL: call.model,
                spans.ROLE: call.role.value,
                spans.PROMPT: call.prompt.name,
                spans.OUTCOME: call.outcome,
                spans.TOKENS_IN: call.tokens_in,
                spans.TOKENS_OUT: call.tokens_out,
            }
        )
        if call.outcome not in _GOOD:
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended)

    def close(self) -> None:
        self._provider.shutdown()

    def _begin_span(self, name: str, kind: SpanKind, at: int | None = None) -> Span:
        parent = _current.get()
        # An empty context, not the current one, which is not ours.
        context = Context() if parent is None else set_span_in_context(parent, Context())
        return self._tracer.start_span(name, context, kind, start_time=at)


class _Span(ServerSpan):
    def __init__(self, span: Span, method: str) -> None:
        self._span, self._method = span, method

    def set_response(self, route: str, status: int) -> None:
        self._span.update_name(f"{self._method} {route}")
        self._span.set_attributes({spans.ROUTE: route, spans.STATUS: status})
        if status >= 500:
            self._span.set_status(Status(StatusCode.ERROR))

    def set_state(self, state: str) -> None:
        self._span.set_attribute(spans.OUTCOME, state)
        if state == "failed":
            self._span.set_status(Status(StatusCode.ERROR))


class _Traced:
    def __init__(self, ledger: Ledger, tracing: OpenTelemetryTracing) -> None:
        self._ledger, self._tracing = ledger, tracing

    def add(self, call: Call) -> None:
        self._ledger.add(call)
        self._tracing.record_call(call)

    def job_spending(self, job: str) -> Spending:
        return self._ledger.job_spending(job)


@contextmanager
def _server_span(span: Span, method: str = "") -> Iterator[ServerSpan]:
    """Let what happens in the block belong to a span, and end it; errors are not recorded."""
    token = _current.set(span)
    try:
        yield _Span(span, method)
    finally:
        _current.reset(token)
        span.end()


class SpanQueue(SpanProcessor):
    """Sends spans in a separate thread.

    Args:
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
        self._dropped = self._reported = 0
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    @property
    def dropped_count(self) -> int:
        with self._lock:
            return self._dropped

    def on_end(self, span: ReadableSpan) -> None:
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

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait(self._every)
            self._wake.clear()
            self._empty()
            self._tell()

    def _empty(self) -> None:
        while batch := self._take_batch():
            try:
                sent = self._exporter.export(batch) is SpanExportResult.SUCCESS
            except Exception:  # noqa: BLE001 - a defect here must not end the thread
                _log.exception("spans could not be sent")
                sent = False
            if not sent:
                with self._lock:
                    self._dropped += len(batch)
                return  # the collector is down: what waits is tried again after a while

    def _take_batch(self) -> list[ReadableSpan]:
        with self._lock:
            count = min(_BATCH, len(self._waiting))
            return [self._waiting.popleft() for _ in range(count)]

    def _tell(self) -> None:
        dropped = self.dropped_count
        if dropped > self._reported:
            _log.warning("spans were dropped", extra={"dropped": dropped})
            self._reported = dropped


class TelemetryExporter(SpanExporter):
    """Posts spans to a collector.

    Raises:
        ConfigError: If the endpoint cannot be called.
    """

    def __init__(
        self, settings: TelemetrySettings, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        require_url(settings.endpoint)
        self._endpoint = settings.endpoint
        self._headers = {name: key.get_secret_value() for name, key in settings.headers.items()}
        self._retry_policy = RetryPolicy(_TIMEOUT, attempts=3, sleep=sleep)
        self._resource = Resource(
            {"service.name": settings.service, "service.version": __version__}
        )
        self._scope = InstrumentationScope("fourcorners", __version__)
        self.rejected = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        data = encode_spans([self._clean_span(span) for span in spans]).SerializeToString()
        try:
            answer = post_bytes(
                self._endpoint,
                data,
                _KIND,
                headers=self._headers,
                retry_policy=self._retry_policy,
                most_bytes=_MOST,
            )
        except CallError as error:
            _log.warning("spans did not arrive", extra={"status": error.status or 0})
            return SpanExportResult.FAILURE
        self._read(answer)
        return SpanExportResult.SUCCESS

    def _read(self, answer: bytes) -> None:
        try:
            partial = ExportTraceServiceResponse.FromString(answer).partial_success
        except DecodeError:
            return  # some answer with a word; that it was 200 is enough
        self.rejected += max(0, partial.rejected_spans)

    def _clean_span(self, span: ReadableSpan) -> ReadableSpan:
        name = span.name if NAMES.fullmatch(span.name) else "-"
        attributes = {
            key: value for key, value in (span.attributes or {}).items() if may_leave(key, value)
        }
        return ReadableSpan(
            name,
            context=_ids(span.context),
            parent=_ids(span.parent),
            resource=self._resource,
            attributes=attributes,
            kind=span.kind,
            status=Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=self._scope,
        )


def may_leave(key: str, value: AttributeValue) -> bool:
    """Tell whether an attribute may be sent, and has the form that it must have."""
    if key not in ALLOWED:
        return False
    form = ALLOWED[key]
    if form is None:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST
    return isinstance(value, str) and form.fullmatch(value) is not None


def _ids(context: SpanContext | None) -> SpanContext | None:
    """Return a span's ids without what else its context may carry."""
    if context is None:
        return None
    return SpanContext(context.trace_id, context.span_id, is_remote=False)
