"""A server over a library in a folder of its own, and a browser's way to it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.operations.local_models import LocalModels
from fourcorners.server.app import create_app
from fourcorners.server.auth import accounts
from fourcorners.server.tasks.queue import TaskQueue
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder

LEASE = """LEASE OF A MILL

between Ada Turner Limited (the "Landlord") and Bram Miller Limited (the "Tenant").

1. Term

1.1 The Term is five years from 1 May 2024. The Tenant may end it under clause 2.1.

2. Ending

2.1 The Tenant may end this lease on six months' notice to the Landlord.

2.2 The Landlord may not assign this lease without the consent of the Tenant.
"""
SUPPLY = """SUPPLY OF GRAIN

1. Supply. Oats Limited shall supply the grain that Mills Limited orders.

2. Liability. The liability of Oats Limited is capped at ten thousand crowns.
"""


@dataclass
class Room:
    """A running application, with one client that keeps its cookies."""

    app: FastAPI
    client: TestClient
    folder: Path

    def token(self, page: str = "/") -> str:
        """Return the token that forms of a page bear."""
        found = re.search(r'name="csrf-token" content="(\w+)"', self.client.get(page).text)
        assert found
        return found[1]

    def upload(
        self, files: Mapping[str, bytes | str], collection: str = "Mill", **headers: str
    ) -> Any:
        """Send files as the form does."""
        sent = [
            ("files", (name, data if isinstance(data, bytes) else data.encode()))
            for name, data in files.items()
        ]
        data = {"collection": collection, "csrf": self.token()}
        return self.client.post("/upload", data=data, files=sent, headers=headers)

    def settle(self, task: str) -> str:
        """Wait until a task has ended, and return its page."""
        until = time.monotonic() + 60
        with self.app.state.server.connection_pool.library() as library:
            while not TaskQueue(library).find(task).state.is_final:
                assert time.monotonic() < until, f"task {task} does not end"
                time.sleep(0.02)
        return self.client.get(f"/tasks/{task}", follow_redirects=True).text

    def add(self, files: Mapping[str, bytes | str], collection: str = "Mill") -> str:
        """Add files, wait until they are read, and return the task's page."""
        answer = self.upload(files, collection, Accept="application/json")
        assert answer.status_code == 202, answer.text
        return self.settle(answer.json()["task"])

    def put(self, files: Mapping[str, str], collection: str = "Mill") -> None:
        """Add files without an upload, and without the processes that read hostile ones."""
        for name, text in files.items():
            path = self.app.state.server.uploads.root / "0" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            made = prepare_file(path)
            assert isinstance(made, PreparedFile)
            with self.app.state.server.connection_pool.library() as library:
                library.add_columns(made.columns, None, collection=collection)

    def document(self, name: str) -> str:
        """Return the id of a document by its name."""
        with self.app.state.server.connection_pool.library() as library:
            return str(library.resolve(name).id)


@pytest.fixture(scope="session", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Hash passwords as the server does, with a thousandth of the work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "_hasher", lambda: PasswordHasher(1, 8, 1))
        yield


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of no file, and an encoder that needs no weights."""
    monkeypatch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    monkeypatch.setattr(LocalModels, "reranker", property(lambda _: None))
    return Settings(library="unused.db", jobs=1, ocr=False, reviewer="Ada")


@pytest.fixture
def library_at() -> Callable[[Path], Path | str]:
    """Return what says where a library is that a test names by a file."""
    return lambda path: path


@pytest.fixture
def make_room(
    tmp_path: Path, settings: Settings, library_at: Callable[[Path], Path | str]
) -> Iterator[Callable[..., Room]]:
    """Return what starts a server; each is stopped at the end."""
    clients: list[TestClient] = []

    def make(name: str = "library.db", *, team: bool = False, **sections: object) -> Room:
        chosen = settings.model_copy(update=sections)
        app = create_app(library_at(tmp_path / name), chosen, team=team)
        base = "https://firm.test" if team else "http://localhost"
        client = TestClient(app, base_url=base, follow_redirects=False)
        client.__enter__()
        clients.append(client)
        return Room(app, client, tmp_path)

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def room(make_room: Callable[..., Room]) -> Room:
    """A server for one person, over an empty library."""
    return make_room()
