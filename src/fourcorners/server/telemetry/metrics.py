"""Metrics by OpenTelemetry's SDK, which Prometheus reads at an address of their own.

Requests are measured as they are answered; everything else is read from the library when somebody
asks, at most once in a few seconds. A label is a route's pattern, a status, a kind or a state.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry

from fourcorners.llm.ledger import Ledger
from fourcorners.server.telemetry.instruments import INSTRUMENTS, allowed_labels
from fourcorners.server.telemetry.listener import MetricsListener
from fourcorners.server.telemetry.spans import (
    ALLOWED,
    METHOD,
    ROUTE,
    STATUS,
    MetricReading,
    ReadMetrics,
    ServerSpan,
    Telemetry,
    known_method,
)
from fourcorners.settings import TelemetrySettings
from fourcorners.version import __version__

_FRESH = 5.0  # seconds for which what was read from the library is shown again
# Seconds; SEE: the semantic conventions of OpenTelemetry, http.server.request.duration
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)


class PrometheusMetrics(Telemetry):
    """Counts what another telemetry traces, and shows it to Prometheus.

    Raises:
        ConfigError: If others could read it without a token.
    """

    def __init__(self, traces: Telemetry, settings: TelemetrySettings) -> None:
        registry = CollectorRegistry()
        self._traces = traces
        self._listener = MetricsListener(settings, registry)
        self._lock = threading.Lock()
        self._read: ReadMetrics = tuple
        self._readings: tuple[MetricReading, ...] = ()
        self._read_at = float("-inf")
        self._provider = MeterProvider(
            [PrometheusMetricReader(scope_info_enabled=False, registry=registry)],
            resource=Resource({"service.name": settings.service, "service.version": __version__}),
            shutdown_on_exit=False,
        )
        meter = self._provider.get_meter("fourcorners", __version__)
        self._requests = meter.create_histogram(
            "http.server.request.duration",
            "s",
            "Requests by the pattern of their route, and how long they took",
            explicit_bucket_boundaries_advisory=_BUCKETS,
        )
        for each in INSTRUMENTS:
            create = (
                meter.create_observable_counter
                if each.is_counter
                else meter.create_observable_gauge
            )
            create(each.name, [partial(self._observe, each.name)], each.unit, each.description)

    def watch(self, read: ReadMetrics) -> None:
        with self._lock:
            self._read, self._read_at = read, float("-inf")

    def listen(self) -> str:
        return self._listener.start()

    @contextmanager
    def request(self, method: str, identifier: str) -> Iterator[ServerSpan]:
        with self._traces.request(method, identifier) as span:
            yield _MeasuredRequest(span, method, self)

    @contextmanager
    def task(self, kind: str, identifier: str) -> Iterator[ServerSpan]:
        with self._traces.task(kind, identifier) as span:
            yield span

    def ledger(self, ledger: Ledger) -> Ledger:
        return self._traces.ledger(ledger)

    def record_request(self, method: str, route: str, status: int, seconds: float) -> None:
        form = ALLOWED[ROUTE]
        pattern = route if form is not None and form.fullmatch(route) else "-"
        self._requests.record(
            seconds, {METHOD: known_method(method), ROUTE: pattern, STATUS: status}
        )

    def close(self) -> None:
        self._listener.close()
        self._provider.shutdown()
        self._traces.close()

    def _observe(self, instrument: str, _: CallbackOptions) -> Iterable[Observation]:
        with self._lock:
            if time.monotonic() - self._read_at > _FRESH:
                self._readings = tuple(self._read())
                self._read_at = time.monotonic()
            readings = self._readings
        return [
            Observation(each.value, allowed_labels(each.labels))
            for each in readings
            if each.instrument == instrument
        ]


class _MeasuredRequest(ServerSpan):
    def __init__(self, span: ServerSpan, method: str, metrics: PrometheusMetrics) -> None:
        self._span, self._method, self._metrics = span, method, metrics
        self._began = time.monotonic()

    def set_response(self, route: str, status: int) -> None:
        self._span.set_response(route, status)
        self._metrics.record_request(self._method, route, status, time.monotonic() - self._began)

    def set_state(self, state: str) -> None:
        self._span.set_state(state)
