"""Collections renamed, deleted and administered by their own admins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from fourcorners.operations.principal import Role, Scope
from fourcorners.playbooks.load import load_playbook
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, fill

BASE = "/api/v1"
PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
BOOK = load_playbook("due-diligence")
FIRST = BOOK.provisions[0].id


class Asker:
    """Someone with a token for all that they may do."""

    def __init__(self, room: Room, name: str) -> None:
        self._room = room
        with room.app.state.server.connection_pool.library() as library:
            secret = ApiTokens(library).add(name, [Scope.ADMIN], "test", 1, by="test")
        self._headers = {"Authorization": f"Bearer {secret}"}

    def __call__(self, method: str, path: str, status: int, **body: Any) -> Any:
        answer = self._room.client.request(
            method, f"{BASE}{path}", headers=self._headers, json=body or None
        )
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None


@pytest.fixture
def people(make_room: Callable[..., Room]) -> tuple[Room, Asker, Asker, Asker]:
    """Ada administers the library, Bram the mill, and Cleo has no role."""
    room = make_room(team=True)
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY}, "Grain")
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram", "cleo"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("bram", Role.ADMIN, "Mill", by="test")
        fill(library, BOOK, [absent(library.resolve("lease").id, FIRST)])
    return room, Asker(room, "ada"), Asker(room, "bram"), Asker(room, "cleo")


def test_an_admin_of_a_collection_lets_others_in(people: tuple[Room, Asker, Asker, Asker]) -> None:
    _, ada, bram, cleo = people
    members = "/collections/Mill/members"
    cleo("GET", members, 404)
    bram("PUT", f"{members}/cleo", 200, role="reader")
    assert cleo("GET", "/collections", 200)[0]["name"] == "Mill"
    cleo("GET", members, 403)
    cleo("PUT", f"{members}/cleo", 403, role="admin")
    listed = bram("GET", members, 200)
    assert [(each["user"], each["role"]) for each in listed] == [
        ("bram", "admin"),
        ("cleo", "reader"),
    ]
    bram("GET", "/collections/Grain/members", 404)
    bram("DELETE", "/collections/Grain/members/cleo", 404)
    bram("PUT", "/collections/Grain/members/cleo", 404, role="reader")
    assert bram("PUT", f"{members}/nobody", 400, role="reader")["code"] == "config_error"
    bram("GET", "/users", 403)
    bram("DELETE", f"{members}/cleo", 204)
    assert cleo("GET", "/collections", 200) == []

    ours = bram("GET", "/audit?collection=Mill&limit=1000", 200)["items"]
    assert {"add", "role"} <= {each["event"] for each in ours}
    assert "Grain" not in str(ours)
    bram("GET", "/audit", 403)
    bram("GET", "/audit?collection=Grain", 404)
    assert len(ada("GET", "/audit?limit=1000", 200)["items"]) > len(ours)


def test_a_renamed_collection_keeps_all_it_has(people: tuple[Room, Asker, Asker, Asker]) -> None:
    room, ada, bram, cleo = people
    bram("PUT", "/collections/Mill/members/cleo", 200, role="reader")
    (before,) = cleo("GET", "/documents?collection=Mill", 200)["items"]
    bram("PATCH", "/collections/Mill", 404, name="Watermill")  # a name that is not theirs
    bram("PATCH", "/collections/Mill", 404, name="Grain")
    assert ada("PATCH", "/collections/Mill", 409, name="grain")["code"] == "conflict"
    assert ada("PATCH", "/collections/Mill", 200, name=" Old  mill ")["name"] == "Old mill"
    cleo("GET", "/documents?collection=Mill", 404)
    (after,) = cleo("GET", "/documents?collection=old%20mill", 200)["items"]
    assert after == {**before, "collection": "Old mill"}
    found = cleo("GET", "/findings?collection=Old%20mill", 200)["items"]
    assert [each["provision"] for each in found] == [FIRST]
    hits = cleo("GET", "/search?q=tenant&collection=Old%20mill", 200)["items"]
    assert {each["document"] for each in hits} == {before["id"]}
    bram("PATCH", "/collections/Old%20mill", 200, name="OLD MILL")

    room.put({"lease.txt": LEASE}, "Mill")  # the free name, and the same bytes
    (other,) = ada("GET", "/documents?collection=Mill", 200)["items"]
    assert other["id"] != before["id"]
    assert ada("GET", "/findings?collection=Mill", 200)["items"] == []
    cleo("GET", "/documents?collection=Mill", 404)


def test_a_deleted_collection_is_gone(people: tuple[Room, Asker, Asker, Asker]) -> None:
    room, ada, bram, cleo = people
    bram("PUT", "/collections/Mill/members/cleo", 200, role="editor")
    room.app.state.server.workers.stop()
    column = {"collection": "Mill", "question": "Who is the landlord?"}
    task = bram("POST", "/columns", 202, **column)["task"]["id"]
    cleo("DELETE", "/collections/Mill", 403)
    assert bram("DELETE", "/collections/Mill", 409)["code"] == "conflict"  # work goes on
    bram("POST", f"/tasks/{task}/cancel", 200)
    bram("DELETE", "/collections/Mill", 204)
    for person in (bram, cleo):
        person("GET", "/documents?collection=Mill", 404)
        assert person("GET", "/collections", 200) == []
    assert [each["name"] for each in ada("GET", "/collections", 200)] == ["Grain"]
    assert ada("GET", "/tasks", 200)["items"] == []
    room.put({"lease.txt": LEASE}, "Mill")
    bram("GET", "/documents?collection=Mill", 404)  # roles of the old one are not of the new
    assert ada("GET", "/findings?collection=Mill", 200)["items"] == []
    assert ada("GET", "/columns?collection=Mill", 200) == []
    with room.app.state.server.connection_pool.library() as library:
        assert library.check() == []


def test_settings_and_visits_go_with_a_collection(
    people: tuple[Room, Asker, Asker, Asker],
) -> None:
    room, ada, _, _ = people
    tables = ("server_arrivals", "server_visits")
    library_of = room.app.state.server.connection_pool.library

    def folds(table: str) -> list[str]:
        with library_of() as library:
            rows = library.execute(f"SELECT fold FROM {table} ORDER BY fold")  # noqa: S608
            return [str(fold) for (fold,) in rows]

    with library_of() as library:
        for fold in ("mill", "works"):  # the latter from a collection that was there once
            library.execute("INSERT INTO server_arrivals VALUES (?, 'nda-review')", (fold,))
            library.execute("INSERT INTO server_visits VALUES ('bram', ?, 1)", (fold,))
    ada("PATCH", "/collections/Mill", 200, name="Works")
    assert [folds(table) for table in tables] == [["works"], ["works"]]
    ada("DELETE", "/collections/Works", 204)
    assert [folds(table) for table in tables] == [[], []]


def test_a_key_answers_nothing_again_once_the_role_is_gone(
    people: tuple[Room, Asker, Asker, Asker],
) -> None:
    room, ada, bram, _ = people
    (lease,) = bram("GET", "/documents?collection=Mill", 200)["items"]
    body = {"document": lease["id"], "provision": FIRST, "state": "second_look", "comment": "Read."}
    headers = {**bram._headers, "Idempotency-Key": "once"}

    def send() -> Any:
        return room.client.post(f"{BASE}/findings/mark", headers=headers, json=body)

    first = send()
    assert first.status_code == 200, first.text
    assert send().json() == first.json()
    ada("PUT", "/collections/Mill/members/bram", 200, role="reader")
    assert send().status_code == 409
    ada("DELETE", "/collections/Mill/members/bram", 204)
    again = send()
    assert again.status_code == 409
    assert "Read." not in again.text


def test_a_name_may_have_slashes_and_its_address_leads_there(
    people: tuple[Room, Asker, Asker, Asker],
) -> None:
    _, ada, _, cleo = people
    name = "Oak / 2026/b"
    ada("POST", "/collections", 201, name=name)
    for sent in (quote(name, safe=""), quote(name)):
        assert ada("GET", f"/collections/{sent}", 200)["name"] == name
        ada("PUT", f"/collections/{sent}/members/cleo", 200, role="reader")
        assert ada("GET", f"/collections/{sent}/members", 200) == [
            {"user": "cleo", "role": "reader"}
        ]
        cleo("GET", f"/collections/{sent}/members", 403)
        ada("DELETE", f"/collections/{sent}/members/cleo", 204)
        cleo("GET", f"/collections/{sent}", 404)
    ada("DELETE", f"/collections/{quote(name)}", 204)


@pytest.mark.parametrize("hidden", ["\x1b", "\u202e", "\u2066", "\u200f"])
def test_names_have_no_hidden_characters(
    people: tuple[Room, Asker, Asker, Asker], hidden: str
) -> None:
    room, ada, _, _ = people
    refused = ada("POST", "/collections", 400, name=f"Oak{hidden}gpj")
    assert f"⟦U+{ord(hidden):04X}⟧" in refused["detail"]
    ada("PATCH", "/collections/Mill", 400, name=f"Mill{hidden}")
    document = room.document("lease")
    ada("PUT", f"/documents/{document}/tags", 400, tags=[f"a{hidden}b"])
    ada("PUT", f"/documents/{document}/tags", 200, tags=["नि\u200dज"])


def test_names_have_no_nul(people: tuple[Room, Asker, Asker, Asker]) -> None:
    room, ada, _, _ = people
    refused = ada("POST", "/collections", 422, name="Oak\0gpj")
    assert refused["errors"][0]["code"] == "nul_character"
    ada("PATCH", "/collections/Mill", 422, name="Mill\0")
    ada("PUT", f"/documents/{room.document('lease')}/tags", 422, tags=["a\0b"])
