"""Answers over REST, and the walls between collections around them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from fourcorners.operations import answers
from fourcorners.operations.answers import AnswerOrigin
from fourcorners.operations.principal import Role, Scope
from fourcorners.research import store
from fourcorners.research.answer import Answer, PreliminaryAnswer, Provenance, Source, Verdict
from fourcorners.server.api.tasks import _progress
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.context import RequestContext, principal_of
from fourcorners.server.event_stream import _watch_task
from fourcorners.server.tasks.queue import TaskQueue
from tests.server.conftest import LEASE, SUPPLY, Room

API = "/api/v1"
QUESTION = "On what notice may the Tenant end this lease?"
_PASSWORD = "a short sentence is good"  # noqa: S105 - of a test


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """A team's server: Ada administers, Bram reads Mill, Cleo reads Grain."""
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name, role, where in (
            ("ada", Role.ADMIN, ALL_COLLECTIONS),
            ("bram", Role.READER, "Mill"),
            ("cleo", Role.READER, "Grain"),
        ):
            accounts.add(name, _PASSWORD, by="test")
            accounts.grant(name, role, where, by="test")
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY}, "Grain")
    return room


def bearer(room: Room, name: str) -> dict[str, str]:
    with room.app.state.server.connection_pool.library() as library:
        secret = ApiTokens(library).add(name, [Scope.READ], "test", 1, by="test")
    return {"Authorization": f"Bearer {secret}"}


def answered(room: Room, headers: dict[str, str], **asked: Any) -> tuple[str, str]:
    """Ask, wait, and return the ids of the task and of the answer."""
    sent = room.client.post(
        f"{API}/answers", json={"question": QUESTION, "collection": "Mill", **asked},
        headers=headers,
    )  # fmt: skip
    assert sent.status_code == 202, sent.text
    task = sent.json()["id"]
    until = time.monotonic() + 90
    while True:
        seen = room.client.get(f"{API}/tasks/{task}", headers=headers).json()
        if seen["state"] == "done":
            return task, seen["result"]["answer"]
        assert seen["state"] in ("waiting", "running"), seen
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_question_and_its_report(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    key = {"Idempotency-Key": "once"}
    task, answer = answered(room, key)
    assert answered(room, key) == (task, answer)
    report = room.client.get(f"{API}/answers/{answer}").json()
    quote = report["answer"][0]["quotes"][0]
    span = quote["span"]
    text = room.client.get(f"{API}/documents/{quote['document']}/text").json()["text"]
    assert text[span["start"] : span["end"]] == quote["words"]
    assert report["verified"] >= 1
    assert report["external"] == []
    stream = room.client.get(f"{API}/tasks/{task}/steps").text
    assert json.loads(stream.split("event: end\ndata: ")[1]) == {"state": "done", "answer": answer}
    listed = room.client.get(f"{API}/answers", params={"collection": "Mill"}).json()["items"]
    assert [each["id"] for each in listed] == [answer]


@pytest.mark.parametrize("how", ["role", "account", "token"])
def test_a_stream_ends_with_the_right_to_see_it(team: Room, how: str) -> None:
    headers = bearer(team, "bram")
    sent = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def wait_for_ever() -> Message:
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "GET", "path": "/", "headers": sent, "query_string": b""}
    request = Request({**scope, "app": team.app}, wait_for_ever)
    context = RequestContext(request, principal_of(request))
    pool = team.app.state.server.connection_pool
    with pool.library() as library:
        task = TaskQueue(library).start("export", "nobody", "Mill", {}, by="ada")

    async def watch() -> list[str]:
        stream = _watch_task(context, task.id, "task", _progress, lambda _: "")
        first = await anext(stream)
        with pool.library() as library:
            accounts, tokens = Accounts(library), ApiTokens(library)
            if how == "role":
                accounts.grant("bram", None, "Mill", by="ada")
            elif how == "account":
                accounts.set_disabled("bram", True, by="ada")
            else:
                tokens.revoke("bram", tokens.list("bram")[0].id, by="ada")
            TaskQueue(library).cancel(task.id, by="ada")
        return [first, *[each async for each in stream]]

    assert len(asyncio.run(watch())) == 1


