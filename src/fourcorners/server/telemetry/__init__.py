"""Traces of requests, tasks and calls of language models, for who runs the server; off by default.

A span has a name, a time, a duration, how it ended, and ids: never a word of a contract, a
question, a person or the name of a file. `spans.ALLOWED` says which attributes there are, and
`tracing.Exporter` lets no other leave. The traces are the server's own: it registers nothing with
OpenTelemetry's API, so that no library it uses is traced with it, and no environment variable turns
it on.
"""

from __future__ import annotations

from fourcorners.errors import ConfigError
from fourcorners.server.telemetry.spans import Telemetry
from fourcorners.settings import TelemetrySettings

__all__ = ["Telemetry", "open_telemetry"]


def open_telemetry(settings: TelemetrySettings) -> Telemetry:
    """Return the tracer of requests and tasks; without an endpoint it traces nothing.

    Raises:
        ConfigError: If the endpoint cannot be called, or the SDK is not installed.
    """
    if not settings.endpoint:
        return Telemetry()
    try:
        from fourcorners.server.telemetry.tracing import OpenTelemetryTracing
    except ImportError as error:
        raise ConfigError(
            "[telemetry] names an endpoint, and what speaks with it is not installed.",
            remedy="pip install 'fourcorners[telemetry]'",
        ) from error
    return OpenTelemetryTracing(settings)
