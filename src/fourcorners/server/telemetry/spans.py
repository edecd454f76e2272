"""What is traced of a request, a task and a model call, and by which names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourcorners.llm.ledger import Ledger

REQUEST_ID = "fourcorners.request"
METHOD = "http.request.method"
ROUTE = "http.route"
STATUS = "http.response.status_code"
TASK_ID = "fourcorners.task"
TASK_KIND = "fourcorners.task.kind"
OUTCOME = "fourcorners.outcome"
ROLE = "fourcorners.llm.role"
PROMPT = "fourcorners.llm.prompt"
OPERATION = "gen_ai.operation.name"
MODEL = "gen_ai.request.model"
TOKENS_IN = "gen_ai.usage.input_tokens"
TOKENS_OUT = "gen_ai.usage.output_tokens"

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_WORD = r"[a-z][a-z_ -]{0,39}"
_A_WORD = re.compile(_WORD)
_ID = re.compile(r"[0-9a-f]{8,32}")
ALLOWED: Mapping[str, re.Pattern[str] | None] = {
    REQUEST_ID: _ID,
    METHOD: re.compile("[A-Z_]{1,10}"),
    ROUTE: re.compile(r"-|/[\w{}/.:-]{0,120}", re.ASCII),
    STATUS: None,
    TASK_ID: _ID,
    TASK_KIND: _A_WORD,
    OUTCOME: _A_WORD,
    ROLE: _A_WORD,
    PROMPT: re.compile(r"[\w-]{1,60}", re.ASCII),
    OPERATION: re.compile("chat"),
    MODEL: re.compile(r"[\w./:@+-]{1,120}", re.ASCII),
    TOKENS_IN: None,
    TOKENS_OUT: None,
}
"""Each attribute that may leave, with the form of its value; None for a whole number."""
NAMES = re.compile(rf"[A-Z_]{{1,10}} (-|/[\w{{}}/.:-]{{0,120}})|(task|model) {_WORD}", re.ASCII)
"""The form of a span's name: a method and a route, a kind of task, or the role of a model."""


@dataclass(frozen=True, slots=True)
class MetricReading:
    """A value of the instrument with this name, of those in `instruments`."""

    instrument: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


ReadMetrics = Callable[[], Iterable[MetricReading]]


class ServerSpan:
    """A running request or task that is not traced."""

    def set_response(self, route: str, status: int) -> None:
        """Say by which route a request was answered, as the route is written, and how."""

    def set_state(self, state: str) -> None:
        """Say in which state a task is now."""


class Telemetry:
    """Traces what the server does while a block lasts: here, nothing."""

    def request(self, method: str, identifier: str) -> AbstractContextManager[ServerSpan]:  # noqa: ARG002
        return nullcontext(ServerSpan())

    def task(self, kind: str, identifier: str) -> AbstractContextManager[ServerSpan]:  # noqa: ARG002
        return nullcontext(ServerSpan())

    def ledger(self, ledger: Ledger) -> Ledger:
        """Return a ledger that also traces the calls it records."""
        return ledger

    def watch(self, read: ReadMetrics) -> None:
        """Have this read whenever somebody asks for metrics."""

    def listen(self) -> str:
        """Show metrics from now on; return where, or nothing."""
        return ""

    def close(self) -> None:
        """Send what waits, for a moment, and stop."""


def known_method(method: str) -> str:
    """Return a method of HTTP, or `_OTHER`: a request may call its method anything."""
    return method if method in _METHODS else "_OTHER"
