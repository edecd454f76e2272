"""Who may add contracts where there are none: a new server, an empty collection, failed uploads."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest

from fourcorners.operations.principal import Role, Scope
from fourcorners.playbooks.load import load_playbook
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from tests.server.conftest import LEASE, Room

PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
ASK = "Ask an editor to add some."
PEOPLE = ("reader", "reviewer", "editor", "admin")
EVERYWHERE = tuple(f"{name}-everywhere" for name in PEOPLE)
GRID = f"/reviews/grid?c=Project+Larch&p={load_playbook('due-diligence').id}"


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """A team's server without a contract: each role in Project Larch, each in all, and nobody."""
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in (*PEOPLE, *EVERYWHERE, "nobody"):
            accounts.add(name, PASSWORD, by="test")
        for role in Role:
            accounts.grant(role.title, role, "Project  Larch", by="test")
            accounts.grant(f"{role.title}-everywhere", role, ALL_COLLECTIONS, by="test")
    return room


def enter(room: Room, name: str) -> None:
    room.client.cookies.clear()
    answer = room.client.post("/sign-in", data={"name": name, "password": PASSWORD})
    assert answer.status_code == 303


def has_upload_form(page: str) -> bool:
    return 'action="/upload"' in page


def may_upload(name: str) -> bool:
    return name.startswith(("editor", "admin"))


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def check_pages(room: Room, name: str) -> None:
    """Check the pages of an empty Project Larch as someone sees them."""
    enter(room, name)
    for address in ("/", "/c/Project Larch", "/c/project larch"):
        answer = room.client.get(address)
        assert answer.status_code == 200, (address, name)
        assert "<bdi>Project Larch</bdi>" in answer.text, (address, name)
        assert has_upload_form(answer.text) is may_upload(name), (address, name)
    if name in ("editor", "admin"):  # of the one collection, and of none to come
        assert "Add contracts to Project Larch" in words(room.client.get("/").text)
        assert 'name="collection" value="Project Larch"' in room.client.get("/").text
    page = words(room.client.get("/c/Project Larch").text)
    assert (ASK in page) is not may_upload(name)
    assert ("Add contracts below." in page) is may_upload(name)
    grid = room.client.get(GRID)
    assert grid.status_code == 200
    assert (ASK in words(grid.text)) is not may_upload(name)
    assert ("#add" in grid.text) is may_upload(name)


@pytest.mark.parametrize("name", [*PEOPLE, *EVERYWHERE])
def test_a_collection_that_was_only_given_roles_shows_each_role_what_it_may_do(
    team: Room, name: str
) -> None:
    check_pages(team, name)


@pytest.mark.parametrize("name", [*PEOPLE, *EVERYWHERE])
def test_a_collection_whose_documents_were_all_removed_is_the_same(team: Room, name: str) -> None:
    team.put({"lease.txt": LEASE}, "Project Larch")
    with team.app.state.server.connection_pool.library() as library:
        library.remove(library.resolve("lease").id)
    check_pages(team, name)


@pytest.mark.parametrize("name", [*PEOPLE, *EVERYWHERE])
def test_a_collection_with_failed_uploads_alone_names_them(team: Room, name: str) -> None:
    enter(team, "editor")
    team.add({"torn.pdf": b"%PDF-1.7 and nothing more"}, "Project Larch")
    check_pages(team, name)
    page = words(team.client.get("/c/Project Larch").text)
    assert "1 file could not be read" in page
    assert "1 file not read" in words(team.client.get("/").text)


@pytest.mark.parametrize("name", [*PEOPLE, *EVERYWHERE])
def test_while_the_first_files_are_read_the_page_says_so(team: Room, name: str) -> None:
    team.app.state.server.workers.stop()
    enter(team, "editor")
    sent = team.upload({"lease.txt": LEASE}, "Project Larch", Accept="application/json")
    task = sent.json()["task"]
    enter(team, name)
    page = team.client.get("/c/Project Larch").text
    assert f'href="/tasks/{task}"' in page
    assert "Files are being read." in words(page)
    assert ASK not in words(page)
    assert has_upload_form(page) is may_upload(name)
    assert team.client.get(f"/tasks/{task}").status_code == 200


@pytest.mark.parametrize("name", PEOPLE)
def test_rest_takes_the_first_upload_of_an_editor_and_of_nobody_less(team: Room, name: str) -> None:
    with team.app.state.server.connection_pool.library() as library:
        secret = ApiTokens(library).add(name, [Scope.ADMIN], "test", 1, by="test")
    headers = {"Authorization": f"Bearer {secret}"}
    team.client.cookies.clear()
    listed = team.client.get("/api/v1/collections", headers=headers).json()
    assert [(each["name"], each["documents"]) for each in listed] == [("Project Larch", 0)]
    found = team.client.get("/api/v1/collections/Project Larch", headers=headers)
    assert found.status_code == 200
    answer = team.client.post(
        "/api/v1/documents",
        data={"collection": "project larch"},
        files=[("files", ("lease.txt", LEASE.encode()))],
        headers=headers,
    )
    assert answer.status_code == (202 if may_upload(name) else 403), answer.text


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_server_without_a_collection_shows_the_form_to_who_may_use_it(
    make_room: Callable[..., Room], name: str
) -> None:
    room = make_room("new.db", team=True)
    with room.app.state.server.connection_pool.library() as library:
        Accounts(library).add(name, PASSWORD, by="test")
        role = Role[name.partition("-")[0].upper()]
        Accounts(library).grant(name, role, ALL_COLLECTIONS, by="test")
    enter(room, name)
    page = room.client.get("/").text
    assert has_upload_form(page) is may_upload(name)
    assert (ASK in page) is not may_upload(name)
    reviews = words(room.client.get("/reviews").text)
    assert (ASK in reviews) is not may_upload(name)
    assert ("Add contracts first." in reviews) is may_upload(name)


def test_who_has_no_role_is_not_sent_to_an_editor(team: Room) -> None:
    enter(team, "nobody")
    page = team.client.get("/").text
    assert not has_upload_form(page)
    assert "Larch" not in page
    assert "You have no role in any collection yet." in words(page)
    assert "No contracts" not in page
    assert team.client.get("/c/Project Larch").status_code == 404


def test_one_person_at_their_own_machine_has_the_form_from_the_start(room: Room) -> None:
    page = room.client.get("/").text
    assert has_upload_form(page)
    assert ASK not in page


def test_an_unknown_collection_is_named_with_the_nearest(room: Room) -> None:
    room.put({"lease.txt": LEASE}, collection="Mill")
    for address in ("/reviews?c=Mlil", "/search?q=rent&c=Mlil", "/c/Mlil"):
        missing = room.client.get(address)
        assert missing.status_code == 404
        assert "Collection 'Mlil' not found. Did you mean 'Mill'?" in words(missing.text)
    answer = room.client.get("/api/v1/answers/xyz").json()
    assert (answer["code"], "list of answers" in answer["remedy"]) == ("not_found", True)
