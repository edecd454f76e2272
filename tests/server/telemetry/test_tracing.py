"""Telemetry: what a collector is told, what it never is, and that nothing waits for it."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.context import attach, detach
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import TracerProvider
from pydantic import SecretStr

from fourcorners.errors import ConfigError
from fourcorners.llm import FakeModel, Port
from fourcorners.llm.exchange import PromptId
from fourcorners.llm.exchange import Role as LlmRole
from fourcorners.llm.ledger import Call, Ledger, MemoryLedger
from fourcorners.server.telemetry import Telemetry, open_telemetry
from fourcorners.server.telemetry import tracing as module
from fourcorners.server.telemetry.spans import ALLOWED
from fourcorners.server.telemetry.tracing import OpenTelemetryTracing, TelemetryExporter, may_leave
from fourcorners.settings import LlmSettings, Settings, TelemetrySettings
from tests.server.conftest import LEASE, Room
from tests.serving import Asked, Reply, Served, served

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


class Collector:
    """A collector that reads what it is sent."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.requests: list[ExportTraceServiceRequest] = []
        self.reply = Reply("")
        server.answer = self._take

    def _take(self, asked: Asked) -> Reply:
        self.requests.append(ExportTraceServiceRequest.FromString(asked.raw))
        return self.reply

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def settings(self, **more: Any) -> TelemetrySettings:
        url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        return TelemetrySettings(**{"endpoint": url, **more})


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    monkeypatch.setattr(module, "_EVERY", 0.02)
    with served() as server:
        yield Collector(server)


def attributes(span: Any) -> dict[str, str | int]:
    return {
        each.key: each.value.int_value
        if each.value.HasField("int_value")
        else each.value.string_value
        for each in span.attributes
    }


def call(**more: Any) -> Call:
    said: dict[str, Any] = {
        "at": "2026-03-01T10:00:02.000+00:00",
        "job": "ask 1",
        "role": LlmRole.JUDGE,
        "model": "openai:gpt-4o",
        "prompt": PromptId("risk", 1, "1" * 12),
        "key": "k",
        "tokens_in": 700,
        "tokens_out": 30,
        "cost": 0.1,
        "seconds": 1.5,
        "measured": True,
        "outcome": "answered",
        "tag": "the Tenant may end",
    }
    return Call(**{**said, **more})


def ended(room: Room, answer: Any) -> None:
    """Wait until the question of an answer's address was dealt with."""
    task = answer.headers["location"].rsplit("/", 1)[1]
    until = time.monotonic() + 60
    while room.client.get(f"/api/v1/tasks/{task}").json()["state"] not in ("done", "failed"):
        assert time.monotonic() < until
        time.sleep(0.05)


def closed(tracing: OpenTelemetryTracing) -> int:
    """Close it, and return how many spans were dropped."""
    tracing.close()
    return tracing.dropped_count


