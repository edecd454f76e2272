"""What may leave of a span, as OTLP in protobuf, posted through `fourcorners.net`.

A span is made anew from what is allowed: a name and attributes of known forms, ids, times and
whether it failed. Events, links, the words of an error and what the environment adds are left out.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, Status
from opentelemetry.util.types import AttributeValue

from fourcorners.errors import CallError
from fourcorners.net import RetryPolicy, post_bytes, require_url
from fourcorners.server.telemetry.spans import ALLOWED, NAMES
from fourcorners.settings import TelemetrySettings
from fourcorners.version import __version__

_KIND = "application/x-protobuf"
_MOST = 1 << 20  # bytes of an answer
_LARGEST = (1 << 63) - 1  # integer of OTLP
_log = logging.getLogger("fourcorners.server.telemetry")


class Exporter(SpanExporter):
    """Posts spans to a collector.

    Args:
        settings: The endpoint, and what requests to it bear.
        sleep: What waits before another attempt.

    Raises:
        ConfigError: If the endpoint cannot be called.
    """

    def __init__(
        self, settings: TelemetrySettings, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        require_url(settings.endpoint)
        self._endpoint = settings.endpoint
        self._headers = {name: key.get_secret_value() for name, key in settings.headers.items()}
        self._patience = RetryPolicy(settings.timeout, attempts=3, sleep=sleep)
        self._resource = Resource(
            {"service.name": settings.service, "service.version": __version__}
        )
        self._scope = InstrumentationScope("fourcorners", __version__)
        self.rejected = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        data = encode_spans([self._cleaned(span) for span in spans]).SerializeToString()
        try:
            answer = post_bytes(
                self._endpoint,
                data,
                _KIND,
                headers=self._headers,
                patience=self._patience,
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

    def _cleaned(self, span: ReadableSpan) -> ReadableSpan:
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
    """Tell whether an attribute is one that may be told, and of the form that it must have."""
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
