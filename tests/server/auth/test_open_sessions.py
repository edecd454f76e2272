"""Where people are signed in, how that is ended, and how an admin lets someone in again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pyotp
import pytest
from fastapi.testclient import TestClient

from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth import accounts as accounting
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.open_sessions import describe_browser
from fourcorners.server.auth.second_factor import SecondFactors
from tests.server.auth.test_team import PASSWORD, bearer, sign_in, trail
from tests.server.conftest import Room

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)
CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
    "Safari/537.36"
)
NEW = "another sentence is also good"  # of a test


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    from argon2 import PasswordHasher

    monkeypatch.setattr(accounting, "_hasher", lambda: PasswordHasher(1, 8, 1))


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """Ada administers, Bram has no role; Ada has signed in."""
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
    assert sign_in(room.client, "ada") == 303
    return room


def browser(room: Room, name: str, agent: str, address: str) -> TestClient:
    """Return a browser in which someone has signed in."""
    client = TestClient(
        room.app,
        base_url="https://firm.test",
        follow_redirects=False,
        client=(address, 5),
        headers={"User-Agent": agent},
    )
    assert sign_in(client, name) == 303
    return client


def form_token(client: TestClient) -> str:
    found = re.search(r'name="csrf-token" content="(\w+)"', client.get("/account").text)
    assert found
    return found[1]


def post(client: TestClient, path: str, **data: str) -> int:
    return client.post(path, data={"csrf": form_token(client), **data}).status_code


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (FIREFOX, "Firefox on Windows"),
        (SAFARI, "Safari on iPhone"),
        (CHROME, "Chrome on Linux"),
        (CHROME.replace("537.36", "537.36 Edg/140.0"), "Edge on Linux"),
        ("python-httpx/0.28", ""),
        ("", ""),
        ("<b>Windows</b>", "Unknown browser on Windows"),
    ],
)
def test_a_browser_in_words(header: str, words: str) -> None:
    assert describe_browser(header) == words


def test_people_see_their_own_sessions_and_end_one(team: Room) -> None:
    office = browser(team, "bram", FIREFOX, "192.0.2.7")
    phone = browser(team, "bram", SAFARI, "198.51.100.9")
    page = office.get("/account").text
    assert "Firefox on Windows" in page
    assert "Safari on iPhone" in page
    assert "198.51.100.9" in page
    ids = re.findall(r'name="session" value="(\w+)"', page)
    assert len(ids) == 1  # the session that looks has no button
    (own,) = team.client.get("/api/v1/sessions").json()
    assert post(office, "/account/sessions/end", session=own["id"]) == 404  # it is Ada's
    assert team.client.get("/account").status_code == 200
    assert post(office, "/account/sessions/end", session=ids[0]) == 303
    assert phone.get("/account").status_code == 303
    assert office.get("/account").status_code == 200
    assert ("signed out", {"user": "bram", "by": "bram"}) in trail(team)


def test_all_other_sessions_end_at_once(team: Room) -> None:
    office, phone, home = (browser(team, "bram", CHROME, f"192.0.2.{n}") for n in (1, 2, 3))
    assert post(office, "/account/sessions/end-others") == 303
    states = [each.get("/account").status_code for each in (office, phone, home)]
    assert states == [200, 303, 303]


def test_an_admin_sees_who_signed_in_when_and_ends_their_sessions(team: Room) -> None:
    assert team.client.get("/people").text.count("never") == 1  # of Bram
    phone = browser(team, "bram", SAFARI, "198.51.100.9")
    assert "never" not in team.client.get("/people").text
    person = team.client.get("/people/person?name=bram").text
    assert "Safari on iPhone" in person
    assert post(team.client, "/people/person/sessions/end-all", name="bram") == 303
    assert phone.get("/account").status_code == 303
    assert ("signed out", {"user": "bram", "by": "ada"}) in trail(team)
    # Her own session stays open while she ends the others of hers.
    other = browser(team, "ada", SAFARI, "198.51.100.9")
    assert post(team.client, "/people/person/sessions/end-all", name="ada") == 303
    assert other.get("/account").status_code == 303
    assert team.client.get("/people").status_code == 200


def test_only_admins_see_and_help_others(team: Room) -> None:
    phone = browser(team, "bram", SAFARI, "198.51.100.9")
    for name in ("ada", "nobody"):
        assert phone.get(f"/people/person?name={name}").status_code == 403
        assert post(phone, "/people/person/password", name=name) == 403
        assert post(phone, "/people/person/sessions/end-all", name=name) == 403
        assert post(phone, "/people/person/second-factor/off", name=name) == 403
        assert phone.get(f"/api/v1/users/{name}/sessions").status_code == 403
    assert team.client.get("/people/person?name=nobody").status_code == 404
    assert post(team.client, "/people/person/password", name="nobody") == 404
    assert team.client.get("/account").status_code == 200


def test_a_link_changes_a_password_once(team: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    phone = browser(team, "bram", SAFARI, "198.51.100.9")
    data = {"csrf": form_token(team.client), "name": "bram"}
    links = []
    for _ in range(2):
        page = team.client.post("/people/person/password", data=data).text
        found = re.search(r"https://firm\.test/sign-in/password\?key=([\w-]+)", page)
        assert found
        links.append(found[1])
    assert ("password link", {"user": "bram", "by": "ada"}) in trail(team)
    stranger = TestClient(team.app, base_url="https://firm.test", follow_redirects=False)
    old, key = links
    assert stranger.get(f"/sign-in/password?key={old}").status_code == 404  # a later one was made
    form = stranger.get(f"/sign-in/password?key={key}")
    assert form.status_code == 200
    assert 'value="bram"' in form.text
    assert form.headers["cache-control"] == "no-store"
    weak = stranger.post("/sign-in/password", data={"key": key, "new": "password1234"})
    assert weak.status_code == 422
    assert phone.get("/account").status_code == 200
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 24 * 3600 + 1)
    assert stranger.post("/sign-in/password", data={"key": key, "new": NEW}).status_code == 404
    monkeypatch.setattr(time, "time", lambda: now)
    assert stranger.post("/sign-in/password", data={"key": key, "new": NEW}).status_code == 303
    assert phone.get("/account").status_code == 303
    assert ("password changed", {"user": "bram", "by": "bram"}) in trail(team)
    again = stranger.post("/sign-in/password", data={"key": key, "new": PASSWORD})
    assert again.status_code == 404
    assert sign_in(stranger, "bram") == 422
    assert sign_in(stranger, "bram", NEW) == 303


def test_a_link_of_someone_disabled_works_no_more(team: Room) -> None:
    headers = bearer(team, "ada", Scope.ADMIN)
    made = team.client.post("/api/v1/users/bram/password-link", headers=headers)
    assert made.status_code == 201
    path = f"{made.json()['path']}?key={made.json()['secret']}"
    with team.app.state.server.connection_pool.library() as library:
        for disabled in (True, False):  # nor once they may come in again
            Accounts(library).set_disabled("bram", disabled, by="ada")
            assert team.client.get(path).status_code == 404


def test_an_admin_turns_off_a_second_factor(team: Room) -> None:
    with team.app.state.server.connection_pool.library() as library:
        factors = SecondFactors(library)
        secret, _ = factors.begin("bram")
        factors.confirm("bram", pyotp.TOTP(secret).now())
    assert "Second factor" in team.client.get("/people/person?name=bram").text
    assert post(team.client, "/people/person/second-factor/off", name="bram") == 303
    assert ("second factor off", {"user": "bram", "by": "ada"}) in trail(team)
    browser(team, "bram", FIREFOX, "192.0.2.7")


def test_programs_list_and_end_sessions(team: Room) -> None:
    phone = browser(team, "bram", SAFARI, "198.51.100.9")
    home = browser(team, "bram", FIREFOX, "192.0.2.7")
    headers = bearer(team, "ada", Scope.ADMIN)
    users = team.client.get("/api/v1/users", headers=headers).json()
    assert all(each["last_sign_in"] for each in users)
    first, second = team.client.get("/api/v1/users/bram/sessions", headers=headers).json()
    assert {first["browser"], second["browser"]} == {"Safari on iPhone", "Firefox on Windows"}
    path = f"/api/v1/users/bram/sessions/{first['id']}"
    assert team.client.delete(path, headers=headers).status_code == 204
    assert team.client.delete(path, headers=headers).status_code == 404
    assert [each.get("/account").status_code for each in (phone, home)].count(303) == 1
    assert team.client.delete("/api/v1/users/bram/sessions", headers=headers).status_code == 204
    assert phone.get("/account").status_code == home.get("/account").status_code == 303