def test_lists_come_in_parts_the_newest_first(room: Room) -> None:
    with room.app.state.server.connection_pool.library() as library:
        made = [
            answers.save_answer(
                library, _answer(f"q{n}", f"2026-01-0{1 + n // 2}"), f"t{n}", AnswerOrigin()
            )
            for n in range(5)
        ]
    seen: list[str] = []
    cursor = ""
    while True:
        got = room.client.get(f"{API}/answers", params={"limit": 2, "cursor": cursor}).json()
        seen += [each["id"] for each in got["items"]]
        cursor = got["next"]
        if not cursor:
            break
    assert sorted(seen) == sorted(made)
    assert room.client.get(f"{API}/answers", params={"cursor": "x"}).status_code == 400


def test_what_an_answer_read_decides_who_sees_it(team: Room) -> None:
    bram, cleo, ada = (bearer(team, name) for name in ("bram", "cleo", "ada"))
    task, answer = answered(team, bram)
    assert team.client.get(f"{API}/answers/{answer}", headers=ada).status_code == 200
    for address in (f"/answers/{answer}", f"/tasks/{task}", f"/tasks/{task}/steps"):
        assert team.client.get(API + address, headers=cleo).status_code == 404
    for address in (f"/ask/{answer}", f"/ask/{answer}/report.md", f"/ask/at/{task}"):
        assert team.client.get(address, headers=cleo).status_code == 404
    assert team.client.get(f"{API}/answers", headers=cleo).json()["items"] == []
    confined = team.client.post(f"{API}/answers", json={"question": QUESTION}, headers=bram)
    assert confined.json()["collection"] == "Mill"
    grain = {"question": QUESTION, "collection": "Grain"}
    nowhere = {"question": QUESTION, "collection": "Nowhere"}
    assert team.client.post(f"{API}/answers", json=grain, headers=bram).status_code == 404
    assert team.client.post(f"{API}/answers", json=nowhere, headers=bram).status_code == 404
    supply = {"question": QUESTION, "document": team.document("supply")}
    assert team.client.post(f"{API}/answers", json=supply, headers=bram).status_code == 404


def test_an_answer_of_the_command_is_for_who_reads_everything(team: Room) -> None:
    bram, ada = bearer(team, "bram"), bearer(team, "ada")
    lease = team.document("lease")
    with team.app.state.server.connection_pool.library() as library:
        path = "/srv/secret/lease.txt"
        told = _answer("q", "2026-01-02", Source(lease, "lease.txt", path))
        by_command = store.save_answer(library, told)
        mixed = _answer("p", "2026-01-02", Source(team.document("supply"), "supply.txt"))
        in_mill = answers.save_answer(library, mixed, "t", AnswerOrigin("Mill", "ada"))
    for identity in (by_command, in_mill):
        assert team.client.get(f"{API}/answers/{identity}", headers=bram).status_code == 404
        assert team.client.get(f"{API}/answers/{identity}", headers=ada).status_code == 200
    report = team.client.get(f"/ask/{by_command}/report.md", headers=ada).text
    assert "lease.txt" in report
    assert "secret" not in report


def test_an_answer_goes_with_its_contract(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    _, answer = answered(room, {})
    lease = room.document("lease")
    room.client.delete(f"{API}/documents/{lease}", params={"collection": "Mill"})
    assert room.client.get(f"{API}/answers/{answer}").status_code == 404
    with room.app.state.server.connection_pool.library() as library:
        assert library.execute("SELECT count(*) FROM server_answers") == [(0,)]


def _answer(question: str, day: str, *sources: Source) -> Answer:
    return Answer(
        asked=question,
        question=question,
        made=Provenance("a model", "engine", f"{day}T03:04:05+00:00"),
        title=question,
        answer=PreliminaryAnswer(Verdict.UNSURE),
        sources=sources,
    )
