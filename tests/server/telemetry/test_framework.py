"""The web framework must tell nobody of requests, whoever listens in the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.server.conftest import LEASE, Room


def test_nothing_is_traced(make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch) -> None:
    trace: Any = pytest.importorskip("opentelemetry.trace")
    asked: list[object] = []

    class Listening(trace.TracerProvider):  # type: ignore[misc]
        def get_tracer(self, *args: object, **_: object) -> object:
            asked.append(args)
            return trace.NoOpTracer()

    monkeypatch.setattr(trace, "get_tracer_provider", Listening)
    room = make_room()
    room.put({"lease.txt": LEASE})
    assert room.client.get('/search?q="six months"').status_code == 200
    assert asked == []
