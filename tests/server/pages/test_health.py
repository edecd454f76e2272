"""The check of papers: a task, its page by class, its REST, and the walls around it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from fourcorners.review import health as checks
from fourcorners.review.health import SymptomKind
from fourcorners.server.store import health_checks as papers
from fourcorners.server.store.health_checks import ProblemClass
from tests.server.conftest import LEASE, Room

BLANK = f"""{LEASE}
3. Payment. The Tenant pays the sums of Schedule 4 and of Exhibit B on the first of each month, and
the interest on whatever it pays late, from the day it was due until the day it was paid, at four
per cent a year, counted by the day.

IN WITNESS WHEREOF the parties have signed.

By: ____________________
"""


def checked(room: Room, collection: str = "Mill", **more: str) -> dict[str, Any]:
    """Have papers checked, and return what was found."""
    asked = {"collection": collection, **more}
    answer = room.client.post("/api/v1/health", json=asked)
    assert answer.status_code == 202, answer.text
    until = time.monotonic() + 60
    while not (task := room.client.get(f"/api/v1/tasks/{answer.json()['id']}").json())["finished"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert task["state"] == "done", task
    found: dict[str, Any] = room.client.get(f"/api/v1/health?collection={collection}").json()
    assert len(found["symptoms"]) == task["result"]["symptoms"]
    return found


def test_every_concern_is_of_a_class() -> None:
    assert {papers.CLASS_OF[each] for each in SymptomKind} == set(ProblemClass)


def test_a_check_from_the_page_tells_by_class(room: Room) -> None:
    room.put({"lease.txt": BLANK, "copy.txt": BLANK.replace("first of each", "last of each")})
    assert "Check the documents" in room.client.get("/").text
    before = room.client.get("/health?c=Mill").text
    assert '<button class="button main">Check the documents' in before
    answer = room.client.post("/health", data={"c": "Mill", "csrf": room.token()})
    assert answer.headers["location"] == "/health?c=Mill"
    until = time.monotonic() + 60
    while "hx-trigger" in (page := room.client.get("/health?c=Mill").text):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert "Duplicates and versions" in page
    assert "Missing exhibits and contracts" in page
    assert "Unsigned" in page
    assert page.index("Duplicates and versions") < page.index("Missing exhibits and contracts")
    for name in ("lease", "copy"):
        assert f'href="/d/{room.document(name)}' in page
    assert "Document check: " in room.client.get("/").text
    assert "Document check of" in room.client.get("/activity").text


def test_what_is_found_has_its_words_and_place(room: Room) -> None:
    room.put({"lease.txt": BLANK})
    found = checked(room, as_of="2031-01-01")
    assert found["as_of"] == "2031-01-01"
    assert found["classes"]["unsigned"] == 1
    (blank,) = [each for each in found["symptoms"] if each["concern"] == "unsigned"]
    lease = room.document("lease")
    assert blank["document"] == lease
    text = room.client.get(f"/api/v1/documents/{lease}/text").json()["text"]
    assert text[blank["span"]["start"] : blank["span"]["end"]] == blank["words"]
    assert blank["words"].startswith("By: ___")
    assert "<mark" in room.client.get(blank["href"]).text
    missing = [each["message"] for each in found["symptoms"] if each["class"] == "missing"]
    assert any("Exhibit B" in each for each in missing)


def test_it_tells_when_files_came_since_and_what_is_gone_is_not_told(room: Room) -> None:
    room.put({"lease.txt": BLANK})
    assert checked(room)["stale"] is False
    room.put({"other.txt": LEASE})
    assert room.client.get("/api/v1/health?collection=Mill").json()["stale"] is True
    assert "Files have been added or removed since" in room.client.get("/health?c=Mill").text
    data = {"document": room.document("lease"), "collection": "Mill", "csrf": room.token()}
    room.client.post("/remove", data=data)
    later = room.client.get("/api/v1/health?collection=Mill").json()
    assert later["symptoms"] == []


def test_it_is_kept_over_a_restart_and_begun_once(
    make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, calls = checks.check_documents, 0

    def slow(*given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        while calls == 1:
            named["on_document"](0, 1)  # parks when the server stops
            time.sleep(0.05)
        return whole(*given, **named)

    monkeypatch.setattr(checks, "check_documents", slow)
    room = make_room()
    room.put({"lease.txt": BLANK})
    first = room.client.post("/api/v1/health", json={"collection": "Mill"}).json()
    again = room.client.post("/api/v1/health", json={"collection": "mill"}).json()
    assert again["id"] == first["id"]
    assert room.client.get("/api/v1/health?collection=Mill").status_code == 404
    until = time.monotonic() + 90
    while not calls:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert ">Stop</button>" in room.client.get("/health?c=Mill").text
    room.client.__exit__(None, None, None)
    later = make_room()
    until = time.monotonic() + 60
    while later.client.get("/api/v1/health?collection=Mill").status_code == 404:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert calls == 2
    task = later.client.get(f"/api/v1/tasks/{first['id']}").json()
    assert task["state"] in ("running", "done")


def test_what_is_no_day_or_no_collection_is_refused(room: Room) -> None:
    room.put({"lease.txt": LEASE})

    def status(**asked: str) -> int:
        return int(room.client.post("/api/v1/health", json=asked).status_code)

    assert status(collection="Nowhere") == 404
    assert status(collection="Mill", as_of="2026-02-30") == 422
    assert status(collection="Mill", as_of="0001-01-01") == 400
    assert status(collection="Mill", as_of="today") == 422
    assert room.client.get("/health?c=Nowhere").status_code == 404
    data = {"c": "Nowhere", "csrf": room.token()}
    assert room.client.post("/health", data=data).status_code == 404
