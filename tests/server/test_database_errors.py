"""What a database says of its file is the operator's to know, and not that of whoever asks."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest
from fastapi.testclient import TestClient

from fourcorners.errors import DiskFull, LibraryError
from fourcorners.library.store import Library
from fourcorners.library.tables import sqlite
from fourcorners.server.app import create_app
from fourcorners.server.tasks.handlers import ask
from fourcorners.settings import Settings
from fourcorners.source_settings import McpSettings
from tests.server.conftest import LEASE, Room

NAME = "secret-deal.db"
MCP = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def room(tmp_path: Path, settings: Settings) -> Iterator[Room]:
    """A server with MCP over a library of one contract, whose name nobody is to see."""
    own = settings.model_copy(update={"mcp": McpSettings(write=True)})
    app = create_app(tmp_path / NAME, own, mcp=True)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        made = Room(app, client, tmp_path)
        made.put({"lease.txt": LEASE})
        yield made


def reopen(room: Room) -> None:
    """Let the next request open the library anew."""
    pool = room.app.state.server.connection_pool
    for library in pool._free:
        library.close()
    pool._free.clear()


@contextmanager
def locked(room: Room) -> Iterator[None]:
    with closing(apsw.Connection(str(room.folder / NAME))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def read_only(room: Room) -> Iterator[None]:
    pool = room.app.state.server.connection_pool
    take = pool._take

    def take_read_only() -> Library:
        library: Library = take()  # also one that a thread of the server had until now
        library.execute("PRAGMA query_only = on")
        return library

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_take", take_read_only)
        yield


@contextmanager
def not_a_library(room: Room) -> Iterator[None]:
    reopen(room)
    (room.folder / NAME).write_bytes(b"these are no tables " * 1000)
    yield


@contextmanager
def corrupt(room: Room) -> Iterator[None]:
    reopen(room)
    path = room.folder / NAME
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    yield


FAULTS = (locked, read_only, not_a_library, corrupt)


def ask_rest(room: Room) -> str:
    sent = room.client.post("/api/v1/answers", json={"question": "Who may end it?"})
    assert sent.status_code == 503, sent.text
    assert sent.json()["code"] == "library_unavailable"
    return f"{sent.headers} {sent.text}"


def ask_page(room: Room) -> str:
    token = {"X-CSRF-Token": room.client.headers["X-Token-Of-Before"]}
    sent = room.client.post("/ask", data={"question": "Who may end it?"}, headers=token)
    assert sent.status_code == 503, sent.text
    return f"{sent.headers} {sent.text}"


def ask_mcp(room: Room) -> str:
    call = {"name": "ask", "arguments": {"question": "Who may end it?"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    sent = room.client.post("/mcp", json=body, headers=MCP)
    assert '"isError":true' in sent.text, sent.text
    return sent.text


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("door", [ask_rest, ask_page, ask_mcp])
def test_callers_are_not_told_of_the_file(
    room: Room,
    fault: Callable[[Room], Iterator[None]],
    door: Callable[[Room], str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    room.client.headers["X-Token-Of-Before"] = room.token()
    with fault(room):  # type: ignore[attr-defined]
        said = door(room)
    assert "secret-deal" not in said
    assert str(room.folder) not in said
    found = re.search(r"cannot be used \(error (\w+)\)", said)
    assert found, said
    [logged] = [each for each in caplog.records if getattr(each, "number", "") == found[1]]
    assert logged.levelno == logging.ERROR
    assert "secret-deal" in logged.getMessage()


def test_tasks_and_full_disks(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[LibraryError] = [
        LibraryError(f"{room.folder / NAME} is damaged: the file of ada@db.firm.example."),
        DiskFull(f"the disk that holds {room.folder / NAME} is full."),
    ]

    def run(_: object) -> None:
        raise raised.pop(0)

    monkeypatch.setattr(ask, "run", run)
    for said in (r"the library cannot be used \(error \w+\)\.", r"the server's disk is full\."):
        started = room.client.post("/api/v1/answers", json={"question": "Who may end it?"})
        address = f"/api/v1/tasks/{started.json()['id']}"
        for shown in (room.settle(started.json()["id"]), room.client.get(address).text):
            assert "secret-deal" not in shown
            assert "firm.example" not in shown
        assert re.fullmatch(said, room.client.get(address).json()["reason"])
