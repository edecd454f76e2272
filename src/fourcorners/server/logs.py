"""Logs as lines of JSON: what happened, never the words of a contract, a query or a name."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonFormatter(logging.Formatter):
    """One JSON object a record: its message and its extra values."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        fields |= {
            name: value
            for name, value in vars(record).items()
            if name not in _OWN and isinstance(value, str | int | float)
        }
        if record.exc_info and record.exc_info[0] is not None:
            # A traceback's lines are ours; the exception's own text may quote what it choked on.
            fields["error"] = record.exc_info[0].__name__
            fields["where"] = _trace_places(record)
        return json.dumps(fields, ensure_ascii=False)


def _trace_places(record: logging.LogRecord) -> list[str]:
    import traceback

    trace = record.exc_info[2] if record.exc_info else None
    frames = traceback.extract_tb(trace)[-8:]
    return [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames]


def configure_logging() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name, level in (
        ("fourcorners", logging.INFO),
        ("uvicorn.error", logging.INFO),
        ("mcp", logging.WARNING),  # below that it tells ids of sessions
    ):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
