"""The audit trail at a collector: all of it, in order, whatever happens to the collector."""

from __future__ import annotations

import json
import logging
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.server.store.audit_trail import entries_after, unsent_count
from fourcorners.server.store.metrics import LibraryMetrics
from fourcorners.server.tasks import audit_sender as module
from fourcorners.server.tasks.audit_sender import AuditSender
from fourcorners.server.word.certificate import write_certificate
from fourcorners.source_settings import AuditSettings
from fourcorners.syslog import Collector, syslog_line
from tests.server.conftest import LEASE, Room

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

LINE = re.compile(rb"<110>1 (\S+) (\S+) fourcorners \d+ audit - (\{.*\})", re.DOTALL)


class TcpCollector:
    """A collector that takes lines with their length before them."""

    def __init__(self, port: int = 0, context: ssl.SSLContext | None = None) -> None:
        self.lines: list[bytes] = []
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                made, _ = self._listener.accept()
                self._open.append(made)
                threading.Thread(target=self._take, args=(made,), daemon=True).start()

    def _take(self, made: socket.socket) -> None:
        with suppress(OSError, ValueError):
            if self._context is not None:
                made = self._context.wrap_socket(made, server_side=True)
            with made, made.makefile("rb") as stream:
                while True:
                    digits = b""
                    while (each := stream.read(1)) != b" ":
                        if not each:
                            return
                        digits += each
                    self.lines.append(stream.read(int(digits)))

    def stop(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@contextmanager
def tcp(**more: Any) -> Iterator[TcpCollector]:
    made = TcpCollector(**more)
    try:
        yield made
    finally:
        made.stop()


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def trail(room: Room) -> list[Any]:
    with room.app.state.server.connection_pool.library() as library:
        return entries_after(library, 0, 10_000)


def sender(room: Room, url: str, **more: Any) -> AuditSender:
    return AuditSender(room.app.state.server.connection_pool, AuditSettings(syslog=url, **more))


def entries(lines: list[bytes]) -> list[dict[str, Any]]:
    found = []
    for line in lines:
        match = LINE.fullmatch(line)
        assert match, line
        found.append(json.loads(match[3]))
        assert match[1].decode() == found[-1]["at"]
    return found


def test_a_collector_gets_the_trail_and_can_verify_it(make_room: Callable[..., Room]) -> None:
    with tcp() as collector:
        room = make_room(audit=AuditSettings(syslog=f"tcp://127.0.0.1:{collector.port}"))
        room.add({"Zanzibar lease.txt": LEASE.replace("Mill", "Quagga")}, "Projekt Lärche")
        document = room.document("Zanzibar")
        room.client.get(f"/d/{document}")
        room.client.get("/search", params={"q": "Narwhal and landlord"})
        known = trail(room)
        until(lambda: len(collector.lines) >= len(known))  # by the server's own thread
        sent = entries(collector.lines)
        assert [each["seq"] for each in sent] == [each.seq for each in known]
        previous = "0" * 64
        for each in sent:
            detail = json.dumps(each["detail"], sort_keys=True)
            line = [each["seq"], each["at"], each["event"], detail, previous]
            assert each["previous"] == previous
            previous = sha256(json.dumps(line, separators=(",", ":")).encode()).hexdigest()
            assert each["hash"] == previous
        assert "Projekt Lärche" in {each["detail"].get("collection") for each in sent}
        text = b"".join(collector.lines).lower()
        for word in ("quagga", "landlord", "narwhal", "turner", "six months"):
            assert word.encode() not in text, word


def test_nothing_is_lost_while_the_collector_is_away(
    make_room: Callable[..., Room],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(module, "_FIRST_PAUSE", 0.001)
    room = make_room()
    with tcp() as first:
        sending = sender(room, f"tcp://127.0.0.1:{first.port}")
        room.put({"lease.txt": LEASE})
        sending.run_round()
        until(lambda: len(first.lines) == len(trail(room)))
        before = len(first.lines)
    with caplog.at_level(logging.INFO, "fourcorners.server"):
        room.put({"supply.txt": LEASE + "."})
        for _ in range(3):
            sending.run_round()
        waiting = len(trail(room)) - before
        assert waiting > 0
        with room.app.state.server.connection_pool.library() as library:
            assert unsent_count(library) == waiting
        pool = room.app.state.server.connection_pool
        metrics = LibraryMetrics(pool, (), (), lambda: 0, sends_audit=True)
        assert waiting in [e.value for e in metrics() if e.instrument == "fourcorners.audit.unsent"]
        with tcp(port=first.port) as second:
            for _ in range(100):  # it waits a little after each fault
                sending.run_round()
                time.sleep(0.01)
            until(lambda: len(second.lines) == waiting)
            assert [each["seq"] for each in entries(second.lines)] == [
                each.seq for each in trail(room)[before:]
            ]
    told = [record.message for record in caplog.records if "audit" in record.message]
    assert len(told) == 2, "once that they wait, once that they are sent again"
    assert "wait" in told[0]
    assert "again" in told[1]
    sending.stop()


def test_a_request_does_not_wait_for_a_collector_that_hangs(
    make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.syslog._SECONDS", 600.0)
    with socket.create_server(("127.0.0.1", 0), backlog=1) as silent:  # it accepts nothing
        port = silent.getsockname()[1]
        room = make_room(audit=AuditSettings(syslog=f"tls://127.0.0.1:{port}"))
        room.put({"lease.txt": LEASE})
        sending = sender(room, f"tls://127.0.0.1:{port}")
        thread = threading.Thread(target=sending.run_round, daemon=True)
        thread.start()
        answer = room.client.get(f"/d/{room.document('lease')}")
        assert answer.status_code == 200
        assert thread.is_alive(), "the collector still hangs"
    thread.join(60)  # the end of the collector ends its wait
    sending.stop()


def test_a_collector_over_tls_is_checked(make_room: Callable[..., Room], tmp_path: Path) -> None:
    made = write_certificate(tmp_path / "good", ["127.0.0.1"])
    other = write_certificate(tmp_path / "bad", ["127.0.0.1"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)
    room = make_room()
    room.put({"lease.txt": LEASE})
    with tcp(context=context) as collector:
        url = f"tls://127.0.0.1:{collector.port}"
        for authority in (other.authority, None):
            wrong = sender(room, url, authority=authority)
            wrong.run_round()
            assert collector.lines == []
            wrong.stop()
        right = sender(room, url, authority=made.authority)
        right.run_round()
        until(lambda: len(collector.lines) == len(trail(room)))
        entries(collector.lines)
        right.stop()


def test_datagrams_carry_an_entry_each(make_room: Callable[..., Room], tmp_path: Path) -> None:
    room = make_room()
    room.put({"lease.txt": LEASE})
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as collector:
        collector.bind(("127.0.0.1", 0))
        collector.settimeout(30)
        sending = sender(room, f"udp://127.0.0.1:{collector.getsockname()[1]}")
        sending.run_round()
        sent = entries([collector.recv(65_536) for _ in trail(room)])
        assert [each["seq"] for each in sent] == [each.seq for each in trail(room)]
        with room.app.state.server.connection_pool.library() as library:
            library.record("long", {"names": "x" * 70_000})
        sending.run_round()
        (long,) = entries([collector.recv(65_536)])
        assert (long["event"], long["detail"], long["detail_left_out"]) == ("long", {}, True)
        sending.stop()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as collector:
        collector.bind(str(tmp_path / "log"))
        collector.settimeout(30)
        with room.app.state.server.connection_pool.library() as library:
            library.record("another", {"by": "Ada\nMallory"})
        sending = sender(room, f"unix:{tmp_path / 'log'}")
        sending.run_round()
        line = collector.recv(65_536)
        assert b"\n" not in line, "a name cannot begin a line"
        assert entries([line])[0]["detail"] == {"by": "Ada\nMallory"}
        sending.stop()


@pytest.mark.parametrize(
    "url",
    [
        "logs.firm.example",
        "http://a.test",
        "tls://",
        "tcp://a.test/x",
        "udp://u:p@a.test",
        "unix:x",
    ],
)
def test_an_address_that_is_none_stops_the_server(url: str, make_room: Callable[..., Room]) -> None:
    with pytest.raises(ConfigError, match="collector"):
        make_room(audit=AuditSettings(syslog=url))


def test_ports_and_names() -> None:
    assert Collector.from_url("tls://logs.firm.example") == Collector(
        "tls", "logs.firm.example", 6514
    )
    assert Collector.from_url("udp://[::1]") == Collector("udp", "::1", 514)
    assert Collector.from_url("tcp://a.test:99/").port == 99
    assert Collector.from_url("unix:/dev/log") == Collector("unix", path="/dev/log")
    assert syslog_line("2026-03-01T10:00:00+00:00", "audit", "{}").startswith(b"<110>1 2026-03-")


def test_off_by_default(make_room: Callable[..., Room]) -> None:
    room = make_room()
    before = len(threading.enumerate())
    AuditSender(room.app.state.server.connection_pool, AuditSettings()).start()
    assert len(threading.enumerate()) == before
