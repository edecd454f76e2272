"""Webhooks: what is told when a task has ended, to whom, and until when."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from fourcorners.errors import CallError
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.store import webhooks
from fourcorners.server.tasks.deliveries import DELAYS, WebhookSender
from fourcorners.server.tasks.queue import TaskQueue, TaskState
from fourcorners.source_settings import WebhookSettings
from tests.server.conftest import LEASE, Room

BASE = "/api/v1/webhooks"
HOSTS = ("hooks.firm.test", "127.0.0.1:9")
URL = "https://hooks.firm.test/x"


class Receiver:
    """What answers, with the messages that came."""

    def __init__(self, *answers: int) -> None:
        self.got: list[tuple[str, bytes, dict[str, str]]] = []
        self._answers = list(answers)

    def __call__(self, url: str, body: bytes, headers: dict[str, str]) -> object:
        self.got.append((url, body, headers))
        status = self._answers.pop(0) if self._answers else 200
        if status != 200:
            error = CallError("refused: the words of the receiver")
            error.status = status
            raise error
        return b""


@pytest.fixture
def room(make_room: Callable[..., Room]) -> Room:
    made = make_room(webhooks=WebhookSettings(hosts=HOSTS))
    made.app.state.server.workers.stop()
    made.put({"secret name.txt": LEASE}, "Project Secret")
    return made


def end_task(room: Room, collection: str = "Project Secret") -> str:
    with room.app.state.server.connection_pool.library() as library:
        tasks = TaskQueue(library)
        task = tasks.start("review", "thinking", collection, {"playbook": "x"}, by="Ada")
        tasks.set_state(task.id, TaskState.DONE, result={"cells": 3})
    return task.id


def sender(room: Room, receiver: Receiver) -> WebhookSender:
    return WebhookSender(room.app.state.server.connection_pool, HOSTS, post=receiver)


def made_due(room: Room) -> None:
    with room.app.state.server.connection_pool.library() as library:
        library.execute("UPDATE server_deliveries SET due = 0 WHERE state = 'waiting'")


def test_the_end_of_a_task_is_told_signed_and_without_words(room: Room) -> None:
    made = room.client.post(BASE, json={"url": URL, "collection": "Project Secret"})
    assert made.status_code == 201
    hook = made.json()
    assert made.headers["location"] == f"{BASE}/{hook['id']}"
    assert "secret" not in room.client.get(f"{BASE}/{hook['id']}").json()
    task, receiver = end_task(room), Receiver()
    end_task(room, "Another")
    sender(room, receiver).run_round()
    sender(room, receiver).run_round()
    ((url, body, headers),) = receiver.got
    assert url == URL
    told = json.loads(body)
    assert told["type"] == "task.done"
    href = f"/api/v1/tasks/{task}"
    assert told["data"] == {"task": task, "kind": "review", "state": "done", "href": href}
    assert b"ecret" not in body
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    key = base64.b64decode(hook["secret"].removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    (delivery,) = room.client.get(f"{BASE}/{hook['id']}/deliveries").json()["items"]
    assert (delivery["task"], delivery["state"], delivery["attempts"]) == (task, "delivered", 1)
    assert room.client.delete(f"{BASE}/{hook['id']}").status_code == 204
    assert room.client.get(BASE).json() == []


def test_the_secret_is_answered_once_to_a_request_that_is_sent_again(room: Room) -> None:
    first, again = (
        room.client.post(BASE, json={"url": URL}, headers={"Idempotency-Key": "k"})
        for _ in range(2)
    )
    assert first.json()["secret"]
    assert again.json() == first.json() | {"secret": ""}
    assert again.headers["location"] == first.headers["location"]


def test_a_message_is_sent_again_and_given_up_in_the_end(room: Room) -> None:
    hook = room.client.post(BASE, json={"url": URL}).json()
    end_task(room)
    receiver = Receiver(*[503] * (len(DELAYS) + 1))
    for _ in range(len(DELAYS) + 2):
        sender(room, receiver).run_round()
        sender(room, receiver).run_round()  # not before it is due
        made_due(room)
    (delivery,) = room.client.get(f"{BASE}/{hook['id']}/deliveries").json()["items"]
    assert (delivery["state"], delivery["attempts"]) == ("failed", len(DELAYS) + 1)
    assert delivery["reason"] == "it answered 503"
    assert len({headers["webhook-id"] for _, _, headers in receiver.got}) == 1
    end_task(room)
    once = Receiver(500)
    for _ in range(3):
        sender(room, once).run_round()
        made_due(room)
    assert [status["state"] for status in deliveries(room, hook)] == ["delivered", "failed"]


def deliveries(room: Room, hook: dict[str, Any]) -> list[dict[str, Any]]:
    held = room.client.get(f"{BASE}/{hook['id']}/deliveries").json()["items"]
    return list(held)


def test_nothing_is_sent_where_the_operator_named_no_host(room: Room) -> None:
    wrong = (
        "https://evil.test/", "http://hooks.firm.test/", "https://hooks.firm.test:8443/",
        "https://hooks.firm.test@evil.test/", "ftp://hooks.firm.test/", "https://127.0.0.1/",
    )  # fmt: skip
    for url in wrong:
        assert room.client.post(BASE, json={"url": url}).status_code == 400, url
    assert room.client.post(BASE, json={"url": "http://127.0.0.1:9/"}).status_code == 201
    hook = room.client.post(BASE, json={"url": URL}).json()
    end_task(room)
    receiver, pool = Receiver(), room.app.state.server.connection_pool
    WebhookSender(
        pool, ("127.0.0.1:9",), post=receiver
    ).run_round()  # the operator changed their mind
    assert [url for url, _, _ in receiver.got] == ["http://127.0.0.1:9/"]
    (delivery,) = deliveries(room, hook)
    assert delivery["state"] == "failed"
    assert "may not be sent" in delivery["reason"]


def test_who_may_not_read_any_more_is_told_nothing(make_room: Callable[..., Room]) -> None:
    room, receiver = make_room(team=True, webhooks=WebhookSettings(hosts=HOSTS)), Receiver()
    room.app.state.server.workers.stop()
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        accounts.add("ada", "a short sentence is good", by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        webhooks.add_webhook(library, URL, "", by="ada", local=False)
    end_task(room)
    sender(room, receiver).run_round()
    assert len(receiver.got) == 1
    for change in ("disabled", "role"):
        with room.app.state.server.connection_pool.library() as library:
            Accounts(library).set_disabled("ada", change == "disabled", by="test")
            role = None if change == "role" else Role.ADMIN
            Accounts(library).grant("ada", role, ALL_COLLECTIONS, by="test")
        end_task(room)
        sender(room, receiver).run_round()
        assert len(receiver.got) == 1