def test_a_collector_is_told_of_requests_tasks_and_calls(
    make_room: Callable[..., Room], collector: Collector
) -> None:
    room = make_room(telemetry=collector.settings(headers={"Api-Key": SecretStr("sesame")}))
    page = room.add({"lease.txt": LEASE})
    assert "lease.txt" in page
    document = room.document("lease")
    answer = room.client.get(f"/d/{document}")
    identifier = answer.headers["x-request-id"]
    telemetry = room.app.state.server.telemetry
    ledger = MemoryLedger()
    with telemetry.task("ask", "ab" * 8):
        telemetry.ledger(ledger).add(call())
    assert len(ledger.calls) == 1
    assert closed(telemetry) == 0
    spans = {span.name: span for span in collector.spans}
    shown = spans["GET /d/{document}"]
    assert attributes(shown) == {
        "http.request.method": "GET",
        "http.route": "/d/{document}",
        "http.response.status_code": 200,
        "fourcorners.request": identifier,
    }
    assert shown.kind == shown.SPAN_KIND_SERVER
    assert 0 < shown.start_time_unix_nano < shown.end_time_unix_nano
    added = attributes(spans["task add"])
    assert added.keys() == {"fourcorners.task", "fourcorners.task.kind", "fourcorners.outcome"}
    assert (added["fourcorners.task.kind"], added["fourcorners.outcome"]) == ("add", "done")
    model, task = spans["model judge"], spans["task ask"]
    assert attributes(model) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "openai:gpt-4o",
        "gen_ai.usage.input_tokens": 700,
        "gen_ai.usage.output_tokens": 30,
        "fourcorners.llm.role": "judge",
        "fourcorners.llm.prompt": "risk",
        "fourcorners.outcome": "answered",
    }
    assert (model.trace_id, model.parent_span_id) == (task.trace_id, task.span_id)
    assert task.parent_span_id == b""
    assert model.end_time_unix_nano - model.start_time_unix_nano == 1_500_000_000
    (resource,) = {str(r.resource) for e in collector.requests for r in e.resource_spans}
    assert "fourcorners" in resource
    (asked, *_) = collector.server.asked
    assert asked.path == "/v1/traces"
    assert asked.headers["Content-Type"] == "application/x-protobuf"
    assert asked.headers["Api-Key"] == "sesame"


def test_no_words_leave(make_room: Callable[..., Room], collector: Collector) -> None:
    """Of names, contracts, questions, addresses and errors nothing is in any byte that leaves."""
    room = make_room(telemetry=collector.settings(), reviewer="Wollemi")
    room.add({"Zanzibar lease.txt": LEASE.replace("Mill", "Quagga")}, "Project Xylophone")
    room.add({"broken-Ocelot.pdf": b"%PDF-1.7 Wombat"}, "Project Xylophone")
    document = room.document("Zanzibar")
    client = room.client
    client.get(f"/d/{document}")
    client.get("/c/Project Xylophone")
    client.get("/search", params={"q": "Narwhal and landlord"})
    client.get("/search", params={"q": '"unclosed Narwhal'})
    client.get("/Pangolin/that/is/not/there?Narwhal=1", headers={"Tracestate": "Narwhal=1"})
    client.request("NARWHAL", "/")
    data = {"question": "May the Narwhal assign?", "collection": "Project Xylophone", "rules": "on"}
    answer = client.post("/ask", data={**data, "csrf": room.token()})
    assert answer.status_code == 303, answer.text
    ended(room, answer)
    telemetry = room.app.state.server.telemetry
    with (
        pytest.raises(ConfigError, match="Narwhal"),
        telemetry.request("GET", "0" * 12),
    ):
        raise ConfigError("Narwhal")
    telemetry.ledger(MemoryLedger()).add(
        call(tag="Narwhal", model="Narwhal's model", job="Narwhal")
    )
    assert closed(telemetry) == 0
    sent = b"".join(each.raw for each in collector.server.asked).lower()
    assert len(collector.spans) > 12
    assert b"/d/{document}" in sent
    words = "wollemi zanzibar quagga xylophone ocelot wombat narwhal pangolin landlord turner"
    for word in (*words.split(), document, ".txt", ".pdf"):
        assert word.encode() not in sent, word
    allowed = set(ALLOWED)
    for span in collector.spans:
        assert {each.key for each in span.attributes} <= allowed
        assert not span.events
        assert not span.links
        assert not span.trace_state
        assert not span.status.message


