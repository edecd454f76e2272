"""Collections made before their first contract, with a client and people who have roles."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from tests.server.conftest import LEASE, Room

PASSWORD = "a short sentence is good"  # noqa: S105 - of a test


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """Ada administers the library, Edith edits all of it, Bram and Cleo have no role yet."""
    room = make_room(team=True)
    room.put({"lease.txt": LEASE}, "Mill")
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "edith", "bram", "cleo"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("edith", Role.EDITOR, ALL_COLLECTIONS, by="test")
        accounts.grant("cleo", Role.ADMIN, "Mill", by="test")
    return room


def enter(room: Room, name: str) -> None:
    room.client.cookies.clear()
    answer = room.client.post("/sign-in", data={"name": name, "password": PASSWORD})
    assert answer.status_code == 303


def post(room: Room, path: str, **fields: Any) -> Any:
    return room.client.post(path, data={"csrf": room.token(), **fields})


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_an_admin_makes_a_deal_with_its_client_and_people(team: Room) -> None:
    enter(team, "ada")
    assert "New collection" in team.client.get("/").text
    made = post(
        team,
        "/collections",
        name="Project  Oak",
        client="Northmere Water Limited; Northmere Holdings plc",
        member=["bram", "", "cleo"],
        role=["editor", "", "reviewer"],
    )
    assert (made.status_code, made.headers["location"]) == (303, "/c/Project%20Oak")
    page = words(team.client.get("/c/Project Oak").text)
    assert "0 documents · acting for Northmere Water Limited; Northmere Holdings plc" in page
    enter(team, "bram")
    answer = team.upload({"lease.txt": LEASE}, "Project Oak")
    assert answer.status_code == 303
    enter(team, "cleo")
    assert "Project Oak" in team.client.get("/").text
    with team.app.state.server.connection_pool.library() as library:
        assert library.read_for("project oak") == (
            "Northmere Water Limited",
            "Northmere Holdings plc",
        )
        events = [each.event for each in library.audit_trail()]
    assert "collection created" in events


def test_a_collection_is_made_once_and_by_who_may(team: Room) -> None:
    for name, status in (("bram", 403), ("cleo", 403), ("edith", 303)):
        enter(team, name)
        assert ("New collection" in team.client.get("/").text) is (name == "edith")
        assert post(team, "/collections", name="Oak").status_code == status
    assert post(team, "/collections", name=" OAK ").status_code == 409
    shown = team.client.get("/").text
    assert "ada" not in shown  # who has an account is for admins
    refused = post(team, "/collections", name="Elm", member="bram", role="editor")
    assert refused.status_code == 403
    assert team.client.get("/c/Elm").status_code == 404


def test_a_name_that_a_role_made_is_free_for_a_new_collection(team: Room) -> None:
    enter(team, "ada")
    given = {"name": "bram", "role": "editor", "collection": "oak"}
    assert post(team, "/people/role", **given).status_code == 303
    made = post(team, "/collections", name="Oak", client="Northmere Water Limited")
    assert (made.status_code, made.headers["location"]) == (303, "/c/Oak")
    page = words(team.client.get("/c/Oak").text)
    assert "0 documents · acting for Northmere Water Limited" in page
    again = post(team, "/collections", name="oak")
    assert again.status_code == 409
    assert "Open it, or choose another name." in words(again.text)
    enter(team, "bram")
    assert team.upload({"lease.txt": LEASE}, "Oak").status_code == 303
    enter(team, "ada")
    given["collection"] = "Mill"
    assert post(team, "/people/role", **given).status_code == 303
    assert post(team, "/collections", name="Mill").status_code == 409  # it has a contract


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"member": "bram", "role": ""}, "Choose a role for bram."),
        ({"member": "bram", "role": "king"}, "role"),
        ({"member": "nobody", "role": "reader"}, "Account 'nobody' not found."),
    ],
)
def test_what_is_wrong_makes_nothing(team: Room, fields: dict[str, str], said: str) -> None:
    enter(team, "ada")
    answer = post(team, "/collections", name="Oak", **fields)
    assert 400 <= answer.status_code < 500
    assert said in words(answer.text)
    assert "fourcorners" not in words(answer.text).replace("· Fourcorners", "").replace("Four", "")
    assert team.client.get("/c/Oak").status_code == 404


def test_no_role_and_no_place_is_chosen_beforehand(team: Room) -> None:
    enter(team, "ada")
    page = team.client.get("/people").text
    for name in ("name", "role"):
        choices = re.findall(rf'<select id="\w[\w-]*" name="{name}" required>(.*?)</select>', page)
        assert len(choices) == 2
        assert all(each.startswith('<option value="">Choose</option>') for each in choices)
    assert "selected" not in page
    assert "including those added later" in words(page)
    who = {"name": "bram", "role": "reader"}
    assert post(team, "/people/role", **who).status_code == 400
    assert post(team, "/people/role", **who, collection="Oak", everywhere="true").status_code == 400
    assert post(team, "/people/role", name="bram", role="", collection="Oak").status_code == 422
    assert post(team, "/people/role", **who, collection="Oak").status_code == 303
    enter(team, "bram")
    assert team.client.get("/c/Oak").status_code == 200
    assert team.client.get("/c/Mill").status_code == 404
    enter(team, "ada")
    assert post(team, "/people/role", **who, everywhere="true").status_code == 303
    enter(team, "bram")
    assert team.client.get("/c/Mill").status_code == 200


def test_programs_make_collections_too(team: Room) -> None:
    team.client.cookies.clear()

    def ask(person: str, status: int, **body: Any) -> Any:
        with team.app.state.server.connection_pool.library() as library:
            secret = ApiTokens(library).add(person, [Scope.ADMIN], "test", 1, by="test")
        headers = {"Authorization": f"Bearer {secret}"}
        answer = team.client.post("/api/v1/collections", json=body, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    members = [{"user": "bram", "role": "editor"}]
    made = ask("ada", 201, name="Oak", read_for=["Northmere"], members=members)
    assert (made["name"], made["documents"], made["read_for"]) == ("Oak", 0, ["Northmere"])
    ask("ada", 409, name="oak")
    ask("ada", 422, name="")
    ask("ada", 400, name="  ")
    ask("cleo", 403, name="Mill")
    ask("cleo", 403, name="Elm")
    ask("edith", 201, name="Elm")
    ask("edith", 403, name="Ash", members=members)
