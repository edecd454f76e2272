"""Team mode: signing in, roles, walls between collections, tokens, the audit trail."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import pyotp
import pytest
from fastapi.testclient import TestClient

from fourcorners.errors import ConfigError
from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth import accounts as accounting
from fourcorners.server.auth import sessions
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.auth.second_factor import SecondFactors
from fourcorners.server.errors import TooManyRequests
from fourcorners.server.rate_limit import FailureLimiter
from tests.server.conftest import LEASE, SUPPLY, Room

PASSWORD = "a short sentence is good"  # noqa: S105 - of a test


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """A team's server: Ada administers, Bram reads Mill, Cleo edits Grain, Dora has no role."""
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram", "cleo", "dora"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("bram", Role.READER, "Mill", by="test")
        accounts.grant("cleo", Role.EDITOR, "Grain", by="test")
    sign_in(room.client, "ada")
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY}, "Grain")
    return room


def sign_in(client: TestClient, name: str, password: str = PASSWORD) -> int:
    client.cookies.clear()
    data = {"name": name, "password": password}
    return int(client.post("/sign-in", data=data).status_code)


def bearer(room: Room, name: str, scope: Scope = Scope.READ) -> dict[str, str]:
    with room.app.state.server.connection_pool.library() as library:
        secret = ApiTokens(library).add(name, [scope], "test", 1, by="test")
    return {"Authorization": f"Bearer {secret}"}


def trail(room: Room) -> list[tuple[str, Mapping[str, Any]]]:
    with room.app.state.server.connection_pool.library() as library:
        return [(entry.event, json.loads(entry.detail)) for entry in library.audit_trail()]


def test_nobody_sees_anything_before_signing_in(team: Room) -> None:
    team.client.cookies.clear()
    document = team.document("lease")
    for address in ("/", "/c/Mill", f"/d/{document}", f"/d/{document}/page/1.png", "/search?q=a"):
        answer = team.client.get(address)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in?to=")
    answer = team.client.get("/api/v1/documents")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert team.client.get("/healthz").status_code == 200
    assert (
        "Mill"
        not in team.client.get("/c/Mill", follow_redirects=True).text.replace("%2Fc", "")[:200]
    )