def test_calls_of_a_model_that_answers_a_question_are_told_without_a_word_of_it(
    make_room: Callable[..., Room], collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeModel(lambda _: "Narwhals are no JSON")

    @contextmanager
    def opened(*_: object, ledger: Ledger, **__: object) -> Iterator[Port]:
        with Port.for_model(fake, attempts=1, ledger=ledger) as port:
            yield port

    monkeypatch.setattr("fourcorners.llm.open_port", opened)
    llm = LlmSettings(model="narwhal", url="http://127.0.0.1:9/v1")
    room = make_room(telemetry=collector.settings(), llm=llm)
    room.add({"lease.txt": LEASE})
    data = {
        "question": "May the Tenant assign to Narwhal?",
        "collection": "Mill",
        "csrf": room.token(),
    }
    answer = room.client.post("/ask", data=data)
    assert answer.status_code == 303, answer.text
    ended(room, answer)
    assert fake.requests
    assert closed(room.app.state.server.telemetry) == 0
    calls = [span for span in collector.spans if span.name.startswith("model ")]
    (task,) = [span for span in collector.spans if span.name == "task ask"]
    assert len(calls) == len(fake.requests)
    assert {span.parent_span_id for span in calls} == {task.span_id}
    assert attributes(calls[0])["fourcorners.outcome"] == "unparsable"
    assert calls[0].status.code == calls[0].status.STATUS_CODE_ERROR
    sent = b"".join(each.raw for each in collector.server.asked).lower()
    for word in (b"narwhal", b"tenant", b"assign"):
        assert word not in sent


def test_what_is_not_allowed_is_left_out_even_where_a_span_bears_it(collector: Collector) -> None:
    """The exporter trusts no span."""
    exporter = TelemetryExporter(collector.settings())
    provider = TracerProvider()
    span: Any = provider.get_tracer("x").start_span("The Tenant shall not assign")
    span.set_attributes(
        {
            "contract": "Narwhal",
            "http.route": "/c/Project Narwhal",
            "fourcorners.task": "Narwhal",
            "fourcorners.outcome": ["Narwhal"],
            "http.response.status_code": "Narwhal",
            "gen_ai.usage.input_tokens": -1,
            "gen_ai.usage.output_tokens": 7,
        }
    )
    span.record_exception(ValueError("Narwhal"))
    span.add_event("Narwhal")
    span.set_status(trace.StatusCode.ERROR, "Narwhal")
    span.end()
    exporter.export([span])
    (sent,) = collector.spans
    assert sent.name == "-"
    assert attributes(sent) == {"gen_ai.usage.output_tokens": 7}
    assert sent.status.code == sent.status.STATUS_CODE_ERROR
    assert b"Narwhal" not in collector.server.asked[0].raw
    assert not may_leave("http.response.status_code", True)


def test_a_library_that_traces_finds_no_span_of_ours(collector: Collector) -> None:
    """What others make is not ours, and ours is nobody's parent."""
    tracing = OpenTelemetryTracing(collector.settings())
    theirs = TracerProvider().get_tracer("theirs").start_span("theirs")
    token = attach(trace.set_span_in_context(theirs))
    try:
        with tracing.request("GET", "0" * 12):
            assert trace.get_current_span() is theirs
    finally:
        detach(token)
    assert not isinstance(trace.get_tracer_provider(), TracerProvider)
    assert closed(tracing) == 0
    (span,) = collector.spans
    assert span.parent_span_id == b""


def test_the_environment_turns_nothing_on(
    make_room: Callable[..., Room], collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.settings().endpoint)
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "secret=Narwhal")
    room = make_room()
    assert type(room.app.state.server.telemetry) is Telemetry
    room.client.get("/")
    assert collector.server.asked == []
    tracing = OpenTelemetryTracing(collector.settings())
    with tracing.request("GET", "0" * 12):
        pass
    assert closed(tracing) == 0
    assert b"Narwhal" not in collector.server.asked[0].raw


def test_a_part_may_be_traced(collector: Collector) -> None:
    tracing = OpenTelemetryTracing(collector.settings(share=0.0))
    with tracing.task("ask", "ab" * 8):
        tracing.record_call(call())
    assert closed(tracing) == 0
    assert collector.spans == []


# A collector that is not well


