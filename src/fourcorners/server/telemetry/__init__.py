"""Traces and metrics of requests, tasks and model calls, for who runs the server; off by default.

A span has a name, a time, a duration, how it ended, and ids: never a word of a contract, a
question, a person or the name of a file. `spans.ALLOWED` says which attributes there are, and
`tracing.TelemetryExporter` lets no other leave; labels of metrics have the same forms. Both are the
server's own: it registers nothing with OpenTelemetry's API, so that no library it uses is traced
with it, and no environment variable turns it on.
"""

from __future__ import annotations

from fourcorners.errors import ConfigError
from fourcorners.server.telemetry.spans import Telemetry
from fourcorners.settings import TelemetrySettings

__all__ = ["Telemetry", "open_telemetry"]


def open_telemetry(settings: TelemetrySettings) -> Telemetry:
    """Return what traces and counts requests and tasks; without an address it does neither.

    Raises:
        ConfigError: If the endpoint cannot be called, if others could read the metrics, or if the
            SDK is not installed.
    """
    made = Telemetry()
    try:
        if settings.endpoint:
            from fourcorners.server.telemetry.tracing import OpenTelemetryTracing

            made = OpenTelemetryTracing(settings)
        if settings.metrics:
            from fourcorners.server.telemetry.metrics import PrometheusMetrics

            made = PrometheusMetrics(made, settings)
    except ImportError as error:
        raise ConfigError(
            "[telemetry] asks for traces or metrics, and what makes them is not installed.",
            remedy="pip install 'fourcorners[telemetry]'",
        ) from error
    return made