def test_the_cookie_is_out_of_reach(team: Room) -> None:
    team.client.cookies.clear()
    answer = team.client.post("/sign-in", data={"name": "ada", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-")
    assert all(part in cookie for part in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"))
    assert "max-age=" in answer.headers["strict-transport-security"]


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil", "\n/x", ""])
def test_signing_in_leads_nowhere_else(team: Room, to: str) -> None:
    answer = team.client.post("/sign-in", data={"name": "ada", "password": PASSWORD, "to": to})
    assert answer.headers["location"] == "/"


def test_wrong_passwords_slow_their_source_and_lock_nobody_out(team: Room) -> None:
    for _ in range(5):
        assert sign_in(team.client, "bram", "wrong") == 422
    answer = team.client.post("/sign-in", data={"name": "bram", "password": PASSWORD})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    elsewhere = TestClient(
        team.app, base_url="https://firm.test", follow_redirects=False, client=("192.0.2.7", 5)
    )
    assert sign_in(elsewhere, "bram") == 303
    assert ("sign-in refused", {"user": "bram", "by": "bram"}) in trail(team)


def test_delays_grow_with_failures_and_end() -> None:
    now = 0.0
    limit = FailureLimiter(clock=lambda: now)
    delays = []
    for _ in range(9):
        limit.note_failure("2001:db8::1")
        try:
            limit.require("2001:db8::ffff")  # another address of one network
            delays.append(0)
        except TooManyRequests as error:
            delays.append(error.retry_after)
            limit.require("2001:db8:0:1::1")
            now += error.retry_after
    assert delays == [0, 0, 0, 0, 2, 4, 8, 16, 32]
    limit.require("2001:db8::1")
    now += 9 * 600
    limit.note_failure("2001:db8::1")
    limit.require("2001:db8::1")


def test_signing_in_tells_not_which_accounts_there_are(
    team: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[str] = []
    is_password = accounting.is_password

    def count(hashed: str, password: str) -> bool:
        verified.append(hashed)
        return is_password(hashed, password)

    monkeypatch.setattr(sessions, "is_password", count)
    with team.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        accounts.set_disabled("dora", disabled=True, by="test")
        accounts.add_without_password("evan", by="test")
    told = []
    for name, password in (("nobody", "x"), ("bram", "x"), ("dora", PASSWORD), ("evan", "")):
        before, verifications = len(trail(team)), len(verified)
        answer = team.client.post("/sign-in", data={"name": name, "password": password or "x"})
        told.append(
            (
                answer.status_code,
                answer.text.replace(f'value="{name}"', ""),
                len(trail(team)) - before,
                len(verified) - verifications,
            )
        )
    assert [each[2:] for each in told] == [(1, 1)] * 4
    assert len(set(told)) == 1
    assert "nobody" not in json.dumps(trail(team))


@pytest.mark.parametrize(
    "weak", ["Password1234", "aaaaaaaaaaaaaaa", "qwertyuiop12", "fourcorners1", "bram bram bram"]
)
def test_a_password_that_guessers_try_is_refused(team: Room, weak: str) -> None:
    with (
        team.app.state.server.connection_pool.library() as library,
        pytest.raises(ConfigError, match="too easy to guess"),
    ):
        Accounts(library).set_password("bram", weak, by="test")


def test_what_judges_passwords_is_asked_for_where_it_is_missing(
    team: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zxcvbn", None)
    with (
        team.app.state.server.connection_pool.library() as library,
        pytest.raises(ConfigError, match="not installed") as missing,
    ):
        Accounts(library).add("emil", PASSWORD, by="test")
    assert missing.value.remedy == "pip install 'fourcorners[web]'"


def test_a_second_factor(team: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr("fourcorners.server.auth.second_factor.time.time", lambda: now)
    client = team.client
    sign_in(client, "bram")
    token = team.token()

    def post(path: str, **data: str) -> Any:
        return client.post(path, data={"csrf": token, **data})

    page = post("/account/second-factor").text
    found = re.search(r"<code>([A-Z2-7]{32})</code>", page)
    assert found
    assert "otpauth://totp/Fourcorners:bram" in page
    app = pyotp.TOTP(found[1])
    assert sign_in(client, "bram") == 303  # it is not on before a code has shown that it works
    token = team.token()
    assert post("/account/second-factor/confirm", code="000000").status_code == 400
    page = post("/account/second-factor/confirm", code=app.at(now)).text
    codes = re.findall(r"<code>([0-9a-f]{10})</code>", page)
    assert len(set(codes)) == 10

    def enter(code: str) -> Any:
        return client.post("/sign-in/code", data={"code": code, "to": "/c/Mill"})

    assert sign_in(client, "bram") == 200
    assert client.get("/account").status_code == 303  # the password alone opens nothing
    assert enter(app.at(now)).status_code == 422  # a code counts once
    now += 30
    answer = enter(app.at(now))
    assert (answer.status_code, answer.headers["location"]) == (303, "/c/Mill")
    assert client.get("/account").status_code == 200
    sign_in(client, "bram")
    assert enter(codes[0]).status_code == 303
    sign_in(client, "bram")
    assert enter(codes[0]).status_code == 422
    now += 30
    assert enter(app.at(now)).status_code == 303
    with team.app.state.server.connection_pool.library() as library:
        SecondFactors(library).turn_off("bram", by="test")
    assert sign_in(client, "bram") == 303
    events = [event for event, _ in trail(team)]
    for event in ("second factor on", "recovery code used", "second factor off"):
        assert event in events


def test_codes_cannot_be_guessed_on_and_on(team: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FailureLimiter, "require", lambda *_: None)
    with team.app.state.server.connection_pool.library() as library:
        factors = SecondFactors(library)
        secret, _ = factors.begin("bram")
        factors.confirm("bram", pyotp.TOTP(secret).now())
    assert sign_in(team.client, "bram") == 200
    for _ in range(5):
        answer = team.client.post("/sign-in/code", data={"code": "123"})
        assert answer.status_code == 422
    assert "Sign in again" in answer.text
    later = pyotp.TOTP(secret).at(int(time.time()) + 30)
    assert team.client.post("/sign-in/code", data={"code": later}).status_code == 422


def test_a_team_is_served_by_its_names(make_room: Callable[..., Room]) -> None:
    room = make_room(team=True, hosts=("firm.test", "Deals.Firm.Example"))
    for host, status in (
        ("firm.test", 200),
        ("deals.firm.example:443", 200),
        ("localhost:8844", 200),
        ("evil.example", 421),
        ("firm.test.evil.example", 421),
    ):
        answer = room.client.get("/sign-in", headers={"Host": host})
        assert answer.status_code == status, host


def test_the_address_is_slowed_whatever_names_it_tries(team: Room) -> None:
    codes = [sign_in(team.client, f"guess{n}", "x") for n in range(40)]
    assert codes[-1] == 429


def test_walls(team: Room) -> None:
    """What Bram may not see cannot be told from what is not there, wherever he asks."""
    sign_in(team.client, "bram")
    lease, supply = team.document("lease"), team.document("supply")
    assert team.client.get(f"/d/{lease}").status_code == 200
    missing = "f" * 16
    for form in (
        "/d/{}",
        "/d/{}/page/1.png",
        "/api/v1/documents/{}",
        "/api/v1/documents/{}/text",
        "/api/v1/documents/{}/outline",
        "/api/v1/documents/{}/card",
        "/api/v1/documents/{}/span?start=0&end=5",
    ):
        hidden, absent = (team.client.get(form.format(each)) for each in (supply, missing))
        assert hidden.status_code == absent.status_code == 404, form
        told = [re.sub(r"[0-9a-f]{12,}", "", each.text) for each in (hidden, absent)]
        assert told[0] == told[1]
    for address in (
        "/", "/c/Mill", "/search?q=grain", "/search?q=what+is+the+liability+of+Oats",
        "/search?q=a*", "/search?q=SUPPLY+OF+GRAIN", "/search?q=x+collection:Nowhere",
        "/search?q=x+type:Foo", "/health?c=Mill", "/c/Grain", "/health?c=Grain",
        "/api/v1/collections", "/api/v1/documents", "/api/v1/tasks", "/api/v1/search?q=grain",
        "/api/v1/documents?collection=Grain", "/api/v1/search?q=grain&collection=Grain",
        "/api/v1/search?q=grain%20collection:%22Grain%22", "/api/v1/failures?collection=Grain",
        "/api/v1/findings?collection=Grain",
    ):  # fmt: skip
        answer = team.client.get(address)
        shown = re.sub(
            r'value="[^"]*"|<title>.*?</title>|&#39;Grain&#39;|\'Grain\'', "", answer.text
        )
        for words in ("Oats", "supply.txt", supply, "SUPPLY OF", "Grain"):
            assert words not in shown, (address, words)


def test_walls_hold_for_writes(team: Room) -> None:
    sign_in(team.client, "bram")
    lease, supply = team.document("lease"), team.document("supply")
    assert team.upload({"x.txt": LEASE + "x"}, "Mill").status_code == 403
    assert team.upload({"x.txt": LEASE + "x"}, "Grain").status_code == 404
    assert team.upload({"x.txt": LEASE + "x"}, "New").status_code == 404
    for document, collection, status in ((lease, "Mill", 403), (supply, "Grain", 404)):
        data = {"document": document, "collection": collection, "csrf": team.token()}
        assert team.client.post("/remove", data=data).status_code == status
    sign_in(team.client, "cleo")
    # Cleo edits Grain: with that she can take out nothing of Mill, and cannot adopt it by its id.
    data = {"document": lease, "collection": "Grain", "csrf": team.token()}
    assert team.client.post("/remove", data=data).status_code == 404
    assert team.upload({"y.txt": SUPPLY + "y"}, "Grain").status_code == 303
    for page in ("/people", "/api/v1/audit", "/api/v1/audit/verdict"):
        assert team.client.get(page).status_code == 403
    grab = {"name": "cleo", "role": "admin", "everywhere": "1", "csrf": team.token()}
    assert team.client.post("/people/role", data=grab).status_code == 403


def test_a_shared_file_tells_nothing_of_where_else_it_lies(team: Room) -> None:
    sign_in(team.client, "cleo")
    team.put({"mine.txt": LEASE}, "Grain")
    document = team.document("mine")
    assert document != team.document("lease")
    page = team.client.get(f"/d/{document}")
    assert page.status_code == 200
    assert "/c/Mill" not in page.text
    assert team.client.get(f"/api/v1/documents/{document}").json()["collection"] == "Grain"
    assert team.client.get(f"/d/{team.document('lease')}").status_code == 404


def test_someone_without_a_role_sees_an_empty_library(team: Room) -> None:
    sign_in(team.client, "dora")
    assert "Mill" not in team.client.get("/").text
    assert team.client.get("/api/v1/documents").json() == {"items": [], "next": None}
    assert team.client.get("/api/v1/search", params={"q": "lease"}).json()["items"] == []


def test_tokens_do_what_their_scope_says_and_no_more(team: Room) -> None:
    team.client.cookies.clear()
    read, write = bearer(team, "ada"), bearer(team, "ada", Scope.WRITE)
    lease = f"/api/v1/documents/{team.document('lease')}"
    assert team.client.get(lease, headers=read).status_code == 200
    assert team.client.delete(f"{lease}?collection=Mill", headers=read).status_code == 403
    assert team.client.get("/api/v1/audit", headers=write).status_code == 403
    admin = bearer(team, "ada", Scope.ADMIN)
    assert team.client.get("/api/v1/audit", headers=admin).status_code == 200
    assert team.client.delete(f"{lease}?collection=Mill", headers=write).status_code == 204
    assert team.client.get(lease, headers={"Authorization": "Bearer fc_x"}).status_code == 401
    # A token's reach is never larger than its owner's.
    supply = f"/api/v1/documents/{team.document('supply')}"
    assert team.client.get(supply, headers=bearer(team, "bram", Scope.ADMIN)).status_code == 404


def test_a_session_writes_to_the_api_only_with_its_pages_token(team: Room) -> None:
    lease = f"/api/v1/documents/{team.document('lease')}?collection=Mill"
    assert team.client.delete(lease).status_code == 403
    assert team.client.delete(lease, headers={"X-CSRF-Token": team.token()}).status_code == 204


def test_one_visitors_form_token_is_not_anothers(team: Room) -> None:
    of_ada = team.token()
    sign_in(team.client, "cleo")
    data = {"document": team.document("supply"), "collection": "Grain", "csrf": of_ada}
    assert team.client.post("/remove", data=data).status_code == 403


def test_who_is_shut_out_is_out_at_once(team: Room) -> None:
    token = bearer(team, "bram")
    sign_in(team.client, "bram")
    assert team.client.get("/").status_code == 200
    with team.app.state.server.connection_pool.library() as library:
        Accounts(library).set_disabled("bram", True, by="test")
    assert team.client.get("/").status_code == 303
    assert team.client.get("/api/v1/documents", headers=token).status_code == 401
    assert sign_in(team.client, "bram") == 422


def test_a_session_ends(team: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    from fourcorners.server.auth import sessions

    assert team.client.get("/").status_code == 200
    monkeypatch.setattr(sessions, "IDLE_SECONDS", -1)
    assert team.client.get("/").status_code == 303


def test_signing_out_ends_the_session_for_good(team: Room) -> None:
    cookies = dict(team.client.cookies)
    team.client.post("/sign-out", data={"csrf": team.token()})
    for name, value in cookies.items():
        team.client.cookies.set(name, value, domain="firm.test")
    assert team.client.get("/").status_code == 303


def test_reading_and_writing_are_in_the_audit_trail(team: Room) -> None:
    answer = team.upload({"more.txt": LEASE + "more"}, "Mill", Accept="application/json")
    team.settle(answer.json()["task"])
    sign_in(team.client, "bram")
    lease = team.document("lease")
    team.client.get(f"/d/{lease}")
    team.client.get("/search?q=tenant")
    events = trail(team)
    assert ("read", {"document": lease, "by": "bram"}) in events
    assert any(event == "search" and detail["by"] == "bram" for event, detail in events)
    assert not any("tenant" in json.dumps(detail) for _, detail in events)
    assert any(event == "task" and detail["by"] == "ada" for event, detail in events)


def test_an_admin_adds_people_and_gives_roles(team: Room) -> None:
    data = {"name": "emil", "password": PASSWORD, "csrf": team.token()}
    assert team.client.post("/people/add", data=data).status_code == 303
    short = {**data, "name": "fred", "password": "short"}
    assert team.client.post("/people/add", data=short).status_code == 400
    role = {"name": "emil", "role": "reader", "collection": "Mill", "csrf": team.token()}
    assert team.client.post("/people/role", data=role).status_code == 303
    assert "emil" in team.client.get("/people").text
    assert sign_in(team.client, "emil") == 303
    assert "Mill" in team.client.get("/").text


def test_a_token_is_told_once(team: Room) -> None:
    data = {"note": "script", "scope": "read", "days": "30", "csrf": team.token()}
    page = team.client.post("/account/tokens", data=data).text
    secret = re.search(r"fc_[\w-]{40,}", page)
    assert secret
    assert secret[0] not in team.client.get("/account").text
    with team.app.state.server.connection_pool.library() as library:
        kept = library.execute("SELECT hash FROM server_tokens")
    assert secret[0] not in str(kept)
    assert accounting.hash_secret(secret[0]) in str(kept)


def test_an_admin_of_a_collection_says_who_may_what_in_it(team: Room) -> None:
    with team.app.state.server.connection_pool.library() as library:
        Accounts(library).grant("cleo", Role.ADMIN, "Grain", by="test")
    sign_in(team.client, "cleo")
    assert "/people/in?c=Grain" in team.client.get("/c/Grain").text
    assert "Nobody has a role" not in team.client.get("/people/in?c=grain").text
    token = team.token("/c/Grain")

    def give(name: str, role: str, collection: str = "Grain") -> int:
        data = {"csrf": token, "c": collection, "name": name, "role": role}
        return int(team.client.post("/people/in", data=data).status_code)

    assert give("dora", "reader") == 303
    assert "dora" in team.client.get("/people/in?c=Grain").text
    assert give("nobody", "reader") == 400
    assert give("dora", "king") == 400
    assert give("dora", "reader", "Mill") == 404
    assert team.client.get("/people/in?c=Mill").status_code == 404
    assert team.client.get("/people").status_code == 403
    sign_in(team.client, "dora")
    assert "supply" in team.client.get("/c/Grain").text
    assert "/people/in" not in team.client.get("/c/Grain").text
    assert team.client.get("/people/in?c=Grain").status_code == 403
    assert ("role", "cleo") in [(event, detail.get("by")) for event, detail in trail(team)]
