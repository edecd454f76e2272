"""What a server finds that was killed: it removes what was half done, and lets it be sent again."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.server.store import uploads
from fourcorners.server.tasks import runner
from fourcorners.server.tasks.handlers import TaskContext, health
from fourcorners.server.tasks.queue import Task, TaskQueue
from fourcorners.server.tasks.steps import ProgressStep, ProgressSteps
from tests.server.conftest import LEASE, Room


@pytest.fixture
def killed() -> str:
    """The name of a worker whose process is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{socket.gethostname()}/{process.pid}/..1"


def send(room: Room) -> Any:
    return room.client.post(
        "/api/v1/documents",
        data={"collection": "Mill"},
        files=[("files", ("lease.txt", LEASE.encode()))],
        headers={"Idempotency-Key": "once"},
    )


def test_files_that_were_being_received_are_removed(
    make_room: Callable[..., Room], killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = make_room()
    office = room.app.state.server
    with office.connection_pool.library() as library:
        going_on = office.uploads.create(library)
        with monkeypatch.context() as patch:
            patch.setattr(uploads, "worker_name", lambda: killed)
            office.uploads.create(library).folder.joinpath("half.txt").write_text("1. Rent")
    room.add({"lease.txt": LEASE})
    again = make_room()
    root = again.app.state.server.uploads.root
    assert going_on.folder in root.iterdir()
    assert [path.name for path in root.rglob("*.txt")] == ["lease.txt"]
    assert again.client.get(f"/d/{again.document('lease.txt')}").status_code == 200


def test_a_request_that_was_not_done_can_be_sent_again(room: Room, killed: str) -> None:
    first = send(room).json()["id"]
    room.settle(first)
    with room.app.state.server.connection_pool.library() as library:
        library.execute("UPDATE server_once SET answer = ''")
        assert (
            send(room).json()["detail"] == "The request with this Idempotency-Key is in progress."
        )
        library.execute("UPDATE server_once SET worker = ?", (killed,))
    again = send(room)
    assert again.status_code == 202
    assert again.json()["id"] != first
    assert send(room).json()["id"] == again.json()["id"]
    room.settle(again.json()["id"])


def test_a_task_is_there_exactly_if_its_key_has_an_answer(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between the two would have the task done twice, or never."""
    seen: list[tuple[int, int]] = []

    def look() -> None:
        """Look as whoever comes after a kill at this moment."""
        with Library.open(room.folder / "library.db") as library:
            tasks = library.execute("SELECT id FROM server_tasks")
            keys = library.execute("SELECT key FROM server_once WHERE answer != ''")
        seen.append((len(tasks), len(keys)))

    start = TaskQueue.start

    def watched(queue: TaskQueue, *given: Any, **named: Any) -> Task:
        task = start(queue, *given, **named)
        look()
        return task

    monkeypatch.setattr(TaskQueue, "start", watched)
    monkeypatch.setattr(room.app.state.server.workers, "wake", look)
    room.settle(send(room).json()["id"])
    assert seen == [(0, 0), (1, 1)]


def test_leases_are_renewed_without_opening_a_lane(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(work: TaskContext) -> dict[str, int]:
        for done in range(4):
            time.sleep(0.1)
            work.report_progress(done, 9, 0, "")
        return {}

    monkeypatch.setattr(runner, "_LEASE", 0.2)
    monkeypatch.setattr(health, "run", check)
    pool = room.app.state.server.connection_pool
    with pool.library() as library:
        task = TaskQueue(library).start(health.KIND, health.LANE, "Mill", {}, by="Ada")
    room.settle(task.id)
    until = time.monotonic() + 60
    with pool.library() as library:
        while JobTable(library).list(unfinished=True):
            assert time.monotonic() < until
            time.sleep(0.05)


def test_no_words_are_left_of_a_question_that_is_ended(room: Room) -> None:
    with room.app.state.server.connection_pool.library() as library:
        tasks = TaskQueue(library)
        task = tasks.start("ask", "by hand", "Mill", {}, by="Ada")
        ProgressSteps(library, task.id).add(ProgressStep("found", says=("The Tenant may end it.",)))
        tasks.cancel(task.id, by="Ada")
        assert ProgressSteps(library, task.id).all() == []
        assert JobTable(library).list(unfinished=True) == []
