"""The audit page reads the trail from its end, a part at a time, and leads on to the rest."""

from __future__ import annotations

import re

import pytest

from fourcorners.library.database import SQLiteValue
from fourcorners.library.store import Library
from fourcorners.server.pages import audit
from fourcorners.server.store import audit_trail as trail
from tests.server.conftest import Room


def numbers(page: str) -> list[int]:
    return [int(each) for each in re.findall(r'data-label="No."[^>]*>(?:<[^>]+>)*(\d+)', page)]


def earlier(page: str) -> str:
    found = re.search(r'href="([^"]+)" rel="next"', page)
    return found[1].replace("&amp;", "&") if found else ""


def fill(room: Room, count: int = 250) -> None:
    with room.app.state.server.connection_pool.library() as library:
        for number in range(count):
            by = "Cleo" if number < 3 else "Ada"
            library.record("search" if number % 2 else "read", {"hits": number, "by": by})


def test_the_last_entries_come_first_and_lead_on_to_all(room: Room) -> None:
    fill(room)
    address, seen = "/activity/audit", list[int]()
    while address:
        page = room.client.get(address).text
        seen += numbers(page)
        address = earlier(page)
    assert seen == list(range(250, 0, -1))


def test_a_kind_is_read_alone(room: Room) -> None:
    fill(room)
    page = room.client.get("/activity/audit?event=search").text
    assert numbers(page) == list(range(250, 50, -2))
    assert '<option value="read"' in page


def test_a_name_is_looked_for_a_part_at_a_time(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(room)
    monkeypatch.setattr(audit, "_MAX_SEARCHED", 200)
    page = room.client.get("/activity/audit?by=cleo").text
    assert numbers(page) == []
    page = room.client.get(earlier(page)).text
    assert numbers(page) == [3, 2, 1]
    assert not earlier(page)


def test_no_question_to_the_trail_reads_all_of_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(room, 3)
    asked: list[tuple[str, tuple[SQLiteValue, ...]]] = []
    execute = Library.execute

    def told(library: Library, statement: str, values: tuple[SQLiteValue, ...] = ()) -> object:
        if " FROM audit" in statement and not statement.startswith("EXPLAIN"):
            asked.append((statement, tuple(values)))
        return execute(library, statement, values)

    monkeypatch.setattr(Library, "execute", told)
    for address in (
        "/activity/audit?event=read&by=a",
        "/activity/audit",
        "/activity/audit?since=2020-01-01&until=2020-02-01",
        "/api/v1/audit",
    ):
        assert room.client.get(address).status_code == 200
    monkeypatch.undo()
    assert len(asked) >= 5
    with room.app.state.server.connection_pool.library() as library:
        assert trail.event_kinds(library) == ["read", "search"]
        for statement, values in asked:
            plan = library.execute(f"EXPLAIN QUERY PLAN {statement}", values)
            steps = [str(row[3]) for row in plan]
            whole = [step for step in steps if re.fullmatch(r"SCAN audit( .*)?", step)]
            assert whole == [], steps
