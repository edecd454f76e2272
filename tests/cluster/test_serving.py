"""`find`, and several servers over one library in PostgreSQL, each a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from fourcorners.library.copy import copy_library
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.operations.local_models import LocalModels
from fourcorners.operations.principal import Role, Scope
from fourcorners.playbooks.load import load_playbook
from fourcorners.server.app import create_app
from fourcorners.server.auth import accounts as accounting
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.tasks.queue import TaskQueue, TaskState
from fourcorners.settings import Settings
from tests.cluster.postgres_server import PostgresServer
from tests.conftest import Program
from tests.models.fake import HashEncoder
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, fill, found

pytestmark = [
    pytest.mark.slow,
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there"),
]
BOOK = load_playbook("due-diligence")
FIRST = BOOK.provisions[0].id
PATIENCE = 90.0
_EDGE = "x-the-edge-of-a-part"


class Server:
    """A server for a team in a process of its own, spoken to over REST."""

    def __init__(self, url: str, folder: Path) -> None:
        command = [sys.executable, "-m", "fourcorners.cli.main", "serve", "--team", "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--library", url],
            cwd=folder, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "FOURCORNERS_OCR": "0", "FOURCORNERS_JOBS": "1"},
        )  # fmt: skip
        log = self._process.stderr
        assert log is not None
        line = next(line for line in log if "Fourcorners at" in line)
        self._reading = threading.Thread(target=log.read, daemon=True)  # a full pipe would stop it
        self._reading.start()
        self.pid = self._process.pid
        self._base = "http://127.0.0.1:" + line.split("127.0.0.1:")[1].split()[0].strip('/",')

    def ask(
        self, token: str, path: str, data: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, Any]:
        """Send a request, a POST where there are data; return status and answer."""
        headers = {"Content-Type": kind, "Authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"{self._base}/api/v1{path}", data, headers)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def get(self, token: str, path: str) -> Any:
        """Return what is answered to whom it may be."""
        status, told = self.ask(token, path)
        assert status == 200, (path, told)
        return told

    def settled(self, token: str, task: str) -> Any:
        """Wait until a task has ended."""
        until = time.monotonic() + PATIENCE
        while (told := self.get(token, f"/tasks/{task}"))["state"] != "done":
            assert told["state"] not in ("failed", "cancelled"), told
            assert time.monotonic() < until, told
            time.sleep(0.1)
        return told

    @property
    def is_alive(self) -> bool:
        """Tell whether it still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it as the power does."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)
        self._reading.join(30)
        assert self._process.stderr is not None
        self._process.stderr.close()


@dataclass(frozen=True)
class Firm:
    """A library with two collections that two servers serve, and who may do what in it."""

    url: str
    folder: Path
    tokens: Mapping[str, str]
    documents: Mapping[str, str]
    servers: tuple[Server, Server]


def rooms(folder: Path, library: Library) -> dict[str, str]:
    """Add a contract to each of two collections, reviewed; return the ids by name."""
    for room, name, text in (("Mill", "lease.txt", LEASE), ("Grain", "supply.txt", SUPPLY)):
        path = folder / room / name
        path.parent.mkdir()
        path.write_text(text)
        add_files(library, [path], collection=room, encoder=None, settings=Settings(ocr=False))
    ids = {entry.name: entry.id for entry in library.documents()}
    cells = [absent(each, provision.id) for each in ids.values() for provision in BOOK.provisions]
    lease = library.document(ids["lease.txt"])
    cells[0] = found(lease.id, FIRST, lease.text)
    fill(library, BOOK, cells)
    return ids


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer) -> Iterator[Firm]:
    """Ada administers; Bram edits Mill and may not know of Grain."""
    folder = tmp_path_factory.mktemp("firm")
    url = postgres.new_library()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_DATA_HOME", str(folder / "data"))
        patched.setattr(accounting, "_hasher", lambda: PasswordHasher(1, 8, 1))
        with Library.open(url) as library:
            documents = rooms(folder, library)
            accounts = Accounts(library)
            for person in ("ada", "bram"):
                accounts.add(person, "a long enough password 1", by="test")
            accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
            accounts.grant("bram", Role.EDITOR, "Mill", by="test")
            tokens = {
                person: ApiTokens(library).add(person, [Scope.ADMIN], "test", 1, by="test")
                for person in ("ada", "bram")
            }
        servers = Server(url, folder), Server(url, folder)
        yield Firm(url, folder, tokens, documents, servers)
        for server in servers:
            server.kill()


def body(name: str, count: int, collection: str) -> tuple[bytes, str]:
    """Return contracts as an upload's body, and its kind."""
    parts = [
        f'--{_EDGE}\r\nContent-Disposition: form-data; name="files"; filename="{name} {n}.txt"\r\n'
        f"Content-Type: text/plain\r\n\r\nSUPPLY AGREEMENT {name} {n}\n\n1. Delivery\n\n"
        f"1.1 Lot {name} {n} is due at once.\r\n"
        for n in range(count)
    ]
    parts.append(f'--{_EDGE}\r\nContent-Disposition: form-data; name="collection"\r\n\r\n')
    whole = "".join([*parts, f"{collection}\r\n--{_EDGE}--\r\n"])
    return whole.encode(), f"multipart/form-data; boundary={_EDGE}"


def test_what_one_server_does_the_other_shows(firm: Firm) -> None:
    first, second = firm.servers
    ada = firm.tokens["ada"]
    status, task = first.ask(ada, "/documents", *body("early", 3, "Mill"))
    assert status == 202, task
    assert second.settled(ada, task["id"])["result"]["added"] == 3
    made = {f"early {number}.txt" for number in range(3)}
    for server in firm.servers:
        listed = {each["name"] for each in server.get(ada, "/documents")["items"]}
        assert listed >= made | {*firm.documents}
        hits = server.get(ada, "/search?q=%22lot%20early%22~2&limit=50")["items"]
        assert {each["name"] for each in hits} == made
    kept = {path.name for path in (firm.folder / "data").rglob("*.txt")}
    assert kept == made  # in a folder of the machine, where both servers find them