def test_a_collector_that_hangs_stops_no_request_and_what_does_not_fit_is_counted(
    make_room: Callable[..., Room],
    collector: Collector,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = threading.Event()
    came = threading.Event()

    def hang(_: Asked) -> Reply:
        came.set()
        held.wait(60)
        return Reply("")

    collector.server.answer = hang
    monkeypatch.setattr(module, "_QUEUE", 16)
    room = make_room(telemetry=collector.settings())
    telemetry = room.app.state.server.telemetry
    assert room.client.get("/healthz").status_code == 200
    assert came.wait(30)
    for _ in range(40):  # while the thread is held at the collector
        assert room.client.get("/healthz").status_code == 200
    assert telemetry.dropped_count == 40 - 16
    held.set()
    with caplog.at_level(logging.WARNING, "fourcorners.server.telemetry"):
        assert closed(telemetry) == 40 - 16
    assert "spans were dropped" in caplog.text


@pytest.mark.parametrize(
    "reply", [Reply("", 400), Reply("", 302, {"Location": "/x"}), Reply("", 503)]
)
def test_a_collector_that_refuses_fails_no_request(
    make_room: Callable[..., Room], collector: Collector, reply: Reply
) -> None:
    collector.reply = reply
    room = make_room(telemetry=collector.settings())
    for _ in range(5):
        assert room.client.get("/healthz").status_code == 200
    assert closed(room.app.state.server.telemetry) == 5


def test_where_nobody_listens(make_room: Callable[..., Room]) -> None:
    with served() as gone:
        said = Collector(gone).settings()
    room = make_room(telemetry=said)
    assert room.client.get("/healthz").status_code == 200
    assert closed(room.app.state.server.telemetry) == 1


def test_what_a_collector_says_it_did_not_take_is_counted(collector: Collector) -> None:
    partial = ExportTracePartialSuccess(rejected_spans=2)
    body = ExportTraceServiceResponse(partial_success=partial).SerializeToString()
    collector.reply = Reply(body.decode())
    tracing = OpenTelemetryTracing(collector.settings())
    for _ in range(3):
        with tracing.request("GET", "0" * 12):
            pass
    assert closed(tracing) == 2


def test_an_answer_that_is_no_protobuf_is_taken_for_what_it_is(collector: Collector) -> None:
    collector.reply = Reply("<html>ok</html>")
    tracing = OpenTelemetryTracing(collector.settings())
    with tracing.request("GET", "0" * 12):
        pass
    assert closed(tracing) == 0


@pytest.mark.parametrize("url", ["ftp://a.test/x", "http://user:pass@a.test/", "nonsense"])
def test_an_endpoint_that_cannot_be_called_stops_the_server(url: str) -> None:
    before = threading.active_count()
    with pytest.raises(ConfigError):
        open_telemetry(TelemetrySettings(endpoint=url))
    assert threading.active_count() == before


def test_off_by_default() -> None:
    assert type(open_telemetry(Settings(library="unused.db").telemetry)) is Telemetry
    ledger = MemoryLedger()
    assert open_telemetry(TelemetrySettings()).ledger(ledger) is ledger


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "fourcorners.server.telemetry.tracing", None)
    with pytest.raises(ConfigError, match=r"fourcorners\[telemetry\]"):
        open_telemetry(TelemetrySettings(endpoint="http://localhost:4318/v1/traces"))


def test_a_setting_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    said: Mapping[str, str] = {
        "FOURCORNERS_TELEMETRY_ENDPOINT": "http://localhost:4318/v1/traces",
        "FOURCORNERS_TELEMETRY_HEADERS": json.dumps({"Api-Key": "sesame"}),
        "FOURCORNERS_OIDC_SESSION_HOURS": "3",
        "FOURCORNERS_OIDC_ROLES": '[{"group": "legal", "role": "reader"}]',
    }
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    settings = Settings.load(library="unused.db")
    assert settings.telemetry.endpoint == "http://localhost:4318/v1/traces"
    assert settings.telemetry.headers["Api-Key"].get_secret_value() == "sesame"
    assert settings.oidc.session_hours == 3
    assert settings.oidc.roles[0].group == "legal"
