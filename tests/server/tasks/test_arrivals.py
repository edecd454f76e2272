"""Contracts that arrive during or after a review are reviewed; who may not review starts none."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.operations.principal import Role
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import run as reviewing
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.tasks import arrivals
from fourcorners.server.tasks.handlers import TaskContext, review
from fourcorners.server.tasks.queue import Task, TaskQueue, TaskState
from tests.server.conftest import LEASE, SUPPLY, Room

BOOK = load_playbook("nda-review")


def reviews(room: Room) -> list[Task]:
    with room.app.state.server.connection_pool.library() as library:
        return list(TaskQueue(library).of_kind("review"))


def settled(room: Room) -> list[Task]:
    until = time.monotonic() + 90
    while not all(each.state.is_final for each in reviews(room)):
        assert time.monotonic() < until, reviews(room)
        time.sleep(0.05)
    return reviews(room)


def start(room: Room) -> None:
    sent = {"collection": "Mill", "playbook": BOOK.id}
    assert room.client.post("/api/v1/reviews", json=sent).status_code == 202


def reviewed(room: Room) -> set[str]:
    with room.app.state.server.connection_pool.library() as library:
        rows = library.execute("SELECT DISTINCT document FROM review_findings")
        return {library.entry(str(document)).name for (document,) in rows}


def test_what_is_added_after_a_review_is_reviewed(room: Room) -> None:
    room.add({"lease.txt": LEASE})
    assert settled(room) == []
    start(room)
    settled(room)
    room.add({"supply.txt": SUPPLY})
    latest, first = settled(room)
    assert reviewed(room) == {"lease.txt", "supply.txt"}
    assert (latest.asked_by, latest.spec) == (first.asked_by, first.spec)
    assert latest.state is TaskState.DONE


def test_a_review_goes_on_with_what_is_added_while_it_runs(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})
    scopes: list[reviewing.ReviewScope] = []
    real = reviewing.fill_review

    def fill_and_add(
        library: Library, playbook: Playbook, scope: reviewing.ReviewScope, **rest: Any
    ) -> object:
        filled = real(library, playbook, scope, **rest)
        if not scopes:
            room.put({"supply.txt": SUPPLY})
        scopes.append(scope)
        return filled

    monkeypatch.setattr(reviewing, "fill_review", fill_and_add)
    state = room.app.state.server
    state.workers.stop()
    start(room)
    (task,) = reviews(room)
    with state.connection_pool.library() as library:
        work = TaskContext(task, library, state.settings, state.engines, lambda *_: None)
        scope = reviewing.ReviewScope(collection="Mill", again=True)
        filled = review.fill(work, BOOK, scope)
    assert len(filled.documents) == 2
    assert reviewed(room) == {"lease.txt", "supply.txt"}
    assert [each.again for each in scopes] == [True, False]


def test_a_review_waits_for_another_process_that_is_at_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})
    monkeypatch.setattr(review, "_LOOK", 0.01)
    state = room.app.state.server
    state.workers.stop()
    start(room)
    (task,) = reviews(room)
    reports: list[int] = []
    with state.connection_pool.library() as library:
        jobs = JobTable(library)
        job = jobs.start("review", {"playbook": BOOK.id, "hash": BOOK.hash, "collection": "Mill"})
        jobs.add_steps(job, library.document_ids("Mill"))
        jobs.claim(job, "elsewhere/1/0", 60.0, 1)

        def report(*_: object) -> None:
            reports.append(len(reports))
            if len(reports) == 4:
                jobs.release(job, "elsewhere/1/0")

        work = TaskContext(task, library, state.settings, state.engines, report)
        filled = review.fill(work, BOOK, reviewing.ReviewScope(collection="Mill"))
    assert [each.name for each in filled.documents] == ["lease.txt"]
    assert len(reports) >= 4


def test_only_a_review_that_waits_will_see_what_was_added(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    room.app.state.server.workers.stop()
    start(room)
    with room.app.state.server.connection_pool.library() as library:
        arrivals.start_reviews(library, "mill")
        assert len(reviews(room)) == 1
        (waiting,) = reviews(room)
        TaskQueue(library).set_state(waiting.id, TaskState.RUNNING)  # it may have looked already
        library.execute("UPDATE documents SET added = '2999-01-01T00:00:00+00:00'")
        library.note_change()
        arrivals.start_reviews(library, "mill")
        arrivals.start_reviews(library, "mill")
    assert len(reviews(room)) == 2


def test_nothing_is_reviewed_that_was_stopped_or_switched_off(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    start(room)
    settled(room)
    page = room.client.get("/c/Mill").text
    assert "new contracts are reviewed as they arrive" in page
    off = {"csrf": room.token(), "c": "Mill", "p": BOOK.id, "wanted": "false"}
    assert room.client.post("/collections/arrivals", data=off).status_code == 303
    assert "new contracts are not reviewed automatically" in room.client.get("/c/Mill").text
    room.add({"supply.txt": SUPPLY})
    assert len(settled(room)) == 1
    on = {"playbook": BOOK.id, "review": True}
    assert room.client.put("/api/v1/collections/Mill/arrivals", json=on).status_code == 204
    with room.app.state.server.connection_pool.library() as library:
        library.execute("UPDATE server_tasks SET state = 'cancelled' WHERE kind = 'review'")
        arrivals.start_reviews(library, "Mill")
    assert len(settled(room)) == 1


@pytest.mark.parametrize(("role", "count"), [(Role.REVIEWER, 2), (Role.READER, 1), (None, 1)])
def test_a_review_is_started_for_who_may_still_review(
    make_room: Callable[..., Room], role: Role | None, count: int
) -> None:
    room = make_room(team=True)
    room.app.state.server.workers.stop()
    room.put({"lease.txt": LEASE})
    with room.app.state.server.connection_pool.library() as library:
        Accounts(library).add_without_password("ada", by="test")
        Accounts(library).grant("ada", role, "Mill", by="test")
        tasks = TaskQueue(library)
        spec = {"playbook": BOOK.id, "again": False}
        made = tasks.start("review", "thinking", "Mill", spec, by="ada")
        tasks.set_state(made.id, TaskState.DONE)
        library.execute("UPDATE server_tasks SET created = '2020-01-01T00:00:00+00:00'")
        arrivals.start_reviews(library, "Mill")
        assert len(tasks.of_kind("review")) == count
