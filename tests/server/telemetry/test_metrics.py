"""Metrics: what Prometheus reads, who may, and that no word or name is in it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from fourcorners.errors import ConfigError, LibraryBusy
from fourcorners.library.jobs import JobTable
from fourcorners.library.llm_store import LibraryLedger
from fourcorners.llm.exchange import PromptId
from fourcorners.llm.exchange import Role as LlmRole
from fourcorners.llm.ledger import Call
from fourcorners.server.store.metrics import LibraryMetrics
from fourcorners.server.tasks.queue import LANES, TaskQueue
from fourcorners.server.telemetry import Telemetry, metrics, open_telemetry
from fourcorners.server.telemetry.instruments import INSTRUMENTS, allowed_labels
from fourcorners.settings import Settings, TelemetrySettings
from fourcorners.source_settings import AuditSettings
from tests.server.conftest import LEASE, Room

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

TOKEN = "a token of twenty-four ch"  # noqa: S105 - invented
Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_FRESH", 0.0)


@pytest.fixture
def shown(make_room: Callable[..., Room]) -> Callable[..., tuple[Room, str]]:
    """Return what starts a server that shows metrics, and where."""

    def make(audit: str = "", **more: Any) -> tuple[Room, str]:
        telemetry = TelemetrySettings(**{"metrics": "127.0.0.1:0", **more})
        sections = {"telemetry": telemetry, "audit": AuditSettings(syslog=audit)}
        room = make_room(**sections, reviewer="Wollemi")
        return room, room.app.state.server.telemetry.listen()

    return make


def ask(url: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    parts = urlsplit(url)
    with closing(HTTPConnection(parts.netloc, timeout=60)) as connection:
        connection.request(method, parts.path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def read(url: str) -> str:
    status, text = ask(url)
    assert status == 200, text
    return text


def status(url: str, method: str = "GET", **headers: str) -> int:
    return ask(url, method, **headers)[0]


def samples(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


def call(**more: Any) -> Call:
    said: dict[str, Any] = {
        "at": "2026-03-01T10:00:02.000+00:00",
        "job": "ask Narwhal",
        "role": LlmRole.JUDGE,
        "model": "openai:gpt-4o",
        "prompt": PromptId("risk", 1, "1" * 12),
        "key": "k",
        "tokens_in": 700,
        "tokens_out": 30,
        "cost": 0.25,
        "seconds": 1.5,
        "measured": True,
        "outcome": "answered",
        "tag": "the Narwhal may end",
    }
    return Call(**{**said, **more})


def test_what_a_server_does_is_counted(shown: Callable[..., tuple[Room, str]]) -> None:
    room, url = shown()
    room.add({"lease.txt": LEASE, "broken.pdf": b"%PDF-1.7 nothing"})
    document = room.document("lease")
    for _ in range(3):
        assert room.client.get(f"/d/{document}").status_code == 200
    assert room.client.get("/d/none").status_code == 404
    with room.app.state.server.connection_pool.library() as library:
        ledger = LibraryLedger(library)
        ledger.add(call())
        ledger.add(call(cost=None, outcome="refused"))
    found = samples(read(url))
    page = {"http_request_method": "GET", "http_route": "/d/{document}"}
    count = "http_server_request_duration_seconds_count"
    assert value(found, count, **page, http_response_status_code="200") == 3
    assert value(found, count, **page, http_response_status_code="404") == 1
    total = "http_server_request_duration_seconds_sum"
    assert 0 < value(found, total, **page, http_response_status_code="200") < 600
    assert value(found, "fourcorners_library_up") == 1
    assert value(found, "fourcorners_library_documents") == 1
    assert value(found, "fourcorners_library_failed_reads") == 1
    assert value(found, "fourcorners_library_size_bytes") > 10_000
    assert value(found, "fourcorners_tasks", kind="add", state="done") == 1
    assert value(found, "fourcorners_tasks", kind="review", state="failed") == 0  # alerts compare
    free = value(found, "fourcorners_disk_free_bytes")
    assert 0 < free <= value(found, "fourcorners_disk_size_bytes")
    if sys.platform == "linux":
        assert value(found, "fourcorners_memory_bytes", process="server") > 10 << 20
    model = {"role": "judge", "model": "openai:gpt-4o", "outcome": "answered"}
    assert value(found, "fourcorners_model_calls_total", **model) == 1
    assert value(found, "fourcorners_model_cost_total", **model) == 0.25
    assert value(found, "fourcorners_model_tokens_total", **model, direction="in") == 700
    assert value(found, "fourcorners_model_tokens_total", **model, direction="out") == 30
    with room.app.state.server.connection_pool.library() as library:
        LibraryLedger(library).add(call(cost=0.5))
    found = samples(read(url))
    assert value(found, "fourcorners_model_calls_total", **model) == 2
    assert value(found, "fourcorners_model_cost_total", **model) == 0.75


def test_no_word_or_name_is_in_a_label(shown: Callable[..., tuple[Room, str]]) -> None:
    room, url = shown()
    room.add({"Zanzibar lease.txt": LEASE.replace("Mill", "Quagga")}, "Project Xylophone")
    room.add({"broken-Ocelot.pdf": b"%PDF-1.7 Wombat"}, "Project Xylophone")
    document = room.document("Zanzibar")
    client = room.client
    client.get(f"/d/{document}")
    client.get("/c/Project Xylophone")
    client.get("/search", params={"q": "Narwhal and landlord"})
    client.get("/Pangolin/that/is/not/there?Narwhal=1")
    client.request("NARWHAL", "/")
    data = {"question": "May the Narwhal assign?", "collection": "Project Xylophone", "rules": "on"}
    answer = client.post("/ask", data={**data, "csrf": room.token()})
    task = answer.headers["location"].rsplit("/", 1)[1]
    until = time.monotonic() + 120
    while client.get(f"/api/v1/tasks/{task}").json()["state"] not in ("done", "failed"):
        assert time.monotonic() < until
        time.sleep(0.05)
    with room.app.state.server.connection_pool.library() as library:
        LibraryLedger(library).add(call(model="Narwhal's model"))
    text = read(url)
    found = samples(text)
    assert value(found, "fourcorners_tasks", kind="ask", state="done") == 1
    assert value(found, "fourcorners_tasks", kind="add", state="done") == 2
    words = "wollemi zanzibar quagga xylophone ocelot wombat narwhal pangolin landlord turner"
    for word in (*words.split(), document, task, ".txt", ".pdf"):
        assert word.lower() not in text.lower(), word
    names = {name for name, _ in found}
    assert all(name.startswith(("fourcorners_", "http_server_", "target_info")) for name in names)


def test_every_instrument_is_shown_and_described(shown: Callable[..., tuple[Room, str]]) -> None:
    room, url = shown(audit="udp://127.0.0.1:9")
    room.put({"lease.txt": LEASE})
    with room.app.state.server.connection_pool.library() as library:
        LibraryLedger(library).add(call())
        TaskQueue(library).start("ask", "elsewhere", "Mill", {}, by="Ada")
    families = {family.name: family for family in text_string_to_metric_families(read(url))}
    for each in INSTRUMENTS:
        name = each.name.replace(".", "_") + {"By": "_bytes", "s": "_seconds", "": ""}[each.unit]
        assert families[name].documentation == each.description
        assert families[name].type == ("counter" if each.is_counter else "gauge")


def test_a_queue_has_a_length_and_an_age(make_room: Callable[..., Room]) -> None:
    pool = make_room().app.state.server.connection_pool
    with pool.library() as library:
        for _ in range(2):
            TaskQueue(library).start("ask", "elsewhere", "Mill", {}, by="Ada")
        library.execute(
            "UPDATE server_tasks SET created = '2026-03-01T10:00:00+00:00' "
            "WHERE id = (SELECT min(id) FROM server_tasks)"
        )
        TaskQueue(library).start("add", "reading on host-7.firm", "Mill", {}, by="Ada")
    found = {
        (each.instrument, each.labels.get("lane")): each.value
        for each in LibraryMetrics(pool, LANES, (), lambda: 0)()
    }
    assert found["fourcorners.queue.length", "elsewhere"] == 2
    assert found["fourcorners.queue.age", "elsewhere"] > 60
    assert found["fourcorners.queue.length", "reading"] == 1
    assert found["fourcorners.queue.length", "thinking"] == 0
    assert found["fourcorners.queue.age", "thinking"] == 0
    assert allowed_labels({"lane": "reading on host-7.firm"}) == {"lane": "-"}


def test_lost_leases_are_counted(make_room: Callable[..., Room]) -> None:
    pool = make_room().app.state.server.connection_pool

    def lost() -> float:
        (found,) = (
            e
            for e in LibraryMetrics(pool, LANES, (), lambda: 0)()
            if e.instrument.endswith("leases.lost")
        )
        return found.value

    with pool.library() as library:
        jobs = JobTable(library)
        job = jobs.start("test", {})
        jobs.add_steps(job, ["a", "b"])
        jobs.claim(job, "elsewhere/1/x.1.2", 60, 2)
    assert lost() == 0
    with pool.library() as library:
        JobTable(library).release(job, "elsewhere/1/x.1.2")
    assert lost() == 0, "a step that is given back was not lost"
    with pool.library() as library:
        jobs = JobTable(library)
        (first,) = jobs.claim(job, "elsewhere/1/x.1.2", -1, 1)  # its lease has ended
    assert lost() == 1
    with pool.library() as library:
        jobs = JobTable(library)
        both = jobs.claim(job, "elsewhere/2/x.1.2", 60, 2)
        jobs.finish(next(step for step in both if step.key == first.key))
    assert lost() == 1


def test_a_library_that_cannot_be_read_is_down_and_has_no_old_values(
    shown: Callable[..., tuple[Room, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    room, url = shown()
    assert value(samples(read(url)), "fourcorners_library_documents") == 0

    def fail() -> Iterator[None]:
        raise LibraryBusy("the library is locked.", remedy="Wait.")

    monkeypatch.setattr(room.app.state.server.connection_pool, "library", fail)
    found = samples(read(url))
    assert value(found, "fourcorners_library_up") == 0
    assert "fourcorners_library_documents" not in {name for name, _ in found}
    assert value(found, "fourcorners_disk_free_bytes") > 0


# Who may read it


def test_a_page_elsewhere_cannot_read_it_by_a_name_that_it_controls(
    shown: Callable[..., tuple[Room, str]],
) -> None:
    _, url = shown()
    assert status(url, Host="evil.test") == 421
    assert status(url, Host="localhost:9464") == 200
    assert status(url.replace("/metrics", "/")) == 404
    assert status(url, "POST") == 405


def test_with_a_token_nobody_reads_it_without(shown: Callable[..., tuple[Room, str]]) -> None:
    _, url = shown(metrics_token=SecretStr(TOKEN))
    assert status(url) == 401
    assert status(url, Authorization="Bearer another of as many chars") == 401
    assert status(url, Authorization="Bearer \xe9") == 401
    assert status(url, Authorization=f"Bearer {TOKEN}", Host="evil.test") == 200


def test_the_pages_do_not_have_it(shown: Callable[..., tuple[Room, str]]) -> None:
    room, _ = shown()
    assert room.client.get("/metrics").status_code == 404


@pytest.mark.parametrize("address", ["0.0.0.0:9464", "[::]:9464", "10.0.0.7:9464", "firm.test:1"])
def test_other_machines_need_a_token(address: str) -> None:
    with pytest.raises(ConfigError, match="metrics_token"):
        open_telemetry(TelemetrySettings(metrics=address))
    short = TelemetrySettings(metrics=address, metrics_token=SecretStr("short"))
    with pytest.raises(ConfigError, match="too short"):
        open_telemetry(short)
    open_telemetry(TelemetrySettings(metrics=address, metrics_token=SecretStr(TOKEN))).close()


@pytest.mark.parametrize("address", ["9464", "localhost", "localhost:x", "[::1"])
def test_an_address_that_is_none_stops_the_server(address: str) -> None:
    with pytest.raises(ConfigError, match="not an address"):
        open_telemetry(TelemetrySettings(metrics=address))


def test_an_address_that_is_taken_stops_the_server(shown: Callable[..., tuple[Room, str]]) -> None:
    _, url = shown()
    second = open_telemetry(TelemetrySettings(metrics=url.split("/")[2]))
    with pytest.raises(ConfigError, match="cannot be shown"):
        second.listen()
    second.close()


def test_off_by_default(make_room: Callable[..., Room]) -> None:
    room = make_room()
    assert type(room.app.state.server.telemetry) is Telemetry
    assert room.app.state.server.telemetry.listen() == ""


def test_the_environment_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURCORNERS_TELEMETRY_METRICS", "127.0.0.1:9464")
    monkeypatch.setenv("FOURCORNERS_TELEMETRY_METRICS_TOKEN", TOKEN)
    settings = Settings.load(library="unused.db").telemetry
    assert settings.metrics == "127.0.0.1:9464"
    assert settings.metrics_token.get_secret_value() == TOKEN
    assert TOKEN not in repr(settings)
