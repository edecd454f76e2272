"""A full disk is told as what it is, and the same request goes through once there is room."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from fourcorners.library.tables.sqlite import library_errors
from fourcorners.server.store.uploads import Upload
from fourcorners.server.tasks.queue import TaskQueue
from tests.server.conftest import LEASE, Room


def test_an_upload_without_room(
    make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    room = make_room()

    def write(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Upload, "_write", write)
        files = [("files", ("lease.txt", LEASE.encode()))]
        sent = room.client.post("/api/v1/documents", data={"collection": "Mill"}, files=files)
        assert sent.status_code == 507
        assert sent.json()["detail"] == "The server's disk is full."
        assert sent.json()["remedy"] == "Nothing was kept of this. Try again once there is room."
        page = room.upload({"lease.txt": LEASE})
        assert page.status_code == 507
        assert "The server&#39;s disk is full." in page.text
    assert not list(room.app.state.server.uploads.root.glob("*"))
    added = room.upload({"lease.txt": LEASE}, Accept="application/json")
    assert added.status_code == 202


def test_a_question_without_room(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object, **__: object) -> None:
        with library_errors(Path("/srv/firm.db")):
            raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(TaskQueue, "start", start)
    sent = room.client.post("/api/v1/answers", json={"question": "Who pays?"})
    assert (sent.status_code, sent.json()["detail"]) == (507, "The server's disk is full.")