def test_walls_between_collections_stand_on_each(firm: Firm) -> None:
    bram, supply = firm.tokens["bram"], firm.documents["supply.txt"]
    for server in firm.servers:
        names = {each["name"] for each in server.get(bram, "/collections")}
        assert names == {"Mill"}
        for path in (
            "/documents",
            "/search?q=grain",
            "/search?q=Oats",
            "/findings?collection=Mill",
        ):
            told = json.dumps(server.get(bram, path))
            for words in ("Oats", "supply", supply, "Grain"):
                assert words not in told, (path, words)
        for path in (f"/documents/{supply}", f"/documents/{supply}/text"):
            assert server.ask(bram, path)[0] == 404
        assert server.ask(bram, "/documents", *body("late", 1, "Grain"))[0] == 404
        review = json.dumps({"collection": "Grain", "playbook": BOOK.id}).encode()
        assert server.ask(bram, "/reviews", review)[0] == 404
        assert server.ask("fc_x", "/documents")[0] == 401


def test_a_mark_of_one_is_seen_by_the_other(firm: Firm) -> None:
    first, second = firm.servers
    ada, path = firm.tokens["ada"], f"/findings?collection=Mill&playbook={BOOK.id}&limit=200"
    cell = {"playbook": BOOK.id, "document": firm.documents["lease.txt"],
            "provision": FIRST}  # fmt: skip
    before = second.get(ada, path)["items"]
    mark = json.dumps({**cell, "state": "confirmed"}).encode()
    status, told = first.ask(ada, "/findings/mark", mark)
    assert status == 200, told
    until = time.monotonic() + 60
    while second.get(ada, path)["items"] == before:
        assert time.monotonic() < until
        time.sleep(0.1)


def parent(pid: int) -> int:
    """Return the process that started another."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def test_a_server_goes_on_with_what_another_was_killed_at(firm: Firm) -> None:
    first, second = firm.servers
    ada, count = firm.tokens["ada"], 40
    _, task = first.ask(ada, "/documents", *body("heavy", count, "Mill"))
    until = time.monotonic() + PATIENCE
    while True:
        with Library.open(firm.url, create=False) as library:
            held = library.execute("SELECT worker FROM steps WHERE state = 'claimed'")
        if held:
            break
        assert time.monotonic() < until
    # It is done by a child of the server, which the worker's name tells: host/pid/….
    parents = {parent(int(str(worker).split("/")[1])) for (worker,) in held}
    [doer] = [each for each in firm.servers if each.pid in parents]
    other = second if doer is first else first
    doer.kill()
    result = other.settled(ada, task["id"])["result"]
    assert result["failed"] == 0
    names = [each["name"] for each in other.get(ada, "/documents?limit=200")["items"]]
    assert len(names) == len({*names})
    assert {*names} >= {f"heavy {number}.txt" for number in range(count)}
    assert other.get(ada, "/audit/verdict")["faults"] == []


def test_who_is_shut_out_is_out_everywhere(firm: Firm) -> None:
    with Library.open(firm.url, create=False) as library:
        Accounts(library).set_disabled("bram", True, by="test")
    alive = [server for server in firm.servers if server.is_alive]
    assert alive
    assert [server.ask(firm.tokens["bram"], "/documents")[0] for server in alive] == [
        401 for _ in alive
    ]


@contextmanager
def room_on(machine: str, folder: Path, patched: pytest.MonkeyPatch) -> Iterator[Room]:
    """Serve a library to one person, from a machine of this name."""
    patched.setattr(socket, "gethostname", lambda: machine)
    settings = Settings(library="unused.db", jobs=1, ocr=False)
    app = create_app(folder / "firm.db", settings)
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as client:
        yield Room(app, client, folder)


def test_uploads_that_no_other_machine_sees_wait_for_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    monkeypatch.setattr(Library, "files_are_shared", property(lambda _: False))
    with room_on("alder", tmp_path, monkeypatch) as alder:
        alder.app.state.server.workers.stop()
        task = alder.upload({"lease.txt": LEASE}, Accept="application/json").json()["task"]
    with room_on("birch", tmp_path, monkeypatch) as birch:
        other = birch.upload({"supply.txt": SUPPLY}, Accept="application/json").json()["task"]
        birch.settle(other)
        with birch.app.state.server.connection_pool.library() as library:
            assert [entry.name for entry in library.documents()] == ["supply.txt"]
            assert TaskQueue(library).find(task).state is TaskState.WAITING
    with room_on("alder", tmp_path, monkeypatch) as alder:
        alder.settle(task)
        assert alder.document("lease.txt")


def test_find_answers_as_on_one_file(
    program: Program, tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.new_library()
    with Library.open(tmp_path / "alone.db") as alone, Library.open(url) as shared:
        rooms(tmp_path, alone)
        copy_library(alone, shared)
    asked = f"{FIRST} OR NOT {BOOK.provisions[1].id}"
    told = []
    for library in ("alone.db", url):
        options = ["--library", library, "--json"]
        told.append(program("find", asked, *options).json)
        told.append(program("find", asked, *options, "--collection", "Mill").json)
    assert told[:2] == told[2:]
    assert "lease.txt" in json.dumps(told[1])
    assert "supply.txt" in json.dumps(told[0])
    assert "supply.txt" not in json.dumps(told[1])
