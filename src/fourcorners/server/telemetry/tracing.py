"""Spans of requests, tasks and calls of a model, by OpenTelemetry's SDK."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context

from fourcorners.llm.ledger import Call, Ledger, Spending
from fourcorners.server.telemetry import spans
from fourcorners.server.telemetry.exporter import Exporter
from fourcorners.server.telemetry.span_queue import SpanQueue
from fourcorners.settings import TelemetrySettings

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_GOOD = frozenset({"answered", "cached"})
# Not OpenTelemetry's own current span: libraries would find that, and tell of it elsewhere.
_current: ContextVar[Span | None] = ContextVar("fourcorners_span", default=None)


class OpenTelemetryTracing:
    """Makes spans, and puts them into the outbox.

    Raises:
        ConfigError: If the endpoint cannot be called.
    """

    def __init__(self, settings: TelemetrySettings) -> None:
        stopping = threading.Event()
        self.exporter = Exporter(settings, lambda seconds: ignore_value(stopping.wait(seconds)))
        self.outbox = SpanQueue(
            self.exporter, most=settings.queue, every=settings.every, stopping=stopping
        )
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
        """Return how many spans did not arrive so far."""
        return self.outbox.dropped_count + self.exporter.rejected

    @contextmanager
    def request(self, method: str, identifier: str) -> Iterator[_Request]:
        told = method if method in _METHODS else "_OTHER"
        span = self._begun(f"{told} -", SpanKind.SERVER)
        span.set_attributes({spans.METHOD: told, spans.REQUEST_ID: identifier})
        with _held(span):
            yield _Request(span, told)

    @contextmanager
    def task(self, kind: str, identifier: str) -> Iterator[_Task]:
        span = self._begun(f"task {kind}", SpanKind.CONSUMER)
        span.set_attributes({spans.TASK_KIND: kind, spans.TASK_ID: identifier})
        with _held(span):
            yield _Task(span)

    def ledger(self, ledger: Ledger) -> Ledger:
        return _Traced(ledger, self)

    def record_call(self, call: Call) -> None:
        ended = round(datetime.fromisoformat(call.at).timestamp() * 1e9)
        span = self._begun(
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

    def _begun(self, name: str, kind: SpanKind, at: int | None = None) -> Span:
        parent = _current.get()
        # An empty context, not the current one, which is not ours.
        context = Context() if parent is None else set_span_in_context(parent, Context())
        return self._tracer.start_span(name, context, kind, start_time=at)


class _Request:
    def __init__(self, span: Span, method: str) -> None:
        self._span, self._method = span, method

    def set_response(self, route: str, status: int) -> None:
        self._span.update_name(f"{self._method} {route}")
        self._span.set_attributes({spans.ROUTE: route, spans.STATUS: status})
        if status >= 500:
            self._span.set_status(Status(StatusCode.ERROR))


class _Task:
    def __init__(self, span: Span) -> None:
        self._span = span

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
def _held(span: Span) -> Iterator[None]:
    """Let what happens in the block belong to a span, and end it; errors are not told."""
    token = _current.set(span)
    try:
        yield
    finally:
        _current.reset(token)
        span.end()


def ignore_value(_: object) -> None:
    pass
